"""`karat.report`: a page of HTML about some models, with everything in it."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from karat.core.errors import InputError, type_words
from karat.core.keywords import understand
from karat.core.version import __version__
from karat.core.whole_files import write_whole
from karat.measures.lookup import Named
from karat.page import bundle, verdict
from karat.page.content import Content, Progress
from karat.page.group_section import group_section
from karat.page.headline_table import headline_table
from karat.page.html_tables import classes_table, measures_table, more_measures, notes
from karat.page.json_numbers import embedded
from karat.page.payload import page_data

SCRIPTS = (
    "names.js", "conditions.js", "charts.js", "shapes.js", "maps.js", "points.js", "bands.js", "classes.js",
    "details.js", "panels.js", "exports.js", "thinning.js", "expressions.js", "figures.js", "highlight.js",
    "enlarge.js", "choosing.js", "controls.js", "matrices.js", "prices.js", "groups.js", "sorting.js", "contents.js",
    "actions.js", "report.js",
)  # fmt: skip


@dataclass(frozen=True)
class Report:
    """A page of HTML about some models, which holds everything that it shows.

    A notebook shows the page; `save` writes it to a file.

    Attributes
    ----------
    html : str
        The page.
    path : pathlib.Path or None
        Where it was written, if it was.

    See Also
    --------
    karat.report : Makes it.
    """

    html: str
    path: Path | None = None

    def save(self, path: Any) -> Report:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            Ends in .html.

        Returns
        -------
        Report
            The same page, with its `path`.

        Raises
        ------
        InputError
            If the file cannot be written there.
        """
        check_path(Path(path))
        write_whole(path, self.html)
        return Report(self.html, Path(path))

    def _repr_html_(self) -> str:
        return f'<iframe style="width:100%;height:800px;border:0" title="karat" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        where = f" in {self.path}" if self.path is not None else ""
        return f"<report of {len(self.html.encode()) / 1e6:.1f} MB{where}>"


@understand(usage="karat.report({'a': p1, 'b': p2}, y_true, 'report.html')")
def report(
    models: Any,
    y_true: Any = None,
    path: Any = None,
    *,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    measures: Named | None = None,
    intervals: bool = True,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    by: Any = None,
    title: str = "",
    fragment: bool = False,
    told: Progress = lambda step: None,
) -> Report:
    """One interactive page about some models: verdict, findings, measures with intervals, diagrams and costs.

    The page is one file of HTML that needs no network.

    Parameters
    ----------
    models : dict of str to Evaluation, Evaluation, Comparison, or dict of str to array
        1 to 100 models on the same classes: evaluations by name, one evaluation, a comparison; or probabilities by
        name, as `karat.evaluate` takes them, together with `y_true`.
    y_true : array-like, optional
        The true labels, if the models are probabilities. Otherwise the path may stand here:
        `karat.report(models, "report.html")`.
    path : str or path-like, optional
        Where to write the page; without it nothing is written, and the result has a `save` method.
    labels, positive, sample_weight : optional
        As in `karat.evaluate`, if the models are probabilities.
    measures : str or list of str, optional
        The measures of the table: names, "papers" or "all". By default those that `karat.evaluate` shows, and behind a
        fold those of the papers.
    intervals : bool, default=True
        Compute confidence intervals.
    level : float, default=0.95
        Their confidence level, also that of the tests.
    replicates : int, default=1000
        Bootstrap replicates where intervals or tests need them; with very many cases there are fewer.
    seed : int, default=0
        Of the random numbers.
    groups : array-like of shape (n,), optional
        Cases of one group (a patient, a user) belong together, in intervals and tests.
    by : dict or array-like of shape (n,), optional
        {name: the group of each case}: a section with every group, and the gaps between them. By default what came
        with `karat.evaluate(..., by=)`.
    title : str, optional
        Title of the page.
    fragment : bool, default=False
        Make a piece of HTML to put into another page instead of a page: one element with its script, whose styles and
        names neither change that page nor are changed by it. That page has to allow inline scripts.
    told : callable, optional
        Is called with a few words about each step, to show the progress.

    Returns
    -------
    Report
        It has `html` and `save(path)`; a notebook shows the page.

    Raises
    ------
    InputError
        If the models are about different classes or cases, or the file cannot be written.

    See Also
    --------
    karat.evaluate : Measures of one model.
    karat.compare : Tests of the differences between models.

    Examples
    --------
    >>> import karat
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> karat.report({"forest": p}, y, "report.html")  # doctest: +SKIP
    <report of 1.1 MB in report.html>
    >>> karat.report(karat.evaluate(y, p)).save("report.html")  # doctest: +SKIP
    <report of 1.1 MB in report.html>
    """
    if isinstance(y_true, str | PathLike):  # report(models, "report.html")
        if path is not None:
            raise InputError(f"y_true is the text {str(y_true)!r}; pass the true labels, or one path alone.")
        y_true, path = None, y_true
    for given in (y_true, path):
        if hasattr(given, "write"):
            raise InputError(f"{type_words(given)} was given; give the path of the file to write, as a str.")
    if path is not None:
        check_path(Path(path))
    if not bundle.ready():
        told("preparing the chart libraries (once)")
    drawing = bundle.charts()
    content = Content.of(
        models, y_true=y_true, labels=labels, positive=positive, sample_weight=sample_weight,
        measures=measures, intervals=intervals, level=level, replicates=replicates, seed=seed, groups=groups,
        by=by, title=title, progress=told,
    )  # fmt: skip
    told("curves")
    data = page_data(content)
    if content.grouped_models:
        told("groups")
    by_group, data["groups"] = group_section(content)
    page = Report(_html(content, data, by_group, drawing, fragment))
    return page if path is None else page.save(path)


def steps_of(models: int, intervals: bool = True) -> int:
    """How many steps a report of so many models tells of, at most."""
    return models * (2 if intervals else 1) + (models > 1) + 2 + (not bundle.ready())


def _html(content: Content, data: dict[str, Any], by_group: str, drawing: str, fragment: bool = False) -> str:
    make = _fragment if fragment else _page
    page = make(content, _body(content, data, by_group, fragment), embedded(data), drawing)
    return page.encode("utf-8", "replace").decode()  # half of a surrogate pair in a name can't be written


def _page(content: Content, body: str, data: str, drawing: str) -> str:
    """A whole page, in which only these scripts may run."""
    scripts = (drawing, _scripts())
    rules = (
        "default-src 'none'; connect-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; font-src 'none'; "
        f"base-uri 'none'; form-action 'none'; script-src {' '.join(map(_hash, scripts))}"
    )
    return _template("report.html").substitute(
        title=escape(verdict.title_of(content)),
        rules=escape(rules),
        style=_text("static", "report.css"),
        version=escape(__version__),
        body=body,
        data=data,
        libraries=scripts[0],
        script=scripts[1],
    )


def _fragment(content: Content, body: str, data: str, drawing: str) -> str:
    """An element with a shadow tree, and a script that keeps its names to itself."""
    script = Template(_text("static", "embedding.js") + EMBEDDED).substitute(drawing=drawing, own=_scripts())
    style = inner_style(_text("static", "report.css"))
    return _template("fragment.html").substitute(style=style, body=body, data=data, script=script)


EMBEDDED = """
(function (host) {
  const before = [window.vega, window.vegaLite, window.vegaEmbed]; // of the page around it
  (function () {
$drawing
  })();
  (function (document) {
$own
  })(karatDocument(host));
  [window.vega, window.vegaLite, window.vegaEmbed] = before;
})(document.currentScript.previousElementSibling);
"""
"""How the scripts run inside of another page."""
RESET = """
:host { display: block !important; }
:where(.page, #tip) { all: initial; color-scheme: inherit; direction: ltr; }
.page { display: block; container-type: inline-size; }
#tip { display: block; }
"""
"""What the page around a fragment would pass on is not taken."""


def inner_style(style: str) -> str:
    """The styles of a page for its shadow tree: sizes and widths are those of the fragment, not of the page around it.

    >>> inner_style('@media (max-width: 600px) { :root:not([data-theme="light"]) p { margin: 1.5rem; } }')[len(RESET):]
    '@container (max-width: 600px) { :host(:not([data-theme="light"])) p { margin: 24px; } }'
    """
    state = r"((?:\.[\w-]+|\[[^\]]*\]|:not\([^)]*\))+)"
    style = re.sub(f":root{state}", r":host(\1)", style).replace(":root", ":host")
    style = re.sub(r"([\d.]+)rem\b", lambda size: f"{16 * float(size[1]):g}px", style)
    return RESET + re.sub(r"@media (?:screen and )?\((min|max)-width", r"@container (\1-width", style)


def _body(content: Content, data: dict[str, Any], by_group: str, fragment: bool) -> str:
    title = verdict.title_of(content)
    what = "report" if fragment else "file"
    return _template("body.html").substitute(
        heading=f'<bdi class="name">{escape(title)}</bdi>',
        subject=verdict.subject(content),
        advice=verdict.advice(content),
        headline=headline_table(content),
        verdict=verdict.verdict(content),
        findings=verdict.findings(content),
        table=measures_table(content),
        more=more_measures(content),
        notes=notes(content),
        classes=classes_table(content),
        groups=by_group,
        to_groups='<li><a href="#groups">Groups</a></li>' if by_group else "",
        compared=verdict.comparison_method(content),
        method=escape(verdict.method(content)),
        left_out="".join(f"<p>{escape(one)}</p>" for one in verdict.left_out(content)),
        rankings=escape((data["rankings"] or {}).get("verdict", "")),
        version=escape(__version__),
        footer=f"This {what} is self-contained and makes no network requests.",
    )


def _scripts() -> str:
    return without_comments("\n".join(_text("static", name) for name in SCRIPTS))


def without_comments(script: str) -> str:
    """A script without what only its authors need: comments of documentation, those on lines of their own, and indents.

    >>> without_comments("  /** @type {any} */ (a).b = 1; // kept\\n\\n  // not kept\\n  c();")
    '(a).b = 1; // kept\\nc();'
    """
    lines = (line.strip() for line in re.sub(r"/\*\*.*?\*/", "", script, flags=re.DOTALL).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _template(name: str) -> Template:
    return Template(_text("templates", name))


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
            f"{str(path)!r} is not an HTML file; name it .html (for a PDF, print the page from the browser)."
        )
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} for {path.name}; create it first.")
