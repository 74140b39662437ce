"""Texts and tables in the languages of documents: Markdown for pull requests, LaTeX for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

MARKDOWN_SIGNS = re.compile(r"[|`*~\\]|\](?=[(\[:])|^\+(?= )", re.MULTILINE)
"""What Markdown would take for a table, code, emphasis, a link or a list."""
HTML_SIGNS = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""What it would take for HTML."""
LATEX_SIGNS = {c: f"\\{c}" for c in "&%$#_{}"}
LATEX_SIGNS |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX_SIGNS |= {"<": "$<$", ">": "$>$", "∞": r"$\infty$", "↑": r"$\uparrow$", "↓": r"$\downarrow$"}

Lines = Sequence[Sequence[str]]


def in_markdown(text: str, lines: bool = False) -> str:
    """A text that Markdown shows as it is, on one line unless lines are kept.

    >>> in_markdown("a|b *c* [0.1, 0.2]")
    'a\\\\|b \\\\*c\\\\* [0.1, 0.2]'
    """
    words = text if lines else " ".join(text.split())
    return MARKDOWN_SIGNS.sub(r"\\\g<0>", HTML_SIGNS.sub(lambda sign: escape(sign[0]), words))


def in_latex(text: str) -> str:
    """A text that LaTeX sets as it is.

    >>> in_latex("p_1 & 50 %")
    'p\\\\_1 \\\\& 50 \\\\%'
    """
    return "".join(LATEX_SIGNS.get(c, c) for c in " ".join(text.split()))


def markdown_table(lines: Lines, numbers: Sequence[bool]) -> str:
    """A table, its head first; `numbers` says which columns hold some.

    >>> print(markdown_table([["measure", "forest"], ["F1 [a|b]", "0.5  "]], [False, True]))
    | measure | forest |
    | :-- | --: |
    | F1 [a\\|b] | 0.5 |
    """
    head, *body = [[in_markdown(text) for text in line] for line in lines]
    rows = [head, ["--:" if number else ":--" for number in numbers], *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def latex_table(lines: Lines, numbers: Sequence[bool]) -> str:
    r"""A table, its head first; it needs `\usepackage{booktabs}`."""
    head, *body = [" & ".join(map(in_latex, line)) + r" \\" for line in lines]
    columns = "".join("r" if number else "l" for number in numbers)
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", end])
