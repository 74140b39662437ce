"""`karat.report`: a page of HTML about some models, with everything in it."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from karat.core.errors import InputError
from karat.core.version import __version__
from karat.measures.lookup import Named
from karat.page import bundle, verdict
from karat.page.content import Content, Progress
from karat.page.html_tables import classes_table, measures_table, notes
from karat.page.json_numbers import embedded
from karat.page.payload import page_data

SCRIPTS = (
    "conditions.js", "charts.js", "shapes.js", "maps.js", "points.js", "bands.js", "details.js", "panels.js",
    "figures.js", "controls.js", "prices.js", "sorting.js", "actions.js", "report.js",
)  # fmt: skip


@dataclass(frozen=True)
class Report:
    """A page."""

    html: str
    path: Path | None = None

    def save(self, path: Any) -> Report:
        """Write it to a file, whole or not at all."""
        check_path(Path(path))
        try:
            bundle.write_whole(Path(path), self.html)
        except OSError as trouble:
            raise InputError(f"{path} can't be written: {trouble.strerror}.") from None
        return Report(self.html, Path(path))

    def _repr_html_(self) -> str:
        return f'<iframe style="width:100%;height:800px;border:0" title="karat" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        where = f" in {self.path}" if self.path is not None else ""
        return f"<report of {len(self.html.encode()) / 1e6:.1f} MB{where}>"


def report(
    models: Any,
    path: Any = None,
    *,
    measures: Named | None = None,
    intervals: bool = True,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    title: str = "",
    told: Progress = lambda step: None,
) -> Report:
    """One page about some models, which needs no network and nothing else.

    Parameters
    ----------
    models : {name: evaluation} of the same classes (1 to 100 of them), one evaluation, or a comparison.
    path : where to write it; None: nowhere, the result has a `save`.
    measures : those of the table; the headline, unless said.
    intervals, level, replicates, seed : of the intervals; with very many cases there are fewer replicates.
    title : of the page.
    told : is called with what is being done.
    """
    if path is not None:
        check_path(Path(path))
    if not bundle.ready():
        told("the libraries that draw (once)")
    drawing = bundle.charts()
    content = Content.of(
        models, measures=measures, intervals=intervals, level=level, replicates=replicates, seed=seed, title=title,
        progress=told,
    )  # fmt: skip
    told("curves")
    page = Report(_html(content, page_data(content), drawing))
    return page if path is None else page.save(path)


def _html(content: Content, data: dict[str, Any], drawing: str) -> str:
    own = "\n".join(_text("static", name) for name in SCRIPTS)
    title = verdict.title_of(content)
    scripts = (drawing, own)
    rules = (
        "default-src 'none'; connect-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; font-src 'none'; "
        f"base-uri 'none'; form-action 'none'; script-src {' '.join(map(_hash, scripts))}"
    )
    page = Template(_text("templates", "report.html")).substitute(
        title=escape(title),
        heading=f'<bdi class="name">{escape(title)}</bdi>',
        rules=escape(rules),
        style=_text("static", "report.css"),
        subject=verdict.subject(content),
        verdict=verdict.verdict(content),
        findings=verdict.findings(content),
        table=measures_table(content),
        classes=notes(content) + classes_table(content),
        method=escape(verdict.method(content)),
        left_out="".join(f"<p>{escape(one)}</p>" for one in verdict.left_out(content)),
        rankings=escape((data["rankings"] or {}).get("verdict", "")),
        version=escape(__version__),
        data=embedded(data),
        libraries=drawing,
        script=own,
    )
    return page.encode("utf-8", "replace").decode()  # half of a surrogate pair in a name can't be written


def _hash(script: str) -> str:
    """What lets exactly this script run, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _text(*path: str) -> str:
    return resources.files("karat.page").joinpath(*path).read_text(encoding="utf-8")


def check_path(path: Path) -> None:
    """See that a page can be written there, before any work is done."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it, for example {str(path / 'report.html')!r}.")
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"{str(path)!r} is no page of HTML; name it .html (for a PDF, print the page from the browser)."
        )
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name} to; make it first.")
