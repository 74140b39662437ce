"""What R, MATLAB, Weka, PyCM and scikit-learn say: the same to 1e-9, or a reason why not.

Their answers are stored outside this repository, in a folder that KARAT_ORACLES names. The tables map each answer to a
symbol of karat or, where the peer defines it otherwise, to a function that rebuilds the peer's from karat's; what karat
doesn't measure is listed. An answer that is in none of these tables fails the test. scikit-learn is also asked live.

A peer differs because:
  AUC         mlr and measures fold it to max(AUC, 1 - AUC) (all stored ones exceed 1/2); PyCM's is (TPR + TNR) / 2
  AU1P        mlr3 and scikit-learn (ovo, weighted) weight a pair of classes by its share of cases; karat and mlr by the
              prior of the first class
  LogL        natural logarithm, clipped at 1e-15 (R) or the float's eps (scikit-learn); karat: bits, 1e-5 (Ferri 2009)
  PR area     scikit-learn's auc() joins points by straight lines; karat follows Davis & Goadrich 2006
  ECE, MCE    netcal bins the positive's probability of two classes; karat that of the decision
  DP          PyCM takes the decimal logarithm; karat the natural one
  MCC, NMI    eve gives (MCC + 1) / 2 and MI / H_XY
  brier.scaled  mlr scales by the score of the mean forecast; karat's BSS by that of the base rate
  BS and parts  verification rounds forecasts to 8 digits, or moves them to the middle of their bin
  isotonic    the mean square distance from the fit is less than MCB where a fitted group holds different forecasts
  KapS        Weka says 1 where one class is always right; karat nan
  0/0         scikit-learn says 0 and warns; karat nan
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import karat
from karat import Evaluation, macro, micro, weighted
from karat.evaluation import find
from karat.measures.costs import expected_cost
from karat.statistics import ClassBins, Counts, Margins, Pairs, ProbabilitySums

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "oracles"
ORACLES = Path(os.environ.get("KARAT_ORACLES", BESIDE))
stored = pytest.mark.skipif(
    not (ORACLES / "fixtures.json").is_file(),
    reason="the stored answers of other programs are not here: name their folder in KARAT_ORACLES",
)
LN2 = math.log(2)
EPS = float(np.finfo(float).eps)
Asked = str | Callable[[Evaluation], Any]


def load(name: str) -> Any:
    """A stored file."""
    return json.loads((ORACLES / name).read_text(encoding="utf-8"))


def number(x: Any) -> Any:
    """What was stored, as floats; R's and JSON's nothing is nan."""
    return np.array([number(y) for y in x]) if isinstance(x, list) else math.nan if x in (None, "NA") else float(x)


def named(text: str) -> dict[str, Asked]:
    """ "a=b c" as {"a": "b", "c": "c"}: the peer's name and karat's."""
    return {word.split("=")[0]: word.split("=")[-1] for word in text.split()}


def ask(e: Evaluation, what: Asked) -> Any:
    """karat's answer; a measure of one class gives one value for each class."""
    if callable(what):
        return what(e)
    return each(e, what[5:]) if what.startswith("each:") else e[what]


def each(e: Evaluation, symbol: str, **options: Any) -> Any:
    """The measure of every class."""
    measure = find(symbol).at(**options) if options else find(symbol)
    return np.array(e.per_class([measure]).columns[measure.symbol])


def compare(e: Evaluation, asked: dict[str, Asked], peer: dict[str, Any], left_out: set[str] | None = None) -> int:
    """Compare all that the peer says, but for what is left out; the number of answers compared."""
    assert set(peer) - (left_out or set()) <= set(asked), "the peer says something that is in no table"
    wrong = []
    compared = [key for key in asked if key in peer]
    for key in compared:
        found, expected = np.asarray(ask(e, asked[key])), number(peer[key])
        if found.shape != np.shape(expected) or not np.allclose(found, expected, rtol=0, atol=1e-9, equal_nan=True):
            wrong.append(f"{key}: karat {found}, peer {expected}")
    assert not wrong, "\n".join(wrong)
    return len(compared)


def log_loss(eps: float) -> Callable[[Evaluation], float]:
    """In nats, clipped at eps (karat: bits, 1e-5)."""
    return lambda e: e[find("LogL").at(eps=eps)] * LN2


def au1p_of_mlr3(e: Evaluation) -> float:
    """Each pair of classes weighted by its share of the cases (karat and mlr: by the prior of the first class)."""
    a, m = e.statistics[Pairs].against_each, e.statistics[Pairs].weight
    pairs = [(m[j] + m[k], (a[j, k] + a[k, j]) / 2) for j in range(len(m)) for k in range(j)]
    return float(sum(w * x for w, x in pairs) / sum(w for w, _ in pairs))


def off_diagonal(table: Any) -> Any:
    """With nothing on the diagonal, where a class would meet itself."""
    return np.where(np.eye(len(table), dtype=bool), math.nan, table)


# ---------------------------------------------------------------------------------------------- fixtures, MEG, PyCM

MATRIX: dict[str, Asked] = {
    **named("Acc CEN CEN_offdiagonal rCEN MCC KapS MFM MAvA MAvG H_X H_Y H_XY MI VI RCI"),
    **named("k_X m_Y delta_X delta_Y mu EMA NIT"),
    **{f"{s}_{x}_given_{y}": f"{s}_{x}|{y}" for s, x, y in ("HXY", "HYX", "kXY", "mYX")},
    "CEN_class": "each:CEN_j",
    "tMCC_log2": "tMCC",
    "tMCC_ln": "tMCC_ln",
    "ET": lambda e: [e["ET_DH"], e["ET_2MI"], e["ET_VI"]],
    "ET_X": lambda e: [e["ETX_DH"], e["ETX_MI"], e["ETX_VI"]],
    "ET_Y": lambda e: [e["ETY_DH"], e["ETY_MI"], e["ETY_VI"]],
}
MODEL: dict[str, Asked] = {
    **named("Acc KapS MFM MAvA MAvG AU1U AU1P AUNU AUNP SAUC PAUC MAPR MPR MAE MSE LogL CalL CalB"),
    **named("CalL_sum AU1P_printed rpCEN pCEN rpCEN_offdiagonal pCEN_offdiagonal ferri_niche"),
    "probabilistic_confusion_matrix": lambda e: e.statistics[ProbabilitySums].relative.table,
}


@stored
def test_fixtures() -> None:
    fixtures = load("fixtures.json")
    assert set(fixtures) == {"matrices", "wang", "prati", "valverde", "jurman"}  # valverde: counts, no measures
    for case in fixtures["matrices"].values():
        assert compare(karat.evaluate_matrix(case["C"]), MATRIX, case["expected"]) == 32
    for case in fixtures["wang"].values():
        table = karat.evaluate_matrix(case["printed_matrix"])
        asked = MODEL | {"rpCEN_offdiagonal_from_printed_table": lambda _, t=table: t["CEN_offdiagonal"]}
        assert compare(karat.evaluate(case["y"], case["p"]), asked, case["expected"]) == 27


@stored
def test_fixtures_of_jurman_and_prati() -> None:
    jurman, prati = load("fixtures.json")["jurman"], load("fixtures.json")["prati"]
    made: dict[str, Callable[[int, float], Any]] = {
        "CEN_all_equal": lambda n, _: np.ones((n, n)),
        "MCC_Z": lambda n, a: np.ones((n, n)) + (a - 1) * np.eye(n)[[-1]].T * np.eye(n)[0],
        "CEN_Z": lambda n, a: np.ones((n, n)) + (a - 1) * np.eye(n)[[-1]].T * np.eye(n)[0],
        "CEN_random_unbalanced": lambda n, a: np.vstack([np.ones((n - 1, n)), np.full((1, n), a)]),
        "limit_random_unbalanced": lambda n, _: np.vstack([np.ones((n - 1, n)), np.full((1, n), 1e14)]),
    }
    assert set(made) == set(jurman["closed"])
    for name, cases in jurman["closed"].items():
        for key, expected in cases.items():
            n, a = (*map(int, key.split(",")), 1)[:2]
            e = karat.evaluate_matrix(made[name](n, a))
            assert e["MCC" if name.startswith("MCC") else "CEN"] == pytest.approx(expected, abs=1e-9), (name, key)
    assert find("CEN").range[1] == pytest.approx(jurman["binary_CEN_max"], abs=1e-12)
    gain = expected_cost.at(
        cost=[[0, prati["cost_FP"]], [0, -prati["gain_TP"]]], prior=[1 - prati["prevalence"], prati["prevalence"]]
    )
    for model in "AB":
        points = np.array(prati[model])
        found = [-prati["N"] * karat.evaluate_matrix([[1 - f, f], [1 - t, t]])[gain] for f, t in points]
        assert found == pytest.approx(prati[f"TEP_{model}"], abs=1e-6)
        steps = np.diff(points, axis=0)  # a ROC polygon is a ranking with ties: one score for each segment
        y, score = np.tile([0, 1], len(steps)), np.repeat(-np.arange(len(steps)), 2)
        e = karat.evaluate(y, y_score=score, sample_weight=steps.ravel())
        assert e["AUC"] == pytest.approx(prati[f"AUC_{model}"], abs=1e-9)


MEG: dict[str, dict[str, Asked]] = {
    "published_table_3_decimals": named("k_X_given_Y=k_X|Y mu_XY=mu accuracy=Acc EMA NIT MCC")
    | {"one_minus_CEN": lambda e: 1 - e["CEN"]},
    "matlab_octave_full_precision": named(
        "nDeltaH=ET_DH n2MI=ET_2MI nVI=ET_VI nDHx=ETX_DH nDHy=ETY_DH nVIx=ETX_VI nVIy=ETY_VI k_X m_Y k_X_given_Y=k_X|Y"
        " m_Y_given_X=m_Y|X mu_XY=mu EMA NIT CEN_matlab=CEN MCC_matlab=MCC acc=Acc"
    ),
    "R_entropies": named(
        "H_X H_Y H_U_X=H_UX MI H_X_given_Y=H_X|Y H_Y_given_X=H_Y|X DeltaH_X=DH_X DeltaH_Y=DH_Y sum_DeltaH=DH sum_VI=VI"
        " k_X mu_XY=mu k_X_given_Y=k_X|Y EMA NIT"
    )
    | {"sum_H_U": lambda e: e["H_UX"] + e["H_UY"], "sum_2MI": lambda e: 2 * e["MI"]},
    "R_eve": named("kappa=KapS mcc=MCC01 acc=Acc")
    | {"one_minus_CEN": lambda e: 1 - e["CEN"], "one_minus_MCEN": lambda e: 1 - e["MCEN"]}
    | {"nmi": lambda e: e["MI"] / e["H_XY"]},
    "pycm": named(
        "Overall_ACC=Acc Overall_CEN=CEN Overall_MCEN=MCEN Overall_MCC=MCC RCI Kappa=KapS Mutual_Information=MI"
    )
    | named("Reference_Entropy=H_X Response_Entropy=H_Y Joint_Entropy=H_XY Conditional_Entropy=H_Y|X"),
}


@stored
def test_meg_matrices() -> None:
    cases = load("entropy/meg_mind_reading.json")["classifiers"]
    assert len(cases) == 10
    for case in cases:
        e = karat.evaluate_matrix(case["matrix_rows_truth"])
        table = "published_table_3_decimals"
        rounded = {k: (lambda e, a=a: round(float(ask(e, a)), 3)) for k, a in MEG[table].items()}
        assert compare(e, rounded, case[table]) == 7
        for peer in set(MEG) - {table}:
            answers = {key.replace(" ", "_"): value for key, value in case[peer].items()}
            assert compare(e, MEG[peer], answers) == len(MEG[peer])


PYCM: dict[str, Asked] = {
    **named("Overall_CEN=CEN Overall_MCEN=MCEN Overall_MCC=MCC Overall_ACC=Acc RCI Kappa=KapS MutualInformation=MI"),
    **named(
        "ReferenceEntropy=H_X ResponseEntropy=H_Y ConditionalEntropy=H_Y|X AUPR=SensPPA_mean AUC=BAcc GI=BM Y=BM BM"
    ),
    **named("TPR TNR GM=GMean PLR=LRP NLR=LRN F2 F05=F0.5"),
    "DP": lambda e: e["DP"] / math.log(10),
    "IS": lambda e: math.log2(e["PPV"] / e["Prev"]),
    "LS": lambda e: e["PPV"] / e["Prev"],
    "ACC": lambda e: e["TPR"] * e["Prev"] + e["TNR"] * (1 - e["Prev"]),
    "Q": lambda e: (e["OR"] - 1) / (e["OR"] + 1),
    "Overall_RACC": lambda e: 1 - (1 - e["Acc"]) / (1 - e["KapS"]),
}
PYCM_NOT_OURS = set(
    named("AC1 AGF AGM ARI Alpha B BCD C CBA CI95 Chi_Squared CrossEntropy IBA KL KappaNoPrevalence KappaUnbiased")
    | named("LambdaA LambdaB OC OOC OP PI PValue Phi_Squared SE V")
)


@stored
def test_pycm_verified_cases() -> None:
    compared, not_ours = 0, set()
    for case in load("confusion/pycm_verified_cases.json")["cases"]:
        for asserted, expected in case["asserted"].items():
            name, _, positive = asserted.partition("[")
            if name in PYCM_NOT_OURS:
                not_ours.add(name)
                continue
            said = positive.strip(']"') or None
            e = karat.evaluate_matrix(case["matrix_rows_truth"], labels=case["classes"], positive=said)
            compared += compare(e, {asserted: PYCM[name]}, {asserted: expected})
    assert (compared, not_ours) == (46, PYCM_NOT_OURS)  # of 76


# ------------------------------------------------------------------------------------------------- real predictions

DATASETS = ("iris_lda", "glass_rpart", "pima_glm", "imbal4")


def predictions(name: str) -> tuple[list[str], Any, list[str]]:
    """Truth, probabilities, classes."""
    with (ORACLES / "predictions" / f"{name}.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return [row[0] for row in rows], np.array([row[1:] for row in rows], float), [name[2:] for name in head[1:]]


def evaluated(name: str) -> Evaluation:
    y, p, classes = predictions(name)
    return karat.evaluate(y, p, labels=classes, positive="pos" if "pos" in classes else None)


def of_the_top(e: Evaluation, value: Callable[[Any, Any], float], symbol: str) -> float:
    """The calibration error of the decisions; of two classes, that of the positive's probability."""
    if len(e.classes) > 2:
        return e[symbol]
    bins = e.statistics[ClassBins]
    return value(bins.weight[1], np.abs(bins.forecast[1] - bins.hits[1]))


def isotonic(e: Evaluation) -> list[float]:
    """The mean square distance of the forecasts from the isotonic fit."""
    tables = [e.statistics.table_of_class(j) for j in range(len(e.classes))]
    w = [t.positive + t.negative for t in tables]
    return [float((v * (t.scores - t.isotonic) ** 2).sum() / v.sum()) for v, t in zip(w, tables, strict=True)]


def trapezoids(e: Evaluation) -> list[float]:
    """The area under the precision-recall curve, its points joined by straight lines."""
    areas = []
    for j in range(len(e.classes)):
        t = e.statistics.table_of_class(j)
        tp, fp = t.true_positives[1:], t.false_positives[1:]
        areas.append(np.trapezoid(np.append(1.0, tp / (tp + fp)), np.append(0.0, tp / tp[-1])))
    return areas


def micro_auc(e: Evaluation) -> float:
    """All one-against-rest decisions in one pot, by their probabilities: an AUC of n k cases."""
    source = e.statistics.source
    hit = np.eye(len(e.classes), dtype=int)[source.truth[0]]
    return karat.evaluate(hit.ravel(), y_score=source.scores[0].ravel())["AUC"]


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
    "nmi_arithmetic": lambda e: 2 * e["MI"] / (e["H_X"] + e["H_Y"]),
    "v_measure": lambda e: 2 * e["MI"] / (e["H_X"] + e["H_Y"]),
    "homogeneity(=MI/H(truth))": "RCI",
    "completeness(=MI/H(pred))": lambda e: e["MI"] / e["H_Y"],
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
VERIFICATION = named("bs=BS reliability=REL resolution=RES uncertainty=UNC")
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


# -------------------------------------------------------------------------------------------- pROC, verification, Weka


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


def test_one_class_always_decided() -> None:
    """Weka calls kappa 1 there."""
    e = karat.evaluate_matrix([[7, 0], [0, 0]])
    assert math.isnan(e["KapS"])
    assert e["MCC"] == 0
    assert e.why("KapS")


# --------------------------------------------------------------------------------------------- scikit-learn, live


class Problem:
    """Random cases of k classes, all of them decided for at least once; weighted by fractions or by 0, 1, 2."""

    def __init__(self, k: int, weights: str) -> None:
        rng = np.random.default_rng([k, len(weights)])
        n, self.k = 300, k
        self.y = np.append(np.arange(k), rng.choice(k, n - k, p=rng.dirichlet(np.full(k, 5.0))))
        z = np.exp(rng.normal(size=(n, k)) + 1.2 * np.eye(k)[self.y])
        self.p = z / z.sum(axis=1, keepdims=True)
        self.p[: n // 2] = np.round(self.p[: n // 2], 2)  # half of them with ties
        self.p /= self.p.sum(axis=1, keepdims=True)
        self.d = self.p.argmax(axis=1)
        self.w = {"": None, "fractions": rng.random(n) + 0.1, "whole": rng.integers(0, 3, n).astype(float)}[weights]
        self.said: dict[str, Any] = {} if self.w is None else {"sample_weight": self.w}
        self.e = karat.evaluate(self.y, self.p, labels=range(k), sample_weight=self.w)
        assert len(set(self.d)) == len(set(self.y)) == k


@pytest.fixture(params=[(k, w) for k in (2, 3, 6) for w in ("", "fractions", "whole")], ids=lambda p: f"k{p[0]}-{p[1]}")
def problem(request: pytest.FixtureRequest) -> Problem:
    return Problem(*request.param)


DECIDED: dict[str, tuple[Asked, Callable[..., Any]]] = {
    "accuracy_score": ("Acc", sk.accuracy_score),
    "zero_one_loss": ("EC", sk.zero_one_loss),
    "hamming_loss": ("EC", sk.hamming_loss),
    "balanced_accuracy_score": ("MAvA", sk.balanced_accuracy_score),
    "adjusted": (
        lambda e: 1 - (1 - e["MAvA"]) / (1 - 1 / len(e.classes)),
        lambda *a, **s: sk.balanced_accuracy_score(*a, adjusted=True, **s),
    ),
    "cohen_kappa_score": ("KapS", sk.cohen_kappa_score),
    "matthews_corrcoef": ("MCC", sk.matthews_corrcoef),
    "confusion_matrix": (lambda e: e.statistics[Counts].table, sk.confusion_matrix),
}


def test_decisions(problem: Problem) -> None:
    asked = {name: ours for name, (ours, _) in DECIDED.items()}
    theirs = {
        name: np.asarray(function(problem.y, problem.d, **problem.said)).tolist()
        for name, (_, function) in DECIDED.items()
    }
    assert compare(problem.e, asked, theirs) == 8


@pytest.mark.parametrize("how", [macro, micro, weighted])
@pytest.mark.parametrize(
    ("symbol", "function"),
    [
        ("PPV", sk.precision_score),
        ("TPR", sk.recall_score),
        ("F1", sk.f1_score),
        ("F2", lambda *a, **s: sk.fbeta_score(*a, beta=2, **s)),
        ("F0.5", lambda *a, **s: sk.fbeta_score(*a, beta=0.5, **s)),
        ("Jaccard", sk.jaccard_score),
    ],
)
def test_averages(problem: Problem, symbol: str, function: Any, how: Any) -> None:
    theirs = function(problem.y, problem.d, average=how.__name__, **problem.said)
    assert problem.e[how(find(symbol))] == pytest.approx(theirs, abs=1e-9)
    one_each = function(problem.y, problem.d, average=None, **problem.said)
    assert each(problem.e, symbol) == pytest.approx(one_each, abs=1e-9)


def test_probabilities(problem: Problem) -> None:
    y, p, said, k = problem.y, problem.p, problem.said, problem.k
    one_hot = np.eye(k, dtype=int)[y]
    ovr = {"multi_class": "ovr"} if k > 2 else {}
    score = p if k > 2 else p[:, 1]
    half = 2 if k == 2 else 1  # scikit-learn halves the Brier score of two classes
    asked: dict[str, Asked] = {
        "log_loss": log_loss(EPS),
        "brier": lambda e: e["Brier"] / half,
        "mse": "MSE",
        "mae": "MAE",
        "ovr macro": "AUNU",
        "ovr weighted": "AUNP",
        "d2_log_loss": lambda e: 1 - e[find("LogL").at(eps=EPS)] / e["H_X"],
        "d2_brier": lambda e: 1 - e["Brier"] / each(e, "UNC").sum(),
        "AUC": "each:AUC",
        "AP": "each:AP",
        "macro AP": lambda e: e[macro(find("AP"))],
        "weighted AP": lambda e: e[weighted(find("AP"))],
        "micro AP": lambda e: e[micro(find("AP"))],
        "McClish": "each:partAUC_standardised",
        "McClish 0.4": lambda e: each(e, "partAUC_standardised", max_fpr=0.4),
    }
    # of the columns: scikit-learn has no table of classes for these
    columns = [(one_hot[:, j], p[:, j]) for j in range(k)]
    theirs: dict[str, Any] = {
        "log_loss": sk.log_loss(y, p, **said),
        "brier": sk.brier_score_loss(y, score, **said),
        "mse": sk.mean_squared_error(one_hot, p, **said),
        "mae": sk.mean_absolute_error(one_hot, p, **said),
        "ovr macro": sk.roc_auc_score(y, score, average="macro", **ovr, **said),
        "ovr weighted": sk.roc_auc_score(y, score, average="weighted", **ovr, **said),
        "d2_log_loss": sk.d2_log_loss_score(y, p, **said),
        "d2_brier": sk.d2_brier_score(y, score, **said),
        "AUC": [sk.roc_auc_score(t, x, **said) for t, x in columns],
        "AP": [sk.average_precision_score(t, x, **said) for t, x in columns],
        **{
            f"{how} AP": sk.average_precision_score(one_hot, p, average=how, **said)
            for how in ("macro", "micro", "weighted")
        },
        "McClish": [sk.roc_auc_score(t, x, max_fpr=0.1, **said) for t, x in columns],
        "McClish 0.4": [sk.roc_auc_score(t, x, max_fpr=0.4, **said) for t, x in columns],
    }
    if problem.w is None and k > 2:  # scikit-learn takes no weights here
        asked |= {"ovo macro": "AU1U", "ovo weighted": au1p_of_mlr3, "ovr micro": micro_auc}
        for rule, how in (("ovo", "macro"), ("ovo", "weighted"), ("ovr", "micro")):
            theirs[f"{rule} {how}"] = sk.roc_auc_score(y, p, multi_class=rule, average=how)
    assert compare(problem.e, asked, theirs) == len(theirs) >= 15


@pytest.mark.parametrize("k", [2, 3, 6])
def test_information(k: int) -> None:
    problem = Problem(k, "")
    asked: dict[str, Asked] = {
        "mutual": lambda e: e["MI"] * LN2,
        "normalised": PYTHON["nmi_arithmetic"],
        "homogeneity": "RCI",
        "completeness": PYTHON["completeness(=MI/H(pred))"],
    }
    theirs = {
        "mutual": sk.mutual_info_score(problem.y, problem.d),
        "normalised": sk.normalized_mutual_info_score(problem.y, problem.d),
        "homogeneity": sk.homogeneity_score(problem.y, problem.d),
        "completeness": sk.completeness_score(problem.y, problem.d),
    }
    assert compare(problem.e, asked, theirs) == 4


@pytest.mark.parametrize("weights", ["", "fractions", "whole"])
def test_likelihood_ratios(weights: str) -> None:
    problem = Problem(2, weights)
    theirs = sk.class_likelihood_ratios(problem.y, problem.d, **problem.said)
    assert (problem.e["LRP"], problem.e["LRN"]) == pytest.approx(theirs, abs=1e-9)
