"""
A folder of Parquet on dask
===========================

Rows that do not fit into memory are added up where they are. Only small states travel.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.distributed import Client

import karat

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
for part in range(4):
    y = (rng.random(50_000) < 0.3).astype(np.int8)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1.8, 1.2))).astype(np.float32)
    pq.write_table(pa.table({"y_true": y, "p_1": p}), folder / f"part-{part}.parquet")

# %%
# In production the client is connected to a scheduler: ``Client("tcp://scheduler:8786")``. Spark, Ray and any
# ``concurrent.futures`` executor work alike.

with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    a = karat.accumulate(folder, executor=client)
e = a.evaluation()
print(f"{a.rows:,} rows, state {len(a.to_bytes()) / 1e6:.1f} MB")
print(f"ROC AUC {e['roc_auc']:.6f}, certainly within {e.bounds('roc_auc')}")
e.plot("roc_curve")
