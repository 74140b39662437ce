"""What a command imports: not more than it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from karat.data.files import columns_of_file, plain_numbers
from karat.measures.agreement import best_names

HEAVY = (
    "pandas", "pyarrow.compute", "scipy.special", "scipy.optimize", "scipy.stats", "matplotlib", "narwhals", "sklearn",
    "pydantic", "karat.cli.compare",
)  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_evaluate_waits_for_no_library_that_it_does_not_need(ending: str, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    table = pa.table({"y_true": y, "p_1": 1 / (1 + np.exp(-2 * y - rng.normal(size=300) + 1))})
    path = str(tmp_path / f"model.{ending}")
    csv.write_csv(table, path) if ending == "csv" else parquet.write_table(table, path)
    code = f"""
import sys
from karat.cli import main
try:
    main(["evaluate", {path!r}])
except SystemExit as end:
    print("ended", end.code, *(name for name in {HEAVY!r} if name in sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "ended 0", run.stdout + run.stderr


def test_a_column_is_known_without_a_look_at_its_values(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y_true,odd\n1,\n0,2.5\n", encoding="utf-8")
    table = columns_of_file(path)
    table.columns = dict.fromkeys(table.columns)  # type: ignore[assignment]
    assert "odd" in table
    assert "even" not in table


def test_numbers_of_arrow_are_those_of_numpy() -> None:
    import pyarrow as pa

    kinds = [pa.int8(), pa.uint16(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.float16(), pa.bool_()]
    for kind in kinds:
        parts = [np.array(part).astype(kind.to_pandas_dtype()) for part in ([1, 0, 1], [], [1])]
        x = pa.chunked_array([pa.array(part, kind) for part in parts])
        assert plain_numbers(x).tolist() == [1, 0, 1, 1]
        assert plain_numbers(x.slice(1)).tolist() == [0, 1, 1]
        assert plain_numbers(x).dtype == x.to_numpy().dtype
        assert plain_numbers(x.chunk(0)[1:]).tolist() == [0, 1]


def test_the_best_naming_is_that_of_the_assignment() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(4)
    for k, l in [(2, 2), (3, 3), (2, 3), (3, 2), (4, 4)] * 60:
        table = rng.integers(0, 4, (k, l)) + rng.integers(0, 5) * np.eye(k, l)
        rows, columns = optimize.linear_sum_assignment(table, maximize=True)
        found = best_names(table)
        assert found[0].tolist() == rows.tolist()
        assert found[1].tolist() == columns.tolist()
