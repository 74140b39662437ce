"""What papers published, run again: published against ours, cell by cell."""

from __future__ import annotations

from collections import Counter
from inspect import signature
from pathlib import Path
from typing import Any

from karat.core.errors import InputError
from karat.core.study import Tables
from karat.core.table import Table
from karat.engines import run
from karat.reproductions import ferri2009, jurman2012, prati2011, valverde2014, wang2013
from karat.reproductions.cell import Cell, table_of

PAPERS: dict[str, Any] = {"ferri2009": ferri2009, "valverde2014": valverde2014, "jurman2012": jurman2012}
PAPERS |= {"wang2013": wang2013, "prati2011": prati2011}
"""Key of a reference to the module that has `studies(share, seed, ...)` and `cells(tables, ...)`: of what
`reproduce` is given besides (matrices, data, predictions) they get what they ask for; more is refused."""


def reproduce(
    paper: str,
    *,
    share: float = 1.0,
    matrices: Any = None,
    data: Any = None,
    predictions: Any = None,
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    progress: bool = False,
    executor: Any = None,
) -> Table:
    """Run again what a paper published, and set ours against it.

    Parameters
    ----------
    paper : its key, for example "ferri2009".
    share : of the published number of repetitions; less is quicker and less sure.
    matrices : {name: confusion matrix} where the paper's own are needed and not public.
    data : folder of the paper's data sets, where it learns from some.
    predictions : folder of predictions files of the paper's models, where it publishes none.
    seed, workers, folder, progress, executor : as for `karat.engines.run`; in `folder` each study has one of its own.
    """
    if paper not in PAPERS:
        raise InputError(f"there is no reproduction of {paper!r}; there are those of {', '.join(PAPERS)}.")
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise InputError(f"share is {share!r}; give a number above 0, up to 1.")
    reproduction = PAPERS[paper]
    tables: dict[str, Tables] = {}
    inputs = {"matrices": matrices, "data": data, "predictions": predictions}
    given = {name: value for name, value in inputs.items() if value is not None}
    _refuse_unused(paper, given)
    for name, study in reproduction.studies(share=share, seed=seed, **_inputs_of(reproduction.studies, given)).items():
        own = None if folder is None else Path(folder) / name
        tables[name] = run(study, workers=workers, folder=own, executor=executor, progress=progress)
    cells: list[Cell] = list(reproduction.cells(tables, **_inputs_of(reproduction.cells, given)))
    counts = Counter(c.verdict for c in cells)
    return table_of(cells, f"{reproduction.TITLE}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))


def _refuse_unused(paper: str, given: dict[str, Any]) -> None:
    reproduction = PAPERS[paper]
    names = {**signature(reproduction.studies).parameters, **signature(reproduction.cells).parameters}
    takers = [name for name in ("matrices", "data", "predictions") if name in names]
    for name in given:
        if name not in takers:
            takes = f"it takes {' and '.join(takers)}" if takers else "it takes none of them"
            raise InputError(
                f"{name} was given, which the reproduction of {paper} does not use: {takes}; leave it out."
            )


def _inputs_of(function: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What of all that was given a function takes."""
    return {name: value for name, value in given.items() if name in signature(function).parameters}


__all__ = ["PAPERS", "reproduce"]
