"""Named columns out of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.data.files import columns_of_file


def test_only_the_columns_that_are_asked_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "wide.parquet"
    parquet.write_table(pa.table({"y_true": [0, 1, 1], "p_1": [0.2, 0.7, 0.9], "age": [1, 2, 3]}), path)
    read: list[str] = []
    real = parquet.ParquetFile.read
    monkeypatch.setattr(parquet.ParquetFile, "read", lambda f, columns: read.extend(columns) or real(f, columns))
    columns = columns_of_file(path)
    assert list(columns) == ["y_true", "p_1", "age"]
    assert "age" in columns
    assert "sex" not in columns
    assert read == []
    assert columns["p_1"].tolist() == [0.2, 0.7, 0.9]
    assert columns["y_true"].tolist() == [0, 1, 1]
    assert read == ["p_1", "y_true"]
