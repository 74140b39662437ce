"""What papers published, run again: the published numbers beside ours, cell by cell."""

from __future__ import annotations

from collections import Counter
from inspect import signature
from pathlib import Path
from typing import Any

from karat.core.errors import InputError, option
from karat.core.study import Tables
from karat.core.table import Table
from karat.engines import run
from karat.reproductions import ferri2009, jurman2012, prati2011, valverde2014, wang2013
from karat.reproductions.cell import Cell, table_of
from karat.reproductions.paper_figures import drawn_into, folder_for

PAPERS: dict[str, Any] = {"ferri2009": ferri2009, "valverde2014": valverde2014, "jurman2012": jurman2012}
PAPERS |= {"wang2013": wang2013, "prati2011": prati2011}
"""Key of a reference to the module that has `studies(share, seed, ...)`, `cells(tables, ...)` and `FIGURES`: of what
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
    figures: str | Path | None = None,
    progress: bool = False,
    executor: Any = None,
) -> Table:
    """Run the experiments of a paper again, and compare each published number with ours.

    Parameters
    ----------
    paper : str
        Key of the paper: "ferri2009", "valverde2014", "jurman2012", "wang2013" or "prati2011".
    share : float
        Share of the published number of repetitions, above 0 and up to 1; less is faster and less precise.
    matrices : {name: confusion matrix}, optional
        The paper's own confusion matrices, where they are needed (valverde2014).
    data : path, optional
        Folder of the paper's data sets (ferri2009, wang2013, prati2011).
    predictions : path, optional
        Folder of prediction files of the paper's models (prati2011).
    seed : int
        Seed of the random numbers.
    workers, executor, progress
        As in `karat.engines.run`.
    folder : path, optional
        Keeps finished units, in a folder for each study; the same call resumes an interrupted run.
    figures : path, optional
        Folder for the figures of the paper, as SVG, drawn of what was computed; its `figures.md` lists them.

    Returns
    -------
    Table
        One row for each published number or statement: where and what it is, the published value and ours, the Monte
        Carlo error, the verdict, and a note.

    Raises
    ------
    InputError
        If the paper is not known, or is given what its reproduction does not use.

    See Also
    --------
    karat.engines.run : Run a single study.

    Examples
    --------
    >>> cells = reproduce("prati2011")
    >>> cells.rows[0][:4]
    ['Section 4.5, Fig. 7', 'profit of A at fpr 0.1, tpr 0.5', 96500.0, 96500.0]
    """
    if paper not in PAPERS:
        raise InputError(f"there is no reproduction of {paper!r}; the papers are {', '.join(PAPERS)}.")
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise InputError(f"share is {share!r}; pass a number above 0, up to 1.")
    reproduction = PAPERS[paper]
    tables: dict[str, Tables] = {}
    inputs = {"matrices": matrices, "data": data, "predictions": predictions}
    given = {name: value for name, value in inputs.items() if value is not None}
    _refuse_unused(paper, given)
    place = None if figures is None else folder_for(figures)
    for name, study in reproduction.studies(share=share, seed=seed, **_taken(reproduction.studies, given)).items():
        own = None if folder is None else Path(folder) / name
        tables[name] = run(study, workers=workers, folder=own, executor=executor, progress=progress)
    cells: list[Cell] = list(reproduction.cells(tables, **_taken(reproduction.cells, given)))
    if place is not None:
        drawn_into(place, paper, reproduction.FIGURES, tables, given, progress=progress)
    counts = Counter(c.verdict for c in cells)
    return table_of(cells, f"{reproduction.TITLE}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))


def _refuse_unused(paper: str, given: dict[str, Any]) -> None:
    inputs = inputs_of(PAPERS[paper])
    for name in given:
        if name not in inputs:
            takes = f"it uses {' and '.join(map(option, inputs))}" if inputs else "it needs no input"
            raise InputError(f"the reproduction of {paper} does not use {option(name)} ({takes}); leave it out.")


def inputs_of(reproduction: Any) -> list[str]:
    """What of matrices, data and predictions a reproduction can be given."""
    names = {**signature(reproduction.studies).parameters, **signature(reproduction.cells).parameters}
    return [name for name in ("matrices", "data", "predictions") if name in names]


def _taken(function: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What of all that was given a function takes."""
    return {name: value for name, value in given.items() if name in signature(function).parameters}


__all__ = ["PAPERS", "inputs_of", "reproduce"]
