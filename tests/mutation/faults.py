"""Faults to be planted in Python: one change each, the kind that a tired programmer makes."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import zip_longest

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
OPERATORS |= {ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}
PAIRS = (("min", "max"), ("minimum", "maximum"), ("any", "all"), ("argmin", "argmax"), ("floor", "ceil"))
TWINS = dict(PAIRS) | {b: a for a, b in PAIRS}
SYMMETRIC = {"min", "max", "minimum", "maximum", "isclose", "allclose", "array_equal", "hypot", "logaddexp", "gcd"}
CHANGED = (ast.Compare, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Constant, ast.Call, ast.If, ast.AugAssign, ast.Expr)
CHANGED += (ast.Assign,)
NO_FAULT = ("draw", "_draw", "style", "_style")
"""Functions of which no test looks at every pixel."""


@dataclass(frozen=True)
class Fault:
    """One change of a source."""

    kind: str
    line: int
    start: int
    end: int
    before: str
    after: str
    place: str = ""
    """the definition that it is in: lines move"""

    def planted(self, source: str) -> str:
        """The source with the fault."""
        text = source.encode()
        return (text[: self.start] + self.after.encode() + text[self.end :]).decode()


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What may be written instead of a node, and what kind of fault that is."""
    if not isinstance(node, CHANGED):
        return
    found = node if isinstance(node, ast.If) else deepcopy(node)
    match found:
        case ast.Compare(ops=[op]):
            found.ops = [COMPARISONS[type(op)]()]
            yield "comparison", found
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            if not any(isinstance(x, ast.JoinedStr | ast.List | ast.Tuple) or _text(x) for x in (left, right)):
                found.op = OPERATORS[type(op)]()
                yield "operator", found
        case ast.BoolOp(op=op):
            found.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and, or", found
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "sign or not", operand
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", ast.Constant(value + 1 if isinstance(value, int) else 2 * value + (value == 0))
        case ast.Call():
            yield from _calls(found)
        case ast.If(body=[ast.Raise()]):
            yield "check dropped", ast.Constant(False)
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield "line dropped", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "line dropped", ast.Pass()


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _calls(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in TWINS:
        twin = deepcopy(call)
        if isinstance(twin.func, ast.Attribute):
            twin.func.attr = TWINS[name]
        else:
            twin.func = ast.Name(TWINS[name])
        yield "min, max", twin
    for keyword in call.keywords:
        if keyword.arg == "axis" and (isinstance(keyword.value, ast.Constant | ast.UnaryOp)):
            keyword.value = ast.Constant(0) if ast.unparse(keyword.value) != "0" else ast.Constant(-1)
            yield "axis", call
            return
    first = call.args[:2]
    other = len(first) == 2 and name not in SYMMETRIC and ast.dump(first[0]) != ast.dump(first[1])
    if other and not any(isinstance(x, ast.Starred) for x in first):
        call.args[:2] = first[::-1]
        yield "arguments swapped", call


def faults(source: str) -> list[Fault]:
    """Every fault that can be planted in a source; none in annotations, sentences and drawings."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found, tree = [], ast.parse(source)
    named = list(_definitions(tree))
    for node in _nodes(tree):
        at = node.test if isinstance(node, ast.If) else node
        start, end = starts[at.lineno - 1] + at.col_offset, starts[at.end_lineno - 1] + at.end_col_offset  # type: ignore
        before = source.encode()[start:end].decode()
        for kind, after in changes(node):
            text = ast.unparse(after) if isinstance(after, ast.stmt) else f"({ast.unparse(after)})"
            place = ".".join(name for name, first, last in named if first <= at.lineno <= last)
            found.append(Fault(kind, at.lineno, start, end, before, text, place))
    return found


def _definitions(tree: ast.AST) -> Iterator[tuple[str, int, int]]:
    """Functions and classes, with what decorates them, and what else has a name outside of functions: the outer ones
    first, with their first and last lines."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name, decorator_list=before) | ast.ClassDef(name=name, decorator_list=before):
                yield name, min([node.lineno, *(x.lineno for x in before)]), node.end_lineno or 0
                yield from _definitions(node)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if not isinstance(tree, ast.FunctionDef):
                    yield name, node.lineno, node.end_lineno or 0
            case _:
                yield from _definitions(node)


def _nodes(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "format_spec"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(
                node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(node, ast.FunctionDef) and node.name.startswith(NO_FAULT):
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.stmt | ast.expr):
                yield node
            yield from _nodes(node)


def drawn(
    sites: dict[str, list[Fault]], count: int, seed: int, any_kind_first: bool = False
) -> list[tuple[str, Fault]]:
    """So many faults of the files, every kind as often as the others, the same for the same seed."""
    rng = random.Random(seed)
    kinds = defaultdict(list)
    for file in sorted(sites):
        for fault in sites[file]:
            kinds[fault.kind].append((file, fault))
    for kind in sorted(kinds):
        rng.shuffle(kinds[kind])
    order = sorted(kinds)
    if any_kind_first:
        rng.shuffle(order)
    turns = zip_longest(*(kinds[kind] for kind in order))
    return [site for turn in turns for site in turn if site is not None][:count]
