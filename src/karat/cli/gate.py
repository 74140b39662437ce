"""`karat gate`: may this model be shipped? For continuous integration: exit 0 if every requirement holds, 1 if not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.app import AsJson, app
from karat.cli.evaluate import Level, Replicates, Seed
from karat.cli.files import Reader, reading
from karat.cli.terminal import show, working
from karat.core.errors import InputError

FORM = re.compile(
    r"\s*(?P<symbol>.+?)(?P<end>\.(?:lo|hi|low|high))?\s*(?P<sign>>=|<=|==|>|<)\s*"
    r"(?P<bound>\S+?)\s*(?P<slack>[+-]\s*\d*\.?\d+(?:e-?\d+)?)?\s*"
)
SIGNS = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: abs(a - b) <= 1e-12,
}


@dataclass(frozen=True)
class Requirement:
    """A bound on a value or on an end of its interval: a number, or the value in a stored evaluation and some slack."""

    text: str
    symbol: str
    end: str
    """"": the value; "low" or "high": of its interval"""
    sign: str
    bound: float

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Read `MCC>=0.6`, `AUNU.lo>=0.9`, `LogL<=baseline.json` or `LogL<=baseline.json+0.01`."""
        from karat.measures.averaging import find

        said = FORM.fullmatch(text)
        if said is None:
            raise InputError(
                f"the requirement {text!r} can't be understood; write for example 'MCC>=0.6', 'AUNU.lo>=0.9' or "
                "'LogL<=baseline.json+0.01'."
            )
        symbol = find(said["symbol"]).symbol
        end = {"": "", ".lo": "low", ".low": "low", ".hi": "high", ".high": "high"}[said["end"] or ""]
        slack = float(said["slack"].replace(" ", "")) if said["slack"] else 0.0
        try:
            bound = float(said["bound"])
        except ValueError:
            bound = _stored(said["bound"], symbol)
        return cls(text, symbol, end, said["sign"], bound + slack)

    def holds(self, value: float) -> bool:
        """Does it? An undefined value meets no requirement."""
        return value == value and bool(SIGNS[self.sign](value, self.bound))


def _stored(path: str, symbol: str) -> float:
    """The value of a measure in a file that `karat evaluate --json` wrote."""
    if not Path(path).is_file():
        raise InputError(f"the bound {path!r} is neither a number nor a file; write for example 'MCC>=0.6'.")
    try:
        value = json.loads(Path(path).read_text())["measures"][symbol]
    except (json.JSONDecodeError, KeyError, TypeError):
        raise InputError(
            f"{path} does not hold {symbol} of one model; write it with `karat evaluate PREDICTIONS --json`."
        ) from None
    if value is None:
        raise InputError(f"{symbol} is undefined in {path}; require another measure.")
    return float(value)


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
    github: Annotated[bool, typer.Option(help="Also print GitHub annotations of what failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Exit 0 if every model meets every requirement, 1 if not."""
    wanted = [Requirement.of(text) for text in require]
    rows: list[dict[str, Any]] = []
    for name, e in models.evaluations().items():
        ends: Any = {}
        of_ends = list(dict.fromkeys(r.symbol for r in wanted if r.end))
        if of_ends:
            with working(f"intervals of {name}"):
                ends = e.intervals(of_ends, level=level, replicates=replicates, seed=seed)
        for r in wanted:
            value = float(getattr(ends[r.symbol], r.end)) if r.end else e[r.symbol]
            why = "" if value == value else e.why(r.symbol) or "its interval has no ends"
            rows.append({"model": name, "requirement": r.text, "value": value if value == value else None,
                         "bound": r.bound, "met": r.holds(value), "why": why})  # fmt: skip
    _report(rows, junit, github, as_json)
    if not all(row["met"] for row in rows):
        raise typer.Exit(1)


def _report(rows: list[dict[str, Any]], junit: Path | None, github: bool, as_json: bool) -> None:
    if junit is not None:
        _write_junit(rows, junit)
    if github:
        for row in rows:
            if not row["met"]:
                print(f"::error title=karat gate::{_escaped(row['model'])}: {_escaped(_sentence(row))}")
    if as_json:
        print(json.dumps({"passed": all(row["met"] for row in rows), "requirements": rows}, indent=2))
        return
    shown = [
        [row["model"], row["requirement"], "-" if row["value"] is None else f"{row['value']:.4f}",
         "met" if row["met"] else f"NOT MET{': ' + row['why'] if row['why'] else ''}"]
        for row in rows
    ]  # fmt: skip
    show([["model", "requirement", "value", ""], *shown], numbers=[False, False, True, False])


def _sentence(row: dict[str, Any]) -> str:
    value = row["why"] if row["value"] is None else f"it is {row['value']:.6g}"
    return f"{row['requirement']} is not met: {value}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _write_junit(rows: list[dict[str, Any]], path: Path) -> None:
    from xml.etree.ElementTree import Element, ElementTree, SubElement

    failed = sum(not row["met"] for row in rows)
    suite = Element("testsuite", name="karat gate", tests=str(len(rows)), failures=str(failed))
    for row in rows:
        case = SubElement(suite, "testcase", classname=row["model"], name=row["requirement"])
        if not row["met"]:
            SubElement(case, "failure", message=_sentence(row))
    try:
        ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as trouble:
        raise InputError(f"{path} can't be written: {trouble.strerror}.") from None
