"""Ferri, Hernandez-Orallo & Modroiu (2009), sections 4 and 5: Table 3, its clusters, and what Figs. 1 to 4 show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.study import Tables
from karat.core.surface import option
from karat.core.table import Table
from karat.reproductions.cell import Cell, truth
from karat.studies.correlation import SYMBOLS as ORDER
from karat.studies.correlation import matrix
from karat.studies.redundancy import clusters

TRIANGLES = """
.98 .95 .92 .83 .70 .72 .70 .72 .68 .76 .76 .79 .79 .88 .40 .55 .58
.98 .97 .95 .88 .72 .74 .72 .73 .71 .79 .79 .78 .78 .87 .40 .55 .56
.95 .97 .98 .93 .71 .71 .70 .69 .74 .81 .81 .78 .78 .85 .38 .54 .57
.90 .94 .97 .95 .73 .71 .71 .70 .75 .81 .81 .74 .74 .82 .38 .51 .52
.85 .90 .95 .98 .67 .66 .66 .64 .75 .80 .80 .72 .72 .75 .32 .47 .52
.69 .71 .70 .72 .69 .99 1.00 .97 .47 .58 .58 .52 .52 .81 .67 .45 .48
.71 .73 .70 .71 .68 .98 .99 1.00 .46 .57 .57 .52 .52 .82 .67 .46 .48
.69 .71 .70 .71 .68 1.00 .99 .98 .45 .56 .56 .50 .50 .80 .67 .46 .46
.71 .73 .69 .70 .67 .97 .99 .98 .45 .55 .55 .51 .51 .81 .67 .46 .46
.67 .71 .73 .74 .75 .45 .45 .43 .43 .97 .97 .92 .92 .61 .03 .32 .60
.74 .77 .79 .80 .80 .55 .55 .54 .53 .97 1.00 .95 .95 .72 .14 .40 .65
.74 .77 .79 .80 .80 .55 .55 .54 .53 .97 1.00 .95 .95 .72 .14 .40 .65
.78 .77 .77 .72 .70 .48 .49 .47 .48 .90 .93 .93 1.00 .73 .11 .42 .69
.78 .77 .77 .72 .70 .48 .49 .47 .48 .90 .93 .93 1.00 .73 .11 .42 .69
.88 .87 .85 .81 .76 .80 .81 .79 .81 .58 .70 .70 .71 .71 .63 .67 .66
.47 .47 .45 .45 .42 .73 .74 .73 .73 .08 .20 .20 .17 .17 .67 .55 .24
.61 .61 .59 .55 .53 .47 .48 .47 .48 .38 .46 .46 .50 .50 .70 .50 .29
.61 .59 .59 .55 .53 .49 .50 .48 .48 .57 .64 .64 .67 .67 .69 .31 .42
"""
"""Table 3 without its diagonal: two symmetric matrices, one below and one above it."""
WORDS = {  # the clusters of section 5, by linkage distance
    0.1: ["AU1U AU1P AUNU AUNP", "Acc KapS MFM MAvA MAvG", "SAUC PAUC MAPR MPR MAE", "MSE", "LogL", "CalL", "CalB"],
    0.3: [
        "AU1U AU1P AUNU AUNP LogL",
        "Acc KapS MFM MAvA MAvG SAUC PAUC MAPR MPR MAE MSE",
        "CalL",
        "CalB",
    ],
}
SWAPPED = "the caption has the triangles the wrong way round: the bottom-left one gives the text's clusters"
TRIANGLE = {"spearman": True, "pearson": False}
"""Is it below the diagonal? Not as the caption says."""
DECISIONS, AREAS = ORDER[:5], ORDER[5:9]
PLAIN = ("MPR", "MAE", "PAUC", "MAPR", "SAUC")
OTHERS = (
    "two of the learners are scikit-learn's, not Weka's, the folds are others, and the paper names neither k nor other "
    "options of the learners"
)
APART = ("LogL", "CalL", "CalB")
"""Measures that depend most on how sure the learners are."""
OTHER_K = "kNN(10)"
"""The paper does not name its k; how far this moves ours is what it leaves open."""
HALVES = "; halves are cut at the median here, the paper's are not told"


def triangle(below: bool) -> Array:
    """One of the two correlation matrices of Table 3."""
    rows = [[float(x) for x in line.split()] for line in TRIANGLES.strip().splitlines()]
    square = np.eye(18)
    for i, row in enumerate(rows):
        square[i, [j for j in range(18) if j != i]] = row
    half = np.tril(square, -1) if below else np.triu(square, 1)
    return half + half.T + np.eye(18)


def grouped(below: bool, cut: float) -> set[frozenset[str]]:
    """Clusters of a triangle of Table 3."""
    return _sets(triangle(below), cut)


def table_3(tables: Tables | None) -> Iterator[Cell]:
    """Clusters of the printed triangles; and, of a study of correlations, all cells and what is said of them."""
    for cut, words in WORDS.items():
        other = len(grouped(False, cut))
        yield from _clustered(f"Section 5, linkage distance {cut}", words, grouped(True, cut), other)
    if tables is None:
        why = f"needs the 30 data sets: name their folder with {option('data')}"
        yield Cell(where="Table 3", what="correlations of 18 measures", published="306 values", ours=None, why=why)
        return
    rank, linear = (matrix(tables["pairs"], "all", method, list(ORDER)) for method in ("spearman", "pearson"))
    yield from _cells(beside(tables["pairs"]))
    yield from _differences(rank, linear)
    if f"all, {OTHER_K}" in tables["pairs"].columns["data sets"]:
        one, two = (
            matrix(tables["pairs"], f"all, {OTHER_K}", method, list(ORDER)) for method in ("spearman", "pearson")
        )
        yield from _differences(one, two, f" with {OTHER_K}")
    for cut, words in WORDS.items():
        yield from _clustered(f"Section 5, ours at distance {cut}", words, _sets(rank, cut), None)
    yield from _said_of_all(rank, linear)
    yield from _said_of_kinds(tables["pairs"])


def _clustered(where: str, words: list[str], groups: set[frozenset[str]], other: int | None) -> Iterator[Cell]:
    """Clusters that the text names, in a printed triangle (`other`: number of those in the other one) or in ours."""
    printed = other is not None
    yield Cell(
        where=where,
        what="number of clusters by rank correlation",
        published=len(words),
        ours=len(groups),
        correction=SWAPPED if printed else "",
        why=f"the top-right triangle gives {other}" if printed else f"ours: {_worded(groups)}",
    )
    for word in words:
        ours = truth(frozenset(word.split()) in groups)
        correction, why = (SWAPPED, "") if printed else ("", OTHERS)
        yield Cell(where=where, what=f"a cluster is {word}", published="yes", ours=ours, correction=correction, why=why)


def beside(pairs: Table) -> Table:
    """Table 3, published and ours, with the Monte-Carlo error of ours."""
    square = {m: matrix(pairs, "all", m, list(ORDER)) for m in TRIANGLE}
    error = {m: matrix(pairs, "all", m, list(ORDER), "error") for m in TRIANGLE}
    i, j = np.triu_indices(len(ORDER), 1)
    other = f"all, {OTHER_K}"
    there = other in pairs.columns["data sets"]
    columns: dict[str, list[Any]] = {"measure": [ORDER[a] for a in i], "other": [ORDER[b] for b in j]}
    for method, below in TRIANGLE.items():
        columns[f"{method}, published"] = triangle(below)[i, j].tolist()
        columns[f"{method}, ours"] = square[method][i, j].tolist()
        columns[f"{method}, error"] = error[method][i, j].tolist()
        varied = matrix(pairs, other, method, list(ORDER)) if there else square[method]
        columns[f"{method}, {OTHER_K}"] = varied[i, j].tolist()
    return Table(columns, f"Table 3; {SWAPPED}")


def _cells(table: Table) -> Iterator[Cell]:
    for row in table.rows:
        cell = dict(zip(table.columns, row, strict=True))
        for method, place in (("spearman", "bottom-left"), ("pearson", "top-right")):
            yield Cell(
                where=f"Table 3, {place}",
                what=f"{method} correlation of {cell['measure']} and {cell['other']}",
                published=cell[f"{method}, published"],
                ours=cell[f"{method}, ours"],
                digits=2,
                error=np.nan_to_num(cell[f"{method}, error"]).item(),
                open=_towards(cell[f"{method}, ours"], cell[f"{method}, {OTHER_K}"], cell[f"{method}, published"]),
                correction=SWAPPED,
                why=f"{cell[f'{method}, {OTHER_K}']:.4f} with {OTHER_K}; {OTHERS}",
            )


def _towards(ours: float, varied: float, published: float) -> float:
    """How far the other k moves ours in the direction of what was published; 0 if it moves it away."""
    return max(0.0, float(np.sign(published - ours)) * (varied - ours))


def _differences(rank: Array, linear: Array, how: str = "") -> Iterator[Cell]:
    place = np.triu_indices(len(ORDER), 1)
    few = tuple(np.array([(i, j) for i, j in zip(*place, strict=True) if not {ORDER[i], ORDER[j]} & set(APART)]).T)

    def apart(ours: Array, below: bool, at: Any = place) -> float:
        return float(np.nanmean(np.abs(ours - triangle(below))[at]))

    for method, ours in (("spearman", rank), ("pearson", linear)):
        below = TRIANGLE[method]
        what = f"mean absolute difference of the {method} correlations{how}"
        why = f"against the other triangle {apart(ours, not below):.4f}; {OTHERS}"
        yield Cell(where="Table 3", what=what, published=0.0, ours=apart(ours, below), digits=2, why=why)
        what, why = f"{what} without {', '.join(APART)}", OTHERS
        yield Cell(where="Table 3", what=what, published=0.0, ours=apart(ours, below, few), digits=2, why=why)


def _said_of_all(rank: Array, linear: Array) -> Iterator[Cell]:
    place = {symbol: i for i, symbol in enumerate(ORDER)}
    at = np.triu_indices(len(ORDER), 1)
    areas, rest = [place[s] for s in AREAS], [i for i, s in enumerate(ORDER) if s not in AREAS]
    cells: list[tuple[str, Any, Any]] = [
        ("all rank correlations are positive", "yes", truth(bool((rank[at] > 0).all()))),
        ("rank correlations are higher than linear ones on average", "yes", truth(rank[at].mean() > linear[at].mean())),
        ("PAUC and MAPR are the same by rank", "yes", truth(rank[place["PAUC"], place["MAPR"]] > 0.995)),
        ("MPR and MAE are the same by rank", "yes", truth(rank[place["MPR"], place["MAE"]] > 0.995)),
        ("the measure nearest to MSE", "Acc", nearest(rank, "MSE")),
        ("the measure nearest to LogL is an AUC", "yes", truth(nearest(rank, "LogL") in AREAS)),
        ("the measure nearest to CalL", "MSE", nearest(rank, "CalL")),
        ("the measure nearest to CalB", "MSE", nearest(rank, "CalB")),
    ]
    for what, published, ours in cells:
        yield Cell(where="Section 5", what=what, published=published, ours=ours, why=OTHERS)
    highest = float(rank[np.ix_(areas, rest)].max())
    what = "highest correlation of an AUC with another measure"
    yield Cell(where="Section 5", what=what, published=0.82, ours=highest, digits=2, why=OTHERS)


def _said_of_kinds(pairs: Table) -> Iterator[Cell]:
    """What is said of Figs. 2 to 4, by rank correlation."""
    at = np.triu_indices(len(ORDER), 1)
    kinds = ("two-class", "multi-class", "balanced", "imbalanced", "small", "large")
    there = set(pairs.columns["data sets"])
    if not all(kind in there for kind in kinds):
        return
    square = {kind: matrix(pairs, kind, "spearman", list(ORDER)) for kind in kinds}
    mean = {kind: float(np.nanmean(square[kind][at])) for kind in kinds}
    areas = np.array([s in AREAS for s in ORDER])
    collapse = bool(square["two-class"][np.ix_(areas, areas)].min() > 1 - 1e-6)

    def with_any(kind: str, symbol: str, group: tuple[str, ...]) -> bool:
        return bool(set(joined(square[kind], symbol)) & set(group))

    def parted(kind: str) -> bool:
        mine = {*AREAS, "LogL"}
        return not any(group & mine and group - mine for group in _sets(square[kind], 0.2))

    together = any({*DECISIONS, *AREAS} <= group for group in _sets(square["small"], 0.2))
    cells = [
        ("2", "all AUC variants are one for two classes", collapse),
        ("2", "correlations are stronger for many classes", mean["multi-class"] > mean["two-class"]),
        ("2", "MSE joins the AUC measures for two classes", with_any("two-class", "MSE", AREAS)),
        ("2", "MSE joins the measures of decisions for many classes", with_any("multi-class", "MSE", DECISIONS)),
        ("3", "correlations are lower for imbalanced data", mean["imbalanced"] < mean["balanced"]),
        ("3", "CalL joins measures of decisions for balanced data", with_any("balanced", "CalL", DECISIONS)),
        ("3", "CalL does not for imbalanced data", not with_any("imbalanced", "CalL", DECISIONS)),
        ("3", "LogL joins the AUC measures for balanced data", with_any("balanced", "LogL", AREAS)),
        ("3", "LogL does not for imbalanced data", not with_any("imbalanced", "LogL", AREAS)),
        ("3", "CalB joins plain probabilities for imbalanced data", with_any("imbalanced", "CalB", PLAIN)),
        ("3", "CalB does not for balanced data", not with_any("balanced", "CalB", PLAIN)),
        ("4", "decisions and AUC are one cluster at .2 for small data", together),
        ("4", "AUC and LogL are parted from the rest at .2 for large data", parted("large")),
    ]
    for figure, what, holds in cells:
        why = OTHERS + (HALVES if figure in "34" else "")
        yield Cell(where=f"Section 5, Fig. {figure}", what=what, published="yes", ours=truth(bool(holds)), why=why)


def nearest(square: Array, symbol: str) -> str:
    """The other measure that correlates most; the first of equals."""
    row = np.round(square[ORDER.index(symbol)], 9)
    row[ORDER.index(symbol)] = -2
    return ORDER[int(np.nanargmax(row))]


def joined(square: Array, symbol: str) -> list[str]:
    """The measures of the group that a measure is first joined with."""
    from karat.diagrams import Dendrogram

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
