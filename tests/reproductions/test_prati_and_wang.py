"""`karat reproduce wang2013` and `prati2011`: what is printed, what is said of figures, what is not run and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat import InputError
from karat.reproductions import prati2011, reproduce
from peers import ORACLES
from studies.test_catalogue_of_studies import cells_of

TIC = ORACLES / "tic"
DATA = ORACLES.parent / "data"


def by_name(cells: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {c["what"]: c for c in cells}


def test_wang_without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KARAT_DATA", raising=False)
    cells = cells_of("wang2013")
    named = by_name(cells)
    assert [named[f"rpCEN of M{i} without the diagonal"]["verdict"] for i in (1, 2, 3)] == [
        "reproduced after a documented correction"
    ] * 2 + ["not reproduced"]
    assert all(named[f"rpCEN of M{i} by eq. (11)"]["verdict"] == "not reproduced" for i in (1, 2, 3))
    assert all(c["verdict"].startswith("reproduced") for c in cells if c["where"] == "Section 3")
    assert sum(c["where"] == "Table 8" for c in cells) == 70
    assert sum(c["where"] == "Table 8" and c["verdict"] == "not reproduced" for c in cells) == 14
    absent = [c for c in cells if c["verdict"] == "not run"]
    assert len(absent) == 8
    printed = {i: [c for c in cells if c["where"] == f"Table {i}"] for i in range(1, 8)}
    assert {i: len(some) for i, some in printed.items()} == {1: 2, 2: 2, 3: 2, 4: 9, 5: 9, 6: 9, 7: 9}
    # one cell of each is rounded so that the row sums to 1: 3.567 / 5, 1.433 / 5 and 0.783 / 5 by hand
    adjusted = [c for i in (5, 6, 7) for c in printed[i] if c["verdict"] != "reproduced"]
    assert [(c["published"], round(c["ours"], 4)) for c in adjusted] == [
        (0.714, 0.7134),
        (0.286, 0.2866),
        (0.156, 0.1566),
    ]
    assert all("data=" in c["note"] for c in absent)  # on the command line it is --data


def test_wang_with_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    lines = [",".join([*(f"{x:.3f}" for x in rng.normal(size=6)), "abc"[i % 3]]) for i in range(60)]
    (tmp_path / "car.csv").write_text("a,b,c,d,e,f,class\n" + "\n".join(lines))
    cells = cells_of("wang2013", data=tmp_path, share=0.003)
    said = [c for c in cells if c["where"].startswith("Figure")]
    assert not any(c["verdict"] == "not run" for c in said)
    assert {c["where"] for c in said} == {f"Figure {i}" for i in range(1, 9)}
    assert all(c["note"] for c in said if c["verdict"] == "not reproduced")
    assert any("6 rounds of 1 of the 19" in c["note"] for c in said)


def test_prati_without_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KARAT_DATA", raising=False)
    cells = cells_of("prati2011")
    dollars = [c for c in cells if c["where"] == "Section 4.5, Fig. 7"]
    assert [c["verdict"] for c in dollars].count("reproduced after a documented correction") == 4
    ranges = [c for c in cells if c["what"].startswith("PC up to") and "fitted counts" in c["what"]]
    assert [round(c["ours"], 4) for c in ranges] == [0.1123, 0.2553, 0.4995, 0.5842]
    assert all(c["verdict"].startswith("consistent (from values fitted") for c in ranges)
    assert (
        sum(c["verdict"].startswith("consistent") for c in cells) == 16
    )  # eight of the counts, one of a ROC point, seven of sketches
    assert sum(c["verdict"] == "not run" for c in cells) == 12
    [angle] = [c["ours"] for c in cells if c["what"].startswith("angle of the line of no skill")]
    assert angle == pytest.approx(np.degrees(np.arctan(1 / 2)))  # half way between the diagonal and the base rate
    sketched = {i for c in cells for i in range(1, 11) if f"Fig. {i}" == c["where"].split(", ")[-1]}
    assert sketched == set(range(1, 11))


def test_prati_on_precision_at_other_prevalences() -> None:
    """By hand, at recall 0.5 of the printed points A (0.1, 0.5) and B (0.35 / 1.3, 0.5 on its polygon): precision is t
    / (t + odds f), so that curves are as close among few positives as among many."""
    apart = {}
    for odds in (19, 1, 1 / 19):
        a, b = (0.5 / (0.5 + odds * f) for f in (0.1, 0.1 + 0.12 * 0.22 / 0.32))
        apart[odds] = a - b
    assert apart[1] > apart[19] > apart[1 / 19]
    cells = by_name(cells_of("prati2011"))
    assert cells["the higher the prevalence the closer are the curves"]["verdict"] == "not reproduced"


def test_prati_with_predictions() -> None:
    if not TIC.is_dir():
        pytest.skip("the stored predictions of the insurance example are not here")
    cells = cells_of("prati2011", predictions=TIC)
    named = by_name([c for c in cells if c["where"].startswith("Section 7,")])
    ours = {what: named[f"error rate of {what}, %"]["ours"] for what in (prati2011.NB, prati2011.BN, prati2011.TREE)}
    assert list(ours.values()) == pytest.approx([21.35, 14.50, 6.075], abs=5e-3)  # as Weka counted them
    areas = [named[f"AUC of {what}, %"]["ours"] for what in ours]
    assert areas == pytest.approx([68.79, 71.15, 65.54], abs=5e-3)  # as Weka has them
    assert named["the hull is formed by all points"]["verdict"] == "not reproduced"
    assert "naive Bayes" in named["the hull is formed by all points"]["note"]
    assert named["which is a similar profit, dollars"]["ours"] == pytest.approx(3702)
    assert all(c["note"] for c in cells if c["verdict"] == "not reproduced")


def test_of_equals_none_is_the_most_conservative(tmp_path: Path) -> None:
    rows = [(y, p) for y, p in ((0, 0.1), (0, 0.6), (1, 0.3), (1, 0.8)) for _ in range(20)]
    lines = ["y_true,p_0,p_1", *(f"{y},{1 - p},{p}" for y, p in rows)]
    for name in prati2011.STORED.values():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    assert by_name(cells_of("prati2011", predictions=tmp_path))["NBTree is the most conservative"]["ours"] == "no"


def test_our_naive_bayes_is_that_of_the_stored_predictions() -> None:
    if not (TIC.is_dir() and (DATA / "tic_train.arff.gz").exists()):
        pytest.skip("the insurance data are not here")
    pytest.importorskip("sklearn")
    ours = prati2011.learnt(DATA)
    theirs = prati2011.stored(TIC)[prati2011.NB]
    assert ours[prati2011.OURS]["AUC"] == pytest.approx(theirs["AUC"], abs=1e-4)
    assert ours[prati2011.OURS]["EC"] == pytest.approx(theirs["EC"], abs=1e-3)
    cells = [c for c in cells_of("prati2011", data=DATA) if c["where"].endswith("our learners")]
    assert by_name(cells)["AUC of naive Bayes, %"]["verdict"] == "reproduced"
    assert ours["C4.5"]["PredPos"] == 0  # "the trivial model of always predicting the negative class"


def test_predictions_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        reproduce("prati2011", predictions=tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds none of"):
        reproduce("prati2011", predictions=tmp_path)
