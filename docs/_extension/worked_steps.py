"""The arithmetic of a worked example: expressions that are evaluated exactly and shown with their numbers inserted."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Any

NAMES = {
    "log2": math.log2, "log4": lambda x: math.log(x, 4), "ln": math.log, "sqrt": math.sqrt, "abs": abs, "max": max,
    "min": min,
}  # fmt: skip
SHOWN = {"log2": r"\log_2", "log4": r"\log_4", "ln": r"\ln", "max": r"\max", "min": r"\min"}
STRENGTH = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 4, ast.Pow: 3}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: r"\cdot"}


class Steps:
    """Named numbers, each with the expression it came from; a name in an expression is shown as its number.

    >>> steps = Steps()
    >>> steps.let("P_E", "(5 * 6 + 4 * 3) / 12 ** 2")
    >>> steps.let("K", "(0.75 - P_E) / (1 - P_E)")
    >>> for line in steps.lines: print(line)
    P_{E} = \\frac{5 \\cdot 6 + 4 \\cdot 3}{12^{2}} = 0.2917
    K = \\frac{0.75 - 0.2917}{1 - 0.2917} = 0.6471
    """

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.lines: list[str] = []

    def let(self, name: str, expression: str, shown: bool = True) -> None:
        """Evaluate an expression and give its value a name."""
        value = float(eval(expression, {"__builtins__": {}}, NAMES | self.values))
        if shown:
            formula = self._latex(ast.parse(expression, mode="eval").body)
            number = f"{value:.4g}"
            self.lines.append(f"{label(name)} = {formula}" + (f" = {number}" if formula != number else ""))
        self.values[name] = value

    def _latex(self, node: Any, strength: int = 0) -> str:
        """An expression in LaTeX, in brackets where what surrounds it binds more strongly."""
        if isinstance(node, ast.BinOp):
            own = STRENGTH[type(node.op)]
            if isinstance(node.op, ast.Div):
                text = rf"\frac{{{self._latex(node.left)}}}{{{self._latex(node.right)}}}"
                return rf"\left({text}\right)" if strength == STRENGTH[ast.Pow] else text
            if isinstance(node.op, ast.Pow):
                return f"{self._latex(node.left, own)}^{{{self._latex(node.right)}}}"
            right = own + (isinstance(node.op, ast.Sub))
            text = f"{self._latex(node.left, own)} {SIGNS[type(node.op)]} {self._latex(node.right, right)}"
            return rf"\left({text}\right)" if strength > own else text
        if isinstance(node, ast.UnaryOp):
            text = f"-{self._latex(node.operand, 2)}"
            return rf"\left({text}\right)" if strength else text
        if isinstance(node, ast.Call):
            text = self._called(node)
            return rf"\left({text}\right)" if strength == STRENGTH[ast.Pow] and node.func.id in SHOWN else text  # type: ignore[attr-defined]
        value = self.values[node.id] if isinstance(node, ast.Name) else node.value
        return f"{value:.4g}"

    def _called(self, node: ast.Call) -> str:
        name = node.func.id  # type: ignore[attr-defined]
        inner = ", ".join(self._latex(a) for a in node.args)
        if name == "abs":
            return f"|{inner}|"
        if name == "sqrt":
            return rf"\sqrt{{{inner}}}"
        simple = len(node.args) == 1 and isinstance(node.args[0], ast.Constant | ast.Name | ast.BinOp)
        divided = simple and (not isinstance(node.args[0], ast.BinOp) or isinstance(node.args[0].op, ast.Div))
        return f"{SHOWN[name]} {inner}" if divided else rf"{SHOWN[name]}\left({inner}\right)"


def label(name: str) -> str:
    """A name with its index below it, of several letters in upright type."""
    base, _, index = name.partition("_")
    upright = base if len(base) == 1 else rf"\text{{{base}}}"
    return f"{upright}_{{{index}}}" if index else upright


def total(terms: Iterable[object]) -> str:
    """A sum, in brackets.

    >>> total(["a", 2])
    '(a + 2)'
    """
    return f"({' + '.join(map(str, terms))})"
