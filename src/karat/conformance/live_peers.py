"""Libraries that are asked live, where they are installed. A peer is one function: it is given fixed data and yields
what the library says; names are looked up in `core/elsewhere.csv` unless it says what they are here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from karat.conformance.definitions import each
from karat.conformance.fixed_data import FixedData
from karat.conformance.stored import number
from karat.core.elsewhere import names_elsewhere
from karat.measures.lookup import find


class Said(NamedTuple):
    """A number of a library, and karat's."""

    name: str
    measure: str
    theirs: Any
    ours: Any
    note: str = ""


Asking = Callable[[FixedData], Iterator[Said]]


class Peer(NamedTuple):
    """A library that can be asked."""

    module: str
    ask: Asking
    within: float
    """how far numbers that are called equal may be apart"""


PEERS: dict[str, Peer] = {}


def peer(name: str, module: str, within: float = 1e-12) -> Callable[[Asking], Asking]:
    """Declare a library that can be asked."""

    def declare(function: Asking) -> Asking:
        PEERS[name] = Peer(module, function, within)
        return function

    return declare


def _rows(library: str) -> Iterator[Any]:
    return (row for row in names_elsewhere() if row.library == library and row.measure)


def _told(data: FixedData, row: Any, theirs: Any) -> Said:
    """A library's number beside that of the measure which `elsewhere.csv` names; one for each class, or one."""
    e, classwise = data.evaluated, find(row.measure).classwise
    ours: Any
    if classwise and np.ndim(theirs):
        ours = each(e, row.measure)
    else:
        ours = e[f"macro({row.measure})" if classwise and data.k > 2 else row.measure]
    return Said(row.name, row.measure, theirs, ours, row.note)


OF_PROBABILITIES = ("brier_score_loss", "d2_brier_score", "d2_log_loss_score", "log_loss")
"""Functions of scikit-learn that take probabilities, which older versions call y_pred."""


@peer("scikit-learn", "sklearn")
def scikit_learn(data: FixedData) -> Iterator[Said]:
    """Functions of `sklearn.metrics`; scorers under the same names are these functions."""
    from sklearn import metrics

    for row in _rows("scikit-learn"):
        function = getattr(metrics, row.name, None)
        if not inspect.isfunction(function):
            continue
        known = inspect.signature(function).parameters
        of_classes = list(known)[1] in ("y_pred", "y2") and row.name not in OF_PROBABILITIES
        predicted = data.predicted if of_classes else data.score
        said: dict[str, Any] = {}
        if data.weight is not None:
            said["sample_weight"] = data.weight
        averaged = ("average" in known and of_classes) or row.name in ("roc_auc_score", "average_precision_score")
        if data.k > 2 and averaged:
            continue  # averages have names of their own, asked below
        try:
            theirs = float(function(data.y, predicted, **said))
        except ValueError:
            continue  # older versions know some of them for two classes only
        yield _told(data, row, theirs)
    yield from _averages(data, metrics)


AVERAGED = {"f1": "F1Score", "precision": "Precision", "recall": "Recall", "jaccard": "JaccardScore"}


def _averages(data: FixedData, metrics: Any) -> Iterator[Said]:
    said = {} if data.weight is None else {"sample_weight": data.weight}
    for how in ("macro", "micro", "weighted"):
        for name, symbol in AVERAGED.items():
            theirs = getattr(metrics, f"{name}_score")(data.y, data.predicted, average=how, **said)
            yield Said(f"{name}_{how}", f"{how}({symbol})", theirs, data.evaluated[f"{how}({symbol})"])
    if data.k > 2 and data.weight is None:
        for name, (rule, how), symbol in (
            ("roc_auc_ovr", ("ovr", "macro"), "AUNU"),
            ("roc_auc_ovr_weighted", ("ovr", "weighted"), "AUNP"),
            ("roc_auc_ovo", ("ovo", "macro"), "AU1U"),
            ("roc_auc_ovo_weighted", ("ovo", "weighted"), "AU1W"),
        ):
            theirs = metrics.roc_auc_score(data.y, data.p, multi_class=rule, average=how)
            yield Said(name, symbol, theirs, data.evaluated[symbol])


@peer("PyCM", "pycm")
def pycm(data: FixedData) -> Iterator[Said]:
    """Attributes of a confusion matrix; those of classes one by one."""
    from pycm import ConfusionMatrix

    weight = None if data.weight is None else data.weight.tolist()
    if weight is not None:
        return  # it takes whole numbers of cases alone
    matrix = ConfusionMatrix(data.y.tolist(), data.predicted.tolist())
    for row in _rows("PyCM"):
        theirs = getattr(matrix, row.name)
        if isinstance(theirs, dict):
            theirs = [theirs[c] for c in range(data.k)]
        said = _told(data, row, number(theirs))
        infinite = "no number where the ratio is infinite" if np.isinf(said.ours).any() else ""
        yield said._replace(note=said.note or infinite)


@peer("torchmetrics", "torchmetrics", within=1e-6)
def torchmetrics(data: FixedData) -> Iterator[Said]:
    """Its classes for two and for several classes; some of them compute in single precision."""
    import torch
    from torchmetrics import classification

    if data.weight is not None:
        return  # it takes no weights
    kind = "Binary" if data.k == 2 else "Multiclass"
    p, y = torch.tensor(data.score, dtype=torch.float64), torch.tensor(data.y.astype(int))
    for row in _rows("torchmetrics"):
        if row.name.startswith(kind):
            made = getattr(classification, row.name)(**({} if data.k == 2 else {"num_classes": data.k}))
            yield _told(data, row, float(made.set_dtype(torch.float64)(p, y)))


@peer("imbalanced-learn", "imblearn")
def imbalanced_learn(data: FixedData) -> Iterator[Said]:
    """Of two classes."""
    from imblearn import metrics

    if data.k == 2:
        said = {} if data.weight is None else {"sample_weight": data.weight}
        for row in _rows("imbalanced-learn"):
            yield _told(data, row, float(getattr(metrics, row.name)(data.y, data.predicted, **said)))


@peer("fairlearn", "fairlearn")
def fairlearn(data: FixedData) -> Iterator[Said]:
    """Values by group, the gap between groups, and gaps that have a name."""
    from fairlearn import metrics
    from sklearn.metrics import accuracy_score, precision_score, recall_score

    if data.k > 2 or data.weight is not None:
        return
    given: dict[str, Any] = {"sensitive_features": data.groups}
    g: Any = data.evaluated.by(data.groups)
    for symbol, function in (("Acc", accuracy_score), ("Precision", precision_score), ("Recall", recall_score)):
        frame = metrics.MetricFrame(metrics=function, y_true=data.y, y_pred=data.predicted, **given)
        yield Said(
            f"MetricFrame({function.__name__}).by_group", symbol, frame.by_group.to_numpy(float), g[symbol].value
        )
        yield Said(f"MetricFrame({function.__name__}).difference()", symbol, frame.difference(), _gap(g, symbol))
        yield Said(f"MetricFrame({function.__name__}).ratio()", symbol, frame.ratio(), _gap(g, symbol, "ratio"))
    for name, gap in (
        ("demographic_parity_difference", "demographic parity"),
        ("equalized_odds_difference", "equalized odds"),
    ):
        yield Said(name, gap, getattr(metrics, name)(data.y, data.predicted, **given), _gap(g, gap))


def _gap(groups: Any, name: str, *how: str) -> float:
    return float(groups.gap(name, *how, replicates=9).value)


ENDS = 11
"""What MAPIE calls the number of bins is that of their ends: so many for ten."""


@peer("MAPIE", "mapie")
def mapie(data: FixedData) -> Iterator[Said]:
    """Calibration errors in ten bins of equal width."""
    from mapie.metrics import calibration

    if data.weight is not None:
        return
    if data.k > 2:
        theirs = calibration.top_label_ece(data.y, data.p, num_bins=ENDS)
        note = "the mean of the errors of each predicted class, not weighted by its cases"
        yield Said("top_label_ece", "ECE", float(theirs), data.evaluated["ECE"], note)
        theirs = calibration.expected_calibration_error(data.y, data.p, ENDS, classwise=True, class_labels=data.y)
        note = "a probability between two bins belongs to the lower one; karat: to the higher one"
        yield Said("expected_calibration_error(classwise=True)", "cwECE", float(theirs), data.evaluated["cwECE"], note)
        return
    theirs = calibration.expected_calibration_error(data.y, data.score, ENDS)
    note = "bins the probability of the positive class; karat that of the prediction"
    yield Said("expected_calibration_error", "ECE", float(theirs), data.evaluated["ECE"], note)


@peer("statsmodels", "statsmodels")
def statsmodels(data: FixedData) -> Iterator[Said]:
    """The interval of accuracy, and tests of models on the same cases."""
    from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
    from statsmodels.stats.proportion import proportion_confint

    from karat.comparisons import cochran
    from karat.comparisons import mcnemar as of_karat

    if data.weight is not None:
        return
    right, second, third = (x == data.y for x in (data.predicted, np.roll(data.predicted, 3), np.roll(data.y, 2)))
    interval = data.evaluated.intervals("Acc", method="analytic")["Acc"]
    theirs = proportion_confint(right.sum(), len(right), method="wilson")
    yield Said(
        "proportion_confint(method='wilson')", "interval of Acc", np.array(theirs), [interval.low, interval.high]
    )
    table = [[(right & second).sum(), (right & ~second).sum()], [(~right & second).sum(), (~right & ~second).sum()]]
    models = [data.predicted, np.roll(data.predicted, 3), np.roll(data.y, 2)]
    exact = of_karat(data.y, models[0], models[1], method="exact")
    yield Said("mcnemar(exact=True)", "mcnemar", float(mcnemar(table, exact=True).pvalue), exact.p)
    q = cochrans_q(np.column_stack([right, second, third]).astype(int))
    ours = cochran(data.y, dict(zip("abc", models, strict=True)))
    yield Said("cochrans_q, statistic", "cochran", float(q.statistic), ours.statistic)


@peer("evalstats", "evalstats")
def evalstats(data: FixedData) -> Iterator[Said]:
    """The interval of a share."""
    import evalstats as library

    if data.weight is None:
        right = (data.predicted == data.y).astype(float)
        interval = data.evaluated.intervals("Acc", method="analytic")["Acc"]
        theirs = library.mean_ci(right)
        ends = np.array([theirs.ci_low, theirs.ci_high])
        yield Said("mean_ci of 0 and 1", "interval of Acc", ends, [interval.low, interval.high])
