"""The documentation site: `python -m sphinx -W docs build/site`, then open `build/site/index.html`."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extension"))

from karat.core.version import __version__  # noqa: E402

project = "karat"
author = "the karat developers"
copyright = "the karat developers, BSD-3-Clause"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "declared_pages",
    "book_cells",
    "repository_pages",
    "sphinx_gallery.gen_gallery",  # the last: a recipe declares a measure of its own, which is none of ours
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_extension"]
default_role = "code"  # single backticks in docstrings
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path: list[str] = []

autodoc_typehints = "none"  # numpydoc's sections say them in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": [str(HERE.parent / "examples" / "recipes")],
    "gallery_dirs": ["recipes"],
    "filename_pattern": r".*\.py",
    "capture_repr": (),
    "default_thumb_file": str(HERE / "images" / "report.png"),  # of a recipe without a picture
    "download_all_examples": False,
    "min_reported_time": 60,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

smartquotes = False  # options begin with two hyphens
html_theme = "pydata_sphinx_theme"
html_title = "karat"
html_static_path = ["_static"]
html_css_files = ["karat.css"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 8,
    "navbar_persistent": ["search-button"],  # a sign, so that all sections have room beside it
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
}
html_sidebars = {"index": []}
html_show_sourcelink = False
html_show_search_summary = False  # pages opened from disk can't be fetched
html_copy_source = False
suppress_warnings = ["myst.header"]  # the gallery begins its pictures on the third level
