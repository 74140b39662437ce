"""Valverde-Albacete & Pelaez-Moreno (2014): Table 1, its four steps, and the matrices of Fig. 2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from karat.core.study import Study, Tables
from karat.core.surface import option
from karat.reproductions.cell import Cell, truth
from karat.studies.census import Census
from karat.studies.population import Population

TITLE = "Valverde-Albacete & Pelaez-Moreno 2014"
COLUMNS = ("k_X|Y", "mu", "Acc", "EMA", "NIT")
TABLE_1 = {
    "C_1": "2.562 1.932 .680 .390 .386",
    "C_2": "2.447 2.023 .632 .409 .405",
    "C_3": "2.589 1.912 .628 .386 .382",
    "C_4": "2.430 2.037 .622 .412 .407",
    "C_5": "2.723 1.818 .565 .367 .364",
    "C_6": "2.682 1.846 .542 .373 .369",
    "C_7": "2.730 1.813 .539 .366 .363",
    "C_8": "3.629 1.364 .472 .276 .273",
    "C_9": "2.995 1.653 .443 .334 .331",
    "C_10": "4.801 1.031 .242 .208 .206",
}
RANKING = "C_4 C_2 C_1 C_3 C_6 C_5 C_7 C_9 C_8 C_10"
PARTS = "NIT is 1 / (delta_X k_X|Y), eq. (5); eq. (4) is printed upside down"
SIZES = {2: 100, 3: 18, 4: 16}
COUNTS = {2: 89_726, 3: 320_821, 4: 22_567_113}
"""Matrices of the construction in Data, parts of at least 0; the paper prints no counts, these are by formula."""


def _without_matrices() -> str:
    return f"the matrices of the challenge are not part of karat; give them with {option('matrices')}"


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
    yield from _table_1(tables.get("meg"))
    yield from _steps(tables.get("meg"))
    for k in SIZES:
        if f"census_{k}" in tables:
            yield from _census(k, tables[f"census_{k}"])


def _table_1(tables: Tables | None) -> Iterator[Cell]:
    ranked = (
        {}
        if tables is None
        else {r[1]: dict(zip(tables["ranking"].columns, r, strict=True)) for r in tables["ranking"].rows}
    )
    for name, row in TABLE_1.items():
        printed = dict(zip(COLUMNS, map(float, row.split()), strict=True))
        for symbol in COLUMNS:
            ours = ranked[name][symbol] if name in ranked else None
            yield Cell(
                where="Table 1",
                what=f"{symbol} of {name}",
                published=printed[symbol],
                digits=3,
                ours=ours,
                correction=PARTS if symbol == "NIT" else "",
                why=_without_matrices() if ours is None else "",
            )
        # the columns among themselves, from the printed digits alone
        left, mu = printed["k_X|Y"], printed["mu"]
        slack = 0.0005 / left
        yield Cell(
            where="Table 1",
            what=f"EMA of {name} from its k_X|Y",
            published=printed["EMA"],
            digits=3,
            ours=1 / left,
            error=slack / left / 3,
        )
        yield Cell(
            where="Table 1",
            what=f"mu of {name} from k_X 4.950",
            published=mu,
            digits=3,
            ours=4.950 / left,
            error=(slack * mu + slack) / 3,
        )
        yield Cell(
            where="Table 1",
            what=f"NIT of {name} from mu",
            published=printed["NIT"],
            digits=3,
            ours=mu / 5,
            error=0.0001 / 3,
            correction=PARTS,
        )


def _steps(tables: Tables | None) -> Iterator[Cell]:
    if tables is None:
        for what, published in (("k_X", 4.950), ("order by EMA", RANKING)):
            yield Cell(where="Four steps", what=what, published=published, ours=None, why=_without_matrices())
        return
    order = [r[1] for r in tables["ranking"].rows]
    effective = float(tables["steps"].rows[0][1].split()[2])
    yield Cell(where="Step 1", what="k_X", published=4.950, digits=3, ours=effective)
    yield Cell(where="Step 2", what="order by EMA", published=RANKING, ours=" ".join(order))
    triangle = {r[0]: dict(zip(tables["triangle"].columns, r, strict=True)) for r in tables["triangle"].rows}
    names = sorted(triangle, key=lambda n: -triangle[n]["imbalance of decisions"])
    shares = ", ".join(f"{n} {triangle[n]['imbalance of decisions']:.3f}" for n in names[:3])
    yield Cell(
        where="Step 3",
        what="the most specialised classifier",
        published="C_10",
        ours=names[0],
        why=f"share of the decisions' room that their imbalance takes: {shares}; C_10 is near chance instead",
    )
    pairs = {(r[0], r[1]): r for r in tables["pairs"].rows}
    pair = pairs.get(("C_4", "C_1")) or pairs.get(("C_1", "C_4"))
    if pair:
        yield Cell(
            where="Step 2",
            what="C_4 is before C_1",
            published="yes",
            ours=truth(pair[0] == "C_4"),
            why=f"but not beyond chance: probability {pair[2]:.2f}" if not pair[3] else "beyond chance",
        )


def _census(k: int, tables: Tables) -> Iterator[Cell]:
    n = SIZES[k]
    counts = dict(tables["counts"].rows)
    where = f"Data, k = {k}, N = {n}"
    yield Cell(
        where=where,
        what="matrices of the construction",
        published=COUNTS[k],
        ours=counts["all"],
        why="parts of 0 are taken; the count is ours, by formula, the paper prints none",
    )
    ranges = [dict(zip(tables["ranges"].columns, r, strict=True)) for r in tables["ranges"].rows]
    drawn = [r for r in ranges if r["drawn"] and r["measure"] == "ET_2MI"]
    for r in drawn:
        where = f"Fig. 2, k = {k}, accuracy {r['right']}/{n}"
        yield Cell(where=where, what="lowest 2MI'", published=0.0, ours=r["lowest"], digits=9)
        yield Cell(
            where=where,
            what="highest 2MI'",
            published=1.0,
            ours=r["highest"],
            digits=4,
            why="over all matrices of this accuracy it does not reach 1",
        )
    mixed = [r for r in tables["interspersed"].rows if r[2] == "triangle"]
    for lower, upper, _, _, _, _, shared in mixed:
        where = f"Fig. 2, k = {k}, accuracies {lower:.2f} and {upper:.2f}"
        apart = k == 2 and lower >= 0.75
        yield Cell(
            where=where,
            what="interspersed in the triangle",
            published="no" if apart else "yes",
            ours=truth(shared > 0.05),
            why=f"{shared:.1%} of the smaller's cells of width .02 are shared",
        )
    assert all(math.isfinite(r["highest"]) for r in drawn)
