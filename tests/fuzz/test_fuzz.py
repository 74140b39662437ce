"""Some hundred damaged inputs of every kind: read, or refused; never anything else. `python tests/fuzz/run.py` tries a
million."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.run import KINDS, PAGE, page

pytest.importorskip("pyarrow")

HERE = Path(__file__).parent
EACH = 150


@pytest.mark.skipif(sys.platform == "win32", reason="limits of time are set by signals")
@pytest.mark.parametrize(
    ("count", "kinds"), [(EACH, [kind for kind in KINDS if kind != "page"]), (EACH // 5, ["page"])]
)
def test_damaged_input_is_read_or_refused(count: int, kinds: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "trials.py"), str(tmp_path), "0", str(count), *kinds],
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
    assert [*ends] == kinds
    assert all(sum(e.values()) == count and e["refused"] > count / 15 and e["read"] > 0 for e in ends.values()), ends


def test_the_page_tells_what_was_recorded() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(json.loads((HERE / "record.json").read_text()), text) == text
