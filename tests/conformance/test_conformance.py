"""karat beside other programs: nothing differs without a reason, and what would is found."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.conformance import conformance
from karat.conformance.conformance import DIFFERENT, EQUAL, UNEXPLAINED, conformance_rows, near
from karat.conformance.fixed_data import fixed_data
from karat.conformance.live_peers import PEERS, Said

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
INSTALLED = [name for name, peer in PEERS.items() if find_spec(peer.module) is not None]


@pytest.mark.parametrize("program", INSTALLED or [pytest.param("", marks=pytest.mark.skip("no library is installed"))])
def test_installed_libraries(program: str) -> None:
    rows = conformance_rows([program])
    assert [row for row in rows if row.verdict == UNEXPLAINED] == []
    assert sum(row.verdict == EQUAL for row in rows) > 0 or program == "MAPIE"


def test_a_difference_without_a_reason_is_found(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    def ask(data: Any) -> Any:
        yield Said("near", "Acc", data.evaluated["Acc"] + 1e-11, data.evaluated["Acc"])
        yield Said("other", "Acc", 0.1, data.evaluated["Acc"], "it is made up")
        yield Said("same", "Acc", data.evaluated["Acc"], data.evaluated["Acc"])

    monkeypatch.setitem(PEERS, "a library", PEERS["PyCM"]._replace(module="numpy", ask=ask))
    assert [row.verdict for row in conformance_rows(["a library"])][:3] == [UNEXPLAINED, DIFFERENT, EQUAL]
    told = run("conformance", "a library", code=1)
    assert "UNEXPLAINED" in told
    [shown] = {line.split(":")[0] for line in told.splitlines() if line.startswith("- a library, other and Acc")}
    assert "\nDifferent, the first of each name:\n- a library, near and Acc" in told
    assert "(0.1, karat" in shown
    assert "9 numbers of 1 programs: 3 equal, 3 different for a stated reason, 3 different without a reason" in told


def test_programs_that_are_not_there() -> None:
    with pytest.raises(karat.InputError, match="there is no program 'Excel'; the programs are scikit-learn, PyCM, "):
        conformance(["Excel"])
    if "evalstats" not in INSTALLED:
        with pytest.raises(karat.InputError, match="evalstats is not installed; install it, or leave it out"):
            conformance(["evalstats"])


def test_commands(run: Any, told: Any, tmp_path: Path) -> None:
    facts = told("conformance", "eve")
    assert facts["summary"] == "60 numbers of 1 programs: 30 equal, 30 different for a stated reason"
    assert facts["numbers"]["why"][:2] == ["1 - CEN", "1 - MCEN"]
    assert "-o FILE.csv writes all of them" in run("conformance", "eve", "psych")
    run("conformance", "psych", "-o", tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text().count("\n") == 5


def test_the_page_speaks_of_every_measure_and_every_library() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert " 0 different without one.**" in text
    missing = [key for key in karat.catalogue.measures if f"| {key.replace('|', chr(92) + '|')} |" not in text]
    assert missing == []
    assert [name for name in PEERS if f"| {name} |" not in text] == []


def test_fixed_data_are_made_by_whole_numbers() -> None:
    """By hand, of the first case of four classes: parts 1, 2, 5, 10 of 18 in 64 steps, the rest to the largest."""
    two, four, weighted = fixed_data()
    assert (64 * four.p[0]).tolist() == [3, 7, 17, 37]
    assert (four.p.sum(axis=1) == 1).all()
    assert np.array_equal(weighted.y, two.y)
    assert set(four.y.tolist()) == set(four.predicted.tolist()) == {0, 1, 2, 3}


def test_near() -> None:
    assert near(1.0, 1 + 1e-13, 1e-12)
    assert not near(1.0, 1 + 1e-11, 1e-12)
    assert near([np.nan, 1], [np.nan, 1], 1e-12)
    assert not near([1.0], [1.0, 1.0], 1e-12)
