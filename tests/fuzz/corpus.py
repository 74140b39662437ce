"""Sound content of every kind that karat reads, small, so that damage hits what matters."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import numpy as np

CASES = 12


def columns() -> list[dict[str, Any]]:
    """Predictions: two classes with texts, three with numbers, decisions only, scores with weights, several models."""
    rng = np.random.default_rng(7)
    texts = ["ill" if i % 3 else "well" for i in range(CASES)]
    p = np.round(rng.random(CASES), 3)
    three = np.array([[0.2, 0.3, 0.5], [0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])[np.arange(CASES) % 3]
    return [
        {"y_true": texts, "p_ill": p, "p_well": 1 - p, "weight": np.arange(1.0, CASES + 1)},
        {"y_true": np.arange(CASES) % 3, **{f"p_{j}": three[:, j] for j in range(3)}},
        {"y_true": texts, "y_pred": texts[::-1], "model": ["a", "b"] * (CASES // 2)},
        {"y_true": np.arange(CASES) % 2, "score": p.astype(np.float32)},
        {"y_true": np.arange(CASES) % 2 == 1, "p_True": p},
    ]


def table(given: dict[str, Any]) -> Any:
    """As an Arrow table."""
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in given.items()})


def csv_of(given: dict[str, Any], separator: str = ",") -> bytes:
    """As text."""
    rows = zip(*(list(values) for values in given.values()), strict=True)
    return "\n".join([separator.join(given), *(separator.join(map(str, row)) for row in rows), ""]).encode()


def records(given: dict[str, Any]) -> list[dict[str, Any]]:
    """As records of JSON."""
    plain = {name: np.asarray(values).tolist() for name, values in given.items()}
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def parquet_of(given: dict[str, Any], **options: Any) -> bytes:
    """As Parquet."""
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(table(given), sink, **options)
    return sink.getvalue()


def arrow_of(given: dict[str, Any], compression: str | None = None, stream: bool = False, coded: bool = False) -> bytes:
    """As Arrow: a file or a stream."""
    import pyarrow as pa

    content = table(given)
    if coded:
        coded_columns = [c.dictionary_encode() if pa.types.is_string(c.type) else c for c in content.columns]
        content = pa.table(dict(zip(content.column_names, coded_columns, strict=True)))
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, content.schema, options=options) as writer:
        writer.write_table(content, max_chunksize=7)
    return bytes(sink.getvalue())


def npz_of(given: dict[str, Any], packed: bool = False) -> bytes:
    """As an archive of arrays."""
    sink = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(sink, **{name: np.asarray(v) for name, v in given.items()})
    return sink.getvalue()


def stacked_of() -> bytes:
    """An archive with the names that karat.evaluate takes."""
    sink = io.BytesIO()
    proba = np.full((CASES, 3), 1 / 3)
    np.savez(sink, y_true=np.arange(CASES) % 3, y_proba=proba, labels=np.arange(3), sample_weight=np.ones(CASES))
    return sink.getvalue()


MATRIX = b"truth,a,b,c\na,5,1,0\nb,2,7,1\nc,0,0,9\n"


def seeds() -> dict[str, tuple[str, list[bytes]]]:
    """Format to the ending of its files, and sound files."""
    given = columns()
    first, coded = given[0], given[2]
    lines = ["\n".join(map(json.dumps, records(c))).encode() for c in given]
    packed = [parquet_of(c) for c in given]
    packed += [
        parquet_of(first, compression="none", row_group_size=5),
        parquet_of(first, compression="zstd", use_dictionary=False),
        parquet_of(coded, compression="gzip", data_page_version="2.0"),
    ]
    streams = [arrow_of(c, stream=True) for c in given]
    return {
        "csv": (".csv", [csv_of(c) for c in given] + [MATRIX]),
        "tsv": (".tsv", [csv_of(c, "\t") for c in given]),
        "csv.gz": (".csv.gz", [gzip.compress(csv_of(c), mtime=0) for c in given]),
        "jsonl": (".jsonl", lines),
        "json": (".json", [json.dumps(records(c)).encode() for c in given]),
        "jsonl.gz": (".jsonl.gz", [gzip.compress(text, mtime=0) for text in lines]),
        "parquet": (".parquet", packed),
        "arrow": (".arrow", [arrow_of(c) for c in given] + [arrow_of(coded, coded=True)]),
        "arrow stream": (".arrow", [*streams, arrow_of(coded, coded=True, stream=True)]),
        "feather": (".feather", [arrow_of(c, "lz4") for c in given] + [arrow_of(first, "zstd")]),
        "npz": (".npz", [npz_of(c) for c in given] + [npz_of(first, packed=True), stacked_of()]),
    }
