"""Wang et al. (2013): three models with the same confusion matrix (Tables 1 to 7), traits of measures (Table 8), and
the comparison of measures on real data (Table 9, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Study, Tables
from karat.core.words import interval
from karat.datasets import published
from karat.datasets.folders import files, folder
from karat.diagrams import Diagram, Several, WinLossEqualFigure
from karat.evaluation import evaluate, evaluate_matrix
from karat.reproductions.cell import Cell, Publication, numbers
from karat.reproductions.paper_figures import PaperFigure, side_by_side
from karat.statistics import Counts
from karat.studies import contest
from karat.studies.contest import AREAS, GROUPS, PCEN
from karat.studies.traits import Traits, printed_measures
from karat.studies.win_loss_equal import WinLossEqual

TITLE = "Wang et al. 2013"
PAPER = Publication("wang2013")
ROUNDS = 2_000
SHARES = {"almost all": 0.85, "most": 0.5 + 1e-9}
"""The least share of the data sets that counts as such."""
SIMILAR = 0.05
"""Two measures whose wins and losses differ by less, on average, are "similar"."""
MODELS = ("M1", "M2", "M3")
NAMED = ("Figure 1", "Figure 2", "Figures 3 and 4", "Figure 5", "Figure 6", "Figure 7", "Figure 8")


def probabilities(table: int) -> tuple[Array, Array]:
    """True classes from 0, and probabilities: of the cases of a model (Tables 1 to 3), or mean ones of the classes (5
    to 7)."""
    rows = [row for row in numbers("wang2013_models") if row["table"] == str(table)]
    return np.array([int(r["truth"]) - 1 for r in rows]), np.array(
        [[float(r[f"p_{j}"]) for j in (1, 2, 3)] for r in rows]
    )


def studies(*, share: float, seed: int, data: Any = None) -> dict[str, Study]:
    """At the published size: 2,000 rounds of each data set that is there."""
    needed: dict[str, Study] = {"traits": Traits(measures=printed_measures("wang2013"), seed=seed)}
    where = folder(data)
    held = {} if where is None else files(where)
    if any(p.found_as in held for p in published("wang2013")):
        rounds = max(2, round(ROUNDS * share))
        needed["win_loss_equal"] = WinLossEqual(data=data, rounds=rounds, seed=seed)
    return needed


def cells(tables: Mapping[str, Tables], data: Any = None) -> Iterator[Cell]:
    """The numbers that are printed, then what is said of the figures."""
    yield from _tables_1_to_7()
    yield from _three_models()
    yield from _table_8(tables["traits"])
    yield from _table_9(data)
    contests = tables.get("win_loss_equal")
    if contests is None:
        yield from (PAPER.cell("no data", None, figure=figure) for figure in NAMED)
        return
    contest = Statements(contests)
    yield from contest.pairs()
    yield from contest.ranks()


def _tables_1_to_7() -> Iterator[Cell]:
    """The cases of the three models, their one confusion matrix, and their mean probabilities."""
    for table, model in enumerate(MODELS, 1):
        truth, p = probabilities(table)
        said = [row["predicted"] for row in numbers("wang2013_models") if row["table"] == str(table)]
        ours = " ".join(str(j + 1) for j in p.argmax(axis=1))
        yield PAPER.cell("predicted", ours, published=" ".join(said), table=table, model=model)
        yield PAPER.cell("sums to 1", bool(np.allclose(p.sum(axis=1), 1, atol=TOLERANCE)), table=table, model=model)
    crisp = [evaluate(*probabilities(table)).statistics[Counts].table for table in (1, 2, 3)]
    for i, j in product(range(3), repeat=2):
        values = {int(matrix[i, j]) for matrix in crisp}
        yield PAPER.cell(f"T4 {i + 1} {j + 1}", values.pop() if len(values) == 1 else "not the same", i=i + 1, j=j + 1)
    for table, model in enumerate(MODELS, 5):
        truth, p = probabilities(table - 4)
        printed = probabilities(table)[1]
        for i, j in product(range(3), repeat=2):
            told: dict[str, Any] = {"published": float(printed[i, j]), "table": table, "model": model}
            mean = float(p[truth == i, j].mean())
            why = None if abs(mean - printed[i, j]) > 0.0005 else ""
            yield PAPER.cell("mean", mean, i=i + 1, j=j + 1, why=why, **told)


def _table_9(data: Any) -> Iterator[Cell]:
    """Sizes of the data sets that are there, as far as the files say them."""
    where = folder(data)
    held = {} if where is None else files(where)
    sets = [p for p in published("wang2013") if p.found_as in held]
    if not sets:
        yield PAPER.cell("no data", None, figure="Table 9")
    for p in sets:
        other = p.differences(p.load(where))
        for what in ("cases", "attributes", "classes"):
            printed = getattr(p, what)
            ours = int(other.get(what, (printed, printed))[1])
            yield PAPER.cell(
                "size", ours, published=printed, why="" if ours == printed else p.why, name=p.name, size=what
            )


def _three_models() -> Iterator[Cell]:
    models = {name: evaluate(*probabilities(i)) for i, name in enumerate(MODELS, 1)}
    for symbol in ("AU1U", "AUNU"):
        for name, e in models.items():
            yield PAPER.cell(f"{symbol} {name}", e[symbol])
    for i, (name, e) in enumerate(models.items(), 5):
        yield PAPER.cell(f"rpCEN {name}", e["rpCEN"])
        yield PAPER.cell(f"off {name}", evaluate_matrix(probabilities(i)[1])["CEN_offdiagonal"])

    def same(symbols: str, *names: str) -> bool:
        return all(abs(models[a][s] - models[names[0]][s]) <= TOLERANCE for a in names for s in symbols.split())

    yield PAPER.cell("same decisions", same("Acc CEN", *MODELS))
    yield PAPER.cell("same probabilities", same("MAPR MPR MAE LogL", "M2", "M3"))
    yield PAPER.cell("order", models["M1"]["rpCEN"] < models["M3"]["rpCEN"] < models["M2"]["rpCEN"])


def _table_8(tables: Tables) -> Iterator[Cell]:
    for row in tables["printed"].records:
        if row["paper"] == "wang2013":
            facts: dict[str, Any] = {"measure": row["measure"], "trait": row["trait"], "why": row["why"]}
            yield PAPER.cell("trait", row["shows"], published=row["printed"], **facts)


class Statements:
    """What section 5 says of its figures, and what ours show."""

    def __init__(self, tables: Tables) -> None:
        self.pair = {(r["arbiter"], r["first"], r["second"]): r for r in tables["pairs"].records}
        self.rank = {(r["group"], r["arbiter"], r["measure"]): r for r in tables["ranks"].records}
        self.gaps: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
        for r in tables["sets"].records:
            gap = (r["win"] - r["loss"], r["low"], r["high"])
            self.gaps.setdefault((r["arbiter"], r["first"], r["second"]), []).append(gap)
        self.on_sets = {(r[0], r[1], r[2]): np.array(r[3:], float) for r in tables["ranks_of_sets"].rows}
        self.count = len(tables["data"].rows)
        self.size = f"{max(tables['sets'].columns['rounds'])} rounds of {self.count} of the 19 data sets"

    def share(self, arbiter: str, first: str, second: str) -> tuple[float, str]:
        """Of the data sets, those on which the first wins more than it loses; and in words."""
        gaps, pair = [g for g, _, _ in self.gaps[arbiter, first, second]], self.pair[arbiter, first, second]
        ahead, behind = sum(g > 0 for g in gaps), sum(g < 0 for g in gaps)
        span = f"win - loss {interval(pair['ahead'], pair['low'], pair['high'])}"
        return ahead / len(gaps), f"ahead on {ahead}, behind on {behind} of {len(gaps)}; {span}"

    def beats(self, figure: str, arbiter: str, first: str, second: str, word: str = "almost all") -> Cell:
        """The first outperforms the second on so many data sets."""
        share, why = self.share(arbiter, first, second)
        names: dict[str, Any] = {"figure": f"Figure {figure}", "first": first, "other": second, "arbiter": arbiter}
        ends = [(low, high) for _, low, high in self.gaps[arbiter, first, second]]
        surely, perhaps = (sum(end > 0 for end in column) / len(ends) for column in zip(*ends, strict=True))
        decided = (surely >= SHARES[word]) == (perhaps >= SHARES[word])
        return PAPER.cell(f"beats {word}", share >= SHARES[word], why=why, decided=decided, **names)

    def pairs(self) -> Iterator[Cell]:
        """Figures 1 to 4 and 7."""
        for other in ("Acc", "CEN"):
            for arbiter in ("pCEN", other):
                yield self.beats("1", arbiter, "pCEN", other)
        for arbiter, first, other in product(PCEN, PCEN, AREAS):
            yield self.beats("2", arbiter, first, other)
        for arbiter, first, other in product(AREAS, AREAS, PCEN):
            yield self.beats("3" if arbiter in AREAS[:2] else "4", arbiter, first, other, "most")
        for first in (*PCEN, "MSE"):
            for other in ("MSE",) if first in PCEN else PCEN:
                yield self.beats("7", first, first, other, "most")
        for arbiter, first in product(GROUPS["errors"], PCEN):
            r = self.pair[arbiter, first, "MAE"]
            known: dict[str, Any] = {
                "why": self.share(arbiter, first, "MAE")[1],
                "decided": _inside(r, -SIMILAR, SIMILAR),
            }
            yield PAPER.cell("similar", abs(r["ahead"]) < SIMILAR, first=first, arbiter=arbiter, **known)
        for first in PCEN:
            yield self.beats("7", "MAE", first, "MSE", "most")

    def mean_rank(self, group: str, arbiter: str, measure: str) -> tuple[float, str]:
        """A mean rank; and in words."""
        r = self.rank[group, arbiter, measure]
        return r["mean rank"], f"mean rank {interval(r['mean rank'], r['low'], r['high'])}"

    def apart(self, group: str, arbiter: str, one: str, other: str) -> bool:
        """Do the intervals of two mean ranks have nothing in common?"""
        a, b = (self.rank[group, arbiter, measure] for measure in (one, other))
        return bool(a["high"] < b["low"] or b["high"] < a["low"])

    def decided(self, group: str, own: str, others: list[str], best: bool) -> bool:
        """Is it beyond doubt whether a measure ranks first under its own arbiter?"""
        if best:
            return all(self.apart(group, own, own, other) for other in others)
        return any(self.rank[group, own, m]["high"] < self.rank[group, own, own]["low"] for m in others)

    def ranks(self) -> Iterator[Cell]:
        """Figures 5, 6 and 8."""
        under = {measure: self.on_sets["areas", "rpCEN", measure] for measure in GROUPS["areas"]}
        ahead = np.any([under[area] < under[first] - 1e-9 for area, first in product(AREAS, PCEN)], axis=0)
        yield PAPER.cell("areas before", int(ahead.sum()), why=self.size)
        for first in PCEN:
            value, why = self.mean_rank("areas", "rpCEN", first)
            decided = _inside(self.rank["areas", "rpCEN", first], 1, 2)
            yield PAPER.cell("between", 1 < value < 2, why=why, decided=decided, first=first)
        for area in AREAS:
            value, why = self.mean_rank("areas", area, area)
            others = [other for other in GROUPS["areas"] if other != area]
            best = value < min(self.mean_rank("areas", area, other)[0] for other in others)
            decided = self.decided("areas", area, others, best)
            yield PAPER.cell("best of areas", best, why=why, decided=decided, first=area)
            above = _inside(self.rank["areas", area, area], 2, np.inf)
            yield PAPER.cell("above 2", value > 2, why=why, decided=above, first=area)
            mine = self.on_sets["areas", area, area]
            each = all((self.on_sets["areas", area, other] < mine - 1e-9).any() for other in others)
            yield PAPER.cell("each before", each, why=self.size, first=area)
        for first in (*PCEN, "MSE"):
            value, why = self.mean_rank("errors", first, first)
            best = value <= min(self.mean_rank("errors", first, other)[0] for other in GROUPS["errors"])
            decided = self.decided("errors", first, [m for m in GROUPS["errors"] if m != first], best)
            yield PAPER.cell("best of errors", best, why=why, decided=decided, first=first)
        for first in PCEN:
            for arbiter in ("MAE", "MSE"):
                value, why = self.mean_rank("errors", arbiter, first)
                decided = _inside(self.rank["errors", arbiter, first], 0, 3)
                yield PAPER.cell("up to 3", value <= 3, why=why, decided=decided, first=first, arbiter=arbiter)
            value, why = self.mean_rank("errors", "MAE", first)
            for other in ("MSE", "MAE"):
                theirs, words = self.mean_rank("errors", "MAE", other)
                known: dict[str, Any] = {"why": f"{why} against {words}"}
                known["decided"] = self.apart("errors", "MAE", first, other)
                yield PAPER.cell("before", value < theirs, first=first, other=other, **known)


def _inside(row: Mapping[str, Any], low: float, high: float) -> bool:
    """Does the interval of a row lie wholly within these bounds, or wholly outside?"""
    within = low < row["low"] and row["high"] < high
    return bool(within or row["high"] <= low or row["low"] >= high)


def _wins(number: str) -> Callable[..., Diagram | Several | None]:
    """Bars of one figure: a panel for each arbiter."""

    def made(tables: Mapping[str, Tables]) -> Diagram | Several | None:
        if "win_loss_equal" not in tables:
            return None
        pair = {(r["arbiter"], r["first"], r["second"]): r for r in tables["win_loss_equal"]["pairs"].records}
        rows: dict[str, dict[str, Any]] = {}
        for figure, arbiter, firsts, seconds in contest.FIGURES:
            for one, other in product(firsts, seconds):
                if figure == number and (arbiter, one, other) in pair:
                    rows.setdefault(arbiter, {})[f"{one} against {other}"] = pair[arbiter, one, other]
        return side_by_side([_bars(held, f"arbiter: {arbiter}") for arbiter, held in rows.items()])

    return made


def _bars(rows: dict[str, Any], name: str) -> Diagram:
    shares = {label: (row["win"], row["loss"]) for label, row in rows.items()}
    ends = {label: (row["low"], row["high"]) for label, row in rows.items()}
    return WinLossEqualFigure.of(shares, intervals=ends, name=name)


def _ranked(group: str, arbiters: tuple[str, ...]) -> Callable[..., Diagram | Several | None]:
    """Ranks of a group of measures: a panel for each arbiter."""

    def made(tables: Mapping[str, Tables]) -> Diagram | Several | None:
        held = contest.figures(tables["win_loss_equal"]) if "win_loss_equal" in tables else {}
        members = [held[key] for key in (f"ranks-{group}-{arbiter}" for arbiter in arbiters) if key in held]
        return side_by_side(members) if members else None

    return made


FIGURES = (
    *(
        PaperFigure(int(number), f"wins and losses {words}, a panel for each arbiter", _wins(number), "data")
        for number, words in (
            ("1", "of pCEN against Acc and CEN"),
            ("2", "of rpCEN and pCEN against four areas, by rpCEN and pCEN"),
            ("3", "of rpCEN and pCEN against four areas, by AUNU and AUNP"),
            ("4", "of rpCEN and pCEN against four areas, by AU1U and AU1P"),
        )
    ),
    PaperFigure(5, "ranks of six measures by rpCEN and pCEN", _ranked("areas", PCEN), "data"),
    PaperFigure(6, "ranks of six measures by four areas", _ranked("areas", AREAS), "data"),
    PaperFigure(
        7, "wins and losses of rpCEN and pCEN against MAE and MSE, a panel for each arbiter", _wins("7"), "data"
    ),
    PaperFigure(8, "ranks of four measures, a panel for each arbiter", _ranked("errors", GROUPS["errors"]), "data"),
)
