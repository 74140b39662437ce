"""karat's numbers beside those of other programs: equal, or different for a reason that is stated."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np

from karat.conformance.fixed_data import fixed_data
from karat.conformance.live_peers import PEERS
from karat.conformance.stored import VERSIONS, StoredAnswer, stored_answers, stored_data
from karat.core.errors import InputError
from karat.core.table import Table

STORED = 1e-9
"""How far answers that were kept may be from karat's and be called equal: some have nine digits behind the point."""
EQUAL, DIFFERENT, UNEXPLAINED = "equal", "different", "UNEXPLAINED"


@dataclass(frozen=True)
class Row:
    """A number of a program beside karat's."""

    program: str
    data: str
    name: str
    measure: str
    theirs: Any
    ours: Any
    verdict: str
    why: str


def near(one: Any, other: Any, within: float) -> bool:
    """Whether all numbers of two answers are the same."""
    a, b = np.asarray(one, float), np.asarray(other, float)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=within, atol=within, equal_nan=True))


def _live(name: str) -> Iterator[Row]:
    """What an installed library says about the fixed data."""
    peer = PEERS[name]
    for data in fixed_data():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for said in peer.ask(data):
                equal = near(said.theirs, said.ours, peer.within)
                verdict = EQUAL if equal else DIFFERENT if said.note else UNEXPLAINED
                yield Row(name, data.name, said.name, said.measure, said.theirs, said.ours, verdict, said.note)


def _kept(program: str | None) -> Iterator[Row]:
    """What was answered once."""
    for data in stored_data():
        for a in stored_answers(data):
            if program not in (None, a.program):
                continue
            ours = a.same if a.ours is None else a.ours
            yield Row(a.program, a.data, a.name, a.known.measure, a.theirs, ours, _verdict(a), a.known.why)


def _verdict(a: StoredAnswer) -> str:
    """Equal to the same measure, or to the table or the rounded number that was stored; or explained."""
    if a.ours is not None and near(a.theirs, a.ours, STORED):
        return EQUAL
    if not a.known.why or (a.known.rebuilt and not near(a.theirs, a.same, STORED)):
        return UNEXPLAINED
    rounded = a.known.why.startswith("printed with")
    return EQUAL if rounded or not a.known.measure else DIFFERENT


def conformance_rows(peers: Iterable[str] | None = None) -> list[Row]:
    """Every number of the programs that were asked for, or of all that can be asked here."""
    known = list(dict.fromkeys([*PEERS, *VERSIONS]))
    asked = list(known if peers is None else peers)
    rows: list[Row] = []
    for name in asked:
        if name not in known:
            raise InputError(f"there is no program {name!r}; the programs are {', '.join(known)}.")
        here = name in PEERS and find_spec(PEERS[name].module) is not None
        if not here and name not in VERSIONS:
            if peers is not None:
                raise InputError(f"{name} is not installed; install it, or leave it out.")
            continue
        rows += _live(name) if here else []
        rows += _kept(name) if name in VERSIONS else []
    return rows


def versions(rows: Iterable[Row]) -> dict[str, str]:
    """Which version of each program answered."""
    found = {}
    for row in rows:
        if row.data in {data.name for data in fixed_data()}:
            found[row.program] = metadata.version(row.program)
        else:
            found.setdefault(row.program, VERSIONS[row.program])
    return found


def conformance(peers: Iterable[str] | None = None) -> Table:
    """karat's numbers beside those of other programs, on fixed data.

    Installed libraries are asked; of programs that can't be, such as R and MATLAB, answers are kept in the package
    with the data that they were given.

    Parameters
    ----------
    peers : iterable of str, optional
        Programs to compare with; all without.

    Returns
    -------
    Table
        One row for each number: the program, the data, its name there and here, both numbers, whether they are equal,
        and otherwise why not.

    Raises
    ------
    InputError
        If a program is not known or not installed.

    Examples
    --------
    >>> table = conformance(["eve"])
    >>> table.columns["verdict"][:2], table.columns["why"][:2]
    (['different', 'different'], ['1 - CEN', '1 - MCEN'])
    """
    rows = conformance_rows(peers)
    counts = Counter(row.verdict for row in rows)
    said = [f"{counts[verdict]} {words}" for verdict, words in WORDS.items() if counts[verdict]]
    fields = ("program", "data", "name", "measure", "theirs", "ours", "verdict", "why")
    columns: dict[str, list[Any]] = {field: [getattr(row, field) for row in rows] for field in fields}
    columns |= {field: [_plain(x) for x in columns[field]] for field in ("theirs", "ours")}
    return Table(columns, f"{len(rows)} numbers of {len({r.program for r in rows})} programs: {', '.join(said)}")


WORDS = {EQUAL: "equal", DIFFERENT: "different for a stated reason", UNEXPLAINED: "different without a reason"}


def _plain(value: Any) -> Any:
    """A number, or a text of several."""
    array = np.asarray(value, float)
    return float(array) if array.ndim == 0 else " ".join(f"{x:.12g}" for x in array.ravel())
