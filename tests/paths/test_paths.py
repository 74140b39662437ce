"""One number on every path; `python tests/paths/paths.py 0 100000` tries as many problems as there is time for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from karat import catalogue, kernels
from paths.paths import Random, all_values, differences, far, paths

HERE = Path(__file__).parent
TRIED = range(30)


def test_every_path_gives_the_same_number() -> None:
    assert [found for seed in TRIED for found in differences(seed)] == []


def test_all_paths_are_taken() -> None:
    """Problems of every kind come up among those that are tried."""
    taken = {path for seed in TRIED for path, _ in paths(Random.of(seed), seed)}
    both = {f"accumulator, exact={exact}" for exact in (True, False)}
    assert taken == both | {"another order", "matrix", "matrices", "batch", "repeated", "replicate"}
    measured = {key.split("[")[0] for seed in TRIED for key in all_values(Random.of(seed).evaluated())}
    assert measured == set(catalogue.measures)


def test_a_difference_is_seen() -> None:
    assert far(1.0, 1 + 1e-11)
    assert not far(1.0, 1 + 1e-13)
    assert far(float("nan"), 1.0)
    assert not far(float("inf"), float("inf"))


@pytest.mark.skipif(kernels.name != "native", reason="there are no compiled kernels to compare with")
def test_native_and_numpy_kernels() -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "paths.py"), "0", str(len(TRIED)), "values"],
        env=os.environ | {"KARAT_KERNELS": "numpy"},
        capture_output=True,
        text=True,
        check=True,
    )
    for seed, line in zip(TRIED, done.stdout.splitlines(), strict=True):
        native, numpy = all_values(Random.of(seed).evaluated()), json.loads(line)
        assert native.keys() == numpy.keys()
        assert {key: (x, numpy[key]) for key, x in native.items() if far(x, numpy[key])} == {}
