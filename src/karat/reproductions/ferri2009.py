"""Ferri, Hernandez-Orallo & Modroiu (2009): Table 1, Table 3's clusters, and the four experiments of section 6."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.batches import evaluate_batch
from karat.core.study import Study, Tables
from karat.core.table import Table
from karat.reproductions.cell import Cell
from karat.reproductions.ferri2009_table_3 import AREAS, DECISIONS, OTHER_K, PAPER, table_3
from karat.studies import noise
from karat.studies.correlation import Correlation
from karat.studies.sensitivity import Sensitivity
from karat.studies.traits import Traits, printed_measures

TITLE = "Ferri, Hernandez-Orallo & Modroiu 2009"
SYMBOLS = printed_measures("ferri2009")


def studies(*, share: float, seed: int, data: Any = None) -> dict[str, Study]:
    """At the published size: 10,000 pairs of models at each level of each noise; 20 repetitions of the
    cross-validation, if there is a folder of data sets."""
    needed: dict[str, Study] = {
        "sensitivity": Sensitivity(measures=SYMBOLS, repetitions=max(1, round(10_000 * share)), seed=seed),
        "traits": Traits(measures=SYMBOLS, seed=seed),
    }
    if data is not None:
        repetitions = max(1, round(20 * share))
        needed["correlation"] = Correlation(data=data, variants=(OTHER_K,), repetitions=repetitions, seed=seed)
    return needed


def cells(tables: Mapping[str, Tables]) -> Iterator[Cell]:
    """All but Table 3 can be had without data sets."""
    yield from _table_1(tables["traits"]["printed"])
    yield from table_3(tables.get("correlation"))
    yield from _models()
    sensitivity = tables["sensitivity"]
    averages: dict[str, dict[str, dict[str, Any]]] = {}
    for row in sensitivity["averages"].records:
        averages.setdefault(row["noise"], {})[row["measure"]] = row
    yield from _averages("labels", averages["labels"], sensitivity["labels"])
    yield from _averages("probabilities", averages["probabilities"], sensitivity["probabilities"])
    last = {s: sensitivity["probabilities"].columns[s][-1] for s in SYMBOLS if s != "CalB"}
    yield PAPER.cell("best", min(last, key=lambda s: last[s]))
    yield PAPER.cell("worst", max(last, key=lambda s: last[s]))
    ranking = {s: average["wrong"] for s, average in averages["ranking"].items() if s != "CalB"}
    others = max(wrong for s, wrong in ranking.items() if s not in DECISIONS)
    yield PAPER.cell("most affected", min(ranking[s] for s in DECISIONS) > others)
    yield from _section_6_4(averages["frequencies"], sensitivity)


def _table_1(printed: Table) -> Iterator[Cell]:
    for row in printed.records:
        if row["paper"] == "ferri2009":
            ours = "partially" if row["printed"] == "partially" and row["shows"] == "yes" else row["shows"]
            facts: dict[str, Any] = {"measure": row["measure"], "trait": row["trait"], "why": row["why"]}
            yield PAPER.cell("trait", ours, published=row["printed"], **facts)


def _models() -> Iterator[Cell]:
    m = noise.models(np.random.default_rng(9), 10_000)
    values = evaluate_batch(m.truth, m.p, ["Acc", "CalB"])
    for model, accuracy in zip(("M1", "M2"), values["Acc"], strict=True):
        yield PAPER.cell(f"accuracy {model}", float(accuracy.mean()), error=float(accuracy.std() / 100))
    yield PAPER.cell("calibrated", values["CalB"][1].mean() < values["CalB"][0].mean())


Averages = Mapping[str, Mapping[str, Any]]
"""Of one kind of noise: symbol to what was found."""


def _averages(kind: str, averages: Averages, lines: Table) -> Iterator[Cell]:
    """Means over the levels; what is left open is which levels: with the highest or without."""
    for symbol in PAPER.keys(kind):
        wrong = averages[symbol]["wrong"]
        without = float(np.mean(lines.columns[symbol][:-1]))
        yield PAPER.cell(f"{kind} {symbol}", wrong, error=averages[symbol]["error"], open=abs(wrong - without))


def _section_6_4(averages: Averages, tables: Tables) -> Iterator[Cell]:
    wrong = {s: averages[s]["wrong"] for s in SYMBOLS if s != "CalB"}
    order = sorted(wrong, key=lambda s: wrong[s])
    yield PAPER.cell("seven worst", set(order[-7:]) == {*AREAS, "SAUC", "PAUC", "MAPR"})
    yield PAPER.cell("three worst", set(order[-3:]) == {"SAUC", "PAUC", "MAPR"})
    lines = tables["frequencies"].columns
    for symbol in PAPER.keys("not monotonic"):
        line = np.array(lines[symbol])
        yield PAPER.cell(f"not monotonic {symbol}", line[-1] < line.max(), at=lines["noise"][int(line.argmax())])
    yield PAPER.cell("robust", order[0] == "Acc")
    last = ["frequencies", lines["noise"][-1], "Acc"]
    at_50 = next(r for r in tables["levels"].records if [r["noise"], r["level"], r["measure"]] == last)
    yield PAPER.cell("close to 50", at_50["wrong"], error=at_50["error"])
