"""`karat operating`: what predictions cost under some costs and class frequencies, and which threshold costs least."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, Level, Reader, reading
from karat.cli.output import print_json_by_model, say, show_table
from karat.core.errors import InputError
from karat.core.words import percent

if TYPE_CHECKING:
    from karat.decisions.operating import Operating
    from karat.evaluation import Evaluation

MOST_COSTS = 6
"""So many are written out."""
COSTS = "write fp=1,fn=5, or a matrix as [[0, 1], [5, 0]] (rows: true class, columns: predicted class)"
SHARES = "write 0.1 (of the positive class), 0.9,0.1 (in the order of the classes) or cat=0.9,dog=0.1"
Prior = Annotated[
    str | None,
    typer.Option(help=f"Class frequencies in use: {SHARES.removeprefix('write ')}.  [default: those of the data]"),
]


@command
@reading
def operating(
    models: Reader,
    cost: Annotated[
        str | None,
        typer.Option(
            help=f"Cost of each outcome, gains negative: {COSTS.removeprefix('write ')}.  [default: each error 1]"
        ),
    ] = None,
    prior: Prior = None,
    assumed: Annotated[
        str | None, typer.Option(help="Class frequencies in the training data.  [default: those of the data]")
    ] = None,
    level: Level = 0.95,
    as_json: AsJson = False,
) -> None:
    """Find the threshold of least expected cost.

    What the predictions cost as they are, at the best threshold, and by the rule of least expected cost, under these
    costs and class frequencies.

    Examples
    --------
    karat operating forest.csv --positive malignant --cost fp=1,fn=10
    karat operating forest.csv --positive malignant --cost fp=1,fn=10 --prior 0.02
    karat operating forest.csv --cost "[[0, 1], [10, 0]]" --prior benign=0.9,malignant=0.1
    """
    evaluations = models.evaluations()
    costs: dict[str, Operating] = {}
    for name, e in evaluations.items():
        shares = [_shares(text, option, e.classes) for text, option in ((prior, "--prior"), (assumed, "--assumed"))]
        costs[name] = e.operating(_cost(cost, e), shares[0], shares[1], level=level)
    if as_json:
        print_json_by_model({name: o.to_dict() for name, o in costs.items()})
        return
    for name, o in costs.items():
        _show(name, o, evaluations[name])


def _show(name: str, o: Operating, e: Evaluation) -> None:
    from karat.core.statistic import Needs

    c = o.conditions
    shares = ", ".join(f"{truth} {percent(p)}" for truth, p in zip(c.classes, c.prior.tolist(), strict=True))
    say(f"{name}: {_costs(c.classes, c.decisions, c.cost.tolist())}; class frequencies: {shares}\n")
    show_table(o.to_table())
    if len(c.classes) == 2 and e.positive is None and not e.statistics.source.lacks(Needs.SCORES):
        say("\nThe best threshold needs a positive class: pass --positive.")
    say("")


def _costs(classes: Sequence[Any], decisions: Sequence[Any], cost: list[list[float]]) -> str:
    """What errors cost, in words; of many classes only that there are costs."""
    cells = [
        (f"{truth} predicted as {decision}", x)
        for truth, row in zip(classes, cost, strict=True)
        for decision, x in zip(decisions, row, strict=True)
        if x or truth != decision
    ]
    if len({x for _, x in cells}) == 1 and len(cells) == len(classes) * (len(decisions) - 1):
        return f"each error costs {cells[0][1]:g}"
    if len(cells) > MOST_COSTS:
        return f"costs as given ({len(classes)} true by {len(decisions)} predicted classes)"
    return f"costs: {', '.join(f'{outcome} {x:g}' for outcome, x in cells)}"


def _cost(text: str | None, e: Evaluation) -> list[list[float]] | None:
    """A matrix by truth and decision; None: each error costs 1."""
    if text is None:
        return None
    if text.lstrip().startswith("["):
        return _matrix(text)
    place = e.statistics.source.positive
    if len(e.classes) != 2 or place is None:
        raise InputError(
            f"--cost {text!r} is for two classes, one of them positive; pass --positive, or give a matrix such as "
            "[[0, 1], [5, 0]] (rows: true class, columns: predicted class)."
        )
    from karat.decisions.operating import OUTCOMES, cost_matrix

    outcomes: dict[str, float] = {}
    for key, _, value in (part.partition("=") for part in text.split(",")):
        if key.strip().lower() not in OUTCOMES:
            raise InputError(f"--cost {text!r} is not understood; {COSTS}.")
        outcomes[key.strip().lower()] = _number(value, "--cost", text, COSTS)
    if not {"fp", "fn"} <= set(outcomes):
        raise InputError(f"--cost {text!r} does not say what both errors cost; {COSTS}.")
    return cost_matrix(outcomes, place)


def _matrix(text: str) -> list[list[float]]:
    try:
        rows = [[float(x) for x in row] for row in json.loads(text)]
    except (ValueError, TypeError):
        raise InputError(f"--cost {text!r} is not a matrix of numbers in JSON; {COSTS}.") from None
    if len({len(row) for row in rows}) != 1:
        raise InputError(f"--cost {text!r} has rows of different lengths, or none; {COSTS}.")
    return rows


def _shares(text: str | None, option: str, classes: tuple[Any, ...]) -> Any:
    """{class: share}, a list of them, or one number; None: not said."""
    if text is None:
        return None
    parts = next(csv.reader([text.strip().removeprefix("[").removesuffix("]")], skipinitialspace=True), [])
    if not any("=" in part for part in parts):
        numbers = [_number(part, option, text, SHARES) for part in parts]
        return numbers[0] if len(numbers) == 1 else numbers
    known = {str(c): c for c in classes}
    shares = {}
    for part in parts:
        name, _, value = part.rpartition("=")
        label = known.get(name.strip(), name.strip())
        if label in shares:
            raise InputError(f"{option} {text!r} names {name.strip()} twice; {SHARES}.")
        shares[label] = _number(value, option, text, SHARES)
    return shares


def _number(part: str, option: str, text: str, form: str) -> float:
    try:
        value = float(part)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{option} {text!r} holds {part.strip()!r}, which is not a number; {form}.")
    return value
