"""Stored answers of pROC, verification and Weka about rankings and forecasts of two classes."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from peers import ORACLES, Asked, compare, evaluated, load, named, number, stored
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
