"""A cluster as a path to numbers: random problems as files in parts, read by workers of dask.distributed, beside the
same rows at once. `python tests/paths/cluster.py FIRST COUNT` prints what differs."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import karat

sys.path.insert(0, str(Path(__file__).parents[1]))
from paths.paths import LEFT_OUT, Random, all_values, at_rows, far


def compared(seeds: range, client: Any) -> tuple[int, list[dict[str, Any]]]:
    """How many numbers were compared, and what differs."""
    import pyarrow as pa
    from pyarrow import parquet

    count, different = 0, []
    for seed in seeds:
        data = Random.of(seed)
        rows = data.evaluated()
        with tempfile.TemporaryDirectory() as folder:
            for number, part in enumerate(np.array_split(np.arange(len(data.y)), 3)):
                columns = {"y_true": data.y[part], **{f"p_{j}": data.p[part, j] for j in range(data.k)}}
                columns |= {} if data.w is None else {"weight": data.w[part]}
                parquet.write_table(pa.table(columns), Path(folder) / f"{number}.parquet")
            weight = None if data.w is None else "weight"
            positive = 1 if data.k == 2 else None
            for exact in (True, False):
                found = karat.accumulate(
                    folder, labels=range(data.k), positive=positive, weight=weight, exact=exact, executor=client
                ).evaluation()
                there = {key: at_rows(rows, found, key, value) for key, value in all_values(found).items()}
                here = all_values(rows)
                for key in here.keys() & there.keys():
                    if there[key] != LEFT_OUT:
                        count += 1
                        if far(here[key], there[key]):
                            line = {
                                "seed": seed,
                                "exact": exact,
                                "measure": key,
                                "rows": here[key],
                                "there": there[key],
                            }
                            different.append(line)
    return count, different


if __name__ == "__main__":
    from distributed import Client, LocalCluster

    warnings.simplefilter("ignore")
    first, most = int(sys.argv[1]), int(sys.argv[2])
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        numbers, wrong = compared(range(first, first + most), client)
    for line in wrong:
        print(json.dumps(line))
    print(json.dumps({"problems": most, "numbers": numbers}))
