"""One browser for all tests of pages, and the demo's page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.cli.demo import demo_models

CHROME = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""None: the one that Playwright may have brought"""


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as p:
        try:
            found = p.chromium.launch(executable_path=CHROME, args=["--no-sandbox"])
        except sync_api.Error as trouble:
            pytest.skip(f"there is no browser to open the page with: {str(trouble).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="package")
def demo_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the demo's models."""
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    karat.report(demo_models(), path, replicates=30)
    return path
