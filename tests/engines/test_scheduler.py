"""The engine: the same numbers wherever units run; a run that was killed goes on and gives the same table."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat import InputError
from karat.core.measure import Measure, measures
from karat.core.study import Part, Study, Tables
from karat.core.table import Table
from karat.engines import run, scheduler
from karat.engines.store import Folder
from karat.measures.averaging import macro
from karat.statistics import Binary
from karat.studies import Redundancy, Sensitivity

TOLD: dict[str, Any] = {"measures": ["Acc", "MCC", "AUNU"], "repetitions": 2100, "steps": 2, "seed": 7}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Dice(Study):
    """How high does a die fall?"""

    throws: int = 6

    def units(self) -> list[str]:
        return [f"throw-{i}" for i in range(self.throws)]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        CALLS.append(unit)
        if unit in FAILING:
            raise FAILING[unit]
        return {"eyes": rng.integers(1, 7, 3)}

    def tables(self, parts: Any) -> Tables:
        return {"eyes": Table({"unit": list(parts), "eyes": [p["eyes"].tolist() for p in parts.values()]})}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Slow(Study):
    """How long does a unit take?"""

    pause: float = 0.2

    def units(self) -> list[str]:
        return ["first", "second"]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        time.sleep(self.pause)
        return {}

    def tables(self, parts: Any) -> Tables:
        return {}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SimpleStudy(Study):
    """What is it told?"""

    measure: Measure


Dice.name = "dice"
Slow.name = "slow"
CALLS: list[str] = []
FAILING: dict[str, BaseException] = {}


@pytest.fixture(autouse=True)
def _nothing_called() -> None:
    CALLS.clear()
    FAILING.clear()


def columns(tables: Tables) -> dict[str, Any]:
    return {name: table.columns for name, table in tables.items()}


def test_numbers_do_not_depend_on_who_does_the_units() -> None:
    study = Sensitivity(**TOLD, kinds=("labels", "frequencies"))
    alone = columns(run(study, workers=1))
    assert columns(run(study, workers=3)) == alone
    assert columns(study.run()) == alone
    with ThreadPoolExecutor(2) as threads:
        assert columns(run(study, executor=threads)) == alone
        assert threads.submit(int, 3).result() == 3  # an executor that was given is left open
    with ProcessPoolExecutor(2) as processes:
        assert columns(run(study, executor=processes)) == alone
    assert columns(run(Sensitivity(**TOLD | {"seed": 8}, kinds=("labels", "frequencies")), workers=1)) != alone


def test_a_cluster_by_the_same_call() -> None:
    distributed = pytest.importorskip("distributed")
    study = Sensitivity(**TOLD | {"repetitions": 600}, kinds=("labels",))
    with (
        distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0") as client,
        client.get_executor() as executor,
    ):
        found = columns(run(study, executor=executor))
    assert found == columns(run(study, workers=1))


def test_random_numbers_belong_to_the_unit() -> None:
    few, many = (run(Dice(throws=n), workers=1)["eyes"].columns["eyes"] for n in (3, 6))
    assert many[:3] == few
    assert len({tuple(eyes) for eyes in many}) > 3
    assert run(Dice(seed=2), workers=1)["eyes"].columns["eyes"] != many


def test_finished_units_are_not_done_again(tmp_path: Path) -> None:
    whole = columns(run(Dice(), workers=1))
    FAILING["throw-3"] = KeyboardInterrupt()
    CALLS.clear()
    with pytest.raises(KeyboardInterrupt):
        run(Dice(), workers=1, folder=tmp_path / "run")
    assert CALLS == ["throw-0", "throw-1", "throw-2", "throw-3"]
    FAILING.clear()
    CALLS.clear()
    assert columns(run(Dice(), workers=1, folder=tmp_path / "run")) == whole
    assert CALLS == ["throw-3", "throw-4", "throw-5"]
    CALLS.clear()
    (tmp_path / "run" / "throw-1.npz").write_bytes(b"PK\x03\x04 half a file")
    assert columns(run(Dice(), workers=2, folder=tmp_path / "run")) == whole
    assert CALLS == ["throw-1"]


def test_an_error_in_a_unit_ends_the_run_and_keeps_what_was_done(tmp_path: Path) -> None:
    FAILING["throw-2"] = ZeroDivisionError("in a unit")
    with pytest.raises(ZeroDivisionError, match="in a unit"):
        run(Dice(), workers=2, folder=tmp_path / "run")
    assert (tmp_path / "run" / "throw-0.npz").exists()
    assert not (tmp_path / "run" / "throw-2.npz").exists()


def test_the_manifest_says_what_the_run_is_of(tmp_path: Path) -> None:
    run(
        Sensitivity(measures="Acc", repetitions=10, steps=1, kinds="labels", seed=3), workers=1, folder=tmp_path / "run"
    )
    held = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert held["study"] == "sensitivity"
    assert held["arguments"]["seed"] == 3
    assert held["arguments"]["measures"][0]["symbol"] == "Acc"
    assert held["units"] == ["labels-00000"]
    assert held["numbers"]["numpy"] == np.__version__
    assert {"karat", "kernels", "numpy", "scipy", "scikit-learn"} == set(held["numbers"])
    assert set(held["versions"]) == {"python", "machine"}
    assert not list((tmp_path / "run").glob("*.part"))


@pytest.mark.parametrize(
    ("told", "said"), [({"seed": 4}, "seed 1, now 4"), ({"throws": 5}, "throws 6, now 5")], ids=["seed", "size"]
)
def test_a_folder_of_another_run_is_refused(tmp_path: Path, told: dict[str, Any], said: str) -> None:
    run(Dice(), workers=1, folder=tmp_path / "run")
    CALLS.clear()
    with pytest.raises(InputError, match=said):
        run(Dice(**told), workers=1, folder=tmp_path / "run")
    assert CALLS == []


def test_bad_folders_and_workers_are_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text("[]")
    for folder, said in (("file", "can't be written"), ("full", "holds other files"), ("odd", "not the manifest")):
        with pytest.raises(InputError, match=said):
            run(Dice(), workers=1, folder=tmp_path / folder)
    assert (tmp_path / "full" / "letter.txt").read_text() == "mine"
    for workers in (0, -1, 1.5, True):
        with pytest.raises(InputError, match="workers is"):
            run(Dice(), workers=workers)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="submit"):
        run(Dice(), executor="many")  # type: ignore[arg-type]
    assert CALLS == []


SLOW = """
import sys, time
from karat.studies import Redundancy, Sensitivity

class Slow(Sensitivity):
    def measured(self, unit, rng):
        time.sleep(0.15)
        return super().measured(unit, rng)

Slow(measures=["Acc", "MCC", "AUNU"], repetitions=2100, steps=2, seed=7, kinds=("labels", "frequencies")).run(
    workers=2, folder=sys.argv[1]
)
"""


def test_a_killed_run_goes_on_where_it_was_and_gives_the_same_table(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(folder)], start_new_session=True)
    deadline = time.monotonic() + 60
    while len(list(folder.glob("*.npz"))) < 3 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)  # with its workers, which would wait for ever
    assert process.wait() == -signal.SIGKILL
    before = {file: file.stat().st_mtime_ns for file in folder.glob("*.npz")}
    study = Sensitivity(**TOLD, kinds=("labels", "frequencies"))
    assert 3 <= len(before) < len(study.units())
    (folder / "labels-00004.npz.1.part").write_bytes(b"half")  # as a kill within a write leaves it
    resumed = columns(run(study, workers=2, folder=folder))
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert not list(folder.glob("*.part"))
    assert resumed == columns(run(study, workers=1))


MORTAL = """
import os, signal, sys
from dataclasses import dataclass
from pathlib import Path
from karat.core.study import Study
from karat.core.table import Table

@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Mortal(Study):
    in_processes = True
    deaths: int = 1

    def units(self):
        return [f"unit-{i}" for i in range(6)]

    def measured(self, unit, rng):
        died = Path(sys.argv[2])
        if unit == "unit-3" and len(list(died.iterdir())) < self.deaths:
            (died / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"eyes": rng.integers(1, 7, 3)}

    def tables(self, parts):
        return {"eyes": Table({"unit": list(parts), "eyes": [int(p["eyes"].sum()) for p in parts.values()]})}

Mortal.name = "mortal"
if __name__ == "__main__":
    try:
        here = Mortal(deaths=int(sys.argv[3])).run(workers=3, folder=sys.argv[1])
        print(here["eyes"].columns == Mortal(deaths=0).run(workers=1)["eyes"].columns)
    except ValueError as problem:
        print(problem)
"""


@pytest.mark.parametrize(("deaths", "says"), [(2, "True"), (50, "were ended 3 times in a row")])
def test_workers_that_are_killed_are_replaced(deaths: int, says: str, tmp_path: Path) -> None:
    (tmp_path / "died").mkdir()
    (tmp_path / "mortal.py").write_text(MORTAL)
    words = [sys.executable, str(tmp_path / "mortal.py"), str(tmp_path / "run"), str(tmp_path / "died"), str(deaths)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    assert says in done.stdout, done.stderr
    assert len(list((tmp_path / "died").iterdir())) >= min(deaths, 3)


def test_a_unit_of_another_unit_or_run_is_noticed(tmp_path: Path) -> None:
    run(Dice(), workers=1, folder=tmp_path / "run")
    run(Dice(seed=2), workers=1, folder=tmp_path / "other")
    place = tmp_path / "run" / "throw-2.npz"
    own = place.read_bytes()
    for foreign in (tmp_path / "run" / "throw-1.npz", tmp_path / "other" / "throw-2.npz"):
        place.write_bytes(foreign.read_bytes())
        with pytest.raises(InputError, match=r"throw-2\.npz' is of another unit or run \(throw-\d of dice\)"):
            run(Dice(), workers=1, folder=tmp_path / "run")
    place.write_bytes(own)
    CALLS.clear()
    run(Dice(), workers=1, folder=tmp_path / "run")
    assert CALLS == []
    with np.load(place) as held:
        changed = dict(held) | {"eyes": held["eyes"] + 1}  # other numbers in a sound archive
    np.savez(place, **changed)
    np.savez(tmp_path / "run" / "throw-3.npz", eyes=np.ones(3))  # of nobody
    assert columns(run(Dice(), workers=1, folder=tmp_path / "run")) == columns(run(Dice(), workers=1))
    assert sorted(CALLS[:2]) == ["throw-2", "throw-3"]


def test_a_folder_has_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(folder)], start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while not list(folder.glob("*.npz")) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        half = folder / ".labels-00004.npz.1.part"
        half.write_bytes(b"being written")
        study = Sensitivity(**TOLD, kinds=("labels", "frequencies"))
        with pytest.raises(InputError, match=rf"is in use by a run \(process {process.pid} on "):
            run(study, workers=1, folder=folder)
        assert half.exists()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    mine = Folder.of(folder, study, study.units())  # the lock went with the process
    assert not half.exists()
    with pytest.raises(InputError, match=r"is in use by a run .*which is this one"):
        run(study, workers=1, folder=folder)
    mine.close()
    Folder.of(folder, study, study.units()).close()


def test_values_that_are_undefined_do_not_stop_a_run_from_going_on(tmp_path: Path) -> None:
    values = {"Acc": [0.1, 0.2, np.nan, 0.4, 0.7], "MCC": [0.0, 0.1, 0.5, 0.2, np.inf]}
    first, again = (run(Redundancy(values=values), workers=1, folder=tmp_path / "run")["pearson"] for _ in range(2))
    assert repr(first) == repr(again)
    with pytest.raises(InputError, match="another run"):
        run(Redundancy(values=values | {"Acc": [0.1, 0.2, 0.3, 0.4, 0.7]}), workers=1, folder=tmp_path / "run")


def test_units_whose_names_are_alike_have_files_of_their_own(tmp_path: Path) -> None:
    units = ["credit g", "credit_g", "credit/g", "credit__g", "credit-g"]
    folder = Folder.of(tmp_path / "run", Dice(), units)
    for i, unit in enumerate(units):
        assert folder.finished(unit) is None
        folder.keep(unit, {"eyes": np.array([i])})
    assert [folder.finished(unit)["eyes"][0] for unit in units] == [0, 1, 2, 3, 4]  # type: ignore[index]
    assert {"credit_g.npz", "credit-g.npz"} < {file.name for file in (tmp_path / "run").iterdir()}
    folder.close()


def _formula(text: str) -> Any:
    made: dict[str, Any] = {}
    exec(text, made)
    return made["f"]


def _wrapped(function: Any) -> Any:
    return functools.wraps(function)(lambda c: function(c))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(c): return c.right + 1", "def f(c): return c.right + 2"),
        ("def f(c): return c.right", "def f(c): return c.wrong"),
        ("def f(c): return sum(x * 2 for x in c)", "def f(c): return sum(x * 3 for x in c)"),
        ("def f(c): return [(lambda: (lambda: 1)())()]", "def f(c): return [(lambda: (lambda: 2)())()]"),
        ("def f(c): return c in (1, (2, 3))", "def f(c): return c in (1, (2, 4))"),
        ("def f(c): return c in {'a', 'b'}", "def f(c): return c in {'a', 'c'}"),
        ("def f(c, b=1): return b", "def f(c, b=2): return b"),
        ("def f(c, *, b=1): return b", "def f(c, *, b=2): return b"),
        (
            "import numpy as np\ndef f(c, *, b=np.ones(2)): return b",
            "import numpy as np\ndef f(c, *, b=np.ones(3)): return b",
        ),
    ],
)
def test_units_of_another_formula_are_not_taken_for_this_one(one: str, other: str) -> None:
    a, same, b = (dataclasses.replace(measures["Acc"], function=_formula(text)) for text in (one, "\n\n" + one, other))
    told = [SimpleStudy(measure=m).arguments() for m in (a, same, b)]
    assert told[0] == told[1] != told[2]
    classwise = [dataclasses.replace(m, classwise=True, statistic=Binary) for m in (a, same, b)]
    held = [SimpleStudy(measure=macro(m)).arguments() for m in classwise]
    assert held[0] == held[1] != held[2]
    held = [
        SimpleStudy(measure=dataclasses.replace(m, function=_wrapped(m.function))).arguments() for m in (a, same, b)
    ]
    assert held[0] == held[1] != held[2]


def test_a_measure_is_known_by_its_parameters_and_from_one_process_to_the_next() -> None:
    say = (
        "from karat.core.study import _fingerprint; from karat.catalogue import measures; import json;"
        "other = measures['EC'].at(cost=[[0, %s], [1, 0]]);"
        "print(json.dumps([_fingerprint(m) for m in [*measures.values(), other]]))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", say % cost],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed, cost in (("1", 2), ("2", 2), ("2", 3))
    ]
    assert said[0] == said[1] != said[2]


def test_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines on stderr while it runs, also while one unit takes long; none for a run that is over before."""
    quick = Slow(pause=0.0)
    quick.run(workers=1, progress=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(scheduler, "LINE_EVERY", 0.05)
    Slow(pause=0.2).run(workers=1, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("karat: slow: 0 of 2 units, 0:00 elapsed")
    assert "left" not in lines[0]  # nothing is known yet
    assert any(line.startswith("karat: slow: 1 of 2 units, 0:00 elapsed, about 0:0") for line in lines)
    Slow(pause=0.2).run(workers=1)
    assert capsys.readouterr().err == ""


def test_the_line_of_progress() -> None:
    line = scheduler.progress_line("census", 100, before=20, now=60, seconds=7200)
    assert line == "census: 60 of 100 units, 2:00:00 elapsed, about 2:00:00 left"  # 40 in two hours, 40 to go


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Where(Study):
    """In which thread of which process is a unit done?"""

    count: int = 3

    def units(self) -> list[str]:
        return [f"unit-{i}" for i in range(self.count)]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        return {"at": np.array([os.getpid(), threading.get_ident()])}

    def tables(self, parts: Any) -> Tables:
        return {"at": Table({"unit": list(parts), "at": [tuple(p["at"].tolist()) for p in parts.values()]})}


Where.name = "where"


def test_one_worker_and_one_unit_need_no_others() -> None:
    """What is started for them would cost more than it saves, and an error is seen where it happens."""
    here = (os.getpid(), threading.get_ident())
    for count, workers, others in ((3, 1, False), (1, 4, False), (3, 2, True)):
        found = run(Where(count=count), workers=workers)["at"].columns["at"]
        assert (here not in found) == others, (count, workers)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Failing(Study):
    """Its first unit fails at once, the others take their time."""

    def units(self) -> list[str]:
        return [f"unit-{i}" for i in range(40)]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        CALLS.append(unit)
        if unit == "unit-0":
            raise InputError("the first one fails.")
        time.sleep(0.02)
        return {}

    def tables(self, parts: Any) -> Tables:
        return {}


Failing.name = "failing"


def test_what_waits_is_not_done_once_a_unit_has_failed() -> None:
    CALLS.clear()
    with ThreadPoolExecutor(1) as pool, pytest.raises(InputError, match="the first one fails"):
        run(Failing(), executor=pool)  # somebody else's, who waits for all that was handed in
    assert len(CALLS) < 20
