"""Valverde-Albacete & Pelaez-Moreno (2014): EMA and NIT of ten classifiers (Table 1), and all matrices of Fig. 2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from karat.core.arithmetic import TOLERANCE
from karat.core.study import Study, Tables
from karat.core.words import number, percent
from karat.diagrams import ConfusionMatrix, Diagram, EntropyTriangle, Several
from karat.reproductions.cell import Cell, Publication, numbers
from karat.reproductions.paper_figures import PaperFigure, side_by_side
from karat.studies.census import Census
from karat.studies.population import Population

TITLE = "Valverde-Albacete & Pelaez-Moreno 2014"
PAPER = Publication("valverde2014")
SYMBOLS = ("k_X|Y", "mu", "Acc", "EMA", "NIT")
TABLE_1 = {row["classifier"]: {s: float(row[s]) for s in SYMBOLS} for row in numbers("valverde2014_table_1")}
SIZES = {2: 100, 3: 18, 4: 16}


def studies(*, share: float, seed: int, matrices: Any = None) -> dict[str, Study]:
    """The whole census for 2, 3 and 4 classes (`share` below 1 leaves out 4), and the challenge if it is given."""
    needed: dict[str, Study] = {
        f"census_{k}": Census(classes=k, cases=n, seed=seed) for k, n in SIZES.items() if share == 1 or k < 4
    }
    if matrices is not None:
        needed["meg"] = Population(matrices=matrices, seed=seed)
    return needed


def cells(tables: Mapping[str, Tables]) -> Iterator[Cell]:
    """Table 1, the steps, Fig. 2."""
    challenge = tables.get("meg")
    yield from _table_1({} if challenge is None else {r["classifier"]: r for r in challenge["ranking"].records})
    if challenge is None:
        yield from (PAPER.cell(f"not run {step}", None) for step in PAPER.keys("not run"))
    else:
        yield from _steps(challenge)
    for k in SIZES:
        if f"census_{k}" in tables:
            yield from _census(k, tables[f"census_{k}"])


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
    share = {r["classifier"]: r["imbalance of decisions"] for r in tables["triangle"].records}
    names = sorted(share, key=lambda n: -share[n])
    yield PAPER.cell("specialised", names[0], shares=", ".join(f"{n} {number(share[n])}" for n in names[:3]))
    for pair in tables["pairs"].records:
        if {pair["better"], pair["worse"]} == {"C_4", "C_1"}:
            sure = (
                "significantly"
                if pair["beyond chance"]
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


def _figure_1(tables: Mapping[str, Tables], matrices: Any = None) -> Diagram | Several | None:
    if matrices is None or not {"C_1", "C_4"} <= set(matrices):
        return None
    return side_by_side([ConfusionMatrix.from_matrix(matrices[name], name=name) for name in ("C_1", "C_4")])


def _figure_2(tables: Mapping[str, Tables]) -> Diagram | Several:
    drawn = {k: tables[f"census_{k}"] for k in SIZES if f"census_{k}" in tables}
    return side_by_side([Census(classes=k, cases=SIZES[k]).figures(t)["triangle"] for k, t in drawn.items()])


def _figure_4(tables: Mapping[str, Tables], matrices: Any = None) -> Diagram | None:
    return None if matrices is None else EntropyTriangle.from_matrices(matrices, colour="Acc")


FIGURES = (
    PaperFigure(
        1, "confusion matrices of the best classifiers by accuracy (C_1) and by EMA (C_4)", _figure_1, "matrices"
    ),
    PaperFigure(2, "all confusion matrices of some accuracies in the entropy triangle, by cells of 1/50", _figure_2),
    PaperFigure(
        4, "the classifiers of the challenge in the entropy triangle, coloured by accuracy", _figure_4, "matrices"
    ),
)
