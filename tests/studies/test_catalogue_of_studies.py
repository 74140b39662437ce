"""What holds for every study of the catalogue, the printed tables of traits, and the reproductions."""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import karat
from karat import InputError
from karat.core.references import references
from karat.reproductions import PAPERS, reproduce
from karat.reproductions.cell import Cell
from karat.studies import Population, Traits
from studies.test_redundancy import collection

SMALL: dict[str, dict[str, Any]] = {
    "sensitivity": {"repetitions": 20, "steps": 1},
    "census": {"classes": 2, "cases": 6},
    "meg": {"matrices": {"a": [[5, 1], [2, 4]], "b": [[3, 3], [2, 4]]}, "draws": 100},
    "mcc_and_cen": {"matrices": 50, "spaces": ((1, 2),)},
    "redundancy": {"values": collection()},
    "traits": {"rounds": 1},
    "correlation": {"datasets": "iris", "learners": "NB,kNN", "repetitions": 1},
    "win_loss_equal": {"datasets": "iris,wine", "rounds": 2, "replicates": 5},
}
LEARNING = ("correlation", "win_loss_equal")
without = pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed")
names = [pytest.param(name, marks=without if name in LEARNING else ()) for name in karat.catalogue.studies]
each = pytest.mark.parametrize("name", names)


@each
def test_every_study_runs_small(name: str) -> None:
    study = karat.catalogue.studies[name](**SMALL[name])
    json.dumps(study.arguments(), allow_nan=False)
    assert study.cite in references()
    units = study.units()
    assert len(set(units)) == len(units) > 0
    found = study.run(workers=1)
    assert all(table.title for table in found.values())
    assert len(next(iter(found.values())).rows) > 0
    again = pickle.loads(pickle.dumps(study)).run(workers=2)
    assert {k: t.to_dict() for k, t in again.items()} == {k: t.to_dict() for k, t in found.items()}


@each
def test_every_study_takes_a_generator_for_a_seed(name: str) -> None:
    kind = karat.catalogue.studies[name]
    one, two = (kind(**SMALL[name], seed=np.random.default_rng(s)).seed for s in (1, 2))
    assert one != two


@pytest.mark.parametrize("name", LEARNING)
def test_without_scikit_learn_one_sentence_says_what_to_install(name: str) -> None:
    """Of data that are there already; in a fresh process, where nothing has imported it."""
    code = f"""
import sys
sys.modules["sklearn"] = None
import karat
from karat.datasets import parse_csv
rows = "".join(f"{{i}},{{i % 7}},{{i % 3}},{{'ab'[i % 2]}}\\n" for i in range(60))
try:
    karat.catalogue.studies[{name!r}](datasets=[parse_csv("u,v,w,class\\n" + rows)])
except karat.InputError as refused:
    print(refused)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.endswith(" needs scikit-learn, which is not installed; `pip install scikit-learn`.\n")
    assert said.count("\n") == 1


def test_studies_are_found_by_name_and_alias() -> None:
    assert karat.catalogue.studies["POPULATION"] is Population
    with pytest.raises(InputError, match=r"no study 'censos'.*census"):
        karat.catalogue.studies["censos"]


def test_printed_tables_of_traits() -> None:
    found = Traits().run(workers=1)
    assert all(found["traits"].columns["as declared"])
    rows = found["printed"].records
    assert {p: sum(r["paper"] == p for r in rows) for p in ("ferri2009", "wang2013")} == {
        "ferri2009": 72,
        "wang2013": 70,
    }
    wrong = {(r["paper"], r["measure"], r["trait"]) for r in rows if r["verdict"] == "wrong"}
    areas = {("wang2013", m, "distribution") for m in ("AU1U", "AU1P", "AUNU", "AUNP", "SAUC")}
    crisp = {("wang2013", m, "distribution") for m in ("CEN", "rCEN", "RCI")}
    probable = {("wang2013", m, t) for m in ("pCEN", "rpCEN") for t in ("threshold", "ranking")}
    others = {("ferri2009", m, "frequencies") for m in ("AUNU", "CalL")} | {
        ("wang2013", m, "frequencies") for m in ("AUNU", "RCI")
    }
    assert wrong == areas | crisp | probable | others
    assert all(bool(r["why"]) == (r["verdict"] == "wrong") for r in rows)


# ------------------------------------------------------------------------------------------------ reproductions


def cells_of(paper: str, **told: Any) -> list[dict[str, Any]]:
    return reproduce(paper, workers=1, **told).records


def test_ferri() -> None:
    cells = cells_of("ferri2009", share=0.03, seed=2)
    sure = [c for c in cells if c["error"] or not c["where"].startswith("Section 6")]  # so few can't settle an order
    assert len(sure) == 121
    failed = [c["what"] for c in sure if c["verdict"] == "not reproduced"]
    assert failed == ["AUNU influenced by frequencies", "CalL influenced by frequencies"]
    assert [c["where"] for c in cells if c["verdict"] == "not run"] == ["Table 3"]
    assert all(c["note"] for c in cells if c["verdict"] not in ("reproduced",))


def test_valverde() -> None:
    from studies.test_population import MATRICES

    cells = cells_of("valverde2014", share=0.5, matrices=MATRICES)
    table = [c for c in cells if c["where"] == "Table 1"]
    assert len(table) == 80
    assert all(c["verdict"].startswith("reproduced") for c in table)
    failed = [c["what"] for c in cells if c["verdict"] == "not reproduced"]
    assert failed.count("highest 2MI'") == 9
    assert "the most specialised classifier" in failed
    said = {c["what"]: c for c in cells if c["where"] in ("Fig. 1", "Fig. 3", "Fig. 4", "Fig. 5", "Fig. 6")}
    assert len(said) == 11
    # by hand: 228 of 247 errors of C_4 stay in their category, 142 of 209 of C_1; 38 of its 158 on short clips are y_4
    assert [c["what"] for c in said.values() if c["verdict"] == "not reproduced"] == [
        "the probability that C_1 predicts y_4 for a short clip it gets wrong is very high (above a half)"
    ]
    assert "92.3 %" in said["C_4 keeps its errors inside the categories more often than C_1"]["note"]
    without = cells_of("valverde2014", share=0.5)
    assert sum(c["verdict"] == "not run" for c in without) == 54
    assert all("matrices=" in c["note"] for c in without if c["verdict"] == "not run")


def test_jurman() -> None:
    cells = {(c["where"], c["what"]): c for c in cells_of("jurman2012", share=0.05)}
    verdicts = {what: c["verdict"] for (_, what), c in cells.items()}
    assert verdicts["correlation of tMCC and k CEN"] == "consistent (from values fitted to what is printed)"
    assert verdicts["mean ratio of tMCC and k CEN"] == "not reproduced"
    assert verdicts["degree of consistency"] == "not reproduced"
    for (_, what), cell in cells.items():
        if "as printed" in what:
            assert cell["verdict"] == "not reproduced"
        elif "corrected" in what:
            assert cell["verdict"] == "reproduced after a documented correction"


def test_cells() -> None:
    def verdict(**told: Any) -> str:
        return Cell(where="", what="", **told).verdict

    assert verdict(published=0.29, ours=0.2949, digits=2) == "reproduced"
    assert verdict(published=0.29, ours=0.2951, digits=2) == "not reproduced"
    assert verdict(published=0.29, ours=0.2951, digits=2, error=0.001) == "reproduced"
    assert verdict(published=0.29, ours=0.29, digits=2, correction="x") == "reproduced after a documented correction"
    assert verdict(published=0.29, ours=float("nan"), digits=2) == "not reproduced"
    assert verdict(published=0.29, ours=0.30, digits=2, open=0.006) == "reproduced within what the paper leaves open"
    assert verdict(published=0.29, ours=0.31, digits=2, open=0.006) == "not reproduced"
    assert verdict(published="yes", ours="no") == "not reproduced"
    assert verdict(published=1, ours=None) == "not run"


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="no reproduction of 'nobody1999'"):
        reproduce("nobody1999")
    for share in (0, 1.5, -1):
        with pytest.raises(InputError, match="share is"):
            reproduce("ferri2009", share=share)
    assert set(PAPERS) <= set(references())


@pytest.mark.parametrize(
    ("paper", "asks"),
    [
        ("ferri2009", {"data"}),
        ("jurman2012", set()),
        ("prati2011", {"data", "predictions"}),
        ("valverde2014", {"matrices"}),
        ("wang2013", {"data"}),
    ],
)
def test_what_a_reproduction_does_not_use_is_refused(paper: str, asks: set[str]) -> None:
    for name in {"matrices", "data", "predictions"} - asks:
        with pytest.raises(InputError, match=f"the reproduction of {paper} does not use {name}="):
            reproduce(paper, **{name: {}})
