"""`karat shift`: what changed from one file of predictions to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.cli.main import command
from karat.cli.options import AsJson, Level, Measures, Reader, Replicates, Seed, measure_names, own_measures, reading
from karat.cli.output import print_json, say, show_table, working
from karat.core.errors import InputError, quoted

if TYPE_CHECKING:
    from karat.changes import SetShift
    from karat.evaluation import Evaluation


@command
@own_measures
@reading
def shift(
    models: Reader,
    measures: Measures = None,
    level: Level = 0.95,
    replicates: Replicates = 200,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Explain a change: REFERENCE against CURRENT.

    How every measure changed, and how much of that the changed class frequencies explain; ranking and calibration
    apart. CURRENT may lack the column of true labels: its measures are then estimated from recalibrated probabilities.

    Examples
    --------
    karat shift forest.csv boosting.csv --positive malignant
    karat shift forest.csv boosting.csv --positive malignant --measures MCC,roc_auc --json
    """
    from karat.changes import shift as shift_between

    if len(models.files) != 2:
        raise InputError(f"{len(models.files)} files were given; give two, the reference and the current set.")
    first = _alone(Reader(models.files[:1], **models.options).evaluations(), models.files[0])
    current, decided = _current(models, first)
    names = measure_names(measures)
    with working("shift between two sets"):
        result = shift_between(
            first, current, measures=names, y_pred=decided, level=level, seed=seed, replicates=replicates
        )
    if as_json:
        print_json(result.to_dict())
    else:
        _show(result)


def _alone(evaluations: dict[str, Evaluation], file: str) -> Evaluation:
    if len(evaluations) > 1:
        raise InputError(f"{file} holds {len(evaluations)} models; give files of one model each.")
    return next(iter(evaluations.values()))


def _current(models: Reader, reference: Evaluation) -> tuple[Any, Any]:
    """An evaluation, or where the file has no true labels its probabilities; and predicted labels."""
    from karat.data.prediction_files import Names, table_of

    file, options = models.files[1], models.options
    if file == "-":
        return _alone(Reader([file], **options).evaluations(), file), None
    table = table_of(file, options["format_"])
    if options["truth"] not in table:
        decided = table.get(options["pred"] or Names.DEFAULTS["decided"])
        return _probabilities(table, file, options["proba"], reference), decided
    e = _alone(Reader([file], **options).evaluations(), file)
    names = [str(label) for label in reference.classes]
    if {*e.classes} < {*reference.classes} and not any("," in name for name in names):  # some have no case
        e = _alone(Reader([file], **options | {"labels": ",".join(names)}).evaluations(), file)
    return e, None


def _probabilities(table: Any, file: str, begins: str, reference: Evaluation) -> Any:
    """[n, classes], or [n] of the positive one."""
    import numpy as np

    named = [f"{begins}{label}" for label in reference.classes]
    there = [name for name in named if name in table]
    if len(there) == len(named):
        return np.column_stack([np.asarray(table[name], float) for name in named])
    if len(named) == 2 and len(there) == 1:
        one = np.asarray(table[there[0]], float)
        return np.column_stack([one if name in there else 1 - one for name in named])
    missing = [name for name in named if name not in table]
    raise InputError(
        f"{file} has neither the column of true labels nor all probabilities of the reference's classes: "
        f"{quoted(missing)} is missing; its columns are {quoted(table, 8)}."
    )


def _show(result: SetShift) -> None:
    table = result.to_table()
    for sentence in result.sentences:
        say(sentence)
    say("")
    show_table(table)
    say("")
