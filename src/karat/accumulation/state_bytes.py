"""An accumulator as bytes: a header of JSON, the arrays as Arrow, a checksum. No pickle: nothing is executed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from karat.accumulation.group_states import GroupState
from karat.accumulation.model_states import Folded, Frame, KeyState, ModelState
from karat.accumulation.row_states import NumberedRows, RowState
from karat.accumulation.top_probabilities import TopState
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.statistic import Statistic
from karat.data import Predictions
from karat.data.arrow_readers import validated
from karat.data.border import Extent
from karat.statistics import Certainty, ClassBins, ConfidenceBins, Counts, LossSums, ProbabilitySums
from karat.statistics.added import Sums, WeightSums
from karat.statistics.case_blocks import BlockTable, CaseBlocks
from karat.statistics.counts import SparseCounts
from karat.statistics.probability_sums import ColumnLosses
from karat.statistics.score_grid import ScoreGrid

MAGIC, VERSION = b"KARATACC", 3
KINDS: dict[str, type[Statistic]] = {
    kind.__name__: kind
    for kind in (Counts, ProbabilitySums, LossSums, ConfidenceBins, ClassBins, Certainty, ColumnLosses, WeightSums)
}
MANY_ARRAYS = 500
"""As groups have: they are put one after another."""
CELLS = ("rows", "columns", "values")
LARGE = 1e300
"""Stands for infinity, which JSON has no word for."""
UNEVEN = 0.05
"""More than any row of probabilities that was let in differs from 1."""
DAMAGED = "these bytes are not an accumulator, or are damaged; give what Accumulator.to_bytes() returned."


def packed(header: dict[str, Any], models: dict[str, ModelState]) -> bytes:
    """The bytes of the states, and what the accumulator says of itself."""
    arrays: dict[str, Array] = {}
    described = [_described(f"{i}", name, state, arrays) for i, (name, state) in enumerate(models.items())]
    shapes = {name: list(a.shape) for name, a in arrays.items()}
    header = header | {"models": described, "shapes": shapes}
    if len(arrays) > MANY_ARRAYS:
        arrays, header["joined"] = _joined(arrays)
    text = json.dumps(header, allow_nan=False).encode()
    body = b"".join([len(text).to_bytes(8, "big"), text, _arrow(arrays)])
    return MAGIC + VERSION.to_bytes(2, "big") + hashlib.sha256(body).digest() + body


def unpacked(raw: bytes) -> tuple[dict[str, Any], dict[str, ModelState]]:
    """What was packed."""
    start = len(MAGIC) + 2 + 32
    if not isinstance(raw, bytes | bytearray | memoryview):
        raise InputError(f"an accumulator is made of bytes, not of {type(raw).__name__}.")
    raw = bytes(raw)
    if len(raw) < start + 8 or raw[: len(MAGIC)] != MAGIC:
        raise InputError(DAMAGED)
    version = int.from_bytes(raw[len(MAGIC) : len(MAGIC) + 2], "big")
    if version != VERSION:
        raise InputError(f"these bytes are of version {version}, and this karat reads version {VERSION}; update karat.")
    body = raw[start:]
    if hashlib.sha256(body).digest() != raw[start - 32 : start]:
        raise InputError(DAMAGED)
    try:
        size = int.from_bytes(body[:8], "big")
        header = json.loads(body[8 : 8 + size])
        arrays = _arrays(body[8 + size :], header.pop("shapes"), header.pop("joined", None))
        return header, {m["name"]: _restored(f"{i}", m, arrays) for i, m in enumerate(header.pop("models"))}
    except Exception as trouble:  # a checksum can be had by anybody: what it is of may be anything
        raise InputError(DAMAGED) from trouble


def _arrow(arrays: dict[str, Array]) -> bytes:
    """Each array as a column of one list."""
    import pyarrow as pa

    columns = {name: pa.array([a.ravel()], pa.list_(pa.from_numpy_dtype(a.dtype))) for name, a in arrays.items()}
    sink = pa.BufferOutputStream()
    table = pa.table(columns)
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _arrays(raw: bytes, shapes: dict[str, list[int]], joined: dict[str, list[str]] | None = None) -> dict[str, Array]:
    import pyarrow as pa

    table = validated(pa.ipc.open_stream(raw).read_all())
    flat = {name: table.column(name).chunk(0).flatten().to_numpy() for name in table.column_names}
    if joined is not None:
        sizes = {kind: [math.prod(shapes[name]) for name in names] for kind, names in joined.items()}
        if any(sum(of_kind) != len(flat[kind]) or min(of_kind) < 0 for kind, of_kind in sizes.items()):
            raise ValueError("sizes")
        parts = {kind: np.split(flat[kind], np.cumsum(of_kind)[:-1]) for kind, of_kind in sizes.items()}
        flat = {name: part for kind, names in joined.items() for name, part in zip(names, parts[kind], strict=True)}
    return {name: column.reshape(shapes[name]) for name, column in flat.items()}


def _joined(arrays: dict[str, Array]) -> tuple[dict[str, Array], dict[str, list[str]]]:
    """Those of one type as one, and their names in order: Arrow is slow with very many columns."""
    names: dict[str, list[str]] = {}
    for name, array in arrays.items():
        names.setdefault(array.dtype.name, []).append(name)
    return {kind: np.concatenate([arrays[n].ravel() for n in of_kind]) for kind, of_kind in names.items()}, names


def _described(at: str, name: str, state: ModelState, arrays: dict[str, Array]) -> dict[str, Any]:
    """What is plain of a state; its arrays are put among the others."""
    about: dict[str, Any] = {"name": name, "frame": asdict(state.frame), "rows": state.rows}
    if isinstance(state, GroupState):
        state.settle()
        cells = {"": state.empty, **{str(i): leaf for i, leaf in enumerate(state.cells.values())}}
        leaves = [_described(f"{at}-{i}", i, leaf, arrays) for i, leaf in cells.items()]
        keys = [list(key) for key in state.cells]
        more = {"columns": list(state.columns), "untyped": state.untyped, "keys": keys, "leaves": leaves}
        return about | {"kind": "groups"} | more
    assert isinstance(state, KeyState | RowState | TopState)
    if isinstance(state, TopState):
        about |= {"kind": "top", "rest": state.rest, "weighted": state.weighted}
    elif isinstance(state, KeyState):
        arrays[f"{at}.keys"] = state.keys[: state.filled]
        about |= {"kind": "keys", "place": state.place}
    else:
        about |= {
            "kind": "rows",
            "weighted": state.weighted,
            "place": state.place,
            "plain": state.plain,
            "paired": state.paired,
            "identified": state.identified,
            "parts": [_of_part(f"{at}.{i}", part, arrays) for i, part in enumerate(state.parts)],
        }
    folded = state.folded
    about |= {"keep": state.keep, "grids": [g.own for g in folded.grids]}
    about["sums"] = _of_sums(f"{at}.sum", folded.sums or {}, arrays)
    for i, grid in enumerate(folded.grids):
        arrays |= dict(_of_grid(f"{at}.grid{i}", grid))
    if folded.blocks is not None:
        about["blocks"] = _of_blocks(f"{at}.blocks", folded.blocks, arrays)
    return about


def _of_sums(at: str, sums: Sums, arrays: dict[str, Array]) -> list[Any]:
    """Their kinds and parameters; of a table of very many classes also its size, and only cells that are not empty."""
    about = []
    for i, (key, statistic) in enumerate(sums.items()):
        sparse = isinstance(statistic, SparseCounts)
        names = CELLS if sparse else [f.name for f in fields(statistic)]  # type: ignore[arg-type]
        arrays |= {f"{at}{i}.{name}": getattr(statistic, name) for name in names}
        about.append([key[0].__name__, list(key[1:]), list(statistic.size) if sparse else None])  # type: ignore[attr-defined]
    return about


def _of_blocks(at: str, blocks: CaseBlocks, arrays: dict[str, Array]) -> dict[str, Any]:
    arrays[f"{at}.cases"] = blocks.cases
    for i, table in enumerate(blocks.tables):
        arrays |= {f"{at}.table{i}.cell": table.cell, f"{at}.table{i}.low": table.low}
        arrays[f"{at}.table{i}.weight"] = _narrow(table.weight)
    return {"sums": _of_sums(f"{at}.sum", blocks.sums, arrays), "tables": [t.own for t in blocks.tables]}


def _narrow(weight: Array) -> Array:
    """Whole numbers as such, where all are."""
    whole = weight.astype(np.uint32) if weight.max(initial=0) < 2**32 else weight
    return whole if np.array_equal(whole, weight) else weight


def _of_grid(at: str, grid: ScoreGrid) -> Iterator[tuple[str, Array]]:
    """Its cells follow from its scores; what float32 and whole numbers hold exactly is kept as such."""
    narrow = grid.ends.astype(np.float32)
    yield f"{at}.ends", narrow if np.array_equal(narrow, grid.ends) else grid.ends
    yield f"{at}.weight", _narrow(grid.weight)


def _of_part(at: str, rows: NumberedRows, arrays: dict[str, Array]) -> dict[str, Any]:
    p, first = rows.p, rows.numbers
    if not isinstance(first, int):
        arrays[f"{at}.numbers"], first = first, None  # type: ignore[assignment]
    there = {n: getattr(p, n) for n in ("truth", "held", "decided", "weight") if getattr(p, n) is not None}
    arrays |= {f"{at}.{name}": array for name, array in there.items()}
    extent = None if p.extent is None else p.extent._asdict() | {"uneven": min(p.extent.uneven, LARGE)}
    return {"arrays": list(there), "extent": extent, "decides": p.decides, "first": first}


def _restored(at: str, about: dict[str, Any], arrays: dict[str, Array]) -> ModelState:
    given = about["frame"] | {"classes": tuple(about["frame"]["classes"]), "outputs": tuple(about["frame"]["outputs"])}
    frame = Frame(**given)
    if about["kind"] == "groups":
        return _groups(at, about, arrays)
    folded = _folded(at, about, arrays)
    if about["rows"] and not (folded.sums or about.get("parts") or about["kind"] == "keys"):
        raise ValueError("rows")
    shared: dict[str, Any] = {"rows": about["rows"], "keep": about["keep"], "folded": folded}
    if about["kind"] == "keys":
        keys = arrays[f"{at}.keys"].copy()
        if keys.ndim != 1 or keys.dtype not in (np.uint32, np.uint64) or about["place"] not in (0, 1):
            raise ValueError("keys")
        return KeyState(frame, about["place"], keys, len(keys), **shared)
    if about["kind"] == "top":
        return TopState(frame, about["rest"], about["rows"], about["weighted"], folded)
    parts = [_part(f"{at}.{i}", frame, p, arrays) for i, p in enumerate(about["parts"])]
    more = {name: about[name] for name in ("weighted", "place", "plain", "paired", "identified")}
    return RowState(frame, parts, size=sum(part.size for part in parts), **more, **shared)


def _groups(at: str, about: dict[str, Any], arrays: dict[str, Array]) -> GroupState:
    columns = tuple(map(str, about["columns"]))
    empty, *leaves = [_restored(f"{at}-{leaf['name']}", leaf, arrays) for leaf in about["leaves"]]
    keys = [tuple(key) for key in about["keys"]]
    plain = all(isinstance(v, str | int | float | None) for key in keys for v in key)
    alike = {(type(leaf), leaf.frame) for leaf in leaves} <= {(type(empty), empty.frame)}
    if not (plain and alike and {len(key) for key in keys} <= {len(columns)} and len({*keys}) == len(leaves)):
        raise ValueError("groups")
    cells: Any = dict(zip(keys, leaves, strict=True))
    assert isinstance(empty, KeyState | RowState)
    return GroupState(empty, columns, cells, bool(about["untyped"]))


def _folded(at: str, about: dict[str, Any], arrays: dict[str, Array]) -> Folded:
    grids = [_grid(f"{at}.grid{i}", own, arrays) for i, own in enumerate(about["grids"])]
    blocks = None
    if "blocks" in about:
        given, at_blocks = about["blocks"], f"{at}.blocks"
        tables = [_block_table(f"{at_blocks}.table{i}", own, arrays) for i, own in enumerate(given["tables"])]
        sums = _sums(f"{at_blocks}.sum", given["sums"], arrays)
        blocks = CaseBlocks(np.array(arrays[f"{at_blocks}.cases"]), sums, tuple(tables))
    return Folded(_sums(f"{at}.sum", about["sums"], arrays) or None, tuple(grids), blocks)


def _sums(at: str, about: list[Any], arrays: dict[str, Array]) -> Sums:
    sums: Sums = {}
    for i, (name, parameters, size) in enumerate(about):
        kind: Any = KINDS[name]
        names = [f.name for f in fields(kind)] if size is None else CELLS
        values = [np.array(arrays[f"{at}{i}.{name}"]) for name in names]
        _check_sums(values[-1:] if size else values, kind is Counts)
        statistic = kind(*values) if size is None else SparseCounts(values[0], values[1], values[2], tuple(size))
        sums[kind, *((k, v) for k, v in parameters)] = statistic
    return sums


def _check_sums(values: list[Array], counted: bool) -> None:
    """Kernels and formulas trust sums to be numbers, and counts of cases not to be all 0; losses may be, or hits."""
    if any(v.dtype != np.float64 or np.isnan(v).any() for v in values) or (counted and not values[0].any()):
        raise ValueError("sums")


def _block_table(at: str, own: int, arrays: dict[str, Array]) -> BlockTable:
    cell, low, weight = (np.array(arrays[f"{at}.{name}"]) for name in ("cell", "low", "weight"))
    return BlockTable(cell, low, weight.astype(np.float64), own)


def _grid(at: str, own: int, arrays: dict[str, Array]) -> ScoreGrid:
    ends, weight = (np.ascontiguousarray(arrays[f"{at}.{name}"], np.float64) for name in ("ends", "weight"))
    return ScoreGrid.of_ends(ends, weight, own)


def _part(at: str, frame: Frame, about: dict[str, Any], arrays: dict[str, Array]) -> NumberedRows:
    held: dict[str, Any] = {name: np.array(arrays[f"{at}.{name}"]) for name in about["arrays"]}
    extent = None if about["extent"] is None else Extent(**about["extent"])
    names: dict[str, Any] = {"classes": frame.classes, "outputs": frame.outputs, "positive": frame.positive}
    p = Predictions(extent=extent, decides=about["decides"], **names, **held)
    _check_places(p)
    if frame.probabilities and p.held is not None:
        _check_probabilities(p.held)
    numbers = about["first"] if about["first"] is not None else np.array(arrays[f"{at}.numbers"])
    return NumberedRows(numbers, replace(p, probabilities=frame.probabilities or p.held is None))


def _check_probabilities(held: Array) -> None:
    """Formulas divide by sums of them."""
    even = held.shape[2] == 1 or (np.abs(held.sum(axis=2, dtype=np.float64) - 1) < UNEVEN).all()
    if not (even and (held >= 0).all() and (held <= 1).all()):
        raise ValueError("probabilities")


def _check_places(p: Predictions) -> None:
    """Kernels trust the places of classes and the lengths of arrays: what came from outside is looked at before."""
    n, k = p.truth.shape[1], len(p.classes)
    shapes = {"truth": (1, n), "decided": (1, n), "weight": (1, n)}
    sound = n > 0 and all(getattr(p, name) is None or getattr(p, name).shape == shape for name, shape in shapes.items())
    sound &= p.held is None or (p.held.shape[:2] == (1, n) and p.held.ndim == 3 and p.held.shape[2] in (1, k))
    sound &= p.held is None or p.held.dtype in (np.float32, np.float64)
    sound &= p.weight is None or (p.weight.dtype == np.float64 and bool((p.weight >= 0).all()))
    for places, most in ((p.truth, k), (p.decided, len(p.outputs))):
        if places is not None and places.size:
            sound &= places.dtype.kind == "i" and bool(0 <= places.min() <= places.max() < most)
    if not sound:
        raise ValueError("places")
