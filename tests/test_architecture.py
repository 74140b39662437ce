"""Imports point down: what each folder may know of the others, read from the syntax tree."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import karat

ROOT = Path(karat.__file__).parent
LAYERS = [
    {"__main__"},
    {"cli"},
    {"adapters", "page", "versions"},
    {"catalogue"},
    {"claims", "conformance", "reproductions"},
    {"studies"},
    {"changes", "slices"},
    {"comparisons"},
    {"accumulation", "across", "advice", "batches", "concordance", "datasets", "learners"},
    {"evaluation"},
    {"groups"},
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
    text, layers = path.read_text(), set()
    late = "import_module" in text
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            assert node.level == 0, f"{path.name}: a relative import hides where it points"
            names = (
                [f"{karat.PUBLIC.get(a.name, 'karat')}.{a.name}" for a in node.names] if module == "karat" else [module]
            )
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif late and isinstance(node, ast.Constant) and str(node.value).startswith("karat."):
            names = [str(node.value)]  # the name of a module, in a file that imports by name
        else:
            continue
        layers |= {name.split(".")[1] for name in names if name.startswith("karat.")}
    return layers


FILES = [path for path in ROOT.rglob("*.py") if path.name != "__init__.py" or path.parent != ROOT]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    mine = layer_of(path)
    for other in imported(path) - {mine}:
        assert HEIGHT[other] > HEIGHT[mine], f"{mine} imports {other}"


def test_core_imports_nothing_of_ours() -> None:
    for path in (ROOT / "core").glob("*.py"):
        assert imported(path) <= {"core"}, path.name


def test_what_is_private_stays_in_its_package() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("karat"):
                home = [*(node.module or "").split("."), *(a.name for a in node.names[:1])]
                private = next((i for i, name in enumerate(home) if name.startswith("_") and name[1] != "_"), None)
                if private is not None:
                    assert ["karat", *path.relative_to(ROOT).parts][:private] == home[:private], f"{path}: {home}"


def test_no_file_name_stands_for_two_things() -> None:
    """A command has the name of its file, and a kernel's chapters pair by name."""
    names = Counter(path.stem for path in FILES if path.parent.name not in ("cli", "kernels") and path.stem[0] != "_")
    assert not [name for name, times in names.items() if times > 1]


def test_no_class_name_stands_for_two_things() -> None:
    names = Counter(
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and node.name[0] != "_"
    )
    assert not [name for name, times in names.items() if times > 1 and name != "CatalogueDiagram"]


def test_functions_are_short() -> None:
    """At most 60 lines without what is said of them."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                start = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
                assert (node.end_lineno or 0) - (start or 0) <= 60, f"{path.name}: {node.name}"


def test_the_stub_says_what_the_table_of_public_names_says() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text())
    homes = {a.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for a in node.names}
    assert homes == karat.PUBLIC
    assert set(karat.__all__) == {"__version__", *karat.PUBLIC} <= set(dir(karat))
    for name in karat.PUBLIC:
        assert getattr(karat, name) is not None


@pytest.mark.parametrize("package", sorted(path.parent.name for path in ROOT.glob("*/__init__.py")))
def test_a_package_exports_what_it_lists(package: str) -> None:
    if package == "learners":
        pytest.importorskip("sklearn")
    module = importlib.import_module(f"karat.{package}")
    assert module.__doc__
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None


def test_every_file_belongs_to_a_layer() -> None:
    assert {layer_of(path) for path in FILES} <= set(HEIGHT)


def test_the_command_line_answers_without_numpy() -> None:
    code = "import sys; from karat.cli.main import application; application(); print('numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


@pytest.mark.parametrize("heavy", ["scipy", "pandas", "polars", "pyarrow", "sklearn", "narwhals", "rich", "typer"])
def test_importing_karat_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, karat; karat.evaluate([0, 1], [0.2, 0.7]).values(); print({heavy!r} in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_accumulating_imports_no_scipy() -> None:
    code = "import sys, karat; a = karat.Accumulator(); a.update([0, 1], [0.2, 0.7]); e = a.evaluation(); e.values(); "
    code += "karat.accumulate; e.diagram('roc_curve'); print('scipy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = [REPOSITORY / "ARCHITECTURE.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
DOCS += sorted((REPOSITORY / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_files_that_the_docs_name_are_there(path: Path) -> None:
    for name in re.findall(r"`((?:[\w.]+/)+[\w.]*\w)`", path.read_text(encoding="utf-8")):
        places = (ROOT / name, ROOT.parent / name, ROOT / "page" / name, REPOSITORY / name)
        assert any(place.exists() for place in places), f"{path.name} names {name}"


def test_the_layers_are_those_of_the_architecture() -> None:
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"```\n(cli\n.*?)```", text, re.S)
    assert [set(line.split(" | ")) for line in listed.split("\n") if line] == LAYERS[1:]


def test_what_holds_arrays_is_compared_by_what_it_is() -> None:
    """Two arrays have no truth value: == of dataclasses that hold them would end in an error, and so would hash()."""
    found = 0
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            said = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
            if not isinstance(node, ast.ClassDef) or not any(text.startswith("dataclass") for text in said):
                continue
            fields = [ast.unparse(part) for part in node.body if isinstance(part, ast.AnnAssign)]
            arrays = [text for text in fields if re.search(r": .*\bArray\b", text) and "compare=False" not in text]
            own = any(isinstance(part, ast.FunctionDef) and part.name == "__eq__" for part in node.body)
            if arrays and not own:
                assert any("eq=False" in text for text in said), f"{path.name}: {node.name}"
                found += 1
    assert found > 50
