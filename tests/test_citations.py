"""Every method says where it comes from, and the bibliography knows it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import karat
from karat.core.references import references

ROOMS = ("across", "comparisons", "concordance", "intervals", "statistics")
FILES = sorted(path for room in ROOMS for path in (Path(karat.__file__).parent / room).glob("*.py"))
CITED = re.compile(r"\[([a-z]+\d{4}(?:,\s+[a-z]+\d{4})*)\]")
METHODS = {
    "across", "bayes_ranks", "bayes_t", "consistency", "control", "corrected_t", "equivalence", "friedman", "mcnemar",
    "nemenyi", "permutation", "rankings", "smallest_set", "wilcoxon",
}  # fmt: skip


def cited(text: str | None) -> list[str]:
    return [key for keys in CITED.findall(text or "") for key in re.split(r",\s+", keys)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_citations_exist(path: Path) -> None:
    for key in cited(path.read_text()):
        assert key in references(), key


@pytest.mark.parametrize("path", [p for p in FILES if p.stem in METHODS], ids=lambda path: path.stem)
def test_every_method_cites(path: Path) -> None:
    public = [
        node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    ]
    assert public
    for node in public:
        assert cited(ast.get_docstring(node)), f"{node.name} cites nothing"
