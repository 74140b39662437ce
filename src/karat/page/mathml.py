"""The formulas of measures, written in LaTeX, as MathML: browsers show that by themselves."""

from __future__ import annotations

import re
from html import escape

TOKEN = re.compile(r"\\text\{[^}]*\}|\\[A-Za-z]+|\\.|[A-Z]{2,}|[A-Z][a-z]{2,}|[a-z]{3,}|[A-Za-z]|\d*\.?\d+|\s+|.")
"""Capitals that follow each other are one name (AUC), and so are three letters and more (Acc, rest)."""
SIGNS = {
    r"\Delta": "Δ", r"\alpha": "α", r"\beta": "β", r"\cdot": "·", r"\epsilon": "ε", r"\in": "∈", r"\int": "∫",
    r"\lfloor": "⌊", r"\rfloor": "⌋", r"\mu": "μ", r"\ne": "≠", r"\pi": "π", r"\prod": "∏", r"\sum": "∑",
    r"\theta": "θ", r"\|": "‖", r"\{": "{", r"\}": "}", "-": "−", "'": "′",
}  # fmt: skip
LETTERS = {r"\Delta", r"\alpha", r"\beta", r"\epsilon", r"\mu", r"\pi", r"\theta"}
LARGE = {r"\sum", r"\prod", r"\int"}
NAMES = {r"\log", r"\ln", r"\max", r"\min"}
SPACES = {r"\,": ".17em", r"\ ": ".3em", r"\quad": "1em"}


def mathml(latex: str) -> str:
    """A formula as MathML, its LaTeX kept as an annotation.

    >>> print(mathml("x^2").split("<annotation")[0])
    <math displaystyle="true"><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>
    """
    tokens = [t for t in TOKEN.findall(latex) if not t.isspace()]
    signs = "".join(_row(tokens))
    note = f'<annotation encoding="application/x-tex">{escape(latex)}</annotation>'
    return f'<math displaystyle="true"><semantics><mrow>{signs}</mrow>{note}</semantics></math>'


def _row(tokens: list[str], end: str | None = None) -> list[str]:
    """Everything up to `end`, which is taken too."""
    parts: list[str] = []
    while tokens:
        if tokens[0] == end:
            tokens.pop(0)
            return parts
        if tokens[0] in "_^":
            base = parts.pop() if parts else "<mrow></mrow>"
            parts.append(_scripts(base, tokens))
        else:
            parts.append(_atom(tokens))
    if end is not None:
        raise ValueError(f"a formula ends before {end}")
    return parts


def _scripts(base: str, tokens: list[str]) -> str:
    """Below, above, or both."""
    scripts: dict[str, str] = {}
    while tokens and tokens[0] in "_^":
        where = tokens.pop(0)
        scripts[where] = _atom(tokens)
    large = any(f">{SIGNS[sign]}<" in base for sign in LARGE)
    names = ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
    name = names[2] if len(scripts) == 2 else names["^" in scripts]
    return f"<{name}>{base}{scripts.get('_', '')}{scripts.get('^', '')}</{name}>"


def _atom(tokens: list[str]) -> str:
    t = tokens.pop(0)
    if t == "{":
        return f"<mrow>{''.join(_row(tokens, '}'))}</mrow>"
    if t == r"\frac":
        return f"<mfrac>{_atom(tokens)}{_atom(tokens)}</mfrac>"
    if t == r"\sqrt":
        return f"<msqrt>{_atom(tokens)}</msqrt>"
    if t == r"\bar":
        return f"<mover accent='true'>{_atom(tokens)}<mo>¯</mo></mover>"
    if t.startswith(r"\text{"):
        words = t[6:-1].replace(r"\_", "_")
        return f"<mtext>{escape(words)}</mtext>"
    if t in (r"\left", r"\right"):
        mark = tokens.pop(0)
        return f"<mo stretchy='true'>{escape(SIGNS.get(mark, mark))}</mo>"
    if t in SPACES:
        return f"<mspace width='{SPACES[t]}'/>"
    if t in NAMES:
        return f"<mi>{t[1:]}</mi>"
    if t.isalpha():
        return f"<mi>{t}</mi>"
    if t in LETTERS:
        return f"<mi>{SIGNS[t]}</mi>"
    if t[0].isdigit() or (t[0] == "." and len(t) > 1):
        return f"<mn>{t}</mn>"
    if t in SIGNS or len(t) == 1:
        small = "" if t in LARGE else " stretchy='false'"
        return f"<mo{small}>{escape(SIGNS.get(t, t))}</mo>"
    raise ValueError(f"a formula holds {t}, which is not known here")
