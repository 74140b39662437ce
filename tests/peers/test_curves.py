"""Stored answers of pROC, verification, scikit-learn, Weka and MATLAB about curves, forecasts and diagrams."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import karat
from karat.diagrams import (
    DET,
    Attributes,
    BrierCurve,
    CostCurve,
    Discrimination,
    EntropyTriangle,
    PrecisionRecall,
    Reliability,
    ROCCurve,
    ROCGraph,
    SplitEntropyTriangle,
)
from peers import ORACLES, Asked, compare, evaluated, load, named, number, predictions, stored
from peers.definitions import VERIFICATION


@stored
@pytest.mark.parametrize("score", ["s100b", "ndka", "wfns"])
def test_proc(score: str) -> None:
    stored = load("curves/proc_asah.json")
    e = karat.evaluate(stored["data"]["outcome_poor"], y_score=stored["data"][score])
    asked: dict[str, Asked] = {
        "auc": "AUC",
        "pauc_fpr_0_0.1": "partAUC",
        "pauc_fpr_0_0.1_corrected": "partAUC_standardised",
    }
    left_out = {"ci_delong", "ci_delong_90", "var_delong", "var_obuchowski", "thresholds", "tpr", "fpr", "youden"}
    assert compare(e, asked, stored["curves"][score], left_out) == 3
    _, specificity, sensitivity = stored["curves"][score]["youden"]
    assert e["KS"] == pytest.approx(specificity + sensitivity - 1, abs=1e-9)  # the highest Youden index


BRIER = VERIFICATION | named("ss=BSS bs_baseline=UNC obar=Prev")
BRIER |= {"check": lambda e: e["UNC"] + e["REL"] - e["RES"]}


@stored
@pytest.mark.parametrize("name", ["pima_glm", "pima_nb", "pima_rpart", "sonar_nb", "toy20"])
def test_verification(name: str) -> None:
    stored = load("curves/verification_brier.json")["datasets"][name]
    # verification replaces a forecast by the middle of its bin before anything else; so do we, from its own table
    bins = stored["binned10"]
    y, o, w = (np.nan_to_num(number(bins[key])) for key in ("y_i", "obar_i", "prob_y"))
    e = karat.evaluate(np.repeat([1, 0], 10), np.tile(y, 2), sample_weight=np.concatenate([w * o, w * (1 - o)]))
    assert compare(e, BRIER, bins, {"note", "y_i", "obar_i", "prob_y"}) == 8
    if name not in ("pima_glm", "toy20"):
        return  # the forecasts themselves are not stored
    e = evaluated(name) if name == "pima_glm" else karat.evaluate(stored["obs"], stored["pred"])
    assert compare(e, BRIER, stored["distinct_scores"], {"n_distinct"}) == 6
    assert compare(e, {"A": "AUC"}, stored["roc_area"], {"p.value", "n.total", "n.events"}) == 1
    if name == "pima_glm":
        assert e["DD"] == pytest.approx(stored["discrimination_hist_base_R"]["discrimination_distance"], abs=1e-9)


@stored
@pytest.mark.parametrize(
    ("model", "error", "area"),
    [("naive_bayes", 21.35, 0.6879), ("bayes_net", 14.50, 0.7115), ("nbtree", 6.075, 0.6554)],
)
def test_weka_on_tic(model: str, error: float, area: float) -> None:
    table = np.genfromtxt(ORACLES / "tic" / f"{model}.csv", delimiter=",", skip_header=1)
    e = karat.evaluate(table[:, 0].astype(int), table[:, 1:])
    assert (e.n, e["Prev"]) == (4000, 238 / 4000)
    assert 100 * e["EC"] == pytest.approx(error, abs=1e-9)
    assert e["AUC"] == pytest.approx(area, abs=0.5001e-4)


@stored
@pytest.mark.parametrize("score", ["s100b", "ndka", "wfns"])
def test_roc_curve_of_proc(score: str) -> None:
    stored = load("curves/proc_asah.json")
    peer = stored["curves"][score]
    d = ROCCurve.from_predictions(stored["data"]["outcome_poor"], y_score=stored["data"][score])
    # pROC goes from the lowest threshold up, and puts each between two scores
    assert [d.fpr[::-1], d.tpr[::-1]] == [pytest.approx(number(peer[key]), abs=1e-12) for key in ("fpr", "tpr")]
    between = (d.thresholds[2:] + d.thresholds[1:-1]) / 2
    assert between[::-1] == pytest.approx(number(peer["thresholds"][1:-1]), abs=1e-9)
    assert d.area == pytest.approx(peer["auc"], abs=1e-12)
    threshold, specificity, sensitivity = peer["youden"]
    point = ROCCurve.from_predictions(
        stored["data"]["outcome_poor"], y_score=stored["data"][score], threshold=threshold
    ).operating
    assert (1 - point.fpr, point.tpr) == pytest.approx((specificity, sensitivity), abs=1e-12)
    # of equal cost at equal classes: the highest Youden index
    best = ROCCurve.from_predictions(stored["data"]["outcome_poor"], y_score=stored["data"][score], prevalence=0.5)
    assert best.operating.tpr - best.operating.fpr == pytest.approx(specificity + sensitivity - 1, abs=1e-12)


@stored
def test_discrimination_diagram_of_r() -> None:
    y, p, classes = predictions("pima_glm")
    peer = load("curves/verification_brier.json")["datasets"]["pima_glm"]["discrimination_hist_base_R"]
    d = Discrimination.from_predictions(y, p, labels=classes, positive="pos")
    assert d.edges == pytest.approx(number(peer["breaks"]), abs=1e-12)
    for found, key in ((d.own, "pos_counts"), (d.rest, "neg_counts")):
        assert found == pytest.approx(number(peer[key]) / sum(peer[key]), abs=1e-12)
    assert (d.mean_own, d.mean_rest) == pytest.approx((peer["mean_pos"], peer["mean_neg"]), abs=1e-9)
    assert d.distance == pytest.approx(peer["discrimination_distance"], abs=1e-9)


@stored
def test_reliability_diagram_of_verification() -> None:
    """Frequencies and shares of ten bins; verification shows a bin at its middle, karat at its mean forecast."""
    y, p, classes = predictions("pima_glm")
    peer = load("curves/verification_brier.json")["datasets"]["pima_glm"]["binned10"]
    d = Reliability.from_predictions(y, p, labels=classes, positive="pos", grouping="width")
    assert d.observed == pytest.approx(number(peer["obar_i"]), abs=1e-9)
    assert d.share == pytest.approx(number(peer["prob_y"]), abs=1e-9)
    assert (np.abs(d.forecast - number(peer["y_i"])) <= 0.05).all()
    assert (d.resolution, d.uncertainty) == pytest.approx((peer["resolution"], peer["uncertainty"]), abs=1e-9)
    # moved to the middles of their bins the forecasts are identical in each group, and all is the same
    middle = number(peer["y_i"])[np.minimum((p[:, 1] * 10).astype(int), 9)]
    a = Attributes.from_predictions(y, middle, labels=classes, positive="pos", grouping="identical")
    assert (a.reliability, a.skill) == pytest.approx((peer["reliability"], peer["ss"]), abs=1e-9)
    toy = load("curves/verification_brier.json")["datasets"]["toy20"]
    t = Attributes.from_predictions(toy["obs"], toy["pred"], grouping="identical")
    distinct = toy["distinct_scores"]
    assert len(t.forecast) == distinct["n_distinct"]
    assert (t.reliability, t.resolution, t.skill) == pytest.approx(
        tuple(distinct[key] for key in ("reliability", "resolution", "ss")), abs=1e-9
    )


@stored
@pytest.mark.parametrize("name", ["iris_lda", "glass_rpart", "pima_glm", "imbal4"])
def test_calibration_curves_of_scikit_learn(name: str) -> None:
    y, p, classes = predictions(name)
    peer = load("predictions/py_measures.json")["datasets"][name]
    for place, c in enumerate(classes):
        if y.count(c) in (0, len(y)):
            continue
        theirs = peer["calibration_curve_uniform10"][place]
        d = Reliability.from_predictions(y, p, labels=classes, positive=c, grouping="width")
        assert d.forecast == pytest.approx(number(theirs["prob_pred"]), abs=1e-9)
        assert d.observed == pytest.approx(number(theirs["prob_true"]), abs=1e-9)
        corp, fit = (x[place] for x in (peer["model_diagnostics_CORP_per_class"], peer["isotonic_per_class"]))
        b = BrierCurve.from_predictions(y, p, labels=classes, positive=c)
        assert b.area == pytest.approx(corp["score"], abs=1e-9)
        assert b.best_area == pytest.approx(corp["uncertainty"] - corp["discrimination"], abs=1e-9)
        assert b.best_area == pytest.approx(fit["brier_of_pav"], abs=1e-9)


@stored
def test_curves_of_scikit_learn() -> None:
    y, p, classes = predictions("pima_glm")
    peer = load("predictions/py_measures.json")["datasets"]["pima_glm"]["binary"]
    asked = {"labels": classes, "positive": "pos"}
    roc, pr = ROCCurve.from_predictions(y, p, **asked), PrecisionRecall.from_predictions(y, p, **asked)
    det = DET.from_predictions(y, p, **asked)
    assert [roc.fpr, roc.tpr] == [pytest.approx(number(peer["roc_curve"][key]), abs=1e-12) for key in ("fpr", "tpr")]
    recall, precision = (number(peer["pr_curve"][key])[-2::-1] for key in ("recall", "precision"))
    assert [pr.recall[1:], pr.precision[1:]] == [pytest.approx(recall, abs=1e-12), pytest.approx(precision, abs=1e-12)]
    rates = {(round(x, 10), round(z, 10)) for x, z in zip(det.fpr.tolist(), det.fnr.tolist(), strict=True)}
    theirs = zip(peer["det_curve"]["fpr"], peer["det_curve"]["fnr"], strict=True)
    assert {(round(x, 10), round(z, 10)) for x, z in theirs} <= rates


TIC = {"nbtree": (6.075, 0.6554), "bayes_net": (14.50, 0.7115), "naive_bayes": (21.35, 0.6879)}


def customers(model: str) -> tuple[np.ndarray, np.ndarray]:
    table = np.genfromtxt(ORACLES / "tic" / f"{model}.csv", delimiter=",", skip_header=1)
    return table[:, 0].astype(int), table[:, 1:]


@stored
def test_diagrams_of_weka_on_tic() -> None:
    truth, said = customers("nbtree")[0], {model: customers(model)[1] for model in TIC}
    g = ROCGraph.from_predictions(truth, said)
    for i, (model, (error, area)) in enumerate(TIC.items()):
        wrong = g.fpr[i] * 3762 + (1 - g.tpr[i]) * 238
        assert 100 * wrong / 4000 == pytest.approx(error, abs=1e-9)
        assert ROCCurve.from_predictions(truth, said[model]).area == pytest.approx(area, abs=0.5001e-4)
    # in section 7 of Prati et al., from another Weka (3.5.8), naive Bayes was the best between PC .50 and .58; here it
    # misses the hull by a little, and the rest is the same to .02
    assert g.hull == ("always negative", "nbtree", "bayes_net", "always positive")
    assert g.never_optimal == ("naive_bayes",)
    found = [(round(fpr * 3762), round(tpr * 238)) for fpr, tpr in zip(g.hull_fpr, g.hull_tpr, strict=True)]
    assert found == [(0, 0), (12, 7), (432, 90), (3762, 238)]
    steps = [((c - a) / 3762, (d - b) / 238) for (a, b), (c, d) in itertools.pairwise(found)]
    assert g.breaks[1:-1] == pytest.approx([wider / (wider + higher) for wider, higher in steps], abs=1e-12)
    assert g.breaks[1:-1] == pytest.approx([0.11, 0.25, 0.58], abs=0.02)
    for model, p in said.items():
        curve = CostCurve.from_predictions(truth, p)
        i = g.models.index(model)
        line = g.fpr[i] * (1 - curve.pc) + (1 - g.tpr[i]) * curve.pc  # deciding at one half is one of the thresholds
        assert (curve.cost <= line + 1e-12).all()
        hull_area = ROCCurve.from_predictions(truth, p).hull_area
        assert hull_area >= TIC[model][1] - 1e-4


@stored
def test_entropy_triangle_of_the_authors() -> None:
    peers = load("entropy/meg_mind_reading.json")["classifiers"]
    tables = {peer["name"]: peer["matrix_rows_truth"] for peer in peers}
    both, split = EntropyTriangle.from_matrices(tables), SplitEntropyTriangle.from_matrices(tables)
    assert both.models == tuple(tables)
    assert len(tables) == 10
    for i, peer in enumerate(peers):
        full = peer["matlab_octave_full_precision"]
        expected = [full[key] for key in ("nDeltaH", "n2MI", "nVI")]
        assert both.shares["both"][i] == pytest.approx(expected, abs=1e-9)
        assert split.shares["truth"][i] == pytest.approx(
            [full["nDHx"], 1 - full["nDHx"] - full["nVIx"], full["nVIx"]], abs=1e-9
        )
        assert split.shares["decisions"][i, [0, 2]] == pytest.approx([full["nDHy"], full["nVIy"]], abs=1e-9)
        assert both.values[i] == pytest.approx(peer["published_table_3_decimals"]["EMA"], abs=0.5001e-3)
