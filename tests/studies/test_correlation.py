"""The study of correlations: literal loops, problems that make trouble, and Table 3 as it was printed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import karat
from commands import refused, run
from karat import InputError
from karat.core.table import Table
from karat.datasets import DataSet, load
from karat.engines.one_thread import one_thread
from karat.reproductions import ferri2009 as printed
from karat.studies import Correlation
from karat.studies.correlation import _error, _with_and_without, correlations, matrix, stratified
from karat.studies.inputs import data_sets, likeness, subsets
from karat.studies.redundancy import averaged

NAN = math.nan
QUICK: dict[str, Any] = {"datasets": "iris,wine", "learners": "C4.5,NB,kNN", "repetitions": 3, "folds": 3}


def columns(tables: Any) -> dict[str, Any]:
    return {name: table.to_dict() for name, table in tables.items()}


def test_mean_correlations_by_literal_loops() -> None:
    study = Correlation(**QUICK, measures="Acc,MSE,AUNU,MAvG")
    parts = {unit: study.measured(unit, study.generator(unit)) for unit in study.units()}
    found = study.tables(parts)
    for method, of in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        for one in ("Acc", "MSE"):
            for other in ("AUNU", "MAvG"):
                each = []
                for name in ("iris", "wine"):
                    a, b = [], []
                    for unit in (f"{name}-000", f"{name}-001"):
                        for repetition in parts[unit]["values"]:
                            for fold in repetition:
                                for learner in fold:
                                    a.append(round(learner[("Acc", "MSE", "AUNU", "MAvG").index(one)], 12))
                                    b.append(round(learner[("Acc", "MSE", "AUNU", "MAvG").index(other)], 12))
                    assert len(a) == 3 * 3 * 3
                    each.append(of(a, b)[0])
                row = matrix(found["pairs"], "all", method, ["Acc", "MSE", "AUNU", "MAvG"])
                at = ["Acc", "MSE", "AUNU", "MAvG"].index
                assert row[at(one), at(other)] == pytest.approx(mean(each), abs=1e-9)
                assert found[method].columns[other][at(one)] == row[at(one), at(other)]
    assert (matrix(found["pairs"], "all", "pearson", ["Acc", "MSE", "AUNU", "MAvG"])[0, 1:] > 0).all()  # MSE turned


def test_what_is_unknown_is_left_out_of_the_mean() -> None:
    rng = np.random.default_rng(5)
    each = rng.uniform(-1, 1, (4, 3, 3))
    each[0, 1], each[0, :, 1], each[2, 0, 2], each[:, 2, 2] = NAN, NAN, NAN, NAN
    found = averaged(list(each))
    for i in range(3):
        for j in range(3):
            known = [m[i, j] for m in each if not math.isnan(m[i, j])]
            assert found[i, j] == pytest.approx(mean(known)) if known else math.isnan(found[i, j])


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_constant_and_undefined_values(method: str) -> None:
    rng = np.random.default_rng(2)
    values = np.vstack([rng.normal(size=(3, 20)), np.full((1, 20), 0.7) + 1e-15 * rng.normal(size=20)])
    found = correlations(values, method)
    assert np.isnan(found[3]).all()
    assert np.isnan(found[:, 3]).all()
    assert np.isfinite(found[:3, :3]).all()
    holes = values.copy()
    holes[0, :5], holes[1, 3:9], holes[2, :18] = NAN, np.nan, NAN
    some = correlations(holes, method)
    of = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method]
    assert some[0, 1] == some[1, 0] == pytest.approx(of(values[0, 9:], values[1, 9:])[0])
    assert math.isnan(some[0, 2])  # two evaluations are too few
    assert (some[0, 0], some[1, 1]) == (1, 1)
    assert np.isnan(some[3]).all()


def test_folds_have_their_share_of_each_class() -> None:
    y = np.array([0] * 11 + [1] * 23 + [2] * 1 + [3] * 3)
    fold = stratified(y, 5, np.random.default_rng(1))
    sizes = np.bincount(fold, minlength=5)
    assert sizes.max() - sizes.min() <= 1
    for c in range(4):
        counts = np.bincount(fold[y == c], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert (stratified(y, 5, np.random.default_rng(2)) != fold).any()


def test_the_number_of_workers_and_a_folder_change_nothing(tmp_path: Path) -> None:
    study = Correlation(**QUICK | {"learners": "NB,MLP"})
    alone = columns(study.run(workers=1))
    assert columns(study.run(workers=2, folder=tmp_path / "run")) == alone
    held = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert set(held["arguments"]["datasets"]) == {"iris", "wine"}
    assert len(held["arguments"]["datasets"]["iris"]) == 16
    assert {"scikit-learn", "scipy"} == set(held["arguments"]["libraries"])
    (tmp_path / "run" / "wine-001.npz").unlink()
    assert columns(study.run(workers=1, folder=tmp_path / "run")) == alone
    light = study.sent("iris-000")
    assert [d.name for d in light.datasets] == ["iris"]
    seconds = study.seconds({u: study.measured(u, study.generator(u)) for u in study.units()[:1]})
    assert seconds.columns["work"] == ["NB", "MLP", "measuring"]
    assert sum(seconds.columns["share"]) == pytest.approx(1)


def test_a_variant_takes_the_place_of_its_family() -> None:
    told: dict[str, Any] = {"datasets": "iris,wine", "repetitions": 1, "folds": 3, "measures": "Acc,MSE,LogL"}
    both = Correlation(**told, learners="NB,kNN", variants="kNN(5)").run(workers=1)
    other = Correlation(**told, learners="NB,kNN(5)").run(workers=1)
    one = Correlation(**told, learners="NB,kNN").run(workers=1)
    symbols = ["Acc", "MSE", "LogL"]
    for method in ("pearson", "spearman"):
        base, varied = (matrix(both["pairs"], kind, method, symbols) for kind in ("all", "all, kNN(5)"))
        np.testing.assert_array_equal(base, matrix(one["pairs"], "all", method, symbols))
        np.testing.assert_array_equal(varied, matrix(other["pairs"], "all", method, symbols))
        assert (base != varied).any()
    with pytest.raises(InputError, match=r"'kNN\(5\)' is not a variant of any of NB"):
        Correlation(**told, learners="NB", variants="kNN(5)")


def test_more_repetitions_keep_the_first() -> None:
    few, many = (Correlation(**QUICK | {"repetitions": n, "learners": "NB"}) for n in (1, 2))
    one, two = (s.measured("iris-000", s.generator("iris-000"))["values"] for s in (few, many))
    np.testing.assert_array_equal(one[0], two[0])


def troubled() -> DataSet:
    """A constant attribute, one without values, a class of one case, one without cases, a missing class."""
    rng = np.random.default_rng(4)
    y = np.array([0] * 12 + [1] * 8 + [3] + [-1])
    X = np.column_stack([rng.normal(size=22) + y, np.full(22, 3.0), np.full(22, NAN), rng.integers(0, 3, 22)])
    X[3, 0] = NAN
    return DataSet.of("odd", X, y, list("abcd"), [None, None, None, "xyz"], ["p", "q", "none", "one"])


def test_data_that_make_trouble() -> None:
    like = likeness(*data_sets([troubled()], None, "ferri2009"))
    assert (like["cases"], like["classes"], like["classes of one case"]) == (21, 3, 1)
    assert (like["constant attributes"], like["attributes without values"], like["classes without cases"]) == (1, 1, 1)
    found = Correlation(datasets=[troubled()], repetitions=2).run(workers=1)
    assert found["datasets"].columns["dataset"] == ["odd"]
    assert len(found["groups"].rows) > 0
    json.dumps(columns(found), allow_nan=False)


def test_balanced_and_small_are_lower_halves() -> None:
    like = {
        name: {"cases": n, "classes": c, "majority": a, "minority": b}
        for name, n, c, a, b in [("p", 10, 2, 0.5, 0.5), ("q", 30, 3, 0.8, 0.1), ("r", 20, 2, 0.9, 0.1)]
    }
    assert subsets(like) == {
        "all": ["p", "q", "r"], "two-class": ["p", "r"], "multi-class": ["q"], "balanced": ["p", "q"],
        "imbalanced": ["r"], "small": ["p", "r"], "large": ["q"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"learners": "C4.5,SVM"}, "no learner 'SVM'"),
        ({"datasets": "nothing"}, "no data set 'nothing'"),
        ({"measures": "Acc"}, "needs at least two measures"),
        ({"folds": 1}, "folds is 1"),
        ({"methods": "cosine"}, "a method is 'cosine'"),
        ({"cuts": 3}, "cuts is 3"),
        ({"datasets": [load("iris").take([0, 1, 60])]}, "3 cases with a class where at least 6 are needed"),
    ],
)
def test_bad_input_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Correlation(**QUICK | told)


def test_one_thread_ends_with_the_last() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpoolctl.threadpool_info()]

    before = threads()
    with one_thread():
        with one_thread():
            assert set(threads()) <= {1}
        assert set(threads()) <= {1}
    assert threads() == before


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    iris = load("iris")
    rows = [",".join([*map(str, x), iris.classes[c]]) for x, c in zip(iris.X.tolist(), iris.y, strict=True)]
    (tmp_path / "in" / "flowers.csv").write_text("\n".join(["a,b,c,d,kind", *rows]) + "\n")
    words = (
        "study",
        "correlation",
        "--data",
        str(tmp_path / "in"),
        "--repetitions",
        "1",
        "--set",
        "learners=NB,kNN(3)",
    )
    pytest.importorskip("matplotlib")
    held = json.loads(run(*words, "--workers", "1", "--figures", str(tmp_path / "figures"), "--json"))
    assert held["tables"]["datasets"]["dataset"] == ["flowers"]
    assert len(list((tmp_path / "figures").glob("*.svg"))) >= 2
    assert "is not a folder" in refused(capsys, "study", "correlation", "--data", str(tmp_path / "none"))
    assert "leave --data out" in refused(capsys, "study", "traits", "--data", str(tmp_path))


# ------------------------------------------------------------------------------------------------------- Table 3


def as_printed() -> Table:
    """Pairs as a study gives them, from the printed triangles; the same for every kind of data sets."""
    rows: dict[str, list[Any]] = {k: [] for k in ("data sets", "method", "measure", "other", "correlation", "error")}
    for kind in ("all", "two-class", "multi-class", "balanced", "imbalanced", "small", "large"):
        for method, below in printed.TRIANGLE.items():
            square = printed.triangle(below)
            for i, j in zip(*np.triu_indices(18, 1), strict=True):
                told = (kind, method, printed.ORDER[i], printed.ORDER[j], float(square[i, j]), 0.0)
                for name, value in zip(rows, told, strict=True):
                    rows[name].append(value)
    return Table(rows)


def test_the_printed_table_reproduces_itself() -> None:
    cells = list(printed.table_3({"pairs": as_printed()}))
    failed = {c.what for c in cells if c.verdict == "not reproduced"}
    assert sum(c.where.startswith("Table 3, ") for c in cells) == 306
    assert not any(c.where.startswith("Table 3") and c.what in failed for c in cells)
    assert not any(c.where.startswith("Section 5, ours") and c.what in failed for c in cells)
    below = printed.triangle(True)
    assert below[printed.ORDER.index("LogL"), printed.ORDER.index("AU1P")] == 0.74
    assert printed.nearest(below, "MSE") == "Acc"
    assert set(printed.joined(below, "MSE")) == set(printed.DECISIONS)
    assert {c.what for c in cells if c.where == "Section 5" and c.verdict == "not reproduced"} == {
        "highest correlation of an AUC with another measure"  # .81 in the triangle of ranks
    }
    assert [printed._towards(0.5, k, 0.6) for k in (0.4, 0.5, 0.75)] == [0, 0, 0.25]
    assert printed._towards(0.5, 0.25, 0.4) == 0.25
    beside = printed.beside(as_printed())
    assert beside.columns["spearman, published"] == beside.columns["spearman, ours"]


def test_reproduction_with_data(tmp_path: Path) -> None:
    from karat.reproductions import reproduce

    for name in ("iris", "wine"):
        data = load(name)
        lines = [",".join([*map(str, x), f"c{c}"]) for x, c in zip(data.X.tolist(), data.y, strict=True)]
        head = ",".join([*(f"a{j}" for j in range(data.X.shape[1])), "class"])
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n")
    table = reproduce("ferri2009", share=0.01, workers=1, data=tmp_path)
    assert "not run" not in table.columns["verdict"]
    assert sum(where.startswith("Table 3") for where in table.columns["where"]) == 314
    assert "karat" not in table.title
    assert karat.catalogue.studies["correlation"] is Correlation


@pytest.mark.parametrize("repetitions", [1, 2, 3])
def test_each_repetition_is_left_out_once(repetitions: int) -> None:
    """By the definition of the jackknife; of a single one nothing would be left."""
    values = np.random.default_rng(repetitions).random((repetitions, 5, 3))
    whole, without = _with_and_without(values, "pearson")
    assert whole == pytest.approx(np.corrcoef(values.reshape(-1, 3).T))
    kept = [[i for i in range(repetitions) if i != left] for left in range(repetitions)] if repetitions > 1 else []
    assert len(without) == len(kept)
    for one, some in zip(without, kept, strict=True):
        assert one == pytest.approx(np.corrcoef(values[some].reshape(-1, 3).T))
    m = len(kept)
    by_hand = (
        np.sqrt((m - 1) / m * sum((one - sum(without) / m) ** 2 for one in without)) if m else np.full((3, 3), NAN)
    )
    assert _error(without) == pytest.approx(by_hand, nan_ok=True)
