"""The shape of the data that a page carries: what its script may rely on. `wrong` says where data differ from it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

Shape = Any
"""A type, a predicate, a list of one shape, a tuple of alternatives, or keys with their shapes; a key that ends in "?"
may be missing, "*" stands for any other."""


def number(x: Any) -> bool:
    return type(x) in (int, float) and math.isfinite(x)


def count(x: Any) -> bool:
    return type(x) is int and x >= 0


def weight(x: Any) -> bool:
    return number(x) and x >= 0


def share(x: Any) -> bool:
    return number(x) and 0 <= x <= 1


def colour(x: Any) -> bool:
    return isinstance(x, str) and re.fullmatch("#[0-9A-Fa-f]{6}", x) is not None


MAYBE = (number, None)
AXIS = {"title?": str, "domain?": [number], "ticks?": [[(number, str)]]}
LINE = {"model": count, "label": str, "x": [MAYBE], "y": [MAYBE]}
PANEL = {
    "id": str,
    "x": AXIS,
    "y": AXIS,
    "references": [{"name": str, "x": [MAYBE], "y": [MAYBE]}],
    "lines": [LINE],
    "points": bool,
    "areas": [[[number]]],
}
BAND = {"model": count, "x": [MAYBE], "low": [MAYBE], "high": [MAYBE], "ticks?": [[MAYBE]]}
SERIES = {
    "decided?": [weight],
    "tp": [weight],
    "fp": [weight],
    "threshold": [MAYBE],
    "hull": [count],
    "cuts?": [str],
    "vertices?": {"tp": [weight], "fp": [weight]},
    "grid?": {"tp": [weight], "fp": [weight]},
    "measures?": {"*": [MAYBE]},
}
LIKELIHOODS = {"own": [MAYBE], "rest": [MAYBE], "mean_own": number, "mean_rest": number, "distance": number}
REST = {
    "class": count,
    "own": weight,
    "rest": weight,
    "models": [SERIES],
    "panels": [PANEL],
    "discrimination": [(LIKELIHOODS, None)],
    "bands": {"roc_curve?": [BAND], "reliability?": [BAND]},
}
MEASURE = {
    "symbol": str,
    "label": str,
    "family": str,
    "better": (str, None),
    "values": [MAYBE],
    "low": [MAYBE],
    "high": [MAYBE],
}
CONFUSION = {
    "model": count,
    "diagram": str,
    "rows": [count],
    "columns": [count],
    "outputs": [str],
    "cells": [[weight]],
    "top": (count, None),
}
CURVES = {"roc?": [[share]], "bins?": [[weight]]}
OF_GROUPS = {
    "symbol": str,
    "title": str,
    "overall": MAYBE,
    "why": {"*": str},
    **{name: [MAYBE] for name in ("value", "low", "high", "difference")},
}
GROUPS = {
    "model": count,
    "by": str,
    "note": str,
    "left": count,
    "groups": [(str, number, bool, None)],
    "cases": [count],
    "measures": [OF_GROUPS],
    "curves": [CURVES],
    "all": CURVES,
}
SIDES = ("truth", "predictions")
CHAIN = {"bits": {side: {"*": number} for side in SIDES}, "perplexity": {side: [number] for side in SIDES}}
PAGE = {
    "karat": str,
    "title": str,
    "n": count,
    "classes": [str],
    "positive": (count, None),
    "weighted": bool,
    "rejected": [weight],
    "models": [{"name": str, "colour": colour, "dash": [number]}],
    "best": count,
    "measures": [MEASURE],
    "thresholds": [number],
    "probabilities": bool,
    "rest": [REST],
    "bands": {"asked": bool, "level": share, "replicates": count, "models": count},
    "panels": [PANEL],
    "confusion": [CONFUSION],
    "priced": ({"outputs": [str], "prior": [share], "tables": [{"model": count, "cells": [[weight]]}]}, None),
    "triangles": (
        {
            "models": [count],
            "shares": {name: [[MAYBE]] for name in ("both", "truth", "predictions")},
            "EMA": [MAYBE],
            "cross_labelled": [(bool, count)],
        },
        None,
    ),
    "chains": [(CHAIN, None)],
    "rankings": ({"measures": [str], "ranks": [[MAYBE]], "verdict": str}, None),
    "diagrams": {"*": {"title": str, "shows": str, "cite": str}},
    "groups": [GROUPS],
}


def embedded_in(html: str) -> Any:
    """The data of a page."""
    (text,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)

    def refused(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refused)


def misshapen(data: Any, shape: Shape, at: str = "") -> Iterator[str]:
    """Where data don't have a shape."""
    if isinstance(shape, tuple):
        if all(any(True for _ in misshapen(data, one, at)) for one in shape):
            yield f"{at}: {str(data)[:60]!r} is none of its alternatives"
    elif isinstance(shape, list):
        if isinstance(data, list):
            for place, one in enumerate(data):
                yield from misshapen(one, shape[0], f"{at}[{place}]")
        else:
            yield f"{at}: no list"
    elif isinstance(shape, dict):
        yield from _keys(data, shape, at)
    elif not (data is None if shape is None else _is(data, shape)):
        yield f"{at}: {str(data)[:60]!r}"


def _is(data: Any, shape: type | Callable[[Any], bool]) -> bool:
    return type(data) is shape if isinstance(shape, type) else shape(data)


def _keys(data: Any, shape: dict[str, Shape], at: str) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"{at}: no object"
        return
    known = {key.rstrip("?"): one for key, one in shape.items()}
    needed = {key for key in shape if not key.endswith("?") and key != "*"}
    for key in needed - {*data}:
        yield f"{at}.{key} is missing"
    for key, value in data.items():
        if key in known or "*" in known:
            yield from misshapen(value, known.get(key, known.get("*")), f"{at}.{key}")
        else:
            yield f"{at}.{key} is not known"


def wrong(data: Any) -> list[str]:
    """What the script could trip over: shapes; then lengths, places and orders."""
    return list(misshapen(data, PAGE)) or [words for words, right in _facts(data) if not right]


def _facts(data: Any) -> Iterator[tuple[str, bool]]:
    models, classes = len(data["models"]), len(data["classes"])
    yield "the best model is one of them", data["best"] < models
    yield "the positive class is one of them", data["positive"] is None or data["positive"] < classes
    yield "each model was asked for rejections and chains", {len(data[k]) for k in ("rejected", "chains")} == {models}
    for m in data["measures"]:
        yield f"{m['symbol']} of each model", {len(m[key]) for key in ("values", "low", "high")} == {models}
    for r in data["rest"]:
        yield "the class is one of them", r["class"] < classes and len(r["models"]) == models
        for s in r["models"]:
            yield from _curve_facts(s, r, len(data["thresholds"]))
    panels = [*data["panels"], *(p for r in data["rest"] for p in r["panels"])]
    for line in (line for panel in panels for line in panel["lines"]):
        yield "a line has a model and two coordinates", line["model"] < models and len(line["x"]) == len(line["y"])
    for c in data["confusion"]:
        sizes = {len(row) for row in c["cells"]} | {len(c["columns"]), len(c["outputs"])}
        yield "cells by rows and columns", len(c["cells"]) == len(c["rows"]) and len(sizes) == 1 and c["model"] < models
        yield "rows are classes", all(row < classes for row in c["rows"])
    if data["priced"] is not None:
        yield "priors sum to one", abs(sum(data["priced"]["prior"]) - 1) < 1e-12
    for g in data["groups"]:
        lengths = {len(g["cases"]), len(g["curves"]), *(len(m["value"]) for m in g["measures"])}
        yield "a number for each group", lengths == {len(g["groups"])} and g["model"] < models


def _curve_facts(s: Any, r: Any, steps: int) -> Iterator[tuple[str, bool]]:
    size = len(s["tp"])
    yield "points have three numbers", len(s["fp"]) == len(s["threshold"]) == size
    for key, most in (("tp", r["own"]), ("fp", r["rest"])):
        rises = all(a <= b for a, b in pairwise(s[key]))
        yield f"{key} rises to its class", rises and (not size or math.isclose(s[key][-1], most, rel_tol=1e-12))
    yield "the hull is of points", all(a < b for a, b in pairwise(s["hull"])) and all(i < size for i in s["hull"])
    yield "a cut for each vertex", len(s.get("cuts", s["hull"])) == len(s["hull"])
    if "grid" in s:
        yield "a point for each step", len(s["grid"]["tp"]) == len(s["grid"]["fp"]) == steps
