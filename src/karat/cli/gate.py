"""`karat gate`: may this model be shipped? For continuous integration: exit 0 if every requirement holds, 1 if not."""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.app import AsJson, app
from karat.cli.evaluate import Level, Replicates, Seed
from karat.cli.files import Reader, reading
from karat.cli.terminal import in_options, show, working
from karat.core.errors import InputError

FORM = re.compile(
    r"\s*(?P<symbol>[^<>=]+?)\s*(?P<end>\.(?:lo|hi|low|high))?\s*(?P<sign>>=|<=|==|>|<)\s*(?P<bound>[^<>=].*?)\s*"
)
SLACK = re.compile(r"(?P<bound>.+?)\s*(?P<slack>[+-]\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
ENDS = {"": "", ".lo": "low", ".low": "low", ".hi": "high", ".high": "high"}
SIGNS = {
    ">=": lambda a, b, slack: a >= b - slack,
    "<=": lambda a, b, slack: a <= b + slack,
    ">": lambda a, b, slack: a > b + slack,
    "<": lambda a, b, slack: a < b - slack,
    "==": lambda a, b, slack: abs(a - b) <= slack,
}


EXAMPLES = "write for example 'MCC>=0.6', 'AUNU.lo>=0.9' or 'LogL<=baseline.json+0.01'"


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

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Read `MCC>=0.6`, `AUNU.lo>=0.9`, `LogL<=baseline.json` or `LogL<=baseline.json+0.01`."""
        from karat.measures.lookup import find

        said = FORM.fullmatch(text)
        if said is None:
            raise InputError(f"the requirement {text!r} can't be understood; {EXAMPLES}.")
        symbol, end = find(said["symbol"]).symbol, ENDS[said["end"] or ""]
        bound, slack = said["bound"], 0.0
        number = _number(bound)
        if number is None and not Path(bound).is_file():
            split = SLACK.fullmatch(bound)
            if split is not None:
                bound, slack = split["bound"], float(split["slack"].replace(" ", ""))
                number = _number(bound)
        if number is not None:
            return cls(text, symbol, end, said["sign"], None, number + slack)
        return cls(text, symbol, end, said["sign"], _stored(bound, text), slack)

    def bound(self, model: str, e: Any) -> float:
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
        return float(value) + self.number

    def holds(self, value: float, bound: float) -> bool:
        """Does it? An undefined value meets no requirement."""
        from karat.core.arithmetic import TOLERANCE

        return value == value and bool(SIGNS[self.sign](value, bound, TOLERANCE))


def _same_task(path: str, facts: dict[str, Any], model: str, e: Any) -> None:
    """A value for other classes, or for another positive one, is no bound; of other cases it may be."""
    there, here = ({str(c) for c in classes} for classes in (facts.get("classes", e.classes), e.classes))
    if there != here:
        raise InputError(
            f"{path} is an evaluation of the classes {_some(there)}, and {model} has the classes {_some(here)}; store "
            "one of the same classes."
        )
    positive = facts.get("positive")
    if len(here) == 2 and None not in (positive, e.positive) and str(positive) != str(e.positive):
        raise InputError(
            f"in {path} the positive class is {positive}, and of {model} it is {e.positive}; say "
            f"--positive {positive}, or store it again."
        )


def _some(classes: set[str]) -> str:
    return ", ".join(sorted(classes)[:6]) + (", ..." if len(classes) > 6 else "")


def _other_cases(wanted: list[Requirement], models: dict[str, Any]) -> list[str]:
    """What to know of stored evaluations: each of another number of cases, once."""
    notes: dict[str, None] = {}
    for path, held in (r.stored for r in wanted if r.stored is not None):
        for name, e in models.items():
            n = (held if "measures" in held else held.get(name, {})).get("n", e.n)
            if n != e.n:
                notes[f"{path} was made of {n:,} cases, and {name} has {e.n:,}."] = None
    return list(notes)


def _check_asked(r: Requirement, name: str, e: Any) -> None:
    """A measure that has no value because something was not said is bad input; one that the data leave undefined
    fails its requirement."""
    from karat.measures.value import which_class

    why = e.why(r.symbol)
    if why == which_class(e.statistics):
        raise InputError(f"{r.text!r} can't be asked of {name}: {why}.")


def _number(text: str) -> float | None:
    try:
        return float(text) if math.isfinite(float(text)) else None
    except ValueError:
        return None


def _stored(path: str, text: str) -> tuple[str, dict[str, Any]]:
    """The file that `karat evaluate --json` wrote."""
    if not Path(path).is_file():
        raise InputError(f"the bound {path!r} in {text!r} is neither a number nor a file; {EXAMPLES}.")
    try:
        facts = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (ValueError, OSError):
        facts = None
    models = (
        [facts]
        if isinstance(facts, dict) and "measures" in facts
        else list((facts or {}).values() if isinstance(facts, dict) else [])
    )
    if not models or not all(isinstance(m, dict) and isinstance(m.get("measures"), dict) for m in models):
        raise InputError(
            f"{path} is no stored evaluation; write one with `karat evaluate PREDICTIONS --json > {path}`."
        )
    assert isinstance(facts, dict)
    return path, facts


@app.command()
@reading
def gate(
    models: Reader,
    require: Annotated[
        list[str], typer.Option(help="For example 'MCC>=0.6', 'AUNU.lo>=0.9', 'LogL<=baseline.json+0.01'.")
    ],
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    junit: Annotated[Path | None, typer.Option(help="Also write a JUnit XML file.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Also print GitHub annotations of what failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Exit 0 if every model meets every requirement, 1 if not."""
    wanted = [Requirement.of(text) for text in require]
    rows: list[dict[str, Any]] = []
    evaluations = models.evaluations()
    bounds = {}
    for name, e in evaluations.items():
        for r in wanted:
            bounds[name, r.text] = r.bound(name, e)
            _check_asked(r, name, e)
    for note in _other_cases(wanted, evaluations):
        print(f"karat: {note}", file=sys.stderr)
    for name, e in evaluations.items():
        ends: Any = {}
        of_ends = list(dict.fromkeys(r.symbol for r in wanted if r.end))
        if of_ends:
            with working(f"intervals of {name}"):
                ends = e.intervals(of_ends, level=level, replicates=replicates, seed=seed)
        for r in wanted:
            value, bound = float(getattr(ends[r.symbol], r.end)) if r.end else e[r.symbol], bounds[name, r.text]
            why = "it is infinite" if math.isinf(value) else ""
            if value != value:
                why = in_options(e.why(r.symbol)) or "its interval has no ends"
            rows.append({"model": name, "requirement": r.text, "value": value if math.isfinite(value) else None,
                         "bound": bound, "met": r.holds(value, bound), "why": why})  # fmt: skip
    _report(rows, junit, github, as_json)
    if not all(row["met"] for row in rows):
        raise typer.Exit(1)


def _report(rows: list[dict[str, Any]], junit: Path | None, github: bool, as_json: bool) -> None:
    if junit is not None:
        _write_junit(rows, junit)
    if github:
        for row in rows:
            if not row["met"]:  # GitHub reads both streams; JSON has stdout to itself
                line = f"::error title=karat gate::{_escaped(row['model'])}: {_escaped(_sentence(row))}"
                print(line, file=sys.stderr if as_json else sys.stdout)
    if as_json:
        facts = {"passed": all(row["met"] for row in rows), "requirements": rows}
        print(json.dumps(facts, indent=2, allow_nan=False))
        return
    shown = []
    for row in rows:
        value = "-" if row["value"] is None else f"{row['value']:.6g}"
        told = "met" if row["met"] else "NOT MET"
        shown.append([row["model"], row["requirement"], value, f"{row['bound']:.6g}", _because(told, row["why"])])
    show([["model", "requirement", "value", "bound", ""], *shown], numbers=[False, False, True, True, False])


def _because(told: str, why: str) -> str:
    return f"{told}: {why}" if why else told


def _sentence(row: dict[str, Any]) -> str:
    value = row["why"] if row["value"] is None else f"it is {row['value']:.6g}, the bound is {row['bound']:.6g}"
    return f"{row['requirement']} is not met: {value}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _write_junit(rows: list[dict[str, Any]], path: Path) -> None:
    from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

    def allowed(text: str) -> str:
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)

    failed = sum(not row["met"] for row in rows)
    counts = {"tests": str(len(rows)), "failures": str(failed), "errors": "0"}
    root = Element("testsuites", {"name": "karat", **counts})
    suite = SubElement(root, "testsuite", {"name": "karat gate", "skipped": "0", **counts})
    for row in rows:
        case = SubElement(suite, "testcase", classname=allowed(row["model"]), name=allowed(row["requirement"]))
        if not row["met"]:
            said = allowed(_sentence(row))
            SubElement(case, "failure", message=said, type="requirement").text = said
    indent(root)
    try:
        ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as trouble:
        raise InputError(
            f"{path} can't be written ({trouble.strerror}); name a file in a folder that is there."
        ) from None
