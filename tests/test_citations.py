"""Every method says where it comes from, and the bibliography knows it."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

import karat
from karat.core.comparison import comparison
from karat.core.record import Record
from karat.core.references import references

ROOMS = ("across", "comparisons", "concordance", "decisions", "intervals", "statistics")
FILES = sorted(path for room in ROOMS for path in (Path(karat.__file__).parent / room).glob("*.py"))
CITED = re.compile(r"\[([a-z]+\d{4}(?:,\s+[a-z]+\d{4})*)\]")
COMPARISONS = karat.catalogue.comparisons


def cited(text: str | None) -> list[str]:
    return [key for keys in CITED.findall(text or "") for key in re.split(r",\s+", keys)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_citations_exist(path: Path) -> None:
    for key in cited(path.read_text()):
        assert key in references(), key


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_comparison_asks_cites_and_answers(name: str) -> None:
    declared = COMPARISONS[name]
    assert declared.cite in references()
    assert declared.cite in cited(inspect.getdoc(declared.function)), "its docstring does not name its source"
    assert declared.question == (declared.function.__doc__ or "").split("\n")[0]
    assert declared.question.endswith("?")
    assert issubclass(declared.result, Record)
    package, _, function = declared.path.rpartition(".")
    assert getattr(import_module(package), function, None) is declared.function, f"{package} does not export it"


def test_the_comparisons_of_the_catalogue() -> None:
    assert set(COMPARISONS) >= {
        "against_control", "bayes_ranks", "bayes_t", "compare_across", "compare_measures", "consistency", "corrected_t",
        "dominance", "friedman", "nemenyi", "smallest_set", "wilcoxon",
    }  # fmt: skip
    answer = COMPARISONS["wilcoxon"]([0.8, 0.7, 0.9, 0.6, 0.85], [0.7, 0.68, 0.7, 0.55, 0.84])
    assert answer.to_dict()["p"] == 0.0625  # all five differences have one sign: 2 / 2^5
    assert "many data sets" in repr(COMPARISONS["Friedman"])
    with pytest.raises(TypeError, match="question"):
        comparison(of=COMPARISONS["friedman"].of, cite="demsar2006")(cited)


@pytest.mark.parametrize("twice", [True, False])
def test_an_entry_that_would_be_lost_is_noticed(twice: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of one key, or one that can't be read; as the file is, every entry is there."""
    from karat.core import references as module

    text = (Path(module.__file__).parent / "references.bib").read_text(encoding="utf-8")
    assert len(references()) == sum(line.startswith("@") for line in text.splitlines())
    first = text[: text.index("\n}\n") + 3]
    given = SimpleNamespace(read_text=lambda encoding: text + (first if twice else "@article{nobody, year\n"))
    monkeypatch.setattr(module.resources, "files", lambda _: SimpleNamespace(joinpath=lambda _: given))
    with pytest.raises(ValueError, match="two entries have one key, or an entry can't be read"):
        references.__wrapped__()
