"""The data of a page: everything its script draws and computes with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karat import __version__
from karat.core.errors import InputError
from karat.core.references import references
from karat.core.statistic import Needs
from karat.core.words import direction
from karat.diagrams import (
    ConfusionMatrix,
    EntropyTriangle,
    InformationChain,
    ProbabilisticConfusionMatrix,
    SplitEntropyTriangle,
    diagrams,
)
from karat.diagrams.drawing import COLOURS
from karat.page import curve_bands
from karat.page.content import PRICED, Content
from karat.page.curves import Budget, against_rest, thresholds
from karat.page.json_numbers import brief, cells, exact, one
from karat.page.panels import whole_lines
from karat.statistics import Counts, ProbabilitySums, Summary

DASHES: tuple[list[int], ...] = ([], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4])
"""One for each series: as in the drawings."""
CELLS = 250_000
"""Cells of all confusion matrices together."""
LARGEST, FEWER = 50, 30
"""Classes of a confusion matrix that is carried whole; of a larger one those of the worst confusions."""
NAMES = (
    "roc_curve", "cost_curve", "precision_recall", "lift", "roi", "threshold_curve", "decision_curve", "reliability",
    "attributes", "discrimination", "entropy_triangle", "split_entropy_triangle", "information_chain",
    "confusion_matrix", "probabilistic_confusion_matrix",
)  # fmt: skip


def page_data(content: Content) -> dict[str, Any]:
    """Plain data, ready for JSON."""
    models = {name: e.statistics for name, e in content.models.items()}
    source = content.first.statistics.source
    budget = Budget.of(len(models), len(source.classes))
    level = content.level if content.intervals else None
    return {
        "karat": __version__,
        "title": content.title,
        "n": content.first.n,
        "classes": content.classes,
        "positive": source.positive,
        "weighted": source.weight is not None,
        "rejected": exact(content.rejected),
        "models": [
            {"name": name, "colour": COLOURS[i % len(COLOURS)], "dash": DASHES[i % len(DASHES)]}
            for i, name in enumerate(models)
        ],
        "measures": _measures(content),
        "thresholds": exact(thresholds(models)),
        "probabilities": all(not s.source.lacks(Needs.PROBABILITIES) for s in models.values()),
        "rest": against_rest(models, budget, level),
        "bands": {
            "asked": level is not None,
            "level": content.level,
            "replicates": curve_bands.REPLICATES,
            "models": curve_bands.MODELS,
        },
        "panels": whole_lines(models, budget.columns),
        "confusion": _confusion(models),
        "priced": _priced(models),
        "triangles": _triangles(models),
        "chains": _chains(models),
        "rankings": _rankings(content),
        "diagrams": {n: {"shows": diagrams[n].shows, "cite": str(references()[diagrams[n].cite])} for n in NAMES},
    }


def _measures(content: Content) -> list[dict[str, Any]]:
    found = []
    for m in content.measures:
        ends = [content.intervals[name][m.symbol] if name in content.intervals else None for name in content.names]
        found.append(
            {
                "symbol": m.symbol,
                "family": m.family,
                "better": direction(m.orientation) or None,
                "values": exact([e[m] for e in content.models.values()]),
                "low": [None if i is None else one(i.low) for i in ends],
                "high": [None if i is None else one(i.high) for i in ends],
            }
        )
    return found


def _confusion(models: Mapping[str, Summary]) -> list[dict[str, Any]]:
    """The decisions of each model, and the probabilities where there is room: whole, or the worst confusions."""
    found = []
    k = len(next(iter(models.values())).source.classes)
    room = len(models) * min(k, LARGEST) ** 2 <= CELLS // 4
    top = FEWER if k > LARGEST else None
    rows = _one_order(models, top)
    for i, s in enumerate(models.values()):
        for kind, statistic in ((ConfusionMatrix, Counts), (ProbabilisticConfusionMatrix, ProbabilitySums)):
            if s.lacks(statistic) or (kind is ProbabilisticConfusionMatrix and not room):
                continue
            table, _, outputs = kind.named_table(s)
            columns = [*rows, *range(k, len(outputs))]
            found.append(
                {
                    "model": i,
                    "diagram": kind.name,
                    "rows": rows,
                    "columns": columns,
                    "outputs": [str(outputs[j]) for j in columns],
                    "cells": cells(table[np.ix_(rows, columns)], None if kind is ConfusionMatrix else 5),
                    "top": top,
                }
            )
    return found


def _one_order(models: Mapping[str, Summary], top: int | None) -> list[int]:
    """Classes in the same order for all models, so that their maps can be compared: by what all of them mix up."""
    classes = next(iter(models.values())).source.classes
    tables = [s[Counts].table[:, : len(classes)] for s in models.values() if not s.lacks(Counts)]
    if not tables:
        return list(range(len(classes)))[:top]
    both = ConfusionMatrix.compute(
        (np.sum(tables, axis=0), tuple(range(len(classes))), classes), order="blocks", top=top
    )
    return list(both.classes)


def _priced(models: Mapping[str, Summary]) -> dict[str, Any] | None:
    """Whole tables for the cost matrix: of few classes, decided by every model in the same columns."""
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
        "prior": exact(weight / weight.sum()),
        "tables": [{"model": i, "cells": cells(s[Counts].table)} for i, s in same.items()],
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
    return {
        "models": places,
        "shares": {name: cells(np.asarray(x), 5) for name, x in (both.shares | split.shares).items()},
        "EMA": brief(both.values, 5),
        "cross_labelled": list(both.cross_labelled),
    }


def _chains(models: Mapping[str, Summary]) -> list[dict[str, Any] | None]:
    found: list[dict[str, Any] | None] = []
    for s in models.values():
        d = None if s.lacks(Counts) else InformationChain.of(s)
        told = d is not None and all(np.isfinite(list(bits.values())).all() for bits in d.bits.values())
        found.append({"bits": d.bits, "perplexity": d.perplexity} if d is not None and told else None)
    return found


def _rankings(content: Content) -> dict[str, Any] | None:
    found = content.rankings()
    if found is None:
        return None
    return {"measures": list(found.measures), "ranks": cells(found.ranks), "verdict": found.verdict}
