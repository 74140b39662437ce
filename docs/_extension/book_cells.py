"""The directive `cells`: those cells of a reproduction whose place matches, as a table with a line that counts them.

```{cells} valverde2014.csv
:where: Table 1
```
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives

LONG = 12
"""Rows from which on a table is folded."""
SHORT = {
    "reproduced after a documented correction": "corrected",
    "reproduced within what the paper leaves open": "left open",
    "consistent (from values fitted to what is printed)": "consistent (fitted)",
    "not printed in the paper": "not printed",
}


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("cells", Cells)
    return {"parallel_read_safe": True}


def cells_at(file: Path, where: str) -> list[dict[str, str]]:
    """The rows of a file of cells whose place matches the pattern from its beginning."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if re.match(rf"(?:{where})(?!\w)", row["where"])]


class Cells(Directive):
    required_arguments = 1
    option_spec = {"where": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        environment = self.state.document.settings.env
        relative, path = environment.relfn2path(self.arguments[0])
        environment.note_dependency(relative)
        rows = cells_at(Path(path), self.options["where"])
        if not rows:
            raise self.error(f"no cell of {self.arguments[0]} is at {self.options['where']!r}")
        return [nodes.raw("", _html(rows), format="html")]


def _html(rows: list[dict[str, str]]) -> str:
    places = len({row["where"] for row in rows}) > 1
    head = [*(["where"] if places else []), "what", "published", "ours", "verdict", "note"]
    body = "".join(_row(row, places) for row in rows)
    table = (
        '<div class="pst-scrollable-table-container"><table class="table cells"><thead><tr>'
        + "".join(f"<th>{name}</th>" for name in head)
        + f"</tr></thead><tbody>{body}</tbody></table></div>"
    )
    counts = Counter(SHORT.get(row["verdict"], row["verdict"]) for row in rows)
    words = f"{len(rows)} cell{'s' * (len(rows) > 1)}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    if len(rows) < LONG:
        return f'<p class="verdicts">{escape(words)}</p>{table}'
    return f'<details class="cells"><summary>{escape(words)}</summary>{table}</details>'


def _row(row: dict[str, str], places: bool) -> str:
    decimals = printed_decimals(row["published"])
    own, error = decimals and decimals + 1, ""
    if row["error"] and float(row["error"]) > 0:
        own = max(2, 1 - math.floor(math.log10(float(row["error"]))))
        error = f" ± {float(row['error']):.{own}f}"
    verdict = SHORT.get(row["verdict"], row["verdict"])
    texts = [
        *([row["where"]] if places else []),
        row["what"],
        number(row["published"], decimals),
        number(row["ours"], decimals and decimals + 1) + error,
    ]
    kind = "bad" if verdict == "not reproduced" else "doubt" if verdict in ("undecided", "not run") else "good"
    cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return f'<tr>{cells}<td class="{kind}">{escape(verdict)}</td><td>{escape(row["note"])}</td></tr>'


def printed_decimals(text: str) -> int | None:
    """How many digits a paper has behind the point; None of what it gives as a formula, or in words.

    >>> [printed_decimals(text) for text in ("0.9941477", "0.29", "0.23076923076923078", "no")]
    [7, 2, None, None]
    """
    behind = text.partition(".")[2]
    return len(behind) if behind.isdigit() and 2 <= len(behind) <= 8 else None


def number(text: str, decimals: int | None = None) -> str:
    """With so many decimals, or four significant digits; whole numbers whole, words as they are.

    >>> number("0.9666666666666667"), number("22567113"), number("yes"), number("96500.0"), number("1.00508", 6)
    ('0.9667', '22,567,113', 'yes', '96,500', '1.005080')
    """
    try:
        value = float(text)
    except ValueError:
        return text
    if decimals:
        return f"{value:.{decimals}f}"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.4g}"
