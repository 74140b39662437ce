"""Some hundred damaged inputs of every kind: read, or refused; never anything else. `python tests/fuzz/run.py` tries a
million."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

HERE = Path(__file__).parent
EACH = 150


@pytest.mark.skipif(sys.platform == "win32", reason="limits of time are set by signals")
def test_damaged_input_is_read_or_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "trials.py"), str(tmp_path), "0", str(EACH)],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, f"{(tmp_path / 'now').read_text()}: {done.returncode}\n{done.stderr[-2000:]}"
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [t for t in told if "wrong" in t] == []
    ends = {t["kind"]: t["ends"] for t in told}
    assert len(ends) == 22
    assert all(sum(e.values()) == EACH and e["refused"] > 10 and e["read"] > 0 for e in ends.values()), ends
