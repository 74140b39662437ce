"""What a user's editor and type checker know of karat."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat

api = pytest.importorskip("mypy.api", reason="mypy is not installed")

USED = """
import karat

e = karat.evaluate([0, 1], [0.2, 0.7])
reveal_type(e)
reveal_type(e["MCC"])
reveal_type(e.intervals())
reveal_type(e.findings())
reveal_type(e.operating())
reveal_type(e.diagram("roc_curve"))
reveal_type(karat.compare({}))
reveal_type(karat.compare_across({}))
reveal_type(karat.report({}))
reveal_type(karat.advise())
reveal_type(karat.mcnemar([], [], []))
reveal_type(karat.dominance({}))
reveal_type(karat.findings_of({}))
reveal_type(karat.smallest_set([]))
reveal_type(karat.check_measure("MCC"))
reveal_type(karat.measure_from_function(max))
reveal_type(karat.scorer("MCC"))
reveal_type(karat.catalogue.measures["MCC"])
reveal_type(karat.catalogue.diagrams["roc_curve"].from_predictions([], []))
reveal_type(karat.catalogue.studies["census"])
reveal_type(karat.catalogue.comparisons["friedman"])
"""


def test_nothing_that_is_public_returns_any(tmp_path: Path) -> None:
    file = tmp_path / "used.py"
    file.write_text(USED + "".join(f"karat.{name}\n" for name in karat.PUBLIC))
    out, _, _ = api.run([str(file), "--cache-dir", str(tmp_path / "cache"), "--follow-imports=silent"])
    revealed = [line for line in out.splitlines() if "Revealed type" in line]
    assert len(revealed) == USED.count("reveal_type")
    assert not [line for line in revealed if '"Any"' in line or "ModuleType" in line or "builtins.object" in line], out
    assert not [line for line in out.splitlines() if " error: " in line], out
