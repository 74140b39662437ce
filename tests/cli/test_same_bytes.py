"""The same bytes from the same input and seed on any number of threads; the same numbers in any order of rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import run


@pytest.fixture
def rows() -> list[str]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    p = rng.dirichlet(np.ones(3), 300)
    p[np.arange(300), y] += 0.5
    p /= p.sum(axis=1, keepdims=True)
    return [f"{truth},{','.join(map(repr, row))}" for truth, row in zip(y.tolist(), p.tolist(), strict=True)]


def written(folder: Path, rows: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "model.csv"
    path.write_text("\n".join(["y_true,p_0,p_1,p_2", *rows, ""]))
    return path


def test_threads_change_no_byte(rows: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, texts, pages = written(tmp_path, rows), [], []
    for workers in ("1", "3"):
        monkeypatch.setenv("KARAT_WORKERS", workers)
        texts.append(
            run("evaluate", str(path), "--json", "--intervals", "--method", "percentile", "--replicates", "100")
        )
        page = tmp_path / f"{workers}.html"
        run("report", str(path), "-o", str(page), "--replicates", "100")
        pages.append(page.read_bytes())
    assert texts[0] == texts[1]
    assert pages[0] == pages[1]


def test_the_order_of_rows_changes_no_number(rows: list[str], tmp_path: Path) -> None:
    """Sums are taken in another order: the last digits may differ, and nothing else."""
    order = np.random.default_rng(6).permutation(len(rows))
    paths = (written(tmp_path / "a", rows), written(tmp_path / "b", [rows[i] for i in order]))
    one, other = (json.loads(run("evaluate", str(path), "--json", "--measures", "all"))["measures"] for path in paths)
    there = [name for name, value in one.items() if value is not None]
    assert len(there) > 60
    assert there == [name for name, value in other.items() if value is not None]
    assert [one[m] for m in there] == pytest.approx([other[m] for m in there], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_figure_is_the_same_bytes_whenever_it_is_written(
    ending: str, rows: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    path, figures = written(tmp_path, rows), []
    for day in ("0", "1000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)  # the clock that matplotlib looks at
        figure = tmp_path / f"{day}.{ending}"
        run("plot", "confusion_matrix", str(path), "-o", str(figure))
        figures.append(figure.read_bytes())
    assert figures[0] == figures[1]


def test_workers_change_no_byte_whether_rows_are_kept_or_not(
    rows: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(Every kind of state, and what many rows meet: `tests/accumulation/test_strands.py`.)"""
    pytest.importorskip("pyarrow")
    from karat.accumulation import strands

    monkeypatch.setattr(strands, "LEAST_BYTES", 1)
    for i in range(5):
        part = written(tmp_path / "parts", rows[60 * i : 60 * i + 60])
        part.rename(part.with_name(f"{i}.csv"))
    folder = tmp_path / "parts"
    for memory in ("1GB", "2kB"):
        given = ("--json", "--measures", "all", "--memory", memory)
        texts = [run("evaluate", str(folder), "--workers", workers, *given) for workers in "123"]
        assert texts[0] == texts[1] == texts[2]


def test_what_is_listed_does_not_depend_on_what_was_imported_first() -> None:
    """The catalogue, and the page, which names other comparisons: they stood in the order of their imports."""
    asked = "from karat.catalogue import registries; print({kind: list(all_) for kind, all_ in registries().items()})"
    firsts = ("concordance", "across", "intervals.delong", "groups", "page.verdict", "findings", "studies")
    codes = [f"import karat.{first}; {asked}" for first in firsts]
    runs = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for code in codes]
    said = [run.communicate()[0] for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert "mcnemar" in said[0]
    assert len(set(said)) == 1
