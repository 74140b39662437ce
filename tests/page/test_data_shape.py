"""What pages carry has the declared shape: two classes, many, many models, groups, without rows, hostile names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import karat
from karat.page import bundle
from page.data_shape import embedded_in, wrong

HOSTILE = ["</script><b>", "__proto__", "\ud800", "'\"&\u2028", "x" * 300, "=1+1", "\x1b[31m", "constructor"]


def problem(k: int, n: int = 60, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    p = rng.dirichlet(np.ones(k), n) + 0.5 * np.eye(k)[y]
    return y, p / p.sum(axis=1, keepdims=True)


@pytest.fixture(autouse=True)
def libraries_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The charts' libraries are not what is tested here, and take seconds to bundle."""
    monkeypatch.setattr(bundle, "charts", lambda: "")


def two(**more: Any) -> dict[str, Any]:
    y, p = problem(2)
    return {"a": karat.evaluate(y, p[:, 1], **more), "b": karat.evaluate(y, p[:, 0], **more)}


def many_classes() -> dict[str, Any]:
    y, p = problem(26, 200)
    names = np.array([HOSTILE[j % 8] + str(j // 8) for j in range(26)], object)
    return {"a": karat.evaluate(names[y], p, labels=list(names))}


def without_rows() -> dict[str, Any]:
    y, p = problem(2)
    added = karat.Accumulator(exact=False)
    added.update(y, p[:, 1])
    return {"a": added.evaluation()}


def rejected() -> dict[str, Any]:
    y, p = problem(2)
    return {"a": karat.evaluate(y.astype(str), y_pred=np.where(p[:, 1] > 0.8, "?", y.astype(str)), reject="?")}


PAGES = {
    "two classes, intervals": lambda: (two(), {"intervals": True}),
    "many classes": lambda: (many_classes(), {}),
    "many models": lambda: ({name: karat.evaluate(*problem(3, seed=i)) for i, name in enumerate(HOSTILE)}, {}),
    "groups": lambda: (two(by={"site": [HOSTILE[i % 8] for i in range(60)], "age": np.arange(60) % 3}), {}),
    "without rows": lambda: (without_rows(), {}),
    "a matrix": lambda: ({"a": karat.evaluate_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 9]])}, {}),
    "scores": lambda: ({"a": karat.evaluate(problem(2)[0], y_score=problem(2)[1][:, 1] * 9 - 3)}, {}),
    "rejected cases": lambda: (rejected(), {}),
    "weights": lambda: (two(sample_weight=np.linspace(1e-60, 1e3, 60)), {}),
    "one case": lambda: ({"a": karat.evaluate([1], [0.5], labels=[0, 1])}, {}),
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_carries_what_its_script_may_rely_on(kind: str) -> None:
    models, options = PAGES[kind]()
    page = karat.report(models, replicates=20, **({"intervals": False} | options))
    assert wrong(embedded_in(page.html)) == []


def test_data_of_another_shape_are_noticed() -> None:
    y, p = problem(2)
    data = embedded_in(karat.report({"a": karat.evaluate(y, p[:, 1])}, intervals=False).html)
    changes: dict[str, Any] = {
        "a number as text": lambda d: d.update(n="60"),
        "a truth value for a number": lambda d: d["rest"][0].update(own=True),
        "a missing key": lambda d: d.pop("best"),
        "an unknown key": lambda d: d.update(better=1),
        "a list for an object": lambda d: d.update(bands=[]),
        "a colour that is a text": lambda d: d["models"][0].update(colour="url(x)"),
        "a model that is not there": lambda d: d.update(best=7),
        "a curve that falls": lambda d: d["rest"][0]["models"][0]["tp"].reverse(),
        "one point too few": lambda d: d["rest"][0]["models"][0]["grid"]["tp"].pop(),
        "a number too few": lambda d: d["measures"][0]["values"].clear(),
    }
    assert wrong(data) == []
    for what, change in changes.items():
        other = copy.deepcopy(data)
        change(other)
        assert wrong(other), what


@pytest.mark.parametrize("own", [1e60, 1e-60])
def test_a_class_that_weighs_nearly_nothing_keeps_its_rates(own: float) -> None:
    """The fuzzer found it: what is not in a class was what is left of the sum of all, which may be rounding."""
    y, p = problem(2)
    e = karat.evaluate(y, p[:, 1], sample_weight=np.where(y == 1, own, 1.0), positive=1)
    data = embedded_in(karat.report({"a": e}, intervals=False).html)
    assert wrong(data) == []
    assert (data["rest"][0]["own"], data["rest"][0]["rest"]) == (pytest.approx(30 * own), 30)
