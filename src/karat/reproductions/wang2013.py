"""Wang et al. (2013): three models with one confusion matrix, Table 8, and the contest of measures of section 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE
from karat.core.study import Study, Tables
from karat.core.surface import option
from karat.datasets import published
from karat.datasets.folders import files, folder
from karat.evaluation import Evaluation, evaluate, evaluate_matrix
from karat.reproductions.cell import Cell, truth
from karat.studies.contest_tables import AREAS, BETWEEN, PCEN
from karat.studies.trait_table import PRINTED, Traits
from karat.studies.win_loss_equal import WinLossEqual

TITLE = "Wang et al. 2013"
ROUNDS = 2_000
ALMOST_ALL, MOST = 0.85, 0.5
"""Shares of the data sets that count as "almost all" and, if exceeded, as "most"."""
SIMILAR = 0.05
"""Two measures whose wins and losses differ by less, on average, are "similar"."""
TRUE = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
MODELS = {  # Tables 1 to 3: columns are samples, rows the probabilities of the three classes in thousandths
    "M1": [[947, 895, 998, 372, 355, 101, 1, 489, 70, 70], [51, 104, 1, 228, 612, 894, 984, 281, 0, 0],
           [2, 1, 1, 400, 33, 5, 15, 230, 930, 930]],
    "M2": [[729, 684, 684, 217, 79, 217, 217, 684, 40, 40], [98, 40, 40, 100, 896, 696, 696, 40, 276, 276],
           [173, 276, 276, 683, 25, 87, 87, 276, 684, 684]],
    "M3": [[729, 684, 684, 217, 79, 304, 304, 960, 0, 0], [271, 316, 316, 0, 921, 696, 696, 40, 316, 316],
           [0, 0, 0, 783, 0, 0, 0, 0, 684, 684]],
}  # fmt: skip
TABLES = {  # Tables 5 to 7 as printed
    "M1": [[0.714, 0.199, 0.087], [0.197, 0.720, 0.083], [0.07, 0, 0.93]],
    "M2": [[0.479, 0.235, 0.286], [0.373, 0.477, 0.15], [0.04, 0.276, 0.684]],
    "M3": [[0.479, 0.365, 0.156], [0.523, 0.477, 0], [0, 0.316, 0.684]],
}
OFF = "computed by the paper with the diagonal left out of P_j, unlike its eq. (11); from the printed Tables 5 to 7"
SLIP = "with p_21 of Table 7 read as .477 instead of .523 it is .2648, a guess; eq. (11) gives .5604"
VALUES = [
    ("AU1U", (0.97, 0.81, 0.74), 2, "AUC(j, j) must be left out of eq. (16)"),
    ("AUNU", (0.96, 0.79, 0.71), 2, ""),
]


def studies(*, share: float, seed: int, data: Any = None) -> dict[str, Study]:
    """At the published size: 2,000 rounds of each data set that is there."""
    needed: dict[str, Study] = {"traits": Traits(measures=tuple(PRINTED["wang2013"][1]), seed=seed)}
    where = folder(data)
    held = {} if where is None else files(where)
    if any(p.found_as in held for p in published("wang2013")):
        rounds = max(2, round(ROUNDS * share))
        needed["win_loss_equal"] = WinLossEqual(data=data, rounds=rounds, seed=seed)
    return needed


def cells(tables: Mapping[str, Tables]) -> Iterator[Cell]:
    """The numbers that are printed, then what is said of the figures."""
    yield from _three_models()
    yield from _table_8(tables["traits"])
    contests = tables.get("win_loss_equal")
    if contests is None:
        for figure in ("Figure 1", "Figure 2", "Figures 3 and 4", "Figure 5", "Figure 6", "Figure 7", "Figure 8"):
            folder = f"name the folder that holds them with {option('data')} or KARAT_DATA"
            why = f"none of the 19 data sets was found; {folder}"
            yield Cell(where=figure, what="what is said of it", published="yes", ours=None, why=why)
        return
    contest = Statements(contests)
    yield from contest.pairs()
    yield from contest.ranks()


def _three_models() -> Iterator[Cell]:
    models = {name: evaluate(TRUE, np.transpose(p) / 1000) for name, p in MODELS.items()}
    for symbol, values, digits, correction in VALUES:
        for (name, e), value in zip(models.items(), values, strict=True):
            yield Cell(
                where="Section 3", what=f"{symbol} of {name}", published=value, ours=e[symbol], digits=digits,
                correction=correction,
            )  # fmt: skip
    for (name, e), value in zip(models.items(), (0.0932, 0.3071, 0.2648), strict=True):
        where = "Section 4"
        yield Cell(
            where=where, what=f"rpCEN of {name} by eq. (11)", published=value, ours=e["rpCEN"], digits=4,
            why="the paper computed it with the diagonal left out of P_j, unlike its eq. (11)",
        )  # fmt: skip
        off = evaluate_matrix(np.array(TABLES[name]))["CEN_offdiagonal"]
        yield Cell(
            where=where, what=f"rpCEN of {name} without the diagonal", published=value, ours=off, digits=4,
            correction=OFF, why=SLIP if name == "M3" else "",
        )  # fmt: skip
    yield _same(models, "Acc CEN", "no measure of decisions tells M1, M2 and M3 apart", ("M1", "M2", "M3"))
    yield _same(models, "MAPR MPR MAE LogL", "MAPR, MPR, MAE and LogL don't tell M2 and M3 apart", ("M2", "M3"))
    order = models["M1"]["rpCEN"] < models["M3"]["rpCEN"] < models["M2"]["rpCEN"]
    yield Cell(where="Section 4", what="by rpCEN M1 is before M3 and M3 before M2", published="yes", ours=truth(order))


def _same(models: dict[str, Evaluation], symbols: str, what: str, names: tuple[str, ...]) -> Cell:
    equal = all(abs(models[a][s] - models[names[0]][s]) <= TOLERANCE for a in names for s in symbols.split())
    return Cell(where="Section 3", what=what, published="yes", ours=truth(equal))


def _table_8(tables: Tables) -> Iterator[Cell]:
    printed = tables["printed"]
    for row in printed.rows:
        cell = dict(zip(printed.columns, row, strict=True))
        if cell["paper"] == "wang2013":
            what = f"{cell['measure']} influenced by {cell['trait']}"
            yield Cell(where="Table 8", what=what, published=cell["printed"], ours=cell["shows"], why=cell["why"])


class Statements:
    """What section 5 says of its figures, and what ours show."""

    def __init__(self, tables: Tables) -> None:
        self.pair = {
            (r[0], r[1], r[2]): dict(zip(tables["pairs"].columns, r, strict=True)) for r in tables["pairs"].rows
        }
        self.rank = {
            (r[0], r[1], r[2]): dict(zip(tables["ranks"].columns, r, strict=True)) for r in tables["ranks"].rows
        }
        self.each: dict[tuple[str, str, str], dict[str, float]] = {}
        for r in tables["sets"].rows:
            self.each.setdefault((r[1], r[2], r[3]), {})[r[0]] = r[4] - r[5]
        wide = tables["ranks_of_sets"]
        self.on_sets = {(r[0], r[1], r[2]): np.array(r[3:], float) for r in wide.rows}
        self.count = len(tables["data"].rows)
        rounds = max(tables["sets"].columns["rounds"])
        self.size = f"{rounds} rounds of {self.count} of the 19 data sets"

    def share(self, arbiter: str, first: str, second: str) -> tuple[float, str]:
        """Of the data sets, those on which the first wins more than it loses; and in words."""
        gaps = self.each[arbiter, first, second]
        ahead, behind = sum(g > 0 for g in gaps.values()), sum(g < 0 for g in gaps.values())
        gap = self.pair[arbiter, first, second]
        span = f"win - loss {gap['ahead']:+.3f} ({gap['low']:+.3f} to {gap['high']:+.3f})"
        return ahead / len(gaps), f"ahead on {ahead}, behind on {behind} of {len(gaps)}; {span}"

    def beats(self, where: str, arbiter: str, first: str, second: str, least: float, word: str) -> Cell:
        """The first outperforms the second on so many data sets."""
        share, words = self.share(arbiter, first, second)
        what = f"{first} outperforms {second} on {word} data sets, arbiter {arbiter}"
        return Cell(where=where, what=what, published="yes", ours=truth(share >= least), why=words)

    def pairs(self) -> Iterator[Cell]:
        """Figures 1 to 4 and 7."""
        for other in ("Acc", "CEN"):
            for arbiter in ("pCEN", other):
                yield self.beats("Figure 1", arbiter, "pCEN", other, ALMOST_ALL, "almost all")
        for arbiter in PCEN:
            for first in PCEN:
                for other in AREAS:
                    yield self.beats("Figure 2", arbiter, first, other, ALMOST_ALL, "almost all")
        for arbiter in AREAS:
            where = "Figure 3" if arbiter in AREAS[:2] else "Figure 4"
            for first in AREAS:
                for other in PCEN:
                    yield self.beats(where, arbiter, first, other, MOST + 1e-9, "most")
        for first in (*PCEN, "MSE"):
            for other in ("MSE",) if first in PCEN else PCEN:
                yield self.beats("Figure 7", first, first, other, MOST + 1e-9, "most")
        for arbiter in (*PCEN, "MAE", "MSE"):
            for first in PCEN:
                ahead = self.pair[arbiter, first, "MAE"]["ahead"]
                _, words = self.share(arbiter, first, "MAE")
                what = f"{first} is similar to MAE (|win - loss| below {SIMILAR}), arbiter {arbiter}"
                yield Cell(where="Figure 7", what=what, published="yes", ours=truth(abs(ahead) < SIMILAR), why=words)
        for first in PCEN:
            yield self.beats("Figure 7", "MAE", first, "MSE", MOST + 1e-9, "most")

    def ranked(self, group: str, arbiter: str, measure: str) -> tuple[float, str]:
        """A mean rank; and in words."""
        r = self.rank[group, arbiter, measure]
        return r["mean rank"], f"mean rank {r['mean rank']:.2f} ({r['low']:.2f} to {r['high']:.2f})"

    def ranks(self) -> Iterator[Cell]:
        """Figures 5, 6 and 8."""
        ahead = np.zeros(self.count, bool)
        for area in AREAS:
            for first in PCEN:
                ahead |= self.on_sets["areas", "rpCEN", area] < self.on_sets["areas", "rpCEN", first] - 1e-9
        yield Cell(
            where="Figure 5", what="data sets on which a variant of AUC ranks before rpCEN or pCEN, arbiter rpCEN",
            published=0, ours=int(ahead.sum()), why=self.size,
        )  # fmt: skip
        for first in PCEN:
            value, words = self.ranked("areas", "rpCEN", first)
            what = f"{first}: {BETWEEN}"
            yield Cell(where="Figure 5", what=what, published="yes", ours=truth(1 < value < 2), why=words)
        for area in AREAS:
            value, words = self.ranked("areas", area, area)
            others = [self.ranked("areas", area, other)[0] for other in (*PCEN, *AREAS) if other != area]
            first = f"{area} has the best mean rank, arbiter {area}"
            yield Cell(where="Figure 6", what=first, published="yes", ours=truth(value < min(others)), why=words)
            above = f"mean rank of {area} above 2, arbiter {area}"
            yield Cell(where="Figure 6", what=above, published="yes", ours=truth(value > 2), why=words)
            mine = self.on_sets["areas", area, area]
            each = all((self.on_sets["areas", area, o] < mine - 1e-9).any() for o in (*PCEN, *AREAS) if o != area)
            some = f"every other measure ranks before {area} on some data set, arbiter {area}"
            yield Cell(where="Figure 6", what=some, published="yes", ours=truth(each), why=self.size)
        group = (*PCEN, "MAE", "MSE")
        for first in (*PCEN, "MSE"):
            value, words = self.ranked("errors", first, first)
            best = value <= min(self.ranked("errors", first, other)[0] for other in group)
            what = f"{first} has the best mean rank, arbiter {first}"
            yield Cell(where="Figure 8", what=what, published="yes", ours=truth(best), why=words)
        for first in PCEN:
            for arbiter in ("MAE", "MSE"):
                value, words = self.ranked("errors", arbiter, first)
                what = f"mean rank of {first} no worse than 3, arbiter {arbiter}"
                yield Cell(where="Figure 8", what=what, published="yes", ours=truth(value <= 3), why=words)
            value, words = self.ranked("errors", "MAE", first)
            for other in ("MSE", "MAE"):
                theirs, their_words = self.ranked("errors", "MAE", other)
                what = f"{first} ranks before {other}, arbiter MAE"
                both = f"{words} against {their_words}"
                yield Cell(where="Figure 8", what=what, published="yes", ours=truth(value < theirs), why=both)
