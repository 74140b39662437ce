"""The documentation: its examples run, the site is built without a warning, and every link of it leads somewhere."""

from __future__ import annotations

import doctest
import itertools
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
START = sorted((DOCS / "start").glob("*.md"))


@pytest.mark.parametrize("page", START, ids=lambda path: path.stem)
def test_examples_run(page: Path) -> None:
    if "sklearn" in page.read_text(encoding="utf-8"):
        pytest.importorskip("sklearn")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    examples = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.stem, str(page), 0)
    assert not doctest.DocTestRunner(Nearly(), optionflags=flags).run(examples).failed


class Nearly(doctest.OutputChecker):
    """Numbers may differ by 2 % or 0.002, as between versions of libraries that learn, and p-values that are not
    significant by more; words must be those shown."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        want, got = (re.sub(r"p ≥ 0\.(0[5-9]|[1-9])\d*", "p ≥ 0.05", text) for text in (want, got))
        number = r"(?<![\w.])\d+\.\d+"
        wanted, found = (list(map(float, re.findall(number, text))) for text in (want, got))
        near = "..." in want or found == pytest.approx(wanted, rel=0.02, abs=0.002)
        words, said = (re.sub(rf"\s*{number}", " #", text) for text in (want, got))
        same = super().check_output(want, got, optionflags)
        return same or (near and super().check_output(words, said, optionflags))


def test_start_here_is_read_in_ten_minutes() -> None:
    hidden = r"```\{toctree\}.*?```|\]\([^)]*\)"  # what is not shown
    texts = [re.sub(hidden, "", page.read_text(encoding="utf-8"), flags=re.DOTALL) for page in START]
    words = [word for text in texts for word in text.split() if re.search(r"\w", word)]
    assert len(words) / 230 < 10  # words a minute


PROSE = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")),
    *DOCS.glob("*.md"),
    *(path for name in ("start", "reproductions", "decisions") for path in (DOCS / name).rglob("*.md")),
    *(DOCS / "contributing" / f"{name}.md" for name in ("index", "testing", "roadmap", "citing")),
    *(ROOT / "examples" / "recipes").glob("*.py"),
]
"""What is written for readers."""
NOT_OURS = re.compile(
    r"beyond chance|told apart|tells? \w+ apart|can't be had|\bit flatters|was not said|never decided|"
    r"what should be known|speak for themselves",
    re.IGNORECASE,
)
"""Phrases that are no idiom of the field."""


def test_the_words_are_those_of_the_field() -> None:
    found = [(path.name, match[0]) for path in PROSE for match in NOT_OURS.finditer(path.read_text(encoding="utf-8"))]
    assert found == []


def test_spelling() -> None:
    pytest.importorskip("codespell_lib")
    files = [str(path.relative_to(ROOT)) for path in (*PROSE, ROOT / "CHANGELOG.md")]
    command = [sys.executable, "-m", "codespell_lib", "--toml", "pyproject.toml", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_table_of_the_readme_is_what_one_gets() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("$ karat compare ")[2].partition("```")[0]
    files, _, text = shown.partition(" --positive malignant\n")
    command = [sys.executable, "-m", "karat", "compare", *files.split(), "--positive", "malignant"]
    demo = Path(karat.__file__).parent / "cli" / "demo_data"
    surroundings = os.environ | {"COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, check=True, cwd=demo, env=surroundings)
    given = " ".join(done.stdout.decode().split())
    assert [line for line in text.splitlines() if line != "..." and " ".join(line.split()) not in given] == []


def test_prose(tmp_path: Path) -> None:
    """What a prose linter finds in the sentences: clichés, redundancies, words written twice, malapropisms, ..."""
    pytest.importorskip("proselint")
    copies = []
    for i, path in enumerate(path for path in PROSE if path.suffix == ".md"):
        copies.append(tmp_path / f"{i:03}-{path.parent.name}-{path.name}")
        copies[-1].write_text(sentences(path.read_text(encoding="utf-8")), encoding="utf-8")
    command = [sys.executable, "-m", "proselint", "check", "-o", "compact", "--config", str(ROOT / ".proselintrc.json")]
    done = subprocess.run([*command, *map(str, copies)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def sentences(text: str) -> str:
    """Without code, tables, headings, quotations and links; lines stay where they are."""
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(\||#|:).*$", ".", text, flags=re.MULTILINE)
    number = itertools.count()
    return re.sub(r'`[^`]*`|\]\([^)]*\)|"[^"\n]*"', lambda _: f" word{next(number)}th ", text)


@pytest.fixture(scope="module")
def extension() -> Iterator[None]:
    """The modules that make generated pages."""
    sys.path.insert(0, str(DOCS / "_extension"))
    yield
    sys.path.remove(str(DOCS / "_extension"))


@pytest.mark.usefixtures("extension")
def test_every_finding_has_an_example_that_makes_it() -> None:
    import finding_examples

    assert set(finding_examples.EXAMPLES) == set(karat.catalogue.checks)
    assert [code for code in finding_examples.EXAMPLES if not finding_examples.example_of(code)] == []


@pytest.mark.usefixtures("extension")
def test_the_steps_of_every_worked_example_lead_to_its_value() -> None:
    """They are written from the definitions and the cases; only the value they are compared with is karat's."""
    import worked_example
    import worked_sums

    wrong, e = [], worked_example.evaluation()
    for key, m in karat.catalogue.measures.items():
        value = e.per_class([m]).columns[m.symbol][0] if m.classwise else e[m]
        if steps := worked_sums.steps_of(key):
            wrong += [key] * (abs(steps.values[key] - value) > 1e-9)
        elif key not in worked_sums.INTEGRALS:
            inserted = worked_example.substituted(m.formula, worked_example.letters(e, m))
            wrong += [key] * (not inserted or number_of(inserted) != pytest.approx(value, rel=2e-3, abs=1e-3))
        assert worked_example.example_of(m).startswith("## Worked example")
    assert wrong == []


def number_of(latex: str) -> float:
    """The value of a formula that has no letters."""
    text = latex.replace(r"\left", "").replace(r"\right", "").replace(r"\cdot", "*").replace(r"\pi", "pi")
    inner = r"\{([^{}]*)\}"
    while "{" in text:
        before = text
        text = re.sub(rf"\\sqrt{inner}", r"sqrt(\1)", text)
        text = re.sub(rf"\^{inner}", r"**(\1)", text)
        text = re.sub(rf"\\frac{inner}{inner}", r"((\1)/(\2))", text)
        assert text != before, latex
    text = re.sub(r"\\(log_2|ln) (\S+)", lambda m: f"{m[1].replace('_', '')}({m[2]})", text).replace(") ln", ") * ln")
    return float(eval(text, {"sqrt": math.sqrt, "pi": math.pi, "log2": math.log2, "ln": math.log}))


@pytest.mark.usefixtures("extension")
def test_numbers_are_inserted_for_letters() -> None:
    import worked_example

    measures = karat.catalogue.measures
    assert "TP = 4, FN = 1" in worked_example.example_of(measures["TPR"])  # a is predicted for four of its five cases
    known = worked_example.letters(worked_example.evaluation(), measures["BM"])
    assert worked_example.substituted(measures["BM"].formula, known) == "0.8 + 0.7143 - 1"  # TPR 4/5, TNR 5/7
    assert (
        worked_example.substituted(r"\frac{2 TP}{2 TP + FN}", {"TP": 4.0, "FN": 1.0})
        == r"\frac{2 \cdot 4}{2 \cdot 4 + 1}"
    )
    assert worked_example.substituted(measures["MCC"].formula, {"s": 12.0}) == ""  # t_k is no number


@pytest.mark.usefixtures("extension")
def test_coverage_is_read_from_its_page() -> None:
    import measure_facts

    rows = measure_facts.coverage()
    assert {"Acc", "MCC", "AUC", "LogL", "ECE"} <= set(rows)
    assert {size for _, size, _ in rows["MCC"]} >= {"100", "2,000"}


RUN_ALL = """
import runpy, sys, warnings
warnings.filterwarnings("error", module=r"karat(\\.|$)")  # those of old libraries are not ours
for path in sys.argv[1:]:
    print("recipe", path, flush=True)
    runpy.run_path(path)
"""


def test_every_recipe_runs_without_a_warning() -> None:
    """In one process of its own: one of them declares a measure."""
    for name in ("sklearn", "matplotlib", "distributed"):
        pytest.importorskip(name)
    recipes = sorted((ROOT / "examples" / "recipes").glob("*.py"))
    assert len(recipes) == 13
    surroundings = os.environ | {"MPLBACKEND": "agg"}
    command = [sys.executable, "-c", RUN_ALL, *map(str, recipes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]


def test_the_site_is_built_without_a_warning_and_no_link_is_dead(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    pytest.importorskip("pydata_sphinx_theme")
    pytest.importorskip("sphinx_gallery")
    source, site = tmp_path / "source", tmp_path / "site"
    for name in ("docs", "benchmarks", "examples"):
        shutil.copytree(ROOT / name, source / name)
    for path in ROOT.glob("*.md"):
        shutil.copy(path, source)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-D",
        "plot_gallery=0",
        str(source / "docs"),
        str(site),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    dead = set()
    for page in (path for path in site.rglob("*.html") if "_static" not in path.parts):
        for link in re.findall(r'(?:href|src)="([^"#?:]+)[#?"]', page.read_text(encoding="utf-8")):
            if not (page.parent / link).exists():
                dead.add((page.name, link))
    assert not dead
    measures = site / "reference" / "measures"
    assert (measures / "MCC.html").exists()
    assert "<math" in (measures / "MCC.html").read_text(encoding="utf-8")
