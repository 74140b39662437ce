"""A real cluster on this machine: the same table by the same call, also if a worker is killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import karat
from commands import refused
from karat import InputError
from karat.adapters.dask import cluster
from karat.studies import Correlation

PATIENCE = 12.0
"""Seconds; a cluster that has not started by then is not tested."""


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of dask, ended at the end."""
    where = [str(Path(karat.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(where), "OMP_NUM_THREADS": "1"}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-m", *words], env=env, **quiet)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(holds: Any, patience: float = PATIENCE) -> bool:
    """Wait for it."""
    end = time.monotonic() + patience
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(holds())


@pytest.mark.filterwarnings("ignore")  # what dask says while a worker is lost
def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    found_at = tmp_path / "scheduler.json"
    place = ("--scheduler-file", str(found_at), "--no-dashboard")
    worker = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *place)
    with (
        started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *place),
        started(*worker, "--name", "one") as victim,
        started(*worker, "--name", "two"),
    ):
        if not until(lambda: found_at.exists() and found_at.read_text().rstrip().endswith("}")):  # written whole
            pytest.skip("the scheduler has not started in time")
        address = json.loads(found_at.read_text())["address"]
        with distributed.Client(address, timeout=PATIENCE) as client:
            try:
                client.wait_for_workers(2, timeout=PATIENCE)
            except TimeoutError:
                pytest.skip("the workers have not started in time")
        told: dict[str, Any] = {"datasets": "iris", "learners": "NB,MLP", "repetitions": 20, "folds": 2}
        study = Correlation(**told, measures="Acc,AUNU,MSE,CalB")
        units, folder = len(study.units()), tmp_path / "run"
        left: list[int] = []

        def kill() -> None:
            until(lambda: len(list(folder.glob("*.npz"))) >= 2)
            left.append(units - len(list(folder.glob("*.npz"))))
            os.kill(victim.pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with cluster(address) as (executor, threads):
            assert threads == 2
            there = study.run(executor=executor, workers=threads, folder=folder)
        killer.join()
    assert left[0] > 2  # units that were still to do
    here = study.run(workers=1)
    assert {k: t.to_dict() for k, t in there.items()} == {k: t.to_dict() for k, t in here.items()}


def test_where_no_scheduler_answers() -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with (
        pytest.raises(InputError, match="no scheduler answers at 'tcp:"),
        cluster("tcp://127.0.0.1:9", 0.3),
    ):
        pass
    with pytest.raises(InputError, match="no scheduler answers at 'nowhere:x'"), cluster("nowhere:x", 0.3):
        pass


def test_a_cluster_without_dask_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ("study", "traits", "--scheduler", "tcp://127.0.0.1:9")
    assert "pip install karat[cluster]" in refused(capsys, *words)
