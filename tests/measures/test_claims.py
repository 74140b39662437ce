"""Every field of every declaration is true, liars are caught, and one declaration is enough."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import karat
from karat.claims.trial_problems import COMPLETE, PRIOR_ONLY
from karat.claims.trials import (
    Complaints,
    check_best,
    check_chance,
    check_citation,
    check_either_class,
    check_ends,
    check_formula,
    check_names,
    check_orientation,
    check_range,
    check_remarks,
    check_traits,
    check_undefined,
)
from karat.core.arithmetic import Number
from karat.core.measure import Invariance, Measure, Remark, Trait, measure
from karat.statistics import Binary, Counts

MEASURES = karat.catalogue.measures
DECLARED = list(MEASURES.values())
each = pytest.mark.parametrize("m", DECLARED, ids=lambda m: m.symbol)


# --------------------------------------------------------------------------------------- honest declarations

CHECKS = [
    check_range,
    check_ends,
    check_orientation,
    check_chance,
    check_traits,
    check_formula,
    check_names,
    check_undefined,
    check_either_class,
    check_remarks,
]
UNREACHED = {
    "partAUC_standardised": "0 is reached only for a whole area, max_fpr = 1; with the default the lowest is 9/19",
    "AccRelabel": "0 is the limit for many classes: with k of them the best naming has at least 1/k right",
}
LIMITED = "the best value is that of a class that holds half of the cases"
NOT_BEST = {
    "MI": "it has no highest value: more classes, more bits",
    "mu": "it has no highest value: more classes, more of them told apart",
    "AU1P_printed": "as printed it is 1/c at best, .5 for two classes only",
    "RES": LIMITED,
    "DSC": LIMITED,
}
EVEN = "only classes of equal size hold all the information there could be"
WINDOW = "a window that holds the last zero and the first one is not certain, though every case is"
NOT_BEST_WITH_MANY_OF_ONE_CLASS = NOT_BEST | {
    **dict.fromkeys(("NIT", "ET_2MI", "ETX_MI", "ETY_MI"), EVEN),
    **dict.fromkeys(("CalB", "CalB_printed", "CalB_consecutive"), WINDOW),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@each
def test_claims_hold(m: Measure, check: Callable[[Measure], Complaints]) -> None:
    complaints = check(m)
    if check is check_ends and m.symbol in UNREACHED:
        assert len(complaints) == 1, f"not needed: {UNREACHED[m.symbol]}"
    else:
        assert not complaints, "\n".join(complaints[:5])


@each
def test_perfect_is_best(m: Measure) -> None:
    assert bool(check_best(m)) == (m.symbol in NOT_BEST), check_best(m)[:3]
    many = check_best(m, times=11, more=13)
    assert bool(many) == (m.symbol in NOT_BEST_WITH_MANY_OF_ONE_CLASS), many[:3]


@each
def test_citations_exist(m: Measure) -> None:
    assert m.cite
    assert not check_citation(m)


def test_a_reason_goes_with_its_parameters() -> None:
    e = karat.evaluate([0, 0], [0.2, 0.3], labels=[0, 1])
    half, all_of_it = (MEASURES["EC"].at(prior=np.array(shares)) for shares in ([0.5, 0.5], [1.0, 0.0]))
    assert e.why(half) == PRIOR_ONLY
    assert e[all_of_it] == 0
    assert e.why(all_of_it) == ""


# ----------------------------------------------------------------------------------- lying declarations are caught


def right_share(c: Counts) -> Number:
    """What share is right?"""
    return c.sums.trace / c.sums.total


def beyond_chance(c: Counts) -> Number:
    """How much better than chance is the agreement?"""
    return MEASURES["KapS"].function(c)


def right_when_decided(b: Binary) -> Number:
    """When it is decided, is it right?"""
    return MEASURES["PPV"].function(b)


def right_on_both_sides(b: Binary) -> Number:
    """What share is right?"""
    return (b.tp + b.tn) / (b.tp + b.fn + b.fp + b.tn)


TRUE: dict[str, Any] = {"formula": r"\frac{a}{b}", "range": (0, 1), "best": 1, "cite": "ferri2009"}
TRUE |= {"traits": set(map(Trait, "TF")), "invariant": set(map(Invariance, "PSXE"))}
KAPPA = TRUE | {"range": (-1, 1), "chance": 0, "undefined": COMPLETE}
NEVER = "the class was never predicted"
PPV = TRUE | {"invariant": set(map(Invariance, "PSE")), "classwise": True, "undefined": NEVER}
HONEST = [(right_share, TRUE), (beyond_chance, KAPPA), (right_when_decided, PPV)]
LIES: list[tuple[Callable[..., Any], dict[str, Any], Callable[[Measure], Complaints]]] = [
    (right_share, TRUE | {"range": (0.5, 1)}, check_range),
    (right_share, TRUE | {"bounds": lambda k: (1 / k, 1)}, check_range),
    (right_share, TRUE | {"bounds": lambda k: (0, k)}, check_range),
    (beyond_chance, KAPPA | {"range": (0, 1)}, check_range),
    (right_share, TRUE | {"range": (-1, 1)}, check_ends),
    (right_share, TRUE | {"range": (0, 2), "best": 2}, check_ends),
    (right_share, TRUE | {"range": (0, 2), "best": 2}, check_best),
    (right_share, TRUE | {"best": 0}, check_best),
    (right_share, TRUE | {"best": 0}, check_orientation),
    (right_share, TRUE | {"chance": 0.5}, check_chance),
    (beyond_chance, KAPPA | {"chance": None}, check_chance),
    (beyond_chance, KAPPA | {"chance": 0.1}, check_chance),
    (right_share, TRUE | {"traits": {Trait.THRESHOLD}}, check_traits),
    (right_share, TRUE | {"traits": set(map(Trait, "TFR"))}, check_traits),
    (right_share, TRUE | {"invariant": set(map(Invariance, "PSXEC"))}, check_traits),
    (right_share, TRUE | {"invariant": set(map(Invariance, "PSE"))}, check_traits),
    (right_share, TRUE | {"formula": r"\frac{a}{b"}, check_formula),
    (right_share, TRUE | {"formula": r"\left( a"}, check_formula),
    (right_share, TRUE | {"formula": " "}, check_formula),
    (right_share, TRUE | {"cite": "nobody1900"}, check_citation),
    (right_share, TRUE | {"undefined": "the class has no cases"}, check_undefined),
    (right_share, TRUE | {"undefined": "the moon is full"}, check_undefined),
    (right_when_decided, PPV | {"undefined": ""}, check_undefined),
    (right_when_decided, PPV | {"undefined": "the class has no cases"}, check_undefined),
    (right_when_decided, PPV | {"either_class": True}, check_either_class),
    (right_share, TRUE | {"either_class": True}, check_either_class),
    (right_on_both_sides, PPV | {"undefined": ""}, check_either_class),
    (right_share, TRUE | {"remarks": (Remark("1 where it is", lambda c: np.full(c.lead, True)),)}, check_remarks),
    (right_share, TRUE | {"remarks": (Remark("1 where it is", lambda c: np.full(c.lead, False)),)}, check_remarks),
]


COUNT = itertools.count()


@contextmanager
def declared(function: Callable[..., Any], claims: dict[str, Any]) -> Iterator[Measure]:
    """Declared for a while, under a symbol of its own."""
    made = measure(**{"symbol": f"Liar{next(COUNT)}"} | claims)(function)
    try:
        yield made
    finally:
        MEASURES.remove(made.symbol)


@pytest.mark.parametrize(("function", "claims"), HONEST)
def test_the_honest_are_believed(function: Callable[..., Any], claims: dict[str, Any]) -> None:
    with declared(function, claims) as m:
        for check in (*CHECKS, check_best, check_citation):
            assert not check(m), check.__name__


@pytest.mark.parametrize(("function", "claims", "check"), LIES)
def test_liars_are_caught(function: Callable[..., Any], claims: dict[str, Any], check: Callable[..., Any]) -> None:
    with declared(function, claims) as m:
        assert check(m)
    assert list(MEASURES.values()) == DECLARED


def test_some_lies_can_not_even_be_declared() -> None:
    def told(c: Counts) -> Number:
        """This is no question."""

    def bare(c: Any) -> Number:
        """Of what?"""

    for function, claims, kind, message in (
        (told, TRUE, TypeError, "question"),
        (bare, TRUE, TypeError, "annotate"),
        (right_share, TRUE | {"best": 0.5}, TypeError, "not an end of its range"),
        (right_share, TRUE | {"symbol": "mcc"}, ValueError, "taken by MCC"),
        (right_share, TRUE | {"aliases": ("Sensitivity",)}, ValueError, "taken by TPR"),
    ):
        with pytest.raises(kind, match=message):
            measure(**{"symbol": "Liar"} | claims)(function)
    assert list(MEASURES.values()) == DECLARED


# ------------------------------------------------------------------------------------ one declaration is enough


def test_a_declared_measure_is_found_everywhere() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from sklearn.datasets import load_iris
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB

    with declared(right_share, TRUE | {"symbol": "Liar", "aliases": ("rightness",)}) as m:
        assert MEASURES["LIAR"] is MEASURES["Right_Share"] is MEASURES["rightness"] is m
        assert (m.family, m.question, m.statistic) == ("test_claims", "What share is right?", Counts)
        y, p = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1]
        assert karat.evaluate(y, p)["liar"] == 0.75
        assert karat.evaluate(y, p).to_dict(["Liar"])["measures"] == {"Liar": 0.75}
        assert m(y, p) == 0.75
        assert karat.evaluate_batch([y, y], [p, [0.9] * 4], ["Liar"])["Liar"].tolist() == [0.75, 0.5]
        X, target = load_iris(return_X_y=True)
        found = cross_val_score(GaussianNB(), X, target, scoring=karat.scorer("Liar"))
        assert found == pytest.approx(cross_val_score(GaussianNB(), X, target, scoring="accuracy"))
    assert "rightness" not in MEASURES


def test_a_declared_measure_is_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        from karat.cli import main
    except ImportError:
        pytest.skip("there is no command line yet")

    def shown() -> str:
        with pytest.raises(SystemExit) as ended:
            main(["measures"])
        assert not ended.value.code
        return capsys.readouterr().out

    with declared(right_share, TRUE | {"symbol": "Liar"}):
        assert "Liar" in shown()
        assert "Right share" in shown()
    assert "Liar" not in shown()
