"""Every name that scikit-learn has for a metric or a scorer gives its number here, to 1e-12, or is refused by a
sentence that says what to use. The lists are scikit-learn's own: a new name fails until something is said of it.

Where scikit-learn itself has no number (it refuses, or says nan or infinite), karat may have one."""

from __future__ import annotations

import inspect
import math
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin

import karat
from karat.core.elsewhere import names_elsewhere
from karat.measures.lookup import find

ROWS = {row.name: row for row in names_elsewhere() if row.library == "scikit-learn"}
SAME = [name for name, row in ROWS.items() if not row.note]
REFUSED = [name for name, row in ROWS.items() if row.note]
SCORERS = set(sk.get_scorer_names())
LITERATURE = {"auc"}
"""Names of scikit-learn that are no metric of predictions there, and a symbol of the literature."""


class Given(ClassifierMixin, BaseEstimator):
    """A classifier that was trained elsewhere: it gives what is written down."""

    def __init__(self, classes: Any, p: Any, d: Any) -> None:
        self.classes_, self.p, self.d = np.array(classes), p, d

    def fit(self, X: Any, y: Any) -> Given:
        return self

    def predict(self, X: Any) -> Any:
        return self.d

    def predict_proba(self, X: Any) -> Any:
        return self.p


class Problem:
    """Labels, probabilities, predicted classes and weights, in one of many shapes."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([14, seed])
        self.k = int(rng.choice([2, 2, 3, 5]))
        n = int(rng.choice([4, 9, 60, 200]))
        names = [list(range(self.k)), sorted(rng.choice(list("abcdefg"), self.k, replace=False).tolist())]
        self.classes: list[Any] = names[rng.integers(2)]
        y = rng.choice(self.k, n, p=rng.dirichlet(np.ones(self.k)))
        z = np.exp(rng.choice([0.3, 1.5, 6.0]) * (rng.normal(size=(n, self.k)) + np.eye(self.k)[y]))
        p = z / z.sum(axis=1, keepdims=True)
        if rng.random() < 0.5:  # ties, and probabilities of exactly 0 and 1
            parts = np.floor(p * 8).astype(int)
            parts[np.arange(n), p.argmax(axis=1)] += 8 - parts.sum(axis=1)
            p = parts / 8
        d = p.argmax(axis=1) if rng.random() < 0.5 else rng.integers(0, self.k, n)
        left_out = rng.integers(self.k)
        if rng.random() < 0.3:  # a class that is never predicted
            d = np.where(d == left_out, (left_out + 1) % self.k, d)
        if rng.random() < 0.3:  # a class that has no case, and may be predicted
            y = np.where(y == left_out, (left_out + 1) % self.k, y)
        self.p, self.places = p, y
        self.y, self.d = np.array(self.classes)[y], np.array(self.classes)[d]
        weights = [None, None, rng.random(n) + 0.1, rng.integers(1, 4, n).astype(float)]
        self.w = weights[rng.integers(4)]
        self.positive = self.classes[1] if self.k == 2 else None
        self.numeric = self.classes == list(range(self.k))

    def evaluated(self) -> karat.Evaluation:
        p = self.p[:, 1] if self.k == 2 else self.p  # scikit-learn looks at this column alone
        return karat.evaluate(self.y, p, self.d, labels=self.classes, positive=self.positive, sample_weight=self.w)

    def asked(self, name: str) -> float:
        """scikit-learn's answer; nan if it refuses or has none."""
        said: dict[str, Any] = {} if self.w is None else {"sample_weight": self.w}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if name in SCORERS:
                    if self.k == 2 and not self.numeric:  # scorers take no positive class
                        return math.nan
                    model = Given(self.classes, self.p, self.d)
                    return float(sk.get_scorer(name)(model, self.p, self.y, **said))
                return self._of_function(getattr(sk, name), said)
            except (TypeError, ValueError):  # some scorers take no weights
                return math.nan

    def _of_function(self, function: Any, said: dict[str, Any]) -> float:
        known = inspect.signature(function).parameters
        of_classes = list(known)[1] in ("y_pred", "y2") and "y_proba" not in known
        predicted: Any = self.d if of_classes else self.p[:, 1] if self.k == 2 else self.p
        if self.k == 2 and "pos_label" in known:
            said["pos_label"] = self.positive
        y = self.y
        if not of_classes and "labels" in known:
            said["labels"] = self.classes
        elif not of_classes and "pos_label" not in known:
            y = self.places  # the positive class of numbers is the larger one
        return float(function(y, predicted, **said))


def problems() -> Iterator[Problem]:
    return map(Problem, range(160))


def test_every_name_is_decided() -> None:
    assert {*sk.__all__, *SCORERS} <= set(ROWS)
    assert not {name for name in SAME if name not in sk.__all__ and name not in SCORERS}


@pytest.fixture(scope="module")
def evaluated() -> list[tuple[Problem, karat.Evaluation]]:
    return [(problem, problem.evaluated()) for problem in problems()]


ONE_CLASS_ONLY = "its reference is 0 there, and scikit-learn divides by what its clipping leaves of it"
EXCEPT = {"d2_log_loss_score": ONE_CLASS_ONLY, "d2_brier_score": ONE_CLASS_ONLY}


@pytest.mark.parametrize("name", SAME)
def test_the_number_is_that_of_scikit_learn(name: str, evaluated: list[tuple[Problem, karat.Evaluation]]) -> None:
    met: Counter[Any] = Counter()
    for problem, e in evaluated:
        theirs = problem.asked(name)
        if not math.isfinite(theirs):
            continue  # refused, or undefined there
        if name in EXCEPT and len(set(problem.y.tolist())) == 1:
            assert math.isnan(e[name])
            continue
        try:
            ours = e[name]
        except karat.InputError:
            assert problem.k > 2, "a positive class is needed where several are declared"
            continue
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12), (name, problem.k, problem.classes, e.why(name))
        met[problem.k > 2, problem.w is not None] += 1
    assert met[False, False] > 8, met
    assert met[True, False] > 8 or find(name).classwise, met


def test_no_positive_case_and_none_predicted() -> None:
    y, p = [0, 0, 0, 0], [0.1, 0.4, 0.2, 0.3]
    e = karat.evaluate(y, p, labels=[0, 1])
    for name, familiar in (("f1", sk.f1_score), ("precision", sk.precision_score), ("recall", sk.recall_score)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert e[name] == e[f"{name}_score"] == familiar(y, [0] * 4) == 0
        assert "by convention 0" in e.why(name)
    assert e["jaccard"] == e["average_precision"] == 0
    for symbol in ("F1", "PPV", "TPR", "Jaccard", "AP"):
        assert math.isnan(e[symbol])
        assert e.why(symbol)
    assert e["f1_macro"] == 1  # of the labels that occur: 0 alone


def test_a_familiar_name_and_a_symbol_of_the_literature_differ_by_unit_or_convention() -> None:
    e = karat.evaluate([0, 1, 1], [0.2, 0.7, 0.0])
    assert e["log_loss"] == pytest.approx(sk.log_loss([0, 1, 1], [0.2, 0.7, 0.0]), rel=1e-14)
    assert e["LogL"] == pytest.approx((-math.log2(0.8) - math.log2(0.7) + math.log2(1e5)) / 3)
    assert e["brier_score_loss"] == pytest.approx((0.04 + 0.09 + 1) / 3)
    assert e["Brier"] == pytest.approx(2 * (0.04 + 0.09 + 1) / 3)


@pytest.mark.parametrize("name", sorted(set(REFUSED) - LITERATURE))
def test_other_names_are_refused_by_a_sentence_that_says_what_to_use(name: str) -> None:
    e = karat.evaluate([0, 1, 1], [0.2, 0.7, 0.4])
    sentence = f"{name} is not a measure in karat: {ROWS[name].note}."
    for ask in (lambda: e[name], lambda: find(name), lambda: karat.catalogue.measures[name], lambda: karat.macro(name)):
        with pytest.raises(karat.InputError) as caught:
            ask()
        assert str(caught.value) == sentence
    assert name not in e
    assert not hasattr(karat.measures, name)


def test_scorers_are_ours_by_the_same_names() -> None:
    problem = next(p for p in problems() if p.k == 2 and p.numeric and p.w is None and len(set(p.y.tolist())) == 2)
    model = Given(problem.classes, problem.p, problem.p.argmax(axis=1))
    for name in SCORERS & set(SAME):
        theirs = float(sk.get_scorer(name)(model, problem.p, problem.y))
        if math.isfinite(theirs):
            assert karat.scorer(name)(model, problem.p, problem.y) == pytest.approx(theirs, rel=1e-12), name
