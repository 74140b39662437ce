"""docs/conformance.md: `python tools/conformance_page.py`, where as many of the libraries are installed as can be.

karat's numbers beside those of other programs (`karat conformance`), and beside what papers published
(docs/reproductions), with what is wrong in print.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

import karat
from karat.conformance.conformance import DIFFERENT, EQUAL, Row, conformance_rows, versions
from karat.conformance.stored import stored_data

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAPERS = {
    "wang2013": "wang2013/wang2013.csv", "valverde2014": "valverde2014.csv", "jurman2012": "jurman2012.csv",
    "ferri2009": "ferri2009.csv", "prati2011": "prati2011.csv",
}  # fmt: skip
PLAIN = "reproduced"


def table(head: list[str], rows: list[list[Any]]) -> str:
    cells = [[str(x).replace("|", "\\|").replace("\n", " ") for x in row] for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(r)} |" for r in cells)])


def shown(value: Any) -> str:
    array = np.asarray(value, float).ravel()
    text = ", ".join(f"{x:.10g}" for x in array[:4])
    return f"{text}, …" if len(array) > 4 else text


def by_program(rows: list[Row]) -> str:
    told, lines = versions(rows), []
    for program in told:
        own = [row for row in rows if row.program == program]
        counts = Counter(row.verdict for row in own)
        lines.append([program, told[program], len(own), counts[EQUAL], counts[DIFFERENT]])
    return table(["program", "version", "numbers", "equal", "different for a stated reason"], lines)


def by_measure(rows: list[Row]) -> str:
    """Every measure: who has the same number, and who another under a like name."""
    same: dict[str, dict[str, None]] = defaultdict(dict)
    other: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        (same if row.verdict == EQUAL else other)[row.measure.removeprefix("each:")][row.program] = None
    lines = []
    for symbol, measure in karat.catalogue.measures.items():
        of = [key for key in {**same, **other} if key == symbol or key.endswith(f"({symbol})")]
        equal = dict.fromkeys(p for key in of for p in same[key])
        differ = dict.fromkeys(p for key in of for p in other[key])
        lines.append([symbol, measure.title or measure.name, ", ".join(equal) or "-", ", ".join(differ)])
    return table(["measure", "title", "equal in", "different in"], lines)


def differences(rows: list[Row]) -> str:
    first: dict[tuple[str, str], Row] = {}
    for row in rows:
        if row.verdict == DIFFERENT:
            first.setdefault((row.program, row.name.partition("[")[0]), row)
    lines = [
        [r.program, f"`{r.name}`", r.measure.removeprefix("each:"), r.data, shown(r.theirs), shown(r.ours), r.why]
        for r in first.values()
    ]
    return table(["program", "name there", "nearest here", "data", "theirs", "karat's", "because"], lines)


def papers() -> tuple[str, str]:
    counts, odd = [], []
    for key, path in PAPERS.items():
        with (DOCS / "reproductions" / path).open(encoding="utf-8", newline="") as lines:
            cells = list(csv.DictReader(lines))
        verdicts = Counter(cell["verdict"] for cell in cells)
        counts.append([key, len(cells), ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common())])
        odd += [
            [key, f"{c['where']}: {c['what']}", c["published"], c["ours"][:12], c["verdict"], c["note"]]
            for c in cells
            if c["verdict"] != PLAIN
        ]
    return table(["paper", "numbers and statements", "verdicts"], counts), table(
        ["paper", "where and what", "published", "karat's", "verdict", "note"], odd
    )


def errata() -> str:
    with (ROOT / "src/karat/conformance/errata.csv").open(encoding="utf-8", newline="") as lines:
        return table(["paper", "where", "printed", "right"], [list(row.values()) for row in csv.DictReader(lines)])


def page() -> str:
    rows = conformance_rows()
    counts = Counter(row.verdict for row in rows)
    origins = table(["data", "what they are"], [[d.data, d.origin] for d in stored_data().values()])
    cells, odd = papers()
    return f"""# Conformance

What other programs say about the same data, and what papers published, beside karat's numbers. Written by
`python tools/conformance_page.py`; `karat conformance` makes the same comparison with what is installed where it runs
(`-o FILE.csv` writes every number), and exits with code 1 if a number differs without a reason.

**{len(rows):,} numbers of {len({r.program for r in rows})} programs: {counts[EQUAL]:,} equal, {counts[DIFFERENT]:,} \
different for a stated reason, {len(rows) - counts[EQUAL] - counts[DIFFERENT]} different without one.**

Equal means: to 1e-12 for libraries that were asked (1e-6 for torchmetrics, parts of which compute in single
precision), to 1e-9 for answers that were kept, some of which have nine digits. Libraries were asked about fixed cases
of two classes, of four classes, and with weights (`karat/conformance/fixed_data.py`). Programs that can't be asked here
answered once, about data that are kept with the answers; where their definition differs, their number is rebuilt from
karat's by the stated definition, and must then be equal.

## Programs

{by_program(rows)}

## Measures

Every measure of karat, and which programs give the same number. A measure with a dash has no like elsewhere: its
oracle is the definition of its paper, transcribed apart from it (`tests/oracles`).

{by_measure(rows)}

## Different, because

One row for each name; the first data where the numbers differ.

{differences(rows)}

## Papers

{cells}

`karat reproduce PAPER` runs them again; all of them are in [the reproduction book](reproductions/README.md). These are
not plainly reproduced:

{odd}

## What is wrong in print

{errata()}

## Data of the kept answers

{origins}
"""


if __name__ == "__main__":
    (DOCS / "conformance.md").write_text(page(), encoding="utf-8")
