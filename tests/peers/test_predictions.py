"""Stored answers of R and Python packages about real predictions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat import Evaluation
from karat.statistics import Counts, Margins, Pairs, ProbabilitySums
from peers import Asked, compare, each, evaluated, load, named, number, stored
from peers.definitions import (
    EPS,
    LN2,
    VERIFICATION,
    au1p_of_mlr3,
    completeness,
    isotonic,
    log_loss,
    micro_auc,
    normalised_information,
    of_the_top,
    off_diagonal,
    trapezoids,
)

DATASETS = ("iris_lda", "glass_rpart", "pima_glm", "imbal4")


def columns(rows: list[dict[str, Any]], names: dict[str, Asked]) -> dict[str, Any]:
    """One list for each name, of what every class has."""
    return {name: [row[name] for row in rows] for name in names}


PYTHON: dict[str, Asked] = {
    "confusion_rows_truth": lambda e: e.statistics[Counts].table,
    **named("accuracy=Acc balanced_accuracy=MAvA kappa=KapS mcc=MCC f1_macro=MFM"),
    **named("f1_micro=micro(F1) f1_weighted=weighted(F1) jaccard_macro=macro(Jaccard) hamming=EC"),
    **{f"precision_{how}": f"{how}(PPV)" for how in ("macro", "micro", "weighted")},
    **{f"recall_{how}": f"{how}(TPR)" for how in ("macro", "micro", "weighted")},
    **named("f1_per_class=each:F1 recall_per_class=each:TPR precision_per_class=each:PPV"),
    "imblearn_geometric_mean_multiclass(MAvG)": "MAvG",
    "mutual_info_nats": lambda e: e["MI"] * LN2,
    "nmi_arithmetic": normalised_information,
    "v_measure": normalised_information,
    "homogeneity(=MI/H(truth))": "RCI",
    "completeness(=MI/H(pred))": completeness,
    "log_loss_nats": log_loss(EPS),
    "log_loss_bits": lambda e: log_loss(EPS)(e) / LN2,
    **named("sklearn_brier_score_loss_multiclass=Brier sklearn_brier_scale_by_half_False=Brier"),
    "brier_multiclass_sum(sklearn mse*K)": "Brier",
    "mse_Ferri(sklearn mean_squared_error on one-hot)": "MSE",
    "mae_Ferri(sklearn mean_absolute_error on one-hot)": "MAE",
    **named("roc_auc_ovr_macro=AUNU roc_auc_ovr_weighted=AUNP roc_auc_ovo_macro=AU1U"),
    "roc_auc_ovo_weighted": au1p_of_mlr3,
    "roc_auc_ovr_micro": micro_auc,
    **named("ovr_auc_per_class=each:AUC ovr_average_precision=each:AP"),
    "ovr_pr_auc_trapezoid": trapezoids,
    "pairwise_auc_sklearn_A(j|k)_score_col_j": lambda e: off_diagonal(e.statistics[Pairs].against_each),
    "netcal_ECE_10bins_top_label": lambda e: of_the_top(e, lambda w, gap: gap.sum() / w.sum(), "ECE"),
    "netcal_MCE_10bins_top_label": lambda e: of_the_top(e, lambda w, gap: (gap / w).max(), "MCE"),
}
PYTHON_ELSEWHERE = {"positive_class_for_binary", "isotonic_per_class", "model_diagnostics_CORP_per_class", "binary"}
PYTHON_CURVES = {"calibration_curve_uniform10", "calibration_curve_quantile10"}  # diagrams, not measures
BINARY: dict[str, Asked] = {
    **named("roc_auc=AUC brier_score_loss=BS average_precision=AP d2_brier=BSS hmeasure_py_default_SR=H_severity"),
    **named("hmeasure_py_SR1=H"),
    "d2_log_loss": lambda e: 1 - e["LogL"] / e["H_X"],
}
CORP = named("miscalibration=each:MCB discrimination=each:DSC uncertainty=each:UNC score=each:BS")
ISOTONIC = named("brier=each:BS") | {"mean_sq_p_minus_pav": isotonic}
ISOTONIC |= {"brier_of_pav": lambda e: each(e, "UNC") - each(e, "DSC")}


@stored
@pytest.mark.parametrize("name", DATASETS)
def test_python_packages(name: str) -> None:
    e, peer = evaluated(name), load("predictions/py_measures.json")["datasets"][name]
    compare(e, PYTHON, peer, PYTHON_ELSEWHERE | PYTHON_CURVES)
    assert compare(e, CORP, columns(peer["model_diagnostics_CORP_per_class"], CORP)) == 4
    assert compare(e, ISOTONIC, columns(peer["isotonic_per_class"], ISOTONIC)) == 3
    if "binary" in peer:
        assert compare(e, BINARY, peer["binary"], {"roc_curve", "pr_curve", "det_curve"}) == 7


MLR: dict[str, Asked] = {
    **named("acc=Acc mmce=EC kappa=KapS aunu=AUNU aunp=AUNP au1u=AU1U au1p=AU1P"),
    **named("multiclass.brier=Brier ssr=Spherical ovr_auc_folded=each:AUC"),
    "logloss": log_loss(1e-15),
    "qsr": lambda e: 1 - e["Brier"],
    "lsr": lambda e: -log_loss(1e-15)(e),
}
MLR_BINARY: dict[str, Asked] = {
    **named("auc=AUC brier=BS bac=BAcc f1=F1 mcc=MCC gmean=GMean"),
    "gpr": lambda e: math.sqrt(e["SensPPA_product"]),
    "brier.scaled": lambda e: 1 - e["BS"] / (lambda f: f * (1 - f))(e.statistics.source.scores[0, :, 1].mean()),
}
MEASURES: dict[str, Asked] = {
    **named("MulticlassAUNU=AUNU AUNP AU1U AU1P multiclass.Brier=Brier SSR=Spherical KAPPA=KapS ACC=Acc"),
    "Logloss": log_loss(1e-15),
    "QSR": MLR["qsr"],
    "LSR": MLR["lsr"],
}
MLR3: dict[str, Asked] = {
    **named("acc=Acc bacc=MAvA ce=EC mbrier=Brier mcc=MCC aunu=AUNU aunp=AUNP au1u=AU1U"),
    "logloss": log_loss(1e-15),
    "au1p": au1p_of_mlr3,
}
CARET = named("Sensitivity=TPR Specificity=TNR Pos_Pred_Value=PPV Neg_Pred_Value=NPV Precision=PPV Recall=TPR F1")
CARET |= named("Prevalence=Prev Detection_Prevalence=PredPos Balanced_Accuracy=BAcc")
R_NOT_OURS = {"wkappa", "WKAPPA", "mu", "rand", "crand"}  # weighted kappa, Kleiman & Page's AUC_mu, Rand indices
R_TESTS = {"accLower", "accUpper", "accNull", "accPValue", "mcnemarP", "multiClassSummary"}
R_OTHER: dict[str, Asked] = {
    "confusion_rows_truth": PYTHON["confusion_rows_truth"],
    "mlr3_pairwise_A_i_given_j": lambda e: np.nan_to_num(e.statistics[Pairs].against_each),
    **named(
        "mlr3_ovr_auc=each:AUC pROC_ovr_auc_dir_less=each:AUC pROC_multiclass_roc_HandTill=AU1U psych_cohen_kappa=KapS"
    ),
    "isoreg_mean_sq_p_minus_pav": isotonic,
}


@stored
@pytest.mark.parametrize("name", DATASETS)
def test_r_packages(name: str) -> None:
    e, peer = evaluated(name), load("predictions/r_measures.json")["datasets"][name]
    tables = set(named("hard_rule mlr measures_pkg mlr3measures caret e1071_classAgreement"))
    assert compare(e, R_OTHER, peer, tables | {"verification_brier_per_class_nobins"}) == 7
    assert compare(e, MLR, peer["mlr"], R_NOT_OURS | {"binary"}) == 13
    assert compare(e, MEASURES, peer["measures_pkg"], R_NOT_OURS) == 11
    assert compare(e, MLR3, peer["mlr3measures"], R_NOT_OURS) == 10
    assert compare(e, {"diag": "Acc", "kappa": "KapS"}, peer["e1071_classAgreement"], R_NOT_OURS) == 2
    assert compare(e, {"accuracy": "Acc", "kappa": "KapS"}, peer["caret"], R_TESTS | {"byClass"}) == 2
    if "binary" in peer["mlr"]:
        assert compare(e, MLR_BINARY, peer["mlr"]["binary"], {"positive"}) == 8
    names, rows = (
        peer["caret"]["byClass"]["columns"],
        number(peer["caret"]["byClass"]["rows"]),
    )  # of two classes, the first
    by_class = {name.replace(" ", "_"): column for name, column in zip(names, rows.T.tolist(), strict=True)}
    asked: dict[str, Asked] = {name: (lambda e, s=s: each(e, s)[: len(rows)]) for name, s in CARET.items()}
    asked["Detection_Rate"] = lambda e: (each(e, "TPR") * each(e, "Prev"))[: len(rows)]
    assert compare(e, asked, by_class) == 11
    rounded = {key: (lambda e, s=s: each(e, s, digits=8)) for key, s in VERIFICATION.items()}
    assert compare(e, rounded, columns(peer["verification_brier_per_class_nobins"], VERIFICATION)) == 4


@stored
@pytest.mark.parametrize("name", DATASETS)
def test_scored_and_probabilistic_auc(name: str) -> None:
    def probabilistic(e: Evaluation) -> Any:
        mean = e.statistics[ProbabilitySums].relative.table
        return off_diagonal((np.diag(mean)[:, None] - mean.T + 1) / 2)

    asked: dict[str, Asked] = {
        "SAUC": "SAUC",
        "PAUC": "PAUC",
        "MAPR_base_R": "MAPR",
        "MPR_base_R": "MPR",
        "rows_used": lambda e: e.n,
        "SAUC_matrix": lambda e: off_diagonal(e.statistics[Margins].against_each),
        "PAUC_matrix": probabilistic,
    }
    assert compare(evaluated(name), asked, load("predictions/sauc_pauc.json")["results"][name]) == 7
