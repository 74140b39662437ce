"""A small share of the load; `python tests/load/load.py` is the whole of it."""

from __future__ import annotations

import sys

import pytest

from load.load import GROWTH, evaluations, processes, threads


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_evaluations_do_not_grow() -> None:
    assert evaluations(1000)["grown by (MB)"] * 1e6 < GROWTH


def test_threads_give_the_same_numbers() -> None:
    assert threads(128)["different"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_processes_give_the_same_numbers() -> None:
    if sys.version_info >= (3, 12):
        pytest.skip("a process with threads may not be forked there without a warning")
    assert processes(4)["different"] == {"fork": 0, "spawn": 0}
