"""The same state on other engines: their answers are those of one process."""

from __future__ import annotations

import json
import operator
import os
import signal
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest

import karat
from karat.accumulation.cluster_tree import merged
from karat.cli import main

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

ROWS, GROUP = 60_000, 1_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, rng = tmp_path_factory.mktemp("engines"), np.random.default_rng(3)
    p = rng.random(ROWS).astype(np.float32)
    y = (rng.random(ROWS) < p).astype(np.int8)
    for i, part in enumerate(np.array_split(np.arange(ROWS), 2)):
        pq.write_table(pa.table({"y_true": y[part], "p_1": p[part]}), made / f"{i}.parquet", row_group_size=GROUP)
    return made


@pytest.fixture(scope="module")
def alone(folder: Path) -> karat.Evaluation:
    return karat.accumulate(folder, exact=False, workers=1).evaluation()


def assert_same(e: karat.Evaluation, alone: karat.Evaluation) -> None:
    """Counts bit for bit, sums and bounds to 1e-13."""
    assert e.n == alone.n == ROWS
    assert e.matrix().columns == alone.matrix().columns
    for symbol in ("LogLoss", "BrierLoss", "pCEN", "ECE"):
        assert e[symbol] == pytest.approx(alone[symbol], rel=1e-13), symbol
    for symbol in ("AUC", "AP", "KS"):
        assert e.bounds(symbol) == pytest.approx(alone.bounds(symbol), rel=1e-13), symbol


def test_a_cluster_that_loses_a_worker_gives_the_same(
    folder: Path, alone: karat.Evaluation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", local_directory=str(tmp_path)
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.run(os.getpid).values())
        killer = Timer(0.2, os.kill, (min(before), signal.SIGKILL))
        killer.start()
        e = karat.accumulate(folder, exact=False, executor=client).evaluation()
        killer.join()
        assert_same(e, alone)
        assert_same(karat.accumulate(folder, exact=False, executor=client).evaluation(), alone)
        assert min(before) not in client.run(os.getpid).values()  # it was lost, and another is there
        command = ["evaluate", str(folder), "--scheduler", cluster.scheduler_address, "--json", "--measures", "LogLoss"]
        with pytest.raises(SystemExit):
            main(command)
        assert json.loads(capsys.readouterr().out)["measures"]["LogLoss"] == pytest.approx(alone["LogLoss"], rel=1e-12)


def test_a_pool_of_processes(folder: Path, alone: karat.Evaluation) -> None:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert_same(karat.accumulate(folder, exact=False, executor=pool).evaluation(), alone)


def accumulated(batches: Any) -> karat.Accumulator:
    a = karat.Accumulator(labels=[0, 1], exact=False)
    for y, p in batches:
        a.update(np.asarray(y), np.asarray(p))
    return a


def test_polars_batches(folder: Path, alone: karat.Evaluation) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    lazy = polars.scan_parquet(folder / "*.parquet").select("y_true", "p_1")
    if not hasattr(lazy, "collect_batches"):
        pytest.skip("this polars has no collect_batches")
    frames = lazy.collect_batches(chunk_size=7_000)
    batches = ((f["y_true"].to_numpy(), f["p_1"].to_numpy()) for f in frames)
    assert_same(accumulated(batches).evaluation(), alone)


def test_duckdb_reader(folder: Path, alone: karat.Evaluation) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    relation = duckdb.sql(f"select y_true, p_1 from '{folder}/*.parquet'")
    reader = (getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch)(7_000)
    batches = ((b.column(0).to_numpy(), b.column(1).to_numpy()) for b in reader)
    assert_same(accumulated(batches).evaluation(), alone)


def recipe() -> tuple[Any, Any]:
    """What Spark calls on each partition (one row of bytes comes out), and how it adds two of them up; defined in a
    function, as in a script, so that they are sent and not looked for."""

    def states(batches: Any) -> Any:
        import pyarrow

        import karat

        a = karat.Accumulator(labels=[0, 1], exact=False)
        for b in batches:
            a.update(b.column(0).to_numpy(), b.column(1).to_numpy())
        if a.rows:
            yield pyarrow.RecordBatch.from_pydict({"state": [a.to_bytes()]})

    def added(one: bytes, other: bytes) -> bytes:
        from karat.accumulation.cluster_tree import merged

        return merged([one, other])

    return states, added


def test_the_function_for_spark_and_its_reduction(folder: Path, alone: karat.Evaluation) -> None:
    """What Spark would call on each partition, and what it would reduce their rows by."""
    batches = pa.parquet.ParquetDataset(folder).read().to_batches(max_chunksize=8_000)
    states = [row["state"][0].as_py() for part in (batches[::2], batches[1::2]) for row in recipe()[0](iter(part))]
    assert_same(karat.Accumulator.from_bytes(merged(states)).evaluation(), alone)


@pytest.mark.filterwarnings("ignore")  # Spark's own
def test_spark(folder: Path, alone: karat.Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[2]").getOrCreate()
    states, added = recipe()
    rows = spark.read.parquet(str(folder)).select("y_true", "p_1").mapInArrow(states, "state binary")
    state = rows.rdd.map(operator.attrgetter("state")).map(bytes).treeReduce(added)
    spark.stop()
    assert_same(karat.Accumulator.from_bytes(state).evaluation(), alone)


def test_ray(folder: Path, alone: karat.Evaluation) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        read = ray.remote(lambda path: karat.accumulate(path, exact=False, workers=1).to_bytes())
        states = ray.get([read.remote(str(path)) for path in sorted(folder.glob("*.parquet"))])
    finally:
        ray.shutdown()
    assert_same(karat.Accumulator.from_bytes(merged(states)).evaluation(), alone)


def test_an_s3_server(folder: Path, alone: karat.Evaluation) -> None:
    server = pytest.importorskip("moto.server", reason="moto is not installed")
    fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is not installed")
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    try:
        host, port = started.get_host_and_port()
        keys = {"access_key": "none", "secret_key": "none", "region": "us-east-1", "allow_bucket_creation": True}
        s3 = fs.S3FileSystem(endpoint_override=f"http://{host}:{port}", **keys)
        s3.create_dir("predictions")
        fs.copy_files(str(folder), "predictions/today", destination_filesystem=s3)
        assert_same(karat.accumulate("predictions/today/*.parquet", exact=False, filesystem=s3).evaluation(), alone)
    finally:
        started.stop()
