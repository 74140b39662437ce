"""Damaged inputs by the million: `python tests/fuzz/run.py` (about an hour of one core), which writes docs/trust.md.

Each kind of input is tried in processes of their own, so that one that dies is seen, and its number known; the same
number makes the same input. `--count` says how many in all, `--first` where numbers begin; what earlier runs recorded
in `--record` is kept and added to.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "trust.md"
MARKS = ("<!-- inputs: tests/fuzz/run.py -->", "<!-- end of inputs -->")
"""Between which the page tells what was tried."""
SLICE = 5_000
"""Inputs that one process tries."""
KINDS = {
    "csv": "CSV",
    "tsv": "TSV",
    "csv.gz": "CSV, gzip",
    "jsonl": "JSON lines",
    "json": "JSON, an array of records",
    "jsonl.gz": "JSON lines, gzip",
    "parquet": "Parquet",
    "arrow": "Arrow, file",
    "arrow stream": "Arrow, stream",
    "feather": "Feather (Arrow, compressed)",
    "npz": ".npz",
    "csv, by parts": "CSV, part by part",
    "csv.gz, by parts": "CSV, gzip, part by part",
    "jsonl, by parts": "JSON lines, part by part",
    "jsonl.gz, by parts": "JSON lines, gzip, part by part",
    "parquet, by parts": "Parquet, part by part",
    "arrow, by parts": "Arrow, part by part",
    "feather, by parts": "Feather, part by part",
    "accumulator": "bytes of an accumulator, checksum made good",
    "requirement": "requirements of `karat gate`, and baselines",
    "arff": "ARFF",
    "matrices": "confusion matrices in JSON",
    "page": "names and values of the data of a page",
}


def tried(kind: str, first: int, count: int) -> tuple[Counter[str], list[dict[str, Any]]]:
    """How so many inputs of a kind end, and what was wrong."""
    ends, wrong, end = Counter[str](), [], first + count
    while first < end:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            words = [sys.executable, str(HERE / "trials.py"), folder, str(first), str(end - first), kind]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            told = [json.loads(line) for line in done.stdout.splitlines()]
            wrong += [line for line in told if "number" in line]
            ends += Counter(next((line["ends"] for line in told if "ends" in line), {}))
            if done.returncode == 0:
                break
            at = int((Path(folder) / "now").read_text().split()[0])
            wrong.append({"kind": kind, "number": at, "wrong": f"the process ended with {done.returncode}"})
            ends += Counter({"died": 1, "not told": at - first})
            first = at + 1
    return ends, wrong


def page(record: dict[str, Any], text: str) -> str:
    """docs/trust.md, with what was recorded between its two marks."""
    total = sum(sum(ends.values()) for ends in record["ends"].values())
    bad = sum(ends.get(end, 0) for ends in record["ends"].values() for end in ("wrong", "died"))
    rows = [
        f"| {KINDS[kind]} | {sum(ends.values()):,} | {ends.get('read', 0):,} | {ends.get('refused', 0):,} "
        f"| {ends.get('wrong', 0) + ends.get('died', 0):,} |"
        for kind, ends in sorted(record["ends"].items(), key=lambda item: list(KINDS).index(item[0]))
    ]
    said = f"{total:,} inputs, of which {f'{bad:,} were' if bad else 'none was'} wrong. {record['where']}."
    lines = [MARKS[0], said, "", "| input | tried | read | refused | wrong |", "|---|--:|--:|--:|--:|", *rows, MARKS[1]]
    before, _, rest = text.partition(MARKS[0])
    return before + "\n".join(lines) + rest.partition(MARKS[1])[2]


def main() -> int:
    """Try them, record how they end, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs in all")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of each kind")
    parser.add_argument("--record", type=Path, default=HERE / "record.json", help="keeps the counts of several runs")
    parser.add_argument("--kind", action="append", help="only this kind; may be repeated")
    asked = parser.parse_args()
    record: dict[str, Any] = {"ends": {}, "wrong": []}
    if asked.record.exists():
        record = json.loads(asked.record.read_text())
    kinds = asked.kind or list(KINDS)
    each = -(-asked.count // len(kinds))
    for first in range(asked.first, asked.first + each, SLICE):  # each kind in turn: a run that ends early has had all
        for kind in kinds:
            ends, wrong = tried(kind, first, min(SLICE, asked.first + each - first))
            record["ends"][kind] = dict(Counter(record["ends"].get(kind, {})) + ends)
            record["wrong"] += wrong
            asked.record.write_text(json.dumps(record, indent=1))
            for line in wrong:
                print(json.dumps(line), flush=True)
    import numpy
    import pyarrow

    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}, pyarrow {pyarrow.__version__}"
    record["where"] = f"{versions}, {platform.system()}"
    asked.record.write_text(json.dumps(record, indent=1) + "\n")
    PAGE.write_text(page(record, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return int(bool(record["wrong"]))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
