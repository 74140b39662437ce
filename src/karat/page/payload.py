"""The data of a page: everything its script draws and computes with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.references import references
from karat.core.statistic import Needs
from karat.core.version import __version__
from karat.core.words import direction
from karat.diagrams.confusion_matrices import ConfusionMatrix, ProbabilisticConfusionMatrix
from karat.diagrams.diagram import Diagram
from karat.diagrams.drawing import COLOURS, DASHES
from karat.diagrams.information_diagrams import EntropyTriangle, InformationChain, SplitEntropyTriangle
from karat.page.confused_classes import too_many, worst_confusions
from karat.page.content import PRICED, Content
from karat.page.json_numbers import exact_numbers, number_or_none, short_numbers, table_rows
from karat.page.payload_curves import (
    BANDED_MODELS,
    REPLICATES,
    Budget,
    against_rest,
    page_diagrams,
    panels_of_lines,
    thresholds,
)  # fmt: skip
from karat.statistics import Counts, ProbabilitySums, Summary

LINE_WIDTH = 1.8
"""Of a model's line, in pixels: that of charts.js."""
TRIANGLES = ("both", "truth", "predictions")
"""What entropies are of, as the script calls it."""
MOST_CELLS = 250_000
"""Cells of all confusion matrices together."""
MOST_CLASSES, WORST_CLASSES = 50, 30
"""Classes of a confusion matrix that is carried whole; of a larger one those of the worst confusions."""


def page_data(content: Content) -> dict[str, Any]:
    """Plain data, ready for JSON."""
    models = {name: e.statistics for name, e in content.models.items()}
    source = content.first.statistics.source
    budget = Budget.of(len(models), len(source.classes))
    level = content.level if content.intervals else None
    bands = {"asked": level is not None, "level": content.level, "replicates": REPLICATES, "models": BANDED_MODELS}
    return {
        "karat": __version__,
        "title": content.title,
        "n": content.first.n,
        "classes": content.classes,
        "positive": source.positive,
        "weighted": source.weight is not None,
        "rejected": exact_numbers([e.rejected for e in content.models.values()]),
        "models": [{"name": name} | _look(i) for i, name in enumerate(models)],
        "best": _best(content),
        "measures": _measures(content),
        "thresholds": exact_numbers(thresholds(models)),
        "probabilities": all(not s.source.lacks(Needs.PROBABILITIES) for s in models.values()),
        "rest": against_rest(models, budget, level),
        "bands": bands,
        "panels": panels_of_lines(models, None, max(budget.columns // 2, 30)),
        "confusion": _confusion(models),
        "priced": _priced(models),
        "triangles": _triangles(models),
        "chains": _chains(models),
        "rankings": _rankings(content),
        "diagrams": {d.name: _about(d) for d in page_diagrams()},
    }


def _best(content: Content) -> int:
    """The place of the model that is recommended, or the first."""
    r = content.recommendation
    return 0 if r is None else content.names.index(r.advised.name)


def _look(series: int) -> dict[str, Any]:
    """Colour and dash as in the drawings, this in pixels; none for a whole line."""
    dash = DASHES[series % len(DASHES)]
    pixels = [] if dash == "-" else [round(LINE_WIDTH * length, 1) for length in dash[1]]
    return {"colour": COLOURS[series % len(COLOURS)], "dash": pixels}


def _about(kind: type[Diagram]) -> dict[str, str]:
    return {"title": kind.title, "shows": kind.shows, "cite": str(references()[kind.cite])}


def _measures(content: Content) -> list[dict[str, Any]]:
    rows = []
    for m in content.measures:
        intervals = [content.intervals[name][m.symbol] if name in content.intervals else None for name in content.names]
        ends = {
            end: [None if i is None else number_or_none(getattr(i, end)) for i in intervals] for end in ("low", "high")
        }
        about = {"symbol": m.symbol, "label": m.label, "family": m.family, "better": direction(m.orientation) or None}
        rows.append({**about, "values": exact_numbers([e.value_or_nan(m) for e in content.models.values()]), **ends})
    return rows


def _confusion(models: Mapping[str, Summary]) -> list[dict[str, Any]]:
    """The predictions of each model, and the probabilities where there is room: whole, or the worst confusions."""
    maps = []
    if any(map(too_many, models.values())):
        return worst_confusions(models, WORST_CLASSES)
    k = len(next(iter(models.values())).source.classes)
    room = len(models) * min(k, MOST_CLASSES) ** 2 <= MOST_CELLS // 4
    top = WORST_CLASSES if k > MOST_CLASSES else None
    rows = _one_order(models, top)
    for i, s in enumerate(models.values()):
        for kind, statistic in ((ConfusionMatrix, Counts), (ProbabilisticConfusionMatrix, ProbabilitySums)):
            if s.lacks(statistic) or (kind is ProbabilisticConfusionMatrix and not room):
                continue
            table, _, outputs = kind.named_table(s)
            columns = [*rows, *range(k, len(outputs))]
            axes = {"rows": rows, "columns": columns, "outputs": [str(outputs[j]) for j in columns]}
            shares = table_rows(table[np.ix_(rows, columns)], None if kind is ConfusionMatrix else 4)
            maps.append({"model": i, "diagram": kind.name, **axes, "cells": shares, "top": top})
    return maps


def _one_order(models: Mapping[str, Summary], top: int | None) -> list[int]:
    """Classes of the maps, in the order that they have everywhere: all, or those that the models mix up most."""
    classes = next(iter(models.values())).source.classes
    tables = [s[Counts].table[:, : len(classes)] for s in models.values() if not s.lacks(Counts)]
    if not tables:
        return list(range(len(classes)))[:top]
    both = np.sum(tables, axis=0), tuple(range(len(classes))), classes
    return list(ConfusionMatrix.compute(both, top=top).classes)


def _priced(models: Mapping[str, Summary]) -> dict[str, Any] | None:
    """Whole tables for the cost matrix: of few classes, predicted by every model in the same columns."""
    kept = {i: s for i, s in enumerate(models.values()) if not s.lacks(Counts)}
    if not kept:
        return None
    first = next(iter(kept.values())).source
    if not 2 <= len(first.classes) <= PRICED:
        return None
    same = {i: s for i, s in kept.items() if len(s.source.outputs) == len(first.outputs)}
    weight = first.class_weight
    return {
        "outputs": [str(c) for c in first.outputs],
        "prior": exact_numbers(weight / weight.sum()),
        "tables": [{"model": i, "cells": table_rows(s[Counts].table)} for i, s in same.items()],
    }


def _triangles(models: Mapping[str, Summary]) -> dict[str, Any] | None:
    """Imbalance, information and variation of each model."""
    kept = {name: s for name, s in models.items() if not s.lacks(Counts)}
    places = [i for i, s in enumerate(models.values()) if not s.lacks(Counts)]
    if not kept:
        return None
    try:
        both, split = EntropyTriangle.of_models(kept), SplitEntropyTriangle.of_models(kept)
    except InputError:  # one class only
        return None
    shares = dict(zip(TRIANGLES, (*both.shares.values(), *split.shares.values()), strict=True))
    return {
        "models": places,
        "shares": {name: table_rows(np.asarray(x), 5) for name, x in shares.items()},
        "EMA": short_numbers(both.values, 5),
        "cross_labelled": list(both.cross_labelled),
    }


def _chains(models: Mapping[str, Summary]) -> list[dict[str, Any] | None]:
    chains: list[dict[str, Any] | None] = []
    for s in models.values():
        d = None if s.lacks(Counts) else InformationChain.of(s)
        defined = d is not None and all(np.isfinite(list(bits.values())).all() for bits in d.bits.values())
        parts = (d.bits, d.perplexity) if d is not None and defined else None
        named = None if parts is None else [dict(zip(TRIANGLES[1:], x.values(), strict=True)) for x in parts]
        chains.append(None if named is None else dict(zip(("bits", "perplexity"), named, strict=True)))
    return chains


def _rankings(content: Content) -> dict[str, Any] | None:
    rankings = content.rankings()
    if rankings is None:
        return None
    return {"measures": list(rankings.measures), "ranks": table_rows(rankings.ranks), "verdict": rankings.verdict}
