"""A dask.distributed cluster as the executor of a study."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from karat.core.errors import InputError


@contextmanager
def cluster(address: str, timeout: float = 10.0) -> Iterator[tuple[Executor, int]]:
    """An executor on the workers of a cluster, and how many units they do at a time: for `karat.engines.run`.

    Units of a worker that is lost are done again by another. The workers need karat; what a unit needs of the data is
    sent with it.
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise InputError(
            "a cluster needs dask.distributed, which is not installed: pip install karat[cluster]."
        ) from None
    try:
        client = distributed.Client(address, timeout=timeout)
    except (OSError, TimeoutError, ValueError) as trouble:
        raise InputError(
            f"no scheduler answers at {address!r} ({type(trouble).__name__}); give the address of one that runs, as tcp://HOST:PORT."
        ) from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise InputError(f"the cluster at {address!r} has no worker; start one with: dask worker {address}")
        with client.get_executor() as executor:
            yield executor, threads
