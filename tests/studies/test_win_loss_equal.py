"""The contest of measures: against literal loops, the same for any workers, going on after a stop, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat import InputError
from karat.core.study import Tables
from karat.datasets import DataSet
from karat.studies.contest import Shares

pytest.importorskip("sklearn")

from commands import refused, run
from karat.learners import C45Classifier
from karat.studies import WinLossEqual, contest
from karat.studies import win_loss_equal as module

SYMBOLS = ["Acc", "pCEN", "rpCEN", "MAE", "MSE", "AUNU", "AUNP", "AU1U", "AU1P"]


def made(name: str = "made", cases: int = 60, seed: int = 3) -> DataSet:
    """Three classes, one of them of a single case; a constant column, one without values, a nominal one with gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, cases)
    y[0] = 2
    X = rng.normal(size=(cases, 6)) + y[:, None] * np.array([1.0, 0.5, 0, 0, 0, 0])
    X[:, 2] = 4.0
    X[:, 3] = np.nan
    X[:, 4] = rng.integers(0, 3, cases)
    X[rng.random(cases) < 0.2, 4] = np.nan
    values = [None, None, None, None, ["a", "b", "c"], None]
    return DataSet.of(name, X, y, [f"x{j}" for j in range(6)], values, ["u", "v", "w"])


def small(**told: Any) -> WinLossEqual:
    return WinLossEqual(
        **{"datasets": [made(), made("other", 90, 4)], "rounds": 8, "measures": SYMBOLS, "replicates": 5} | told
    )


def plain(tables: Tables) -> dict[str, Any]:
    return {name: table.to_dict() for name, table in tables.items()}


def row(tables: Tables, name: str, **wanted: Any) -> dict[str, Any]:
    rows = [dict(zip(tables[name].columns, r, strict=True)) for r in tables[name].rows]
    (found,) = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    return found


def parts_of(study: WinLossEqual) -> dict[str, Any]:
    return {unit: study.measured(unit, study.generator(unit)) for unit in study.units()}


def test_values_are_those_of_trees_grown_and_measured_one_by_one() -> None:
    study = small(rounds=2, classifiers=3)
    for data in study.datasets:
        unit = f"{data.name}-00000"
        found = study.measured(unit, study.generator(unit))["values"]
        rng, (cases, width) = study.generator(unit), data.X.shape
        for r in range(2):
            order = rng.permutation(cases)
            masks = rng.random((3, width)).argsort(axis=1)[:, :3]
            half, rest = round(cases / 2), round(cases / 2) + round(cases / 10)
            for k, mask in enumerate(masks):
                kept = [j for j in range(width) if j not in mask]
                nominal = {i: data.nominal[j] for i, j in enumerate(kept) if j in data.nominal}
                model = C45Classifier(nominal=nominal, classes=range(3), unpruned=True, laplace=True)
                model.fit(data.X[order[:half]][:, kept], data.y[order[:half]])
                for part, at in enumerate((order[half:rest], order[rest:])):
                    e = karat.evaluate(data.y[at], model.predict_proba(data.X[at][:, kept]), labels=[0, 1, 2])
                    alone = [e[m] for m in study.measures]
                    assert found[r, part, k] == pytest.approx(alone, abs=1e-12, nan_ok=True)


# --------------------------------------------------------------------------------------- a literal oracle, with loops


def choice_by_loops(values: list[float], higher: bool) -> int:
    best = None
    for k, value in enumerate(values):
        if value != value:
            continue
        gain = 0.0 if best is None else (value - values[best]) * (1 if higher else -1)
        if best is None or gain > 1e-12:
            best = k
    return 0 if best is None else best


def contest_by_loops(values: Any, higher: list[bool]) -> tuple[dict[Any, float], dict[Any, float], dict[Any, float]]:
    """values[round][part][classifier][measure] to shares of wins and losses {(arbiter, i, j)} and mean regrets."""
    count = len(higher)
    win: dict[Any, float] = {}
    loss: dict[Any, float] = {}
    mean: dict[Any, float] = {}
    for a in range(count):
        regrets = []
        for one in values:
            judged = [c[a] for c in one[1]]
            if any(v != v for v in judged):
                continue
            best = max(judged) if higher[a] else min(judged)
            chosen = [choice_by_loops([c[m] for c in one[0]], higher[m]) for m in range(count)]
            regrets.append([abs(best - judged[k]) for k in chosen])
        for i in range(count):
            mean[a, i] = sum(r[i] for r in regrets) / len(regrets)
            for j in range(count):
                win[a, i, j] = sum(r[i] < r[j] - 1e-12 for r in regrets) / len(regrets)
                loss[a, i, j] = sum(r[i] > r[j] + 1e-12 for r in regrets) / len(regrets)
    return win, loss, mean


def rank_by_loops(values: list[float], i: int) -> float:
    below = sum(v < values[i] - 1e-12 for v in values)
    same = sum(abs(v - values[i]) <= 1e-12 for v in values)
    return below + (same + 1) / 2


def test_shares_and_ranks_are_those_of_loops() -> None:
    study = small(rounds=12, replicates=20)
    parts = parts_of(study)
    tables = study.tables(parts)
    higher = [m.orientation > 0 for m in study.measures]
    sets = {tuple(r[:4]): dict(zip(tables["sets"].columns, r, strict=True)) for r in tables["sets"].rows}
    aheads: dict[Any, list[float]] = {}
    rank: dict[Any, list[float]] = {}
    for data in study.datasets:
        win, loss, mean = contest_by_loops(study.values(parts, data).tolist(), higher)
        for a, arbiter in enumerate(SYMBOLS):
            for i, first in enumerate(SYMBOLS):
                everyone = [mean[a, m] for m in range(len(SYMBOLS))]
                rank.setdefault((arbiter, first), []).append(rank_by_loops(everyone, i))
                for j, second in enumerate(SYMBOLS):
                    if i == j:
                        continue
                    found = sets[data.name, arbiter, first, second]
                    shares = (win[a, i, j], loss[a, i, j], 1 - win[a, i, j] - loss[a, i, j])
                    assert all(abs(found[k] - v) < 1e-12 for k, v in zip(("win", "loss", "equal"), shares, strict=True))
                    assert found["win low"] <= found["win"] <= found["win high"]
                    aheads.setdefault((arbiter, first, second), []).append(win[a, i, j] - loss[a, i, j])
    for name, line in zip(("pairs", "ranks"), (aheads, rank), strict=True):
        value = "ahead" if name == "pairs" else "mean rank"
        keys = ("arbiter", "first", "second") if name == "pairs" else ("arbiter", "measure")
        rows = [dict(zip(tables[name].columns, r, strict=True)) for r in tables[name].rows]
        rows = [r for r in rows if r.get("group", "all") == "all"]
        assert len(rows) == len(line)
        for r in rows:
            assert abs(r[value] - np.mean(line[tuple(r[k] for k in keys)])) < 1e-12
    own = [np.mean([aheads["MSE", "MSE", other] for other in SYMBOLS if other != "MSE"])]
    found = row(tables, "findings", finding="wins under its own arbiter", measure="MSE")
    assert found["value"] == pytest.approx(own[0], abs=1e-12)
    assert found["low"] < found["value"] < found["high"]


def test_choices() -> None:
    nan = np.nan
    values = np.array([[[nan, 0.5, nan], [0.3, 0.5 + 1e-14, nan], [0.7, 0.2, nan]]])
    assert contest.choices(values).tolist() == [[2, 0, 0]]
    many = np.repeat(values, 400, axis=0)
    drawn = contest.choices(many, np.random.default_rng(1))
    assert set(drawn[:, 0]) == {2}
    assert set(drawn[:, 1]) == {0, 1}
    assert abs((drawn[:, 1] == 0).mean() - 0.5) < 0.1
    arbiter = np.array([[[0.1, nan], [0.4, 1.0], [0.3, 2.0]]])
    found = contest.regrets(arbiter, np.array([[2, 0]]))
    assert found[0, 0] == pytest.approx([0.1, 0.3])
    assert np.isnan(found[0, 1]).all()


def test_intervals_hold_what_is_drawn() -> None:
    """Rounds with a known share: of 100 contests, 95 % intervals hold win - loss about as often."""
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        better = rng.random(200) < 0.6
        regret = np.stack([np.where(better, 0.0, 1.0), np.where(better, 1.0, 0.0)], axis=1)[:, None].repeat(2, axis=1)
        contests = contest.Contests.of({"one": (regret, rng)}, ["Acc", "MSE"], 0.95, 10)
        first = contests.tables()["pairs"].rows[0]
        held += first[7] <= 0.2 <= first[8]
    assert 88 <= held <= 100


# ------------------------------------------------------------------------------------------------------- how it runs


def test_the_same_numbers_with_any_workers_and_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 3)
    study = small()
    assert len(study.units()) == 6
    alone = plain(study.run(workers=1))
    assert plain(small().run(workers=2, folder=tmp_path / "run")) == alone
    assert plain(small(seed=2).run(workers=1)) != alone
    (tmp_path / "run" / "other-00001.npz").unlink()
    done: list[str] = []
    first = WinLossEqual.measured

    def counted(self: WinLossEqual, unit: str, rng: np.random.Generator) -> Any:
        done.append(unit)
        return first(self, unit, rng)

    monkeypatch.setattr(WinLossEqual, "measured", counted)
    assert plain(small().run(workers=1, folder=tmp_path / "run")) == alone
    assert done == ["other-00001"]
    with pytest.raises(InputError, match="holds another run"):
        small(datasets=[made(), made("other", 90, 5)]).run(folder=tmp_path / "run")
    longer = small(rounds=9)
    assert np.array_equal(
        longer.values(parts_of(longer), longer.datasets[0])[:8], study.values(parts_of(study), study.datasets[0])
    )


def test_a_unit_needs_its_own_data_set_alone() -> None:
    study = small(rounds=2)
    light = study.sent("other-00000")
    assert [d.name for d in light.datasets] == ["other"]
    alone, whole = (s.measured("other-00000", s.generator("other-00000"))["values"] for s in (light, study))
    assert np.array_equal(alone, whole, equal_nan=True)


def test_random_ties_are_drawn_after_the_rounds() -> None:
    first, other = (small(ties=t, rounds=12).run(workers=1)["pairs"].to_dict() for t in ("first", "random"))
    assert first != other
    assert other == small(ties="random", rounds=12).run(workers=2)["pairs"].to_dict()


def test_a_part_of_one_class_leaves_areas_undefined() -> None:
    data = made(cases=20)
    lonely = DataSet.of("lonely", data.X, [1] + [0] * 19, data.attributes, data.values, ["u", "v"])
    tables = small(datasets=[lonely], rounds=40).run(workers=1)
    found = row(tables, "sets", arbiter="AUNU", first="Acc", second="MSE")
    assert 0 < found["rounds"] < 40  # the one case of v is a test case in two of five rounds
    assert row(tables, "sets", arbiter="Acc", first="Acc", second="MSE")["rounds"] == 40


def test_files_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        lines = [",".join([*(f"{x:.3f}" for x in rng.normal(size=5)), "ab"[i % 2]]) for i in range(40)]
        (tmp_path / f"{name}.csv").write_text("a,b,c,d,e,class\n" + "\n".join(lines))
    (tmp_path / "narrow.csv").write_text("a,class\n" + "\n".join(f"{i},{'ab'[i % 2]}" for i in range(20)))
    words = ("study", "win_loss_equal", "--size", "2", "--set", "replicates=2", "--json", "--measures", "Acc,MSE")
    held = run(*words, "--data", str(tmp_path))
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    assert run(*words) == held
    assert list(WinLossEqual(rounds=1).arguments()["datasets"]) == ["one", "two"]
    assert [d.name for d in WinLossEqual(datasets="one@30,two").datasets] == ["one@30", "two"]


def test_figures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study = small(rounds=3, replicates=5)
    tables = study.run(workers=1)
    found = study.figures(tables)
    assert {"bars-rpCEN", "bars-MAE", "sets-rpCEN-rpCEN-AUNU", "ranks-areas-rpCEN", "ranks-errors-MSE"} <= set(found)
    made_of = found["bars-rpCEN"]
    assert (made_of.low <= made_of.win - made_of.loss).all()
    assert found["sets-rpCEN-rpCEN-AUNU"].names == ("made", "other")
    for name in ("bars-rpCEN", "ranks-areas-rpCEN"):
        found[name].plot()
    for name, picture in found.items():
        if name.startswith("ranks-"):
            rows = [r for r in tables["ranks_of_sets"].rows if name == f"ranks-{r[0]}-{r[1]}"]
            assert dict(zip(picture.names, picture.ranks.tolist(), strict=True)) == {r[2]: r[3:] for r in rows}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"measures": "Acc"}, "only one measure was given"),
        ({"measures": "Acc,AUC"}, "AUC is not available"),
        ({"rounds": 0}, "rounds is 0"),
        ({"classifiers": 1}, "classifiers is 1"),
        ({"removed": -1}, "removed is -1"),
        ({"removed": 6}, "'made' has 6 attributes where at least 7 are needed"),
        ({"ties": "last"}, "one of first, random"),
        ({"level": 95}, "level is 95; give a number from 0.5"),
        ({"datasets": "nowhere"}, "no data set 'nowhere'"),
        ({"datasets": "iris@x"}, "asks for a sample of 'x' cases"),
        ({"datasets": [made(cases=8)]}, "has 8 cases"),
        ({"datasets": [1]}, "given as int"),
        ({"datasets": []}, "there is no usable data set"),
        ({"datasets": [made(), made(seed=5)]}, "two data sets are named 'made'"),
        ({"datasets": "iris", "data": "/nowhere"}, "is not a folder"),
    ],
)
def test_bad_input_is_refused_before_any_work(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        small(**told)


def test_a_folder_for_a_study_without_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert "takes no data sets" in refused(capsys, "study", "census", "--data", ".")


def test_shares_by_literal_loops() -> None:
    """Regrets of 7 rounds by 3 arbiters, of which one is not defined in a round."""
    regret = np.random.default_rng(3).integers(0, 3, (7, 3, 3)).astype(float)
    regret[2, 1, 0] = np.nan
    found = Shares.of(regret)
    for a in range(3):
        rounds = [r for r in regret[:, a] if not np.isnan(r).any()]
        assert found.rounds[a] == len(rounds)
        for i in range(3):
            for j in range(3):
                assert found.win[a, i, j] == pytest.approx(sum(r[i] < r[j] for r in rounds) / len(rounds))
                assert found.loss[a, i, j] == pytest.approx(sum(r[i] > r[j] for r in rounds) / len(rounds))
        mine = [sum(int(r[a] < r[j]) - int(r[a] > r[j]) for j in range(3)) / 2 for r in rounds]
        mean = sum(mine) / len(mine)
        assert found.own[a] == pytest.approx(mean)
        assert found.own_variance[a] == pytest.approx(sum((x - mean) ** 2 for x in mine) / len(mine))
