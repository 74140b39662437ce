"""Imports point down: what each folder may know of the others, read from the syntax tree."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import karat

ROOT = Path(karat.__file__).parent
LAYERS = [
    {"__main__"},
    {"cli"},
    {"adapters", "report"},
    {"catalogue"},
    {"reproductions"},
    {"studies"},
    {"comparisons"},
    {"across", "advice", "batches", "concordance", "datasets", "learners"},
    {"evaluation"},
    {"diagrams", "decisions", "findings", "intervals"},
    {"engines", "resampling"},
    {"measures"},
    {"statistics"},
    {"data"},
    {"core", "kernels"},
]
"""From the top down. Names in one set never import each other."""
HEIGHT = {name: i for i, layer in enumerate(LAYERS) for name in layer}


def layer_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else path.stem


def imported(path: Path) -> set[str]:
    """The layers of karat that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            assert node.level == 0, f"{path.name}: a relative import hides where it points"
            names = [f"karat.{a.name}" for a in node.names] if module == "karat" else [module]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("karat.")}
    return found


FILES = [path for path in ROOT.rglob("*.py") if path.name != "__init__.py" or path.parent != ROOT]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    mine = layer_of(path)
    for other in imported(path) - {mine, "show_versions", "__version__"}:
        assert HEIGHT[other] > HEIGHT[mine], f"{mine} imports {other}"


def test_every_file_belongs_to_a_layer() -> None:
    assert {layer_of(path) for path in FILES} <= set(HEIGHT)


def test_the_command_line_answers_without_numpy() -> None:
    code = "import sys, karat.cli.app; print('numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


@pytest.mark.parametrize("heavy", ["scipy", "pandas", "polars", "pyarrow", "sklearn", "narwhals", "rich", "typer"])
def test_importing_karat_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, karat; karat.evaluate([0, 1], [0.2, 0.7]).values(); print({heavy!r} in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
