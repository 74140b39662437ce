"""`karat gate`: may this model be shipped? For continuous integration: exit 0 if every requirement holds, 1 if not."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.gate_over import GROUPS, OVER, TIME, Looked
from karat.cli.main import command
from karat.cli.options import (
    AsJson,
    Groups,
    IntervalMethod,
    Level,
    Reader,
    Replicates,
    Seed,
    Stratified,
    own_measures,
    reading,
)
from karat.cli.output import note, print_json, show, working
from karat.core.documents import in_workflow, in_xml
from karat.core.errors import InputError, quoted
from karat.core.validation import finite, whole
from karat.core.whole_files import write_whole

if TYPE_CHECKING:
    from karat.evaluation import Evaluation
    from karat.intervals.interval import Interval

FORM = re.compile(
    r"\s*(?P<symbol>[^<>=]+?)\s*(?P<end>\.(?:lo|hi|low|high))?\s*(?P<sign>>=|<=|==|>|<)\s*(?P<bound>[^<>=].*?)\s*"
)
OVER_PARTS = re.compile(
    rf"(?P<over>{'|'.join(OVER)})\s*\(\s*(?P<column>.+)\s*:\s*(?P<symbol>[^:]+?)\s*\)", re.IGNORECASE
)
"""Over the groups of a column: the smallest and the largest value, the largest difference; over time; against another
file."""
DIGITS = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
NUMBER = re.compile(rf"[+-]?{DIGITS}", re.ASCII)
SLACK = re.compile(rf"(?P<bound>.+?)\s*(?P<slack>[+-]\s*{DIGITS})", re.ASCII)
LONGEST = 1000
"""Letters of a requirement: more than a path and a number have."""
ENDS = {"": "", ".lo": "low", ".low": "low", ".hi": "high", ".high": "high"}
SIGNS = {
    ">=": lambda a, b, slack: a >= b - slack,
    "<=": lambda a, b, slack: a <= b + slack,
    ">": lambda a, b, slack: a > b + slack,
    "<": lambda a, b, slack: a < b - slack,
    "==": lambda a, b, slack: abs(a - b) <= slack,
}
EXAMPLES = "write for example 'MCC>=0.6', 'roc_auc.lo>=0.9' or 'LogL<=baseline.json+0.01'"


@dataclass(frozen=True)
class Requirement:
    """A bound on a value or on an end of its interval: a number, or the value in a stored evaluation and some slack."""

    text: str
    symbol: str
    end: str
    """"": the value; "low" or "high": of its interval"""
    sign: str
    stored: Any
    """what `karat evaluate --json` wrote, or None"""
    number: float
    """the bound, or what is added to the stored value"""
    over: str = ""
    """min, max, gap: over the groups of a column; drop, outside: over time; change, remaining: against a file"""
    column: str = ""

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Read `MCC>=0.6`, `AUNU.lo>=0.9`, `LogL<=baseline.json`, `LogL<=baseline.json+0.01` or
        `min(site: recall).lo>=0.7`."""
        from karat.measures.lookup import find

        parts = FORM.fullmatch(text) if len(text) <= LONGEST else None
        if parts is None:
            raise InputError(f"the requirement {_shown(text)} is not understood; {EXAMPLES}.")
        grouped = OVER_PARTS.fullmatch(parts["symbol"])
        over = () if grouped is None else (grouped["over"].lower(), grouped["column"].strip())
        symbol, end = find(parts["symbol"] if grouped is None else grouped["symbol"]).symbol, ENDS[parts["end"] or ""]
        bound, slack = parts["bound"], 0.0
        number = _number(bound)
        if number is None and not isfile(bound):
            split = SLACK.fullmatch(bound)
            if split is not None:
                bound, slack = split["bound"], _exact(split["slack"])
                number = _number(bound)
        if not math.isfinite(slack) or not math.isfinite((number or 0.0) + slack):
            raise InputError(f"the bound in {_shown(text)} is infinite; {EXAMPLES}.")
        if number is not None:
            return cls(text, symbol, end, parts["sign"], None, number + slack, *over)
        if over:
            raise InputError(f"the bound of {_shown(text)} is no number; {over[0]} is compared with a number.")
        return cls(text, symbol, end, parts["sign"], _stored(bound, text), slack)

    def bound(self, model: str, e: Evaluation) -> float:
        """What the value of this model is compared with."""
        if self.stored is None:
            return self.number
        path, facts = self.stored
        facts = facts if "measures" in facts else facts.get(model, {})
        if "measures" not in facts:
            raise InputError(
                f"{path} holds the models {', '.join(self.stored[1])} and not {model}; write one model to a file with "
                "`karat evaluate PREDICTIONS --json`."
            )
        _same_task(path, facts, model, e)
        if self.symbol not in facts["measures"]:
            raise InputError(
                f"{path} does not hold {self.symbol}; write it with `karat evaluate PREDICTIONS --measures "
                f"'{self.symbol}' --json`."
            )
        value = facts["measures"][self.symbol]
        if value is None:
            raise InputError(f"{self.symbol} is undefined in {path}; require another measure.")
        return finite(f"{self.symbol} in {path}", value) + self.number

    def holds(self, value: float, bound: float) -> bool:
        """Does it? An undefined value meets no requirement."""
        from karat.core.arithmetic import TOLERANCE

        return value == value and bool(SIGNS[self.sign](value, bound, TOLERANCE))


def _same_task(path: str, facts: dict[str, Any], model: str, e: Evaluation) -> None:
    """A value for other classes, or for another positive one, is no bound; of other cases it may be."""
    stored = facts.get("classes", e.classes)
    if not isinstance(stored, list | tuple):
        raise InputError(f"{path} is not a stored evaluation (its classes are {quoted([stored])}); store it again.")
    there, here = ({str(c) for c in classes} for classes in (stored, e.classes))
    if there != here:
        raise InputError(
            f"{path} is an evaluation of the classes {_some(there)}, and {model} has the classes {_some(here)}; store "
            "one of the same classes."
        )
    positive = facts.get("positive")
    if len(here) == 2 and None not in (positive, e.positive) and str(positive) != str(e.positive):
        raise InputError(
            f"in {path} the positive class is {positive}, and of {model} it is {e.positive}; pass "
            f"--positive {positive}, or store it again."
        )


def _some(classes: set[str]) -> str:
    return ", ".join(sorted(classes)[:6]) + (", ..." if len(classes) > 6 else "")


def _other_cases(requirements: list[Requirement], models: dict[str, Evaluation]) -> list[str]:
    """What to know of stored evaluations: each of another number of cases, once."""
    notes: dict[str, None] = {}
    for path, held in (r.stored for r in requirements if r.stored is not None):
        for name, e in models.items():
            n = whole(f"n in {path}", (held if "measures" in held else held.get(name, {})).get("n", e.n))
            if n != e.n:
                notes[f"{path} was made of {n:,} cases, and {name} has {e.n:,}."] = None
    return list(notes)


def _check_answerable(r: Requirement, name: str, e: Evaluation) -> None:
    """A measure that has no value because something was not said is bad input; one that the data leave undefined
    fails its requirement."""
    try:
        e[r.symbol]
    except InputError as missing:
        raise InputError(f"{r.text!r} can't be checked for {name}: {missing}") from None


def _number(text: str) -> float | None:
    return _exact(text) if NUMBER.fullmatch(text) and math.isfinite(float(text)) else None


def _exact(text: str) -> float:
    """The number that a text of digits is; none that is not 0 becomes 0."""
    number = float("".join(text.split()))
    if number == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise InputError(f"the bound {_shown(text)} is nearer to 0 than numbers can be; write 0, or a larger one.")
    return number


def _shown(text: str) -> str:
    return quoted([text], widest=100)


def _stored(path: str, text: str) -> tuple[str, dict[str, Any]]:
    """The file that `karat evaluate --json` wrote."""
    from karat.data.json_lines import json_of_file

    if not isfile(path):
        raise InputError(f"the bound {_shown(path)} in {_shown(text)} is neither a number nor a file; {EXAMPLES}.")
    try:
        facts = json_of_file(Path(path))
    except InputError:
        facts = None
    facts = facts if isinstance(facts, dict) else {}
    models = [facts] if "measures" in facts else list(facts.values())
    if not models or not all(isinstance(m, dict) and isinstance(m.get("measures"), dict) for m in models):
        raise InputError(
            f"{path} is not a stored evaluation; write one with `karat evaluate PREDICTIONS --json > baseline.json`."
        )
    return path, facts


@command
@own_measures
@reading
def gate(
    models: Reader,
    require: Annotated[
        list[str],
        typer.Option(
            metavar="REQUIREMENT",
            help="'MCC>=0.6': the value; 'roc_auc.lo>=0.9': the lower end of its interval (.hi: the upper); "
            "'LogL<=baseline.json+0.01': against a stored evaluation, with a tolerance; 'min(site: recall).lo>=0.7': "
            "the worst group of a column (max; gap: the largest difference); 'drop(date: MCC)<=0.05': how much worse "
            "it became at a significant change over time (outside: periods beyond their limits); "
            "'change(old.csv: MCC).lo>=-0.05': against the predictions of another file (remaining: what class "
            "frequencies do not explain). May be repeated.",
        ),
    ],
    every: Annotated[
        str, typer.Option(help="Periods of drop(...) and outside(...): hour, day, week, month, quarter or year.")
    ] = "week",
    method: IntervalMethod = "auto",
    groups: Groups = None,
    stratified: Stratified = False,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    junit: Annotated[Path | None, typer.Option(metavar="FILE.xml", help="Also write a JUnit XML file.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Also print failures as GitHub annotations.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check requirements in CI: exit 0 if all are met, 1 if not.

    Examples
    --------
    karat gate forest.csv --require "MCC>=0.6"
    karat gate forest.csv --positive malignant --require "recall>=0.9" --require "roc_auc.lo>=0.9"
    karat evaluate forest.csv --json > baseline.json
    karat gate boosting.csv --require "MCC>=baseline.json-0.02" --as markdown
    karat gate forest.csv --require "min(site: accuracy).lo>=0.7" --require "gap(site: accuracy)<=0.1"
    karat gate forest.csv --require "drop(date: MCC)<=0.05" --every week
    karat gate boosting.csv --require "change(forest.csv: MCC).lo>=-0.05"
    """
    requirements = [Requirement.of(text) for text in require]
    columns = dict.fromkeys(r.column for r in requirements if r.over in (*GROUPS, *TIME))
    models.options |= {"groups": groups, "beside": list(columns)}
    looked = Looked(models, every, level, seed)
    for r in requirements:
        looked.refuse_wrong(r)
    evaluations = models.evaluations()
    bounds = {(name, r.text): r.bound(name, e) for name, e in evaluations.items() for r in requirements}
    for name, e in evaluations.items():
        for r in requirements:
            _check_answerable(r, name, e)
    for remark in _other_cases(requirements, evaluations):
        note(remark)
    rows: list[dict[str, Any]] = []
    of_ends = list(dict.fromkeys(r.symbol for r in requirements if r.end and not r.over))
    for name, e in evaluations.items():
        ends: Any = {}
        if of_ends:
            with working(f"intervals of {name}"):
                which: Any = {"method": method, "groups": models.groups.get(name), "stratified": stratified}
                ends = e.intervals(of_ends, level=level, replicates=replicates, seed=seed, **which)
        for r in requirements:
            bound = bounds[name, r.text]
            alone = ends[r.symbol] if r.end and not r.over else None
            if r.over:
                value, why = looked.value(r, e)
                rows.append(_row_of_parts(name, r, value, bound, why))
            else:
                rows.append(_row(name, r, e, alone, bound))
    _report(rows, junit, github, as_json)
    if not all(row["met"] for row in rows):
        raise typer.Exit(1)


def _row(model: str, r: Requirement, e: Evaluation, interval: Interval | None, bound: float) -> dict[str, Any]:
    """What is told of one requirement of one model. An end that is not known meets no requirement."""
    from karat.intervals.by_replicates import doubts_of

    value = float(e[r.symbol]) if interval is None else float(getattr(interval, r.end))
    why, met = "it is infinite" if math.isinf(value) else "", r.holds(value, bound)
    if value != value:
        why = e.undefined_because(r.symbol) or (interval.reason if interval is not None else "")
    elif not why:
        of_interval = doubts_of(interval.reason) if interval is not None and not met else ""
        why = "; ".join(filter(None, (e.conventions(r.symbol).get(r.symbol, ""), of_interval)))
    finite = value if math.isfinite(value) else None
    return {"model": model, "requirement": r.text, "value": finite, "bound": bound, "met": met, "why": why}


def _row_of_parts(model: str, r: Requirement, value: float, bound: float, why: str) -> dict[str, Any]:
    """The same of groups, periods, or a change from another file."""
    finite = value if math.isfinite(value) else None
    met = r.holds(value, bound)
    return {"model": model, "requirement": r.text, "value": finite, "bound": bound, "met": met, "why": why}


def _report(rows: list[dict[str, Any]], junit: Path | None, github: bool, as_json: bool) -> None:
    if junit is not None:
        _write_junit(rows, junit)
    if github:
        for row in rows:
            if not row["met"]:  # GitHub reads both streams; JSON has stdout to itself
                line = f"::error title=karat gate::{in_workflow(row['model'])}: {in_workflow(_sentence(row))}"
                print(line, file=sys.stderr if as_json else sys.stdout)
    if as_json:
        print_json({"passed": all(row["met"] for row in rows), "requirements": rows})
        return
    from karat.core.table import aligned

    numbers = [_numbers(row) for row in rows]
    values, bounds = (aligned(column) for column in zip(*numbers, strict=True))
    lines = [["model", "requirement", "value", "bound", ""]]
    for row, value, bound in zip(rows, values, bounds, strict=True):
        verdict = ("met" if row["met"] else "NOT MET") + (f": {row['why']}" if row["why"] else "")
        lines.append([row["model"], row["requirement"], value, bound, verdict])
    show(lines, numbers=[False, False, True, True, False])


def _numbers(row: dict[str, Any]) -> tuple[str, str]:
    """The value and the bound, with as many digits as it takes to see which is larger."""
    from karat.core.words import number

    value, bound = row["value"], row["bound"]
    if value is None:
        return "-", number(bound)
    for digits in range(3, 18):
        texts = number(value, digits), number(bound, digits)
        if texts[0] != texts[1] or value == bound:
            break
    return texts


def _sentence(row: dict[str, Any]) -> str:
    value, bound = _numbers(row)
    return f"{row['requirement']} is not met: " + (row["why"] if row["value"] is None else f"{value}, bound {bound}")


def _write_junit(rows: list[dict[str, Any]], path: Path) -> None:
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    failed = sum(not row["met"] for row in rows)
    counts = {"tests": str(len(rows)), "failures": str(failed), "errors": "0"}
    root = Element("testsuites", {"name": "karat", **counts})
    suite = SubElement(root, "testsuite", {"name": "karat gate", "skipped": "0", **counts})
    for row in rows:
        case = SubElement(suite, "testcase", classname=in_xml(row["model"]), name=in_xml(row["requirement"]))
        if not row["met"]:
            sentence = in_xml(_sentence(row))
            SubElement(case, "failure", message=sentence, type="requirement").text = sentence
    indent(root)
    write_whole(path, tostring(root, encoding="utf-8", xml_declaration=True))
