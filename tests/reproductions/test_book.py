"""The reproduction book: every table and figure of the papers has an entry, and every cell is shown in one."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "reproductions"
PRINTED = {  # tables and figures that the papers have
    "ferri2009": (3, 8),
    "wang2013": (9, 8),
    "valverde2014": (1, 6),
    "jurman2012": (0, 1),
    "prati2011": (3, 20),
}


def numbers(kind: str, text: str) -> set[int]:
    """Of headings such as "Tables 1 to 3", "Figures 11 and 12", "Table 3 and Figure 7"."""
    found: set[int] = set()
    for heading in re.findall(r"^## (.+)$", text, re.MULTILINE):
        for one, joint, other in re.findall(rf"{kind}s? (\d+)(?: (to|and) (\d+))?", heading):
            found |= set(range(int(one), int(other or one) + 1)) if joint != "and" else {int(one), int(other)}
    return found


@pytest.mark.parametrize("paper", PRINTED)
def test_every_table_and_figure_has_an_entry(paper: str) -> None:
    text = (DOCS / f"{paper}.md").read_text(encoding="utf-8")
    tables, figures = PRINTED[paper]
    assert numbers("Table", text) == set(range(1, tables + 1))
    assert numbers("Figure", text) == set(range(1, figures + 1))
    assert "## Errata" in text
    assert f"karat reproduce {paper}" in text


@pytest.mark.parametrize("paper", PRINTED)
def test_every_cell_is_shown(paper: str) -> None:
    text = (DOCS / f"{paper}.md").read_text(encoding="utf-8")
    asked: dict[str, list[str]] = {}
    for file, where in re.findall(r"```\{cells\} (\S+)\n:where: (.+)\n```", text):
        asked.setdefault(file, []).append(where)
    shown: set[str] = set()
    stored: set[str] = set()
    for file, patterns in asked.items():
        with (DOCS / file).open(encoding="utf-8", newline="") as lines:
            places = {row["where"] for row in csv.DictReader(lines)}
        for pattern in patterns:
            met = {place for place in places if re.match(rf"(?:{pattern})(?!\w)", place)}
            assert met, (file, pattern)
            shown |= met
        stored |= places
    assert stored
    assert shown == stored


def test_the_overview_counts_the_cells() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    verdicts = [
        "reproduced", "reproduced after a documented correction", "reproduced within what the paper leaves open",
        "consistent (from values fitted to what is printed)", "undecided", "not reproduced", "not printed in the paper",
        "not run",
    ]  # fmt: skip
    for row, file in {
        "reproduce ferri2009 -o": "ferri2009.csv",
        "reproduce ferri2009 --data": "ferri2009-correlation/ferri2009.csv",
        "reproduce valverde2014": "valverde2014.csv",
        "reproduce jurman2012": "jurman2012.csv",
        "reproduce wang2013": "wang2013/wang2013.csv",
        "reproduce prati2011": "prati2011.csv",
    }.items():
        with (DOCS / file).open(encoding="utf-8", newline="") as lines:
            held = [r["verdict"] for r in csv.DictReader(lines)]
        line = next(line for line in text.splitlines() if row in line and line.startswith("|"))
        counts = [int(cell) for cell in line.strip("|").split("|")[1:]]
        assert counts == [len(held), *(held.count(v) for v in verdicts)], file
