"""Two commands under each fault; `python tests/faults/commands_under_faults.py` tries all of them."""

from __future__ import annotations

import random
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked, and limited")

if sys.platform != "win32":
    from faults.commands_under_faults import FAULTS, OLD, Trials


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    pytest.importorskip("pyarrow")  # the checkpoints'
    return Trials(tmp_path_factory.mktemp("faults"), ["gate", "checkpoint"])


@pytest.mark.parametrize("fault", FAULTS if sys.platform != "win32" else [])
def test_the_old_file_or_the_new_one(fault: str, trials: Trials) -> None:
    name = "checkpoint" if fault in ("kill", "write") else "gate"
    assert trials.trial(name, fault, random.Random(fault)) == ""


def test_a_wrong_end_is_seen(trials: Trials) -> None:
    out = trials.folder / "out.xml"
    trials.end("gate")
    assert trials.wrong("gate", "write", 0) == ""
    out.write_bytes(OLD[:3])
    assert "neither the old nor the new" in trials.wrong("gate", "write", 0)
    out.write_bytes(OLD)
    assert "was not written" in trials.wrong("gate", "write", 0)
    assert "ended with 1" in trials.wrong("gate", "write", 1)
    (trials.folder / "err").write_text("Traceback (most recent call last):")
    assert "it said" in trials.wrong("gate", "write", 2)
