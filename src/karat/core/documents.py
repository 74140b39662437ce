"""Texts and tables as others read them: terminals and logs, GitHub, JUnit, CSV, Markdown for pull requests, LaTeX for
papers. Names of models, classes and files come from outside: what their reader would obey is taken from them here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

MARKDOWN_SIGNS = re.compile(r"[|`*~\\]|\](?=[(\[:])|^\+(?= )", re.MULTILINE)
"""What Markdown would take for a table, code, emphasis, a link or a list."""
HTML_SIGNS = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""What it would take for HTML."""
LATEX_SIGNS = {c: f"\\{c}" for c in "&%$#_{}"}
LATEX_SIGNS |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX_SIGNS |= {"<": "$<$", ">": "$>$", "∞": r"$\infty$", "↑": r"$\uparrow$", "↓": r"$\downarrow$"}

Lines = Sequence[Sequence[str]]

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
"""What a terminal would obey: escape sequences, and signs that turn the direction of writing; but ends of lines. None
of them is printable. Compiled when needed, which takes some milliseconds."""
COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[|vso\[)", re.MULTILINE)
"""How a line of a log begins that GitHub or Azure would obey, or what it has in it."""
MENTION = re.compile(r"(?<!\w)@(?=\w)")
"""What would call somebody who reads GitHub or GitLab."""
FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""How a cell begins that a spreadsheet would compute; East Asian ones know wide signs, too."""
NOT_XML = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""Compiled when needed, which takes some milliseconds."""


def in_terminal(text: str) -> str:
    """A text that a terminal or a log shows and does not obey; lines are kept.

    >>> in_terminal("a\\x1b[31mb\\n::error ::c")
    'a\ufffd[31mb\\n:\u200b:error ::c'
    """
    text = text.replace("\t", " ")
    return unobeyed(text if text.replace("\n", "").isprintable() else re.sub(CONTROL, UNKNOWN, text))


def unobeyed(text: str) -> str:
    """Lines that a log of GitHub or Azure shows and does not obey, wherever they were broken."""
    return COMMAND.sub(_broken, text)


def _broken(sign: re.Match[str]) -> str:
    return f"{sign[0]}\u200b" if sign[0].endswith(":") else "#\u200b#"


def in_line(text: str) -> str:
    """The same on one line.

    >>> in_line("a\\n::error ::b")
    'a ::error ::b'
    """
    return in_terminal(" ".join(text.split()))


def in_workflow(text: str) -> str:
    """A text within a workflow command of GitHub.

    >>> in_workflow("50 %\\n::error ::b")
    '50 %25%0A::error ::b'
    """
    clean = re.sub(CONTROL, lambda sign: sign[0] if sign[0] == "\r" else UNKNOWN, text)
    return clean.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##", "#\u200b#")


def in_xml(text: str) -> str:
    """A text that may stand in XML, whose signs are escaped by who writes it, and in a log that shows it."""
    return in_line(re.sub(NOT_XML, UNKNOWN, text))


def in_json(text: str) -> str:
    """JSON that a log does not obey: the same data.

    >>> in_json('{"a": "##[error]"}')
    '{"a": "#\\\\u0023[error]"}'
    """
    return text.replace("##", "#\\u0023")


def in_csv(value: Any) -> Any:
    """A cell; a text that a spreadsheet would compute has an apostrophe before it, and numbers stay numbers.

    >>> in_csv("=1+1"), in_csv("-0.5"), in_csv(-0.5), in_csv("a")
    ("'=1+1", '-0.5', -0.5, 'a')
    """
    if not isinstance(value, str) or not FORMULA.match(value):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def in_markdown(text: str, lines: bool = False) -> str:
    """A text that Markdown shows as it is, on one line unless lines are kept.

    >>> in_markdown("a|b *c* [0.1, 0.2]")
    'a\\\\|b \\\\*c\\\\* [0.1, 0.2]'
    """
    words = text if lines else " ".join(text.split())
    shown = HTML_SIGNS.sub(lambda sign: escape(sign[0]), words)
    return MENTION.sub("@\u200b", MARKDOWN_SIGNS.sub(r"\\\g<0>", shown))


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
