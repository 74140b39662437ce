"""What other libraries compute of the same predictions, under karat's symbols; they get their input ready-made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics as m

Call = Callable[[], dict[str, float]]


@dataclass(frozen=True)
class Given:
    """Truth, decisions, scores: the positive column of two classes, all columns of more."""

    y: Any
    d: Any
    score: Any


SCIKIT_LEARN: dict[str, Callable[[Given], float]] = {
    "Acc": lambda x: m.accuracy_score(x.y, x.d),
    "KapS": lambda x: m.cohen_kappa_score(x.y, x.d),
    "MFM": lambda x: m.f1_score(x.y, x.d, average="macro"),
    "MAvA": lambda x: m.balanced_accuracy_score(x.y, x.d),
    "MCC": lambda x: m.matthews_corrcoef(x.y, x.d),
    "RCI": lambda x: m.homogeneity_score(x.y, x.d),
    "AUC": lambda x: m.roc_auc_score(x.y, x.score),
    "AUNU": lambda x: m.roc_auc_score(x.y, x.score, multi_class="ovr", average="macro"),
    "AUNP": lambda x: m.roc_auc_score(x.y, x.score, multi_class="ovr", average="weighted"),
    "AU1U": lambda x: m.roc_auc_score(x.y, x.score, multi_class="ovo", average="macro"),
    "LogL": lambda x: m.log_loss(x.y, x.score) / math.log(2),
    "MSE": lambda x: m.brier_score_loss(x.y, x.score) / (1 if x.score.ndim == 1 else x.score.shape[1]),
    "MAE": lambda x: m.mean_absolute_error(x.y, x.score),
}


def scikit_learn(y: Any, p: Any, symbols: Iterable[str]) -> Call:
    """The named measures of probabilities [n, k]."""
    given = Given(y, p.argmax(axis=1), np.ascontiguousarray(p[:, 1]) if p.shape[1] == 2 else p)
    chosen = {symbol: SCIKIT_LEARN[symbol] for symbol in symbols}
    return lambda: {symbol: f(given) for symbol, f in chosen.items()}


def torchmetrics(y: Any, p: Any) -> Call:
    """The functional interface, on tensors of torch's own precision."""
    import torch
    import torchmetrics.functional.classification as f

    torch.set_num_threads(1)
    k = p.shape[1]
    truth, decided = torch.from_numpy(y), torch.from_numpy(p.argmax(axis=1))
    proba, positive = torch.from_numpy(p).float(), torch.from_numpy(p[:, 1].copy()).float()
    many = {"num_classes": k}

    def areas() -> dict[str, Any]:
        if k == 2:
            return {"AUC": f.binary_auroc(positive, truth)}
        return {
            "AUNU": f.multiclass_auroc(proba, truth, average="macro", **many),
            "AUNP": f.multiclass_auroc(proba, truth, average="weighted", **many),
        }

    return lambda: {
        symbol: float(value)
        for symbol, value in {
            "Acc": f.multiclass_accuracy(decided, truth, average="micro", **many),
            "KapS": f.multiclass_cohen_kappa(decided, truth, **many),
            "MFM": f.multiclass_f1_score(decided, truth, average="macro", **many),
            "MAvA": f.multiclass_recall(decided, truth, average="macro", **many),
            "MCC": f.multiclass_matthews_corrcoef(decided, truth, **many),
            "ECE": f.multiclass_calibration_error(proba, truth, n_bins=10, **many),
            **areas(),
        }.items()
    }


def catboost(y: Any, p: Any) -> Call:
    """`eval_metric` on logits, in the layout that it reads fastest."""
    from catboost.utils import eval_metric

    two = p.shape[1] == 2
    logits = np.log(p[:, 1] / p[:, 0]) if two else np.asfortranarray(np.log(p))

    def value(metric: str) -> float:
        found = eval_metric(y, logits, metric, thread_count=1)
        return float(np.mean(found))

    special = {"MAvA": "BalancedAccuracy", "MSE": "BrierScore", "AUC": "AUC"} if two else {"AUNU": "AUC:type=OneVsAll"}
    metrics = {"Acc": "Accuracy", "KapS": "Kappa", "MCC": "MCC", "MFM": "TotalF1:average=Macro", **special}
    loss = "Logloss" if two else "MultiClass"
    return lambda: {**{s: value(name) for s, name in metrics.items()}, "LogL": value(loss) / math.log(2)}
