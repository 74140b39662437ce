"""Writes src/karat/measures/__init__.pyi: what editors and type checkers know of `karat.measures`, where every measure
is an attribute by each of its names. Run it after a measure, an alias or an export was added; a test compares the two.

    python tools/measures_stub.py
"""

from __future__ import annotations

import ast
from pathlib import Path

import karat.measures
from karat.measures.lookup import python_names

HOME = Path(karat.measures.__file__).parent


def exports() -> list[str]:
    """The imports of `__init__.py`, each of them exported."""
    tree = ast.parse((HOME / "__init__.py").read_text(encoding="utf-8"))
    return [
        f"from {node.module} import {alias.name} as {alias.name}"
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def stub() -> str:
    """The text of the file."""
    head = '"""What editors know of `karat.measures`: made by tools/measures_stub.py, and compared by a test."""'
    marks = ["# ruff: noqa", "# fmt: off"]
    names = [f"{name}: Measure  # {m.label}" for name, m in python_names().items()]
    return "\n".join([head, *marks, "", *sorted(exports(), key=str.casefold), "", "__all__: list[str]", "", *names, ""])


if __name__ == "__main__":
    (HOME / "__init__.pyi").write_text(stub(), encoding="utf-8")
