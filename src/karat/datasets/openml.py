"""Data sets from OpenML, for users with a network: the description by name, then the ARFF file that it points to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from karat.core.errors import InputError
from karat.core.validation import listed_words
from karat.datasets.arff import parse_arff, text_of
from karat.datasets.data_set import DataSet

API = "https://www.openml.org/api/v1/json/data"
SECONDS = 60
Fetch = Callable[[str], bytes]


def from_openml(
    name: str, *, version: int | None = None, target: str | None = None, fetch: Fetch | None = None
) -> DataSet:
    """The active data set of this name (its newest version unless one is given), without the columns that its
    description says to ignore. `fetch` gives the bytes at an address, if not urllib."""
    fetch = fetch or _fetched
    entry = _listed(name, version, fetch)
    about = _answer(f"{API}/{entry['did']}", fetch)["data_set_description"]
    data = parse_arff(
        text_of(fetch(about["url"])),
        name=about["name"],
        target=target or about.get("default_target_attribute"),
        source=f"OpenML {about['id']}, version {about['version']}",
    )
    ignored = {n for key in ("ignore_attribute", "row_id_attribute") for n in listed_words(about.get(key) or ())}
    return data.without(*(ignored & set(data.attributes)))


def _listed(name: str, version: int | None, fetch: Fetch) -> dict[str, Any]:
    which = "" if version is None else f"/data_version/{version}"
    try:
        entries = _answer(f"{API}/list/data_name/{quote(name)}/status/active{which}", fetch)["data"]["dataset"]
    except HTTPError as problem:
        if problem.code not in (404, 412):  # OpenML says 412 where nothing matches
            raise
        entries = []
    if not entries:
        wanted = f"{name!r}" if version is None else f"{name!r} in version {version}"
        raise InputError(f"OpenML has no active data set {wanted}; look up its exact name on openml.org.")
    newest: dict[str, Any] = max(entries, key=lambda entry: int(entry["version"]))
    return newest


def _answer(address: str, fetch: Fetch) -> Any:
    return json.loads(fetch(address))


def _fetched(address: str) -> bytes:
    try:
        with urlopen(Request(address, headers={"User-Agent": "karat"}), timeout=SECONDS) as answer:
            content: bytes = answer.read()
            return content
    except HTTPError:
        raise
    except (URLError, TimeoutError, OSError) as problem:
        raise InputError(
            f"{address} can't be reached ({problem}); check the network, or use a folder of ARFF files instead."
        ) from None
