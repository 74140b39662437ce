"""A browser for the tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROME = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""None: the one that Playwright may have brought"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as p:
        try:
            found = p.chromium.launch(executable_path=CHROME, args=["--no-sandbox"])
        except sync_api.Error as trouble:
            pytest.skip(f"there is no browser to open the page with: {str(trouble).splitlines()[0]}")
        yield found
        found.close()
