"""What scikit-learn says, asked live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn import metrics as sk

import karat
from karat import macro, micro, weighted
from karat.conformance.definitions import EPS, LN2, REBUILT, log_loss, micro_auc
from karat.conformance.definitions import au1p_by_pairs as au1p_of_mlr3
from karat.measures.lookup import find
from karat.statistics import Counts
from peers import Asked, compare, each


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
        "log_loss": lambda e: log_loss(e, EPS),
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
        "normalised": REBUILT["normalised_information"],
        "homogeneity": "RCI",
        "completeness": REBUILT["completeness"],
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
