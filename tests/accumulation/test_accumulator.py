"""Predictions taken in part by part: the same numbers as from all at once, or bounds that hold them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import example, given, settings
from hypothesis import strategies as st

import karat
from karat import Accumulator
from karat.accumulation import model_states
from karat.core.errors import InputError
from karat.resampling import OperatingPoints

KINDS = ("smooth", "rounded", "saturated", "rare")


def data(kind: str, n: int = 4000, seed: int = 0, dtype: Any = np.float32) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    z = rng.normal(-6 if kind == "rare" else 0, 12 if kind == "saturated" else 2, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int8)
    p = (1 / (1 + np.exp(-(z + rng.normal(0, 1, n))))).astype(dtype)
    return y, np.round(p, 2).astype(dtype) if kind == "rounded" else p


def accumulated(y: Any, p: Any, parts: int = 7, **options: Any) -> Accumulator:
    a = Accumulator(**options)
    for at in np.array_split(np.arange(len(y)), parts):
        a.update(y[at], p[at])
    return a


def assert_holds(bounds: tuple[float, float], value: float, what: str) -> None:
    low, high = bounds
    if math.isnan(low) or low == value == high:  # equal, where it is infinite
        return
    slack = 1e-12 * max(1.0, abs(value))
    assert low - slack <= value <= high + slack, (what, low, value, high)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_kept_give_what_evaluate_gives(kind: str, dtype: Any) -> None:
    y, p = data(kind, dtype=dtype)
    whole, parts = karat.evaluate(y, p).values("all"), accumulated(y, p).evaluation().values("all")
    for symbol, value in whole.items():
        assert parts[symbol] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), symbol


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_exact_and_bounds_hold_every_measure(kind: str, dtype: Any) -> None:
    y, p = data(kind, dtype=dtype)
    whole, e = karat.evaluate(y, p), accumulated(y, p, exact=False).evaluation()
    for symbol, value in whole.values("all").items():
        assert_holds(e.bounds(symbol), value, symbol)
    for symbol in ("MCC", "LogLoss", "LogL", "BrierLoss", "pCEN", "ECE", "cwECE", "F1", "MAPR"):
        assert e[symbol] == pytest.approx(whole[symbol], rel=1e-12), symbol
    for symbol in ("AUC", "AP", "KS", "H", "SAUC", "AUPRC", "DSC"):
        assert not math.isnan(e.bounds(symbol)[0]), symbol
    low, high = e.bounds("AUC")
    assert high - low < 1e-5
    assert_holds((low, high), e["AUC"], "the value itself")


CROWDED = st.builds(
    lambda score, step: score * (1 + step * 2.0**-22), st.sampled_from([0.3, 0.71, 1e-4, 3e-9]), st.integers(0, 60)
)
"""Scores that share cells without being equal: else bounds are the value itself."""


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), CROWDED | st.floats(0, 1, width=32)), min_size=2, max_size=40).filter(
        lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
    )
)
def test_bounds_hold_whatever_the_scores_are(rows: list[tuple[bool, float]]) -> None:
    y, p = np.array([int(a) for a, _ in rows]), np.array([b for _, b in rows], np.float32)
    p[0] = np.float32(0.3)  # something that is neither 0 nor 1, which could be predictions
    whole, e = karat.evaluate(y, p), accumulated(y, p, parts=2, exact=False, labels=[0, 1]).evaluation()
    for symbol in ("AUC", "Gini", "AP", "AveragePrecision", "AUPRC", "KS", "H", "SAUC", "AU1U", "REL", "RES", "CalL"):
        assert_holds(e.bounds(symbol), whole[symbol], symbol)
    fpr, tpr = (rate[None] for rate in whole.statistics.table_of_class(1).rates)
    exact = OperatingPoints(fpr, tpr, np.array([y.mean()]), whole.statistics.table_of_class(1).scores)
    for name in ("roc_curve", "precision_recall", "cost_curve"):
        drawn: Any = e.diagram(name)
        if drawn.certified is not None:  # None: every cell holds a single score
            at, low, high = drawn.certified
            height = type(drawn).heights(exact, at)[0]
            assert ((low <= height + 1e-12) & (height <= high + 1e-12)).all(), name


CENTRES: dict[str, Any] = {
    "balanced": lambda rng, n: rng.normal(0, 1.5, n),
    "rare": lambda rng, n: rng.normal(-7.5, 1.6, n),
    "boosted": lambda rng, n: rng.normal(-4, 1.5, n) + (rng.random(n) < 0.2) * rng.exponential(3, n),
    "saturated": lambda rng, n: rng.normal(0, 12, n),
}
"""Logits around which scores crowd."""


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from([*CENTRES, "rounded"]),
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(20, 200),
    several=st.integers(1, 12),
    dtype=st.sampled_from([np.float32, np.float64]),
    weighted=st.booleans(),
)
def test_bounds_hold_every_measure_and_every_point_of_a_curve(
    kind: str, seed: int, n: int, several: int, dtype: Any, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-rng.choice(CENTRES.get(kind, CENTRES["balanced"])(rng, several), n)))
    near = (1 + rng.integers(0, 9, n) * 2.0**-22).astype(dtype)  # several scores share a cell
    p = np.minimum(np.round(p, 3).astype(dtype) if kind == "rounded" else p.astype(dtype) * near, dtype(1))
    y = (rng.random(n) < np.clip(p, 0.1, 0.9)).astype(np.int64)
    y[:2], p[0] = (0, 1), 0.3
    w = {"sample_weight": rng.integers(0, 4, n) + (np.arange(n) < 2)} if weighted else {}
    a = karat.Accumulator(labels=[0, 1], exact=False)
    for at in np.array_split(np.arange(n), 3):
        a.update(y[at], p[at], certain=True, **{name: x[at] for name, x in w.items()})
    whole, e = karat.evaluate(y, p, **w), a.evaluation()
    for symbol, value in whole.values("all").items():
        assert_holds(e.bounds(symbol), value, symbol)
    table = whole.statistics.table_of_class(1)
    fpr, tpr = (rate[None] for rate in table.rates)
    exact = OperatingPoints(fpr, tpr, np.array([float(table.prevalence)]), table.scores)
    for name in ("roc_curve", "precision_recall", "cost_curve"):
        drawn: Any = e.diagram(name)
        if drawn.certified is not None:
            at, low, high = drawn.certified
            height = type(drawn).heights(exact, at)[0]
            assert ((low <= height + 1e-12) & (height <= high + 1e-12)).all(), name


def test_piles_of_cells_add_up_as_if_they_were_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_states, "RUN", 1000)
    monkeypatch.setattr(model_states, "FEW", 10)
    for dtype in (np.float32, np.float64):
        y, p = data("smooth", dtype=dtype)
        p = (0.3 + p / 100).astype(dtype)  # some 5,000 cells
        p[:6], p[6:9], p[9:12] = 1e-14, 0, 1
        cuts = np.array_split(np.arange(len(y)), 3)
        parts: list[Any] = [accumulated(y[at], p[at], parts=1, exact=False) for at in cuts]
        assert all(a._models[""].pile is not None for a in parts)
        both = parts[0] + parts[1]
        both += parts[2]
        one, other = accumulated(y, p, exact=False).evaluation(), both.evaluation()
        low, high = one.bounds("AUC")
        assert low < high
        assert other.bounds("AUC") == (low, high)
        for symbol in ("LogLoss", "BrierLoss", "ECE", "AP", "MCC"):
            assert other[symbol] == pytest.approx(one[symbol], rel=1e-13), symbol
        again = accumulated(y[cuts[1]], p[cuts[1]], parts=1, exact=False)
        assert parts[1].to_bytes() == again.to_bytes()  # who was taken in is as before


def test_cells_of_one_score_are_exact_ties() -> None:
    y, p = data("rounded")
    e = accumulated(y, p, exact=False).evaluation()
    assert e.bounds("AUC") == (e["AUC"], e["AUC"])
    assert e["CalL"] == pytest.approx(karat.evaluate(y, p)["CalL"], rel=1e-12)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("positive", ["ok", "fraud"])
def test_text_labels_and_either_positive_class(exact: bool, positive: str) -> None:
    y, p = data("smooth")
    p[0] = 0.5  # a tie: the first class is predicted
    names = np.array(["fraud", "ok"] if positive == "ok" else ["ok", "fraud"])[y]
    whole = karat.evaluate(names, p, positive=positive)
    a = Accumulator(positive=positive, exact=exact)
    for at in np.array_split(np.arange(len(y)), 3):
        a.update(names[at], p[at])
    e = a.evaluation()
    assert (e.n, e.classes, e.positive) == (len(y), ("fraud", "ok"), positive)
    for symbol, value in whole.values().items():
        assert_holds(e.bounds(symbol), value, symbol)
        assert e[symbol] == pytest.approx(value, abs=2e-4), symbol
    assert e.matrix().columns == whole.matrix().columns


@pytest.mark.parametrize("exact", [True, False])
def test_several_classes_weights_and_predictions(exact: bool) -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet([1, 1, 1, 1], 600)
    y, w = rng.integers(0, 4, 600), rng.integers(1, 4, 600).astype(float)
    predicted = rng.integers(0, 4, 600)
    for more in ({}, {"sample_weight": w}, {"y_pred": predicted}):
        whole, a = karat.evaluate(y, p, **more), Accumulator(exact=exact)
        for at in np.array_split(np.arange(600), 4):
            a.update(y[at], p[at], **{name: x[at] for name, x in more.items()})
        e = a.evaluation()
        for symbol, value in whole.values("all").items():
            if value == value:
                assert_holds(e.bounds(symbol), value, symbol)
        for symbol in ("AUNU", "AU1U", "macro(AP)", "LogLoss", "MCC"):
            assert e[symbol] == pytest.approx(whole[symbol], abs=1e-4), symbol


def test_predicted_labels_alone() -> None:
    y, d = np.array([0, 1, 1, 2, 2, 0]), np.array([0, 1, 2, 2, 2, 1])
    a = Accumulator(labels=[0, 1, 2], exact=False)
    a.update(y[:3], y_pred=d[:3])
    a.update(y[3:], y_pred=d[3:])
    assert a.evaluation()["MCC"] == pytest.approx(karat.evaluate(y, y_pred=d)["MCC"], abs=1e-15)
    assert "predicted labels" in a.evaluation().why("AUNU")


@pytest.mark.parametrize("exact", [True, False, "auto"])
def test_parts_add_up_in_any_grouping(exact: Any) -> None:
    y, p = data("smooth", 3000)
    one, two, three = (accumulated(y[i::3], p[i::3], 2, exact=exact) for i in range(3))
    ways = [(one + two) + three, one + (two + three), (three + one) + two]
    assert one.rows == 1000
    evaluations = [w.evaluation() for w in ways]
    assert {w.rows for w in ways} == {3000}
    for symbol, value in evaluations[0].values("papers").items():
        for e in evaluations[1:]:
            assert e.value_or_nan(symbol) == pytest.approx(value, rel=1e-13, nan_ok=True), symbol
    assert [e.matrix().columns for e in evaluations] == [evaluations[0].matrix().columns] * 3
    one += two
    assert one.rows == 2000


def test_a_budget_that_is_passed_lets_the_rows_go() -> None:
    y, p = data("smooth", 4000)
    a = accumulated(y, p, memory=8000)
    assert "added up" in repr(a)
    e = a.evaluation()
    assert_holds(e.bounds("AUC"), karat.evaluate(y, p)["AUC"], "AUC")
    with pytest.raises(InputError, match=r"4,000|memory|MB"):
        accumulated(y, p, exact=True, memory=8000)


@pytest.mark.parametrize("exact", [True, False])
def test_bytes_give_it_back(exact: bool) -> None:
    y, p = data("smooth", 4000)
    a = accumulated(y, p, exact=exact)
    b = Accumulator.from_bytes(a.to_bytes())
    assert (b.rows, b.labels) == (4000, [0, 1])
    b.update(y[:10], p[:10])
    a.update(y[:10], p[:10])
    assert b.evaluation().values("papers") == pytest.approx(a.evaluation().values("papers"), nan_ok=True)
    w = Accumulator(exact=exact)
    w.update(np.arange(3).repeat(4), np.full((12, 3), 1 / 3), sample_weight=np.ones(12))
    again = Accumulator.from_bytes(w.to_bytes()).evaluation()
    assert again.to_dict() == w.evaluation().to_dict()


def test_damaged_bytes_are_refused() -> None:
    y, p = data("smooth", 100)
    raw = accumulated(y, p).to_bytes()
    newer = raw[:8] + (9).to_bytes(2, "big") + raw[10:]
    with pytest.raises(InputError, match="version 9"):
        Accumulator.from_bytes(newer)
    for damaged in (b"", raw[:-1], raw[:60] + bytes([raw[60] ^ 1]) + raw[61:], b"x" + raw[1:]):
        with pytest.raises(InputError, match="damaged"):
            Accumulator.from_bytes(damaged)
    with pytest.raises(InputError, match="bytes"):
        Accumulator.from_bytes("text")  # type: ignore[arg-type]


def test_what_is_wrong_is_refused_and_nothing_of_it_taken_in() -> None:
    y, p = data("smooth", 100)
    a = accumulated(y, p)
    bad = p.copy()
    bad[7] = np.nan
    for labels, column, words in ((y, bad, "nan|missing|finite"), (y + 5, p, "5|6"), (y, p[:50], "50")):
        with pytest.raises(InputError, match=words):
            a.update(labels, column)
    with pytest.raises(InputError, match="the same in each update"):
        a.update(y, p, sample_weight=np.arange(100) + 1.0)
    with pytest.raises(InputError, match="y_score"):
        Accumulator().update(y, y_score=p)
    with pytest.raises(InputError, match="models"):
        a.update(y, {"other": p})
    assert a.rows == 100
    with pytest.raises(InputError, match="nothing was accumulated"):
        Accumulator().evaluation()
    for memory in ("much", -1, "0MB", True):
        with pytest.raises(InputError, match="memory is"):
            Accumulator(memory=memory)
    with pytest.raises(InputError, match="exact is"):
        Accumulator(exact="yes")
    with pytest.raises(InputError, match="add up"):
        a += Accumulator(labels=[0, 1, 2]) + _of_three()


def _of_three() -> Accumulator:
    a = Accumulator()
    a.update([0, 1, 2], np.full((3, 3), 1 / 3))
    return a


@pytest.mark.parametrize("exact", [True, False])
def test_several_models_at_once(exact: bool) -> None:
    y, p = data("smooth", 600)
    q = np.clip(p + 0.1, 0, 1)
    a = Accumulator(exact=exact)
    for at in np.array_split(np.arange(600), 3):
        a.update(y[at], {"a": p[at], "b": q[at]})
    evaluations = a.evaluations()
    assert list(evaluations) == ["a", "b"] == list(a.models)
    assert evaluations["b"]["LogLoss"] == pytest.approx(karat.evaluate(y, q)["LogLoss"])
    with pytest.raises(InputError, match="evaluations"):
        a.evaluation()
    if exact:
        expected = karat.compare({"a": p, "b": q}, y)
        assert karat.compare(evaluations).to_dict()["verdict"] == expected.to_dict()["verdict"]


def test_sums_of_many_rows_do_not_drift() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300_000)
    y = (rng.random(300_000) < p).astype(np.int8)
    a = accumulated(y, p, parts=40, exact=False)
    hit = np.where(y == 1, p, 1 - p)
    assert a.evaluation()["BrierLoss"] == pytest.approx(math.fsum(((1 - hit) ** 2).tolist()) / 300_000, rel=1e-14)
    assert a.evaluation()["LogLoss"] == pytest.approx(-math.fsum(np.log(hit).tolist()) / 300_000, rel=1e-13)


def test_frequencies_can_be_restated() -> None:
    y, p = data("smooth")
    e = accumulated(y, p, exact=False).evaluation().at_prevalence(0.1)
    expected = karat.evaluate(y, p).at_prevalence(0.1)
    for symbol in ("PPV", "MCC", "LogLoss", "AUC", "AP"):
        assert e[symbol] == pytest.approx(expected[symbol], abs=1e-5), symbol


@pytest.mark.parametrize("kind", KINDS)
def test_rows_too_many_to_be_handled_one_by_one_are_exact_all_the_same(kind: str) -> None:
    y, p = data(kind)
    whole, e = karat.evaluate(y, p), accumulated(y, p, memory=500_000).evaluation()
    assert e.statistics.source.cases is None
    for symbol, value in whole.values("all").items():
        low, high = e.bounds(symbol)
        assert low == high or math.isnan(low), symbol
        if not math.isnan(low):
            assert low == pytest.approx(value, rel=1e-11, abs=1e-12), symbol
    assert not math.isnan(e["AUC"] + e["AP"] + e["CalL"] + e["SAUC"] + e["KS"] + e["OVL"])


CROWDED = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from([2.0**-40, 0.001, 0.25, 0.5, 0.5 + 2.0**-19, 0.75, 0.999, 1 - 2.0**-20]),
        st.integers(0, 3),
    ),
    min_size=4,
    max_size=60,
).filter(lambda rows: 0 < sum(y for y, _, _ in rows) < len(rows))
"""Scores that share cells: few places, and up to four scores so close to each that one cell holds them."""


def crowded(rows: list[tuple[bool, float, int]]) -> tuple[Any, Any]:
    y, base, step = (np.array(x) for x in zip(*rows, strict=True))
    return y.astype(int), base * (1 - step * 2.0**-22)


@settings(max_examples=25, deadline=None)
@given(CROWDED, st.sampled_from([None, 2.5]))
@example([(False, 0.001, 0), (False, 0.001, 0), (False, 0.001, 1), (True, 0.001, 0)], None)  # KS, large either way
@example([(False, 2.0**-40, 0)] * 3 + [(True, 2.0**-40, 1)], 2.5)  # CalL, where 1 - p rounds scores together
def test_bounds_of_crowded_cells_hold_every_measure_and_every_point_of_curves(
    rows: list[tuple[bool, float, int]], heavy: float | None
) -> None:
    from karat.resampling import OperatingPoints

    y, p = crowded(rows)
    weight = {} if heavy is None else {"sample_weight": np.where(np.arange(len(y)) % 3 == 0, heavy, 1.0)}
    whole, a = karat.evaluate(y, p, **weight), Accumulator(exact=False, labels=[0, 1])
    for at in np.array_split(np.arange(len(y)), 2):
        a.update(y[at], p[at], **{name: w[at] for name, w in weight.items()})
    e = a.evaluation()
    for symbol, value in whole.values("all").items():
        if math.isfinite(value):
            assert_holds(e.bounds(symbol), value, symbol)
    t = whole.statistics.table_of_class(1)
    fpr, tpr = (x[None] for x in t.rates)
    points = OperatingPoints(fpr, tpr, np.array([float(t.prevalence)]), t.scores)
    certified = [name for name, d in karat.catalogue.diagrams.items() if getattr(d, "certifies", "")]
    assert len(certified) >= 3
    for name in certified:
        d = e.diagram(name)
        if d.certified is None:  # no cell holds different scores
            continue
        at, low, high = d.certified
        true = type(d).heights(points, at)[0]
        there = np.isfinite(true) & np.isfinite(low)
        assert (low[there] <= true[there] + 1e-9).all(), name
        assert (true[there] <= high[there] + 1e-9).all(), name


@pytest.mark.parametrize("k", [3, 100_000])
def test_very_many_classes_need_no_table_of_all_pairs_of_them(k: int) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, k, 5000)
    d = np.where(rng.random(5000) < 0.7, y, (y + rng.integers(1, 3, 5000)) % k)
    a = Accumulator(labels=range(k), exact=False)
    for at in np.array_split(np.arange(5000), 3):
        a.update(y[at], y_pred=d[at])
    again = Accumulator.from_bytes(a.to_bytes())
    again += a
    e = again.evaluation()
    assert (e.n, e["Acc"], e.rejected) == (10_000, (y == d).mean(), 0)
    if k == 3:
        assert e["MCC"] == pytest.approx(karat.evaluate(y, y_pred=d)["MCC"], rel=1e-12)
        share = {j: float((y == j).mean()) for j in range(k)}
        assert e.at_prevalence(share)["Acc"] == pytest.approx(e["Acc"])
    else:  # Gorodkin's correlation from the marginal counts, without a table
        true, told, n = np.bincount(y, minlength=k), np.bincount(d, minlength=k), 5000.0
        over = (y == d).sum() * n - true @ told
        assert e["MCC"] == pytest.approx(over / math.sqrt((n**2 - true @ true) * (n**2 - told @ told)), rel=1e-12)


@pytest.mark.parametrize("exact", [True, False])
def test_bytes_with_a_forged_checksum_are_refused(exact: bool) -> None:
    """Sums and probabilities that kernels and formulas would stumble over, signed again."""
    from karat.accumulation.state_bytes import packed, unpacked

    y, p = np.arange(30) % 3, np.full((30, 3), 1 / 3)

    def forged(change: Any) -> bytes:
        header, models = unpacked(accumulated(y, p, exact=exact).to_bytes())
        (state,) = models.values()
        change(state)
        return packed(header, models)

    Accumulator.from_bytes(forged(lambda state: None)).evaluation().to_dict()

    def rows(change: Any) -> Any:
        return lambda state: [change(part.p) for part in state.parts]

    def sums(change: Any) -> Any:
        return lambda state: [[change(v, name) for name in list(vars(v))] for v in state.folded.sums.values()]

    def single(v: Any, name: str) -> None:
        if isinstance(getattr(v, name), np.ndarray):
            object.__setattr__(v, name, getattr(v, name).astype(np.float32))

    changes = [rows(lambda q: q.held.fill(0)), rows(lambda q: object.__setattr__(q, "held", q.held.astype(np.int64)))]
    changes += [rows(lambda q: q.held.fill(math.nan)), rows(lambda q: q.held.fill(2))]
    for change in changes if exact else [sums(single)]:
        with pytest.raises(InputError, match="damaged"):
            Accumulator.from_bytes(forged(change))


Y = np.array([0, 1, 2, 1])
P = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]])
UPDATES: dict[str, Any] = {
    "decisions": {"y_pred": Y},
    "probabilities": {"y_proba": P},
    "a few probabilities": {"y_proba": [{0: 0.7, 1: 0.3}, {1: 1.0}, {2: 0.6, 0: 0.4}, {1: 0.5, 2: 0.5}]},
    "models": {"y_proba": {"a": P, "b": P[::-1]}},
    "other models": {"y_proba": {"a": P, "c": P[::-1]}},
    "decisions of models": {"y_pred": {"a": Y, "b": Y[::-1]}},
    "decisions and probabilities": {"y_pred": Y[::-1], "y_proba": P},
    "weights": {"y_proba": P, "sample_weight": [1.0, 2.0, 0.5, 3.0]},
}


@pytest.mark.parametrize("one", UPDATES)
def test_every_update_gives_the_same_kind_of_predictions(one: str) -> None:
    """Weights may be left out, which is a weight of 1; all else is refused in a sentence, and nothing is taken in."""
    for other in UPDATES:
        added = Accumulator(labels=[0, 1, 2])
        added.update(Y, **UPDATES[one])
        if one == other or {one, other} == {"probabilities", "weights"}:
            added.update(Y, **UPDATES[other])
            assert added.rows == 8
        else:
            with pytest.raises(InputError):
                added.update(Y, **UPDATES[other])
            assert added.rows == 4
