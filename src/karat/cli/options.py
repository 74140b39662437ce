"""Arguments and options that commands share, and what is read from them: models, measures, values."""

from __future__ import annotations

import csv
import inspect
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.output import Form, written_as
from karat.cli.progress import quietly
from karat.core.errors import InputError

if TYPE_CHECKING:
    from karat.core.errors import Surface
    from karat.data import Source
    from karat.evaluation import Evaluation
    from karat.statistics import Summary

AsJson = Annotated[bool, typer.Option("--json", help="The same as --as json.")]
AS = Annotated[Form, typer.Option("--as", help="Form of the output: markdown for pull requests, latex for papers.")]
QUIET = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
Measures = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="Measures by name or symbol, for example F1,roc_auc,MCC; papers: the 27 of the papers; all: every one.  "
        "[default: accuracy, F1, ROC AUC, log loss, ..., as far as the predictions allow]",
    ),
]
Level = Annotated[float, typer.Option(help="Confidence level of intervals and tests.")]
Replicates = Annotated[int, typer.Option(help="Number of bootstrap or permutation replicates.")]
Seed = Annotated[int, typer.Option(help="Random seed of the replicates.")]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of groups: cases of one group (a patient, a session) are not independent."
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="COLUMN", help="Column of groups, each of which is evaluated. May be repeated."),
]
IntervalMethod = Annotated[
    str,
    typer.Option(help="Method of the intervals: auto, jackknife, percentile, basic, bca, bayes, analytic or logit."),
]
Stratified = Annotated[bool, typer.Option("--stratified", help="Resample within classes: class frequencies are fixed.")]

FILES = Annotated[
    list[str],
    typer.Argument(
        metavar="PREDICTIONS",
        help="Files of predictions: a column y_true, and columns p_<class>, score or y_pred; or confusion matrices. "
        "CSV, TSV, Parquet, Arrow, JSON lines or .npz; - is stdin.",
    ),
]


def _optional(text: str, *flags: str, metavar: str = "COLUMN") -> tuple[Any, None]:
    return Annotated[str | None, typer.Option(*flags, metavar=metavar, help=text)], None


ID = "id"
"""What a column of ids is usually called; it is read only if --id names it."""
NORMALISE = Annotated[bool, typer.Option("--normalise", help="Divide each row of probabilities by its sum.")]
READING: dict[str, tuple[Any, Any]] = {
    "truth": (Annotated[str, typer.Option(metavar="COLUMN", help="Column of the true labels.")], "y_true"),
    "proba": (
        Annotated[
            str,
            typer.Option(
                metavar="PREFIX|COLUMN,...",
                help="Prefix of the probability columns; or columns with probabilities of the positive class, one for "
                "each model.",
            ),
        ],
        "p_",
    ),
    "score": _optional("Column of scores of the positive class.  [default: score]"),
    "pred": _optional("Column of predicted labels.  [default: y_pred]"),
    "weight": _optional("Column of sample weights.  [default: weight]"),
    "model_column": _optional("Column with the name of the model, if a file holds several.  [default: model]"),
    "id_": _optional("Column of case ids: models are paired by it.", "--id"),
    "positive": _optional("The positive class, for precision, recall, F1, ROC curves, ...", metavar="CLASS"),
    "labels": _optional("All classes in their order, separated by commas (quoted if needed).", metavar="CLASS,..."),
    "reject": _optional("The predicted label that stands for no prediction (abstention).", metavar="LABEL"),
    "normalise": (NORMALISE, False),
    "format_": _optional(
        "Format of the input, if it is not clear from the file name: csv, tsv, parquet, arrow, jsonl or npz.",
        "--format",
        metavar="FORMAT",
    ),
    "limit": _optional(
        "How much of a file is read, unpacked, such as 4GB.  [default: an eighth of the memory]", metavar="SIZE"
    ),
}
"""Options that say how predictions are read, and their defaults."""
MEASURES_FROM = Annotated[
    Path | None,
    typer.Option("--measures-from", metavar="FILE.py", help="Python file with measures of your own; it is executed."),
]


# ------------------------------------------------------------------------------------------- options of many commands


def _with_parameters(function: Callable[..., None], call: Callable[..., None], parameters: list[Any]) -> Any:
    """`call` in the name of `function`, with these parameters for typer to see."""
    command = wraps(function)(call)
    command.__signature__ = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY) for p in parameters])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def reading(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter `models` is made from files: it gets the files as an argument, and all options
    that say how to read them."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())
    argument = type(typer.Argument())
    before = [p for p in own if isinstance(getattr(p.annotation, "__metadata__", (None,))[0], argument)]
    after = [p for p in own if p not in before and p.name != "models"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [inspect.Parameter(n, keyword, annotation=a, default=d) for n, (a, d) in READING.items()]
    files = inspect.Parameter("predictions", keyword, annotation=FILES)
    silence = inspect.Parameter("quiet", keyword, annotation=QUIET, default=False)

    def call(predictions: list[str], quiet: bool = False, **options: Any) -> None:
        of_reading = {name: options.pop(name) for name in READING}
        with quietly(quiet):
            function(models=Reader(predictions, **of_reading), **options)

    return _with_parameters(function, call, [*before, files, *after, silence, *shared])  # type: ignore[no-any-return]


def formatted(function: Callable[..., None]) -> Callable[..., None]:
    """A command that can print JSON: it gets the option that says which other form its output may have."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())
    place = next((i for i, p in enumerate(own) if p.name == "as_json"), None)
    if place is None:
        return function
    asked = inspect.Parameter("as_", inspect.Parameter.KEYWORD_ONLY, annotation=AS, default=Form.TABLE)

    def call(as_: Form = Form.TABLE, as_json: bool = False, **options: Any) -> None:
        if as_json and as_ not in (Form.TABLE, Form.JSON):
            raise InputError(f"--json and --as {as_} were both given; give one of them.")
        with written_as(as_):
            function(as_json=as_json or as_ is Form.JSON, **options)

    return _with_parameters(function, call, [*own[:place], asked, *own[place:]])  # type: ignore[no-any-return]


def own_measures(function: Callable[..., None]) -> Callable[..., None]:
    """A command that names measures: it gets the option that says where more of them are declared."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())
    option = inspect.Parameter("measures_from", inspect.Parameter.KEYWORD_ONLY, annotation=MEASURES_FROM, default=None)

    def call(measures_from: Path | None = None, **options: Any) -> None:
        with nullcontext() if measures_from is None else measures_declared_in(measures_from):
            function(**options)

    return _with_parameters(function, call, [*own, option])  # type: ignore[no-any-return]


@contextmanager
def measures_declared_in(path: Path) -> Iterator[None]:
    """What a Python file declares belongs to the catalogue inside. A fault of the file, when it is run or when one of
    its formulas is, is bad input."""
    import sys
    import traceback
    from types import ModuleType

    from karat.catalogue import measures

    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text in UTF-8"
        raise InputError(f"--measures-from {str(path)!r} can't be read ({reason}); name a Python file.") from None
    module = ModuleType(f"measures_from.{path.stem}")  # so that it hides no other; its last part names the family
    module.__file__ = str(path)
    known = set(measures)
    try:
        sys.modules[module.__name__] = module
        exec(compile(source, str(path), "exec"), module.__dict__)
        if known == set(measures):
            raise InputError(f"{path} declares no measure; write one below @karat.measure(...).")
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as problem:
        lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == str(path)]
        if isinstance(problem, SyntaxError) and problem.filename == str(path):
            lines = [problem.lineno]
        if not lines:
            raise
        reason = f"{type(problem).__name__}: {getattr(problem, 'msg', problem)}".rstrip(".")
        raise InputError(f"{path} fails in line {lines[-1]} ({reason}); correct it.") from None
    finally:
        for symbol in set(measures) - known:
            measures.remove(symbol)
        del sys.modules[module.__name__]


class Reader:
    """Files that were named, and how to read them."""

    def __init__(self, files: list[str], **options: Any) -> None:
        self.files = files
        self.options = {name: default for name, (_, default) in READING.items()} | options
        self.with_id_column = 0
        """how many of the files that were read have a column called `id`"""
        self.unread_ids: dict[str, Callable[[], list[Any]]] = {}
        """model to what that column says of its rows, where no column of ids was named"""
        self.ids: dict[str, Any] = {}
        """model to the id of each case, where a column of ids was named"""
        self.groups: dict[str, Any] = {}
        """model to the group of each case, where the option `groups` names a column of the files that were read"""
        self.beside: dict[str, Any] = {}
        """model to its other columns by name, where the option `beside` lists some"""

    def sources(self) -> dict[str, Source]:
        """Model to its predictions, of all files; equal names get the folder of their file, or a number."""
        from karat.data.prediction_files import Names, read

        o = self.options
        names = Names(o["truth"], o["proba"], o["score"], o["pred"], o["weight"], o["model_column"], o["id_"])
        names = replace(names, groups=o.get("groups"), beside=tuple(o.get("beside", ())))
        labels = next(csv.reader([o["labels"]], skipinitialspace=True)) if o["labels"] else None
        checks = {name: o[name] for name in ("positive", "reject", "normalise", "limit")} | {"labels": labels}
        if self.files.count("-") > 1:
            raise InputError("stdin (-) was given more than once, and can be read once; give each file once.")
        by_file = [(file, read(file, names, file_format=o["format_"], **checks)) for file in self.files]
        self.with_id_column = sum(ID in models.columns for _, models in by_file)
        times = Counter(model for _, models in by_file for model in models)
        sources: dict[str, Source] = {}
        for file, models in by_file:
            for model, source in models.items():
                name = _own_name(model, file, sources) if times[model] > 1 else model
                sources[name] = source
                if o["id_"] is not None and source.cases is not None:
                    self.ids[name] = source.cases.ids
                if model in models.groups:
                    self.groups[name] = models.groups[model]
                self.beside[name] = models.beside.get(model, {})
                if o["id_"] is None and ID in models.columns:
                    of_model = models.columns.get(names.called("model"))
                    self.unread_ids[name] = partial(_values_of_model, models.columns[ID], of_model, model)
        return sources

    def refuse_other_rows(self) -> None:
        """Models are paired by row unless a column of ids is named; a column called so must not contradict that."""
        if len(self.unread_ids) < 2:
            return
        (first, ids), *others = ((name, values()) for name, values in self.unread_ids.items())
        for name, its in others:
            both = enumerate(zip(ids, its, strict=False))
            differing = next(((row, *two) for row, two in both if two[0] != two[1]), None)
            if differing is not None and len(ids) == len(its):
                row, one, other = differing
                raise InputError(
                    f"{first} and {name} would be paired by row, but their columns {ID!r} differ (row {row}: {one!r} "
                    f"and {other!r}); pass --id {ID} to pair them by it."
                )

    def common_groups(self) -> list[Any] | None:
        """The groups of the first model, which are in its order; those of the others must not contradict them."""
        self._refuse_contradictions(self.options.get("groups"), "groups", self.groups)
        return next((list(groups) for groups in self.groups.values()), None)

    def common_columns(self) -> dict[str, Any]:
        """The other columns of the first model; those of the others must not contradict them."""
        first = next(iter(self.beside.values()))
        for name in first:
            by_model = {model: columns[name] for model, columns in self.beside.items()}
            self._refuse_contradictions(name, f"values of {name}", by_model)
        return dict(first)

    def _refuse_contradictions(self, column: Any, what: str, by_model: Mapping[str, Any]) -> None:
        """A column has the same values for the same cases in all files: by id, or row by row."""
        from karat.data.pairing import refuse_other_values

        if len(by_model) < 2:
            return
        if self.options["id_"] is not None:
            refuse_other_values(f"values of {column!r}", by_model, self.ids)
            return
        first, *others = (list(values) for values in by_model.values())
        if any(values != first for values in others):
            raise InputError(f"the files have different {what}, row by row; give the cases in one order, or pass --id.")

    def summaries(self) -> dict[str, Summary]:
        """Model to its statistics."""
        from karat.statistics import Summary

        return {name: Summary(source) for name, source in self.sources().items()}

    def evaluations(self) -> dict[str, Evaluation]:
        """Model to its evaluation."""
        from karat.evaluation import Evaluation

        evaluations = {name: Evaluation(source) for name, source in self.sources().items()}
        for name, e in evaluations.items():
            e.columns = dict(self.beside[name])
        return evaluations


def _values_of_model(column: Any, of_model: Any, model: str) -> list[Any]:
    """What a column says of the rows of a model; of all rows if no column names models."""
    values, models = (
        [] if c is None else c.to_pylist() if hasattr(c, "to_pylist") else c.tolist() for c in (column, of_model)
    )
    return [x for x, its in zip(values, models, strict=True) if str(its) == model] if models else list(values)


def _own_name(model: str, file: str, others: Collection[str]) -> str:
    """A model whose name another file has, too."""
    folder = Path(file).resolve().parent.name if file != "-" else ""
    names = [f"{folder}/{model}" if folder else model, *(f"{model} ({i})" for i in range(2, 3 + len(others)))]
    return next(name for name in names if name not in others)


# ------------------------------------------------------------------------------------------- lists and values in text


def measure_names(text: str | None) -> list[str] | None:
    """The measures that an option names; None: those of the headline."""
    if text is None:
        return None
    from karat.measures.lookup import LISTS

    if text.strip().lower() in LISTS:
        return [m.symbol for m in LISTS[text.strip().lower()]()]
    names = [part.strip() for part in _between_commas(text) if part.strip()]
    if not names:
        raise InputError("--measures names none; write for example --measures 'MCC,macro(F1)', or leave it out.")
    return names


def _between_commas(text: str) -> list[str]:
    """At commas that are not inside brackets: `macro(F1),MCC`."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def settings(texts: list[str] | None) -> dict[str, Any]:
    """Name to value, of what --set says: `bins=20`, `band=true`, `prior=.3,.7` or `[0.3, 0.7]`, `axis=some, words`."""
    values = {}
    for text in texts or ():
        name, equals, words = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--set {text!r} is not name=value; write for example --set bins=20.")
        value = _value(words.strip())
        if isinstance(value, str) and "," in value and ", " not in value:
            value = [_value(part.strip()) for part in value.split(",")]
        values[name.strip()] = value
    return values


CONSTANTS = {"True": "true", "False": "false", "None": "null"}
"""Words of Python, and what JSON calls them."""


def _value(text: str) -> Any:
    try:
        return json.loads(CONSTANTS.get(text, text), parse_constant=str)
    except json.JSONDecodeError:
        try:
            return float(text) if text[-1:].isdigit() or text[-1:] == "." else text  # .5 is no JSON
        except ValueError:
            return text


def setting(names: Collection[str]) -> Surface:
    """How options are worded where --set gives these."""
    from karat.cli.main import command_line

    return lambda name: f"--set {name}=" if name in names else command_line(name)
