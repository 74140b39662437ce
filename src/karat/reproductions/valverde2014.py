"""Valverde-Albacete & Pelaez-Moreno (2014): EMA and NIT of ten classifiers (Table 1, Figs. 1 and 4), all matrices of
Fig. 2, and the balance of entropies that Figs. 3, 5 and 6 explain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.batches import evaluate_matrices
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Study, Tables
from karat.core.words import number, percent
from karat.diagrams import ConfusionMatrix, Diagram, EntropyTriangle, InformationChain, Several
from karat.reproductions.cell import Cell, Publication, numbers
from karat.reproductions.paper_figures import PaperFigure, side_by_side
from karat.studies.census import Census
from karat.studies.population import Population

TITLE = "Valverde-Albacete & Pelaez-Moreno 2014"
PAPER = Publication("valverde2014")
SYMBOLS = ("k_X|Y", "mu", "Acc", "EMA", "NIT")
TABLE_1 = {row["classifier"]: {s: float(row[s]) for s in SYMBOLS} for row in numbers("valverde2014_table_1")}
SIZES = {2: 100, 3: 18, 4: 16}
SHORT = [0, 1, 2]
"""Classes of the first category of stimuli, short clips; the others are long ones."""
EVEN = 1 / 3
"""The mean of each share if matrices were spread evenly over the triangle."""
CHAIN = ("k_X", "k_X|Y", "delta_X", "mu", "m_Y", "m_Y|X", "delta_Y")
EXTREMES = {
    "perfect": [[30, 0, 0], [0, 30, 0], [0, 0, 30]],
    "random": [[10, 10, 10], [10, 10, 10], [10, 10, 10]],
    "majority": [[90, 0, 0], [0, 0, 0], [0, 0, 0]],
}
"""Balanced data and all right, or evenly wrong; all cases in one class, and predicted as such."""


def studies(*, share: float, seed: int, matrices: Any = None) -> dict[str, Study]:
    """The whole census for 2, 3 and 4 classes (`share` below 1 leaves out 4), and the challenge if it is given."""
    needed: dict[str, Study] = {
        f"census_{k}": Census(classes=k, cases=n, seed=seed) for k, n in SIZES.items() if share == 1 or k < 4
    }
    if matrices is not None:
        needed["meg"] = Population(matrices=matrices, seed=seed)
    return needed


def cells(tables: Mapping[str, Tables], matrices: Any = None) -> Iterator[Cell]:
    """Table 1, the steps, Fig. 2, then the other figures."""
    challenge = tables.get("meg")
    yield from _table_1({} if challenge is None else {r["classifier"]: r for r in challenge["ranking"].records})
    if challenge is None:
        yield from (PAPER.cell(f"not run {step}", None) for step in PAPER.keys("not run"))
    else:
        yield from _steps(challenge)
    for k in SIZES:
        if f"census_{k}" in tables:
            yield from _census(k, tables[f"census_{k}"])
    yield from _categories(matrices)
    yield from _clusters(tables)
    yield from _balances()


def _table_1(ranked: dict[str, dict[str, Any]]) -> Iterator[Cell]:
    for name, printed in TABLE_1.items():
        for symbol, value in printed.items():
            key = ("NIT" if symbol == "NIT" else "Table 1") + ("" if name in ranked else " not run")
            ours = ranked.get(name, {}).get(symbol)
            yield PAPER.cell(key, ours, published=value, symbol=symbol, name=name)
        # the columns among themselves, from the printed digits alone
        left, mu = printed["k_X|Y"], printed["mu"]
        slack = 0.0005 / left
        yield PAPER.cell("EMA from k_X|Y", 1 / left, published=printed["EMA"], error=slack / left / 3, name=name)
        yield PAPER.cell("mu from k_X", 4.950 / left, published=mu, error=(slack * mu + slack) / 3, name=name)
        yield PAPER.cell("NIT from mu", mu / 5, published=printed["NIT"], error=0.0001 / 3, name=name)


def _steps(tables: Tables) -> Iterator[Cell]:
    yield PAPER.cell("k_X", float(tables["steps"].rows[0][1].split()[2]))
    yield PAPER.cell("order", " ".join(tables["ranking"].columns["classifier"]))
    share = {r["classifier"]: r["imbalance of predictions"] for r in tables["triangle"].records}
    names = sorted(share, key=lambda n: -share[n])
    yield PAPER.cell("specialised", names[0], shares=", ".join(f"{n} {number(share[n])}" for n in names[:3]))
    for pair in tables["pairs"].records:
        if {pair["better"], pair["worse"]} == {"C_4", "C_1"}:
            sure = (
                "significantly"
                if pair["significant"]
                else f"not significantly (probability {number(pair['probability'])})"
            )
            yield PAPER.cell("C_4 before C_1", pair["better"] == "C_4", sure=sure)


def _census(k: int, tables: Tables) -> Iterator[Cell]:
    n = SIZES[k]
    yield PAPER.cell(f"matrices {k}", dict(tables["counts"].rows)["all"])
    for r in tables["ranges"].records:
        if r["drawn"] and r["measure"] == "ET_2MI":
            assert math.isfinite(r["highest"]), "every accuracy that is drawn has matrices"
            yield PAPER.cell("lowest", r["lowest"], k=k, right=r["right"], n=n)
            why = None if r["highest"] < 1 - TOLERANCE else ""  # the note is of those that do not reach 1
            yield PAPER.cell("highest", r["highest"], why=why, k=k, right=r["right"], n=n)
    information = [r for r in tables["ranges"].records if r["drawn"] and r["measure"] == "ET_2MI"]
    reached = [r["accuracy"] for r in information if r["lowest"] <= 0.6 <= r["highest"]]
    yield PAPER.cell("same information", len(reached) > 1, k=k, accuracies=", ".join(map(number, reached)))
    imbalance = [(r["matrices"], r["mean"]) for r in tables["ranges"].records if r["drawn"] and r["measure"] == "ET_DH"]
    mean = sum(n * x for n, x in imbalance) / sum(n for n, _ in imbalance)
    yield PAPER.cell("accumulation", mean < EVEN, k=k, mean=number(mean))
    for lower, upper, what, _, _, _, shared in tables["interspersed"].rows:
        if what == "triangle":
            apart = k == 2 and lower >= 0.75
            yield PAPER.cell(
                "apart" if apart else "interspersed",
                shared > 0.05,
                k=k,
                lower=lower,
                upper=upper,
                shared=percent(shared),
            )


def _categories(matrices: Any) -> Iterator[Cell]:
    """Fig. 1: which errors stay within a category of stimuli."""
    if matrices is None or not {"C_1", "C_4"} <= set(matrices) or len(matrices["C_1"]) != 5:
        yield PAPER.cell("heat maps not run", None)
        return
    inside, as_fourth = {}, {}
    for name in ("C_1", "C_4"):
        table = np.array(matrices[name], float)
        wrong = table - np.diag(np.diag(table))
        long = [i for i in range(len(table)) if i not in SHORT]
        within = sum(wrong[np.ix_(part, part)].sum() for part in (SHORT, long))
        inside[name], as_fourth[name] = within / wrong.sum(), wrong[SHORT, 3].sum() / wrong[SHORT].sum()
    words: dict[str, Any] = {name: percent(share) for name, share in inside.items()}
    yield PAPER.cell("errors inside C_4", inside["C_4"] > 0.5, **words)
    yield PAPER.cell("cleaner", inside["C_4"] > inside["C_1"], **words)
    words = {name: percent(share) for name, share in as_fourth.items()}
    yield PAPER.cell("predicted as y_4", as_fourth["C_1"] > 0.5, **words)


def _clusters(tables: Mapping[str, Tables]) -> Iterator[Cell]:
    """Fig. 4: groups of the seven classifiers that are before the others."""
    if "meg" not in tables:
        yield PAPER.cell("clusters not run", None)
        return
    from scipy.cluster.hierarchy import fcluster, linkage

    rows = tables["meg"]["triangle"].records[:7]
    points = np.array([[r["imbalance"], r["information"], r["variation"]] for r in rows])
    label = fcluster(linkage(points, "average"), 3, "maxclust") if len(rows) == 7 else []
    groups = {" ".join(r["classifier"] for r, c in zip(rows, label, strict=False) if c == one) for one in set(label)}
    yield PAPER.cell("clusters", " | ".join(sorted(groups)))


def _balances() -> Iterator[Cell]:
    """Figs. 3, 5 and 6, on matrices of 2 to 6 classes."""
    rng = np.random.default_rng(1)
    worst: dict[str, float] = {"chain": 0.0, "balance": 0.0, "split": 0.0}
    ordered = True
    for k in range(2, 7):
        drawn = rng.integers(0, 30, (200, k, k)).astype(float)
        of = evaluate_matrices(list(drawn), [*CHAIN, *(f"{t}_{s}" for t in ("ETX", "ETY") for s in ("DH", "MI", "VI"))])
        of |= evaluate_matrices(list(drawn), ["ET_DH", "ET_2MI", "ET_VI"])
        for whole, left in (("delta_X", "k_X|Y"), ("delta_Y", "m_Y|X")):
            worst["chain"] = max(worst["chain"], _most(of[whole] * of["mu"] * of[left] - k))
        worst["balance"] = max(worst["balance"], _most(of["ET_DH"] + of["ET_2MI"] + of["ET_VI"] - 1))
        for t in ("ETX", "ETY"):
            worst["split"] = max(worst["split"], _most(of[f"{t}_DH"] + of[f"{t}_MI"] + of[f"{t}_VI"] - 1))
        for whole, left in (("k_X", "k_X|Y"), ("m_Y", "m_Y|X")):
            chain = np.array([np.full(len(drawn), float(k)), of[whole], of[left], np.ones(len(drawn))])
            ordered &= bool((np.diff(chain, axis=0) <= TOLERANCE).all())
    for key, error in worst.items():
        yield PAPER.cell(key, error < TOLERANCE, apart=error)
    yield PAPER.cell("inequalities", ordered)
    at = evaluate_matrices([np.array(m, float) for m in EXTREMES.values()], ["ET_DH", "ET_2MI", "ET_VI"])
    shares = {n: tuple(float(at[s][i]) for s in ("ET_DH", "ET_2MI", "ET_VI")) for i, n in enumerate(EXTREMES)}
    for name, corner in (("perfect", (0, 1, 0)), ("random", (0, 0, 1)), ("majority", (1, 0, 0))):
        yield PAPER.cell(f"corner {name}", _most(np.array(shares[name]) - corner) < TOLERANCE)


def _most(errors: Array) -> float:
    return float(np.abs(errors).max())


def _figure_1(tables: Mapping[str, Tables], matrices: Any = None) -> Diagram | Several | None:
    if matrices is None or not {"C_1", "C_4"} <= set(matrices):
        return None
    return side_by_side([ConfusionMatrix.from_matrix(matrices[name], name=name) for name in ("C_1", "C_4")])


def _figure_2(tables: Mapping[str, Tables]) -> Diagram | Several:
    drawn = {k: tables[f"census_{k}"] for k in SIZES if f"census_{k}" in tables}
    return side_by_side([Census(classes=k, cases=SIZES[k]).figures(t)["triangle"] for k, t in drawn.items()])


def _figure_3(tables: Mapping[str, Tables], matrices: Any = None) -> Diagram:
    name = "C_4" if matrices is not None and "C_4" in matrices else "example"
    matrix = matrices[name] if name == "C_4" else [[30, 10, 2], [8, 25, 5], [1, 6, 20]]
    return InformationChain.from_matrix(matrix, name=name)


def _figure_6(tables: Mapping[str, Tables]) -> Diagram:
    return EntropyTriangle.from_matrices(EXTREMES)


def _figure_4(tables: Mapping[str, Tables], matrices: Any = None) -> Diagram | None:
    return None if matrices is None else EntropyTriangle.from_matrices(matrices, colour="Acc")


FIGURES = (
    PaperFigure(
        1, "confusion matrices of the best classifiers by accuracy (C_1) and by EMA (C_4)", _figure_1, "matrices"
    ),
    PaperFigure(2, "all confusion matrices of some accuracies in the entropy triangle, by cells of 1/50", _figure_2),
    PaperFigure(3, "entropy and perplexity from the classes to the predictions (C_4, or an example)", _figure_3),
    PaperFigure(
        4, "the classifiers of the challenge in the entropy triangle, coloured by accuracy", _figure_4, "matrices"
    ),
    PaperFigure(6, "extreme classifiers in the entropy triangle", _figure_6),
)
