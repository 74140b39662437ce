"""Which tests should notice a fault in which room."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "karat"
FAMILIES = ("agreement", "averaging", "calibration", "certified", "choices", "confusion_entropies", "costs")
FAMILIES += ("entropy_triangles", "familiar", "information", "probability", "ranking", "rates", "same_number", "value")
OF_MEASURES = ["measures", "oracles", "peers/test_stored.py", "published", "test_hard_cases.py"]
TESTS = {
    **{f"measures/{name}": OF_MEASURES for name in FAMILIES},
    "accumulation": ["accumulation"],
    "across": ["across", "peers/test_scikit_learn.py"],
    "adapters": ["adapters"],
    "advice": ["advice", "cli/test_commands.py"],
    "changes": ["changes", "cli/test_shift.py", "cli/test_course.py"],
    "claims": ["claims", "measures/test_claims.py"],
    "cli": ["cli"],
    "comparisons": ["comparisons", "cli/test_compare.py"],
    "concordance": ["concordance", "studies/test_correlation.py"],
    "core": ["core", "test_hard_cases.py", "cli/test_commands.py", "cli/test_hostile_output.py", "measures"],
    "data": ["data", "test_hard_cases.py", "test_first_attempts.py"],
    "datasets": ["datasets", "learners", "peers/test_weka.py"],
    "decisions": ["decisions", "diagrams/test_decision_curves.py"],
    "diagrams": ["diagrams"],
    "engines": ["engines", "studies/test_catalogue_of_studies.py"],
    "findings": ["findings"],
    "groups": ["groups", "cli/test_by.py", "peers/test_fairlearn.py"],
    "intervals": ["intervals", "peers/test_intervals.py", "test_evaluation.py"],
    "kernels": ["kernels", "statistics", "accumulation/test_folding_kernels.py", "oracles"],
    "learners": ["learners", "peers/test_weka.py", "published/test_quinlan.py"],
    "page": ["page"],
    "reproductions": ["reproductions"],
    "resampling": ["resampling", "intervals/test_interval.py", "kernels/test_kernels.py"],
    "slices": ["slices", "cli/test_slices.py"],
    "statistics": ["statistics", "oracles", "measures/test_measures.py", "test_hard_cases.py", "decisions"],
    "studies": ["studies"],
    "evaluation": ["test_evaluation.py", "test_hard_cases.py", "test_first_attempts.py"],
    "batches": ["test_evaluation.py", "measures/test_functions.py", "claims", "paths"],
}
NO_FAULTS = {"drawing.py", "diagram_stub.py", "option_docs.py", "study_figures.py", "paper_figures.py"}


def files(room: str, source: Path = SOURCE) -> list[Path]:
    """The sources of a room."""
    path = source / room
    one = path.with_suffix(".py")
    return [one] if one.is_file() else sorted(p for p in path.rglob("*.py") if p.name not in NO_FAULTS)


def ordered(room: str, file: str, root: Path) -> list[str]:
    """The tests of a room, those of the file's own name first: they notice most faults, and soon."""
    named = [path for name in TESTS[room] for path in _files(root / "tests" / name)]
    stem = Path(file).stem.strip("_")
    return [str(path) for path in sorted(named, key=lambda path: stem not in path.stem)]


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("test_*.py")) if path.is_dir() else [path] if path.exists() else []
