"""Ferri, Hernandez-Orallo & Modroiu (2009): traits of measures (Table 1), correlations and clusters of measures (Table
3, Figs. 1 to 4), and robustness to four kinds of noise (section 6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from karat.batches import evaluate_batch
from karat.core.arithmetic import Array
from karat.core.study import Study, Tables
from karat.core.table import Table
from karat.diagrams import Dendrogram, Diagram, Several
from karat.reproductions.cell import Cell, Publication, numbers
from karat.reproductions.paper_figures import PaperFigure, side_by_side
from karat.studies import noise
from karat.studies.correlation import SYMBOLS as ORDER
from karat.studies.correlation import Correlation, matrix
from karat.studies.redundancy import clusters
from karat.studies.sensitivity import Sensitivity, wrong_choices
from karat.studies.traits import Traits, printed_measures

TITLE = "Ferri, Hernandez-Orallo & Modroiu 2009"
PAPER = Publication("ferri2009")
SYMBOLS = printed_measures("ferri2009")
CLUSTERS: dict[float, list[str]] = {}
"""Those of section 5, by linkage distance."""
for _row in numbers("ferri2009_clusters"):
    CLUSTERS.setdefault(float(_row["distance"]), []).append(_row["members"])
TRIANGLE = {"spearman": True, "pearson": False}
"""Is it below the diagonal? Not as the caption says."""
DECISIONS, AREAS = ORDER[:5], ORDER[5:9]
PLAIN = ("MPR", "MAE", "PAUC", "MAPR", "SAUC")
APART = ("LogL", "CalL", "CalB")
"""Measures that depend most on how sure the learners are."""
OTHER_K = "kNN(10)"
"""The paper does not name its k; how far this moves ours is what it leaves open."""
KINDS = ("two-class", "multi-class", "balanced", "imbalanced", "small", "large")
UPPER = np.triu_indices(len(ORDER), 1)


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


def triangle(below: bool) -> Array:
    """One of the two correlation matrices of Table 3."""
    square = np.array([[float(row[symbol]) for symbol in ORDER] for row in numbers("ferri2009_table_3")])
    half = np.tril(square, -1) if below else np.triu(square, 1)
    return np.asarray(half + half.T + np.eye(len(ORDER)))


def grouped(below: bool, cut: float) -> set[frozenset[str]]:
    """Clusters of a triangle of Table 3."""
    return _sets(triangle(below), cut)


def table_3(tables: Tables | None) -> Iterator[Cell]:
    """Clusters of the printed triangles; and, of a study of correlations, all cells and what is said of them."""
    for cut in CLUSTERS:
        yield from _clustered("printed", cut, grouped(True, cut), other=len(grouped(False, cut)))
    if tables is None:
        yield PAPER.cell("no data", None)
        return
    pairs = tables["pairs"]
    rank, linear = (matrix(pairs, "all", method, list(ORDER)) for method in TRIANGLE)
    yield from _cells(beside(pairs))
    yield from _differences(rank, linear)
    if f"all, {OTHER_K}" in pairs.columns["data sets"]:
        one, two = (matrix(pairs, f"all, {OTHER_K}", method, list(ORDER)) for method in TRIANGLE)
        yield from _differences(one, two, f" with {OTHER_K}")
    for cut in CLUSTERS:
        groups = _sets(rank, cut)
        yield from _clustered("ours", cut, groups, groups=_worded(groups))
    yield from _said_of_all(rank, linear)
    if set(KINDS) <= set(pairs.columns["data sets"]):
        yield from _said_of_kinds({kind: matrix(pairs, kind, "spearman", list(ORDER)) for kind in KINDS})


def _clustered(whose: str, cut: float, sets: set[frozenset[str]], **names: Any) -> Iterator[Cell]:
    """Clusters that the text names, in a printed triangle or in ours."""
    yield PAPER.cell(f"clusters {whose} {cut}", len(sets), **names)
    for members in CLUSTERS[cut]:
        yield PAPER.cell(f"cluster {whose}", frozenset(members.split()) in sets, cut=cut, members=members)


def beside(pairs: Table) -> Table:
    """Table 3, published and ours, with the Monte-Carlo error of ours."""
    i, j = UPPER
    other = f"all, {OTHER_K}" if f"all, {OTHER_K}" in pairs.columns["data sets"] else "all"
    columns: dict[str, list[Any]] = {"measure": [ORDER[a] for a in i], "other": [ORDER[b] for b in j]}
    for method, below in TRIANGLE.items():
        squares = {
            "published": triangle(below),
            "ours": matrix(pairs, "all", method, list(ORDER)),
            "error": matrix(pairs, "all", method, list(ORDER), "error"),
            OTHER_K: matrix(pairs, other, method, list(ORDER)),
        }
        columns |= {f"{method}, {what}": square[i, j].tolist() for what, square in squares.items()}
    return Table(columns, f"Table 3; {PAPER.notes['swapped']}")


def _cells(table: Table) -> Iterator[Cell]:
    for row in table.records:
        for method in TRIANGLE:
            values = {what: row[f"{method}, {what}"] for what in ("published", "ours", "error", OTHER_K)}
            ours, varied, published = values["ours"], values[OTHER_K], values["published"]
            error, moved = np.nan_to_num(values["error"]).item(), _towards(ours, varied, published)
            names = {"measure": row["measure"], "other": row["other"], "varied": varied, "variant": OTHER_K}
            yield PAPER.cell(method, ours, published=published, error=error, open=moved, **names)


def _towards(ours: float, varied: float, published: float) -> float:
    """How far the other k moves ours in the direction of what was published; 0 if it moves it away."""
    return max(0.0, float(np.sign(published - ours)) * (varied - ours))


def _differences(rank: Array, linear: Array, how: str = "") -> Iterator[Cell]:
    most = tuple(np.array([(i, j) for i, j in zip(*UPPER, strict=True) if not {ORDER[i], ORDER[j]} & set(APART)]).T)

    def apart(ours: Array, below: bool, at: Any = UPPER) -> float:
        return float(np.nanmean(np.abs(ours - triangle(below))[at]))

    for (method, below), ours in zip(TRIANGLE.items(), (rank, linear), strict=True):
        names: dict[str, Any] = {"method": method, "how": how}
        yield PAPER.cell("difference", apart(ours, below), against=apart(ours, not below), **names)
        yield PAPER.cell("difference of most", apart(ours, below, most), **names)


def _said_of_all(rank: Array, linear: Array) -> Iterator[Cell]:
    place = {symbol: i for i, symbol in enumerate(ORDER)}
    yield PAPER.cell("positive", (rank[UPPER] > 0).all())
    yield PAPER.cell("higher", rank[UPPER].mean() > linear[UPPER].mean())
    yield PAPER.cell("same PAUC", rank[place["PAUC"], place["MAPR"]] > 0.995)
    yield PAPER.cell("same MPR", rank[place["MPR"], place["MAE"]] > 0.995)
    yield PAPER.cell("nearest MSE", nearest(rank, "MSE"))
    yield PAPER.cell("area LogL", nearest(rank, "LogL") in AREAS)
    yield PAPER.cell("nearest CalL", nearest(rank, "CalL"))
    yield PAPER.cell("nearest CalB", nearest(rank, "CalB"))
    areas = np.isin(ORDER, AREAS)
    yield PAPER.cell("highest", float(rank[np.ix_(areas, ~areas)].max()))


def _said_of_kinds(square: dict[str, Array]) -> Iterator[Cell]:
    """What is said of Figs. 2 to 4, by rank correlation."""
    mean = {kind: float(np.nanmean(square[kind][UPPER])) for kind in KINDS}
    areas = np.isin(ORDER, AREAS)

    def joins(kind: str, symbol: str, group: tuple[str, ...]) -> bool:
        return bool(set(joined(square[kind], symbol)) & set(group))

    yield PAPER.cell("one area", square["two-class"][np.ix_(areas, areas)].min() > 1 - 1e-6)
    yield PAPER.cell("many classes", mean["multi-class"] > mean["two-class"])
    yield PAPER.cell("joins two-class MSE", joins("two-class", "MSE", AREAS))
    yield PAPER.cell("joins multi-class MSE", joins("multi-class", "MSE", DECISIONS))
    yield PAPER.cell("lower imbalanced", mean["imbalanced"] < mean["balanced"])
    yield PAPER.cell("joins balanced CalL", joins("balanced", "CalL", DECISIONS))
    yield PAPER.cell("apart imbalanced CalL", not joins("imbalanced", "CalL", DECISIONS))
    yield PAPER.cell("joins balanced LogL", joins("balanced", "LogL", AREAS))
    yield PAPER.cell("apart imbalanced LogL", not joins("imbalanced", "LogL", AREAS))
    yield PAPER.cell("joins imbalanced CalB", joins("imbalanced", "CalB", PLAIN))
    yield PAPER.cell("apart balanced CalB", not joins("balanced", "CalB", PLAIN))
    yield PAPER.cell("together small", any({*DECISIONS, *AREAS} <= group for group in _sets(square["small"], 0.2)))
    mine = {*AREAS, "LogL"}
    yield PAPER.cell("parted large", not any(g & mine and g - mine for g in _sets(square["large"], 0.2)))


def nearest(square: Array, symbol: str) -> str:
    """The other measure that correlates most; the first of equals."""
    row = np.round(square[ORDER.index(symbol)], 9)
    row[ORDER.index(symbol)] = -2
    return ORDER[int(np.nanargmax(row))]


def joined(square: Array, symbol: str) -> list[str]:
    """The measures of the group that a measure is first joined with."""
    links = Dendrogram.of(square, ORDER).links
    groups = {i: [name] for i, name in enumerate(ORDER)}
    for step, (a, b, *_) in enumerate(links.tolist()):
        one, other = groups[int(a)], groups[int(b)]
        if symbol in one or symbol in other:
            return other if symbol in one else one
        groups[len(ORDER) + step] = one + other
    return []


def _sets(square: Array, cut: float) -> set[frozenset[str]]:
    label = clusters(square, cut)
    return {frozenset(s for s, c in zip(ORDER, label, strict=True) if c == one) for one in set(label)}


def _worded(groups: set[frozenset[str]]) -> str:
    ordered = sorted(sorted(ORDER.index(s) for s in group) for group in groups)
    return " | ".join(" ".join(ORDER[i] for i in group) for group in ordered)


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

    def clear(place: int) -> bool:
        """Are those before and from this place on further apart than their errors allow?"""
        one, other = (averages[order[i]] for i in (place - 1, place))
        return bool(other["wrong"] - one["wrong"] > 3 * math.hypot(one["error"], other["error"]))

    yield PAPER.cell("seven worst", set(order[-7:]) == {*AREAS, "SAUC", "PAUC", "MAPR"}, decided=clear(-7))
    yield PAPER.cell("three worst", set(order[-3:]) == {"SAUC", "PAUC", "MAPR"}, decided=clear(-3))
    lines = tables["frequencies"].columns
    for symbol in PAPER.keys("not monotonic"):
        line = np.array(lines[symbol])
        yield PAPER.cell(f"not monotonic {symbol}", line[-1] < line.max(), at=lines["noise"][int(line.argmax())])
    yield PAPER.cell("robust", order[0] == "Acc", decided=clear(1))
    last = ["frequencies", lines["noise"][-1], "Acc"]
    at_50 = next(r for r in tables["levels"].records if [r["noise"], r["level"], r["measure"]] == last)
    yield PAPER.cell("close to 50", at_50["wrong"], error=at_50["error"])


def _figure_1(tables: Mapping[str, Tables]) -> Diagram | Several:
    """Of the printed correlations, if there are none of ours."""
    pairs = tables["correlation"]["pairs"] if "correlation" in tables else None
    members = []
    for method in ("pearson", "spearman"):
        square = triangle(TRIANGLE[method]) if pairs is None else matrix(pairs, "all", method, list(ORDER))
        members.append(Dendrogram.of(square, ORDER, name=f"{method}, {'printed' if pairs is None else 'ours'}"))
    return side_by_side(members)


def _of_kinds(*kinds: str) -> Callable[..., Diagram | Several | None]:
    def made(tables: Mapping[str, Tables]) -> Diagram | Several | None:
        pairs = tables["correlation"]["pairs"] if "correlation" in tables else None
        if pairs is None or not set(kinds) <= set(pairs.columns["data sets"]):
            return None
        squares = {kind: matrix(pairs, kind, "spearman", list(ORDER)) for kind in kinds}
        if not all(np.isfinite(square).all() for square in squares.values()):
            return None
        return side_by_side(
            [Dendrogram.of(square, ORDER, name=f"{kind} data sets") for kind, square in squares.items()]
        )

    return made


def _of_noise(kind: str) -> Callable[..., Diagram]:
    def made(tables: Mapping[str, Tables]) -> Diagram:
        figure: Diagram = wrong_choices(kind, tables["sensitivity"][kind])
        return figure

    return made


FIGURES = (
    PaperFigure(1, "dendrograms of linear (left) and rank correlation of the measures, all data sets", _figure_1),
    *(
        PaperFigure(number, f"dendrograms of rank correlation, {one} and {two} data sets", _of_kinds(one, two), "data")
        for number, one, two in zip((2, 3, 4), KINDS[::2], KINDS[1::2], strict=True)
    ),
    *(
        PaperFigure(number, f"wrong choices of each measure, the more noise is in the {kind}", _of_noise(kind))
        for number, kind in zip((5, 6, 7, 8), noise.MOST, strict=True)
    ),
)
