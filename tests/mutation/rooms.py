"""Where faults are planted: every folder of karat, and every family of measures by itself."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "karat"
LEFT_OUT = ("examples", "faults", "fuzz", "load", "test_documentation.py", "test_types.py")
"""Tests that run programs of their own, or read no code."""
KEPT_ANSWERS = "tests/seen/"
"""Where every parameter of a test is a question of its own."""
NO_FAULTS = {"drawing.py", "diagram_stub.py", "option_docs.py", "study_figures.py", "paper_figures.py", "__main__.py"}
"""What is only looked at, or made for editors."""


def rooms() -> dict[str, list[Path]]:
    """The sources of each."""
    found: dict[str, list[Path]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        inside = path.relative_to(SOURCE)
        if path.name not in NO_FAULTS:
            alone = len(inside.parts) == 1 or inside.parts[0] == "measures"
            found.setdefault(str(inside.with_suffix("")) if alone else inside.parts[0], []).append(path)
    return {room: files for room, files in found.items() if not room.endswith("__init__")}
