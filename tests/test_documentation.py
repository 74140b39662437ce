"""The documentation: its examples run, the site is built without a warning, and every link of it leads somewhere."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
START = sorted((DOCS / "start").glob("*.md"))


@pytest.mark.parametrize("page", START, ids=lambda path: path.stem)
def test_examples_run(page: Path) -> None:
    if "sklearn" in page.read_text(encoding="utf-8"):
        pytest.importorskip("sklearn")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert not failed


def test_start_here_is_read_in_ten_minutes() -> None:
    words = sum(len(re.findall(r"\w+", page.read_text(encoding="utf-8"))) for page in START)
    assert words / 230 < 10  # words a minute


def test_the_site_is_built_without_a_warning_and_no_link_is_dead(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    pytest.importorskip("pydata_sphinx_theme")
    source, site = tmp_path / "source", tmp_path / "site"
    for name in ("docs", "benchmarks"):
        shutil.copytree(ROOT / name, source / name)
    for path in ROOT.glob("*.md"):
        shutil.copy(path, source)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(source / "docs"), str(site)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    dead = set()
    for page in (path for path in site.rglob("*.html") if "_static" not in path.parts):
        for link in re.findall(r'(?:href|src)="([^"#?:]+)[#?"]', page.read_text(encoding="utf-8")):
            if not (page.parent / link).exists():
                dead.add((page.name, link))
    assert not dead
    measures = site / "reference" / "measures"
    assert (measures / "MCC.html").exists()
    assert "<math" in (measures / "MCC.html").read_text(encoding="utf-8")
