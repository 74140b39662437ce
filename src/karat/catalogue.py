"""All that was declared, found by symbol, name or alias: `karat.catalogue.measures["MCC"]`,
`karat.catalogue.diagrams["roc_curve"]`, `karat.catalogue.comparisons["friedman"]`,
`karat.catalogue.studies["census"]`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError, UnknownNameError, option, type_words
from karat.core.explanation import FACTS, Explanation
from karat.core.finding import checks
from karat.core.keywords import understand
from karat.core.measure import Measure, measures
from karat.core.other_names import instead
from karat.findings import collection as _findings  # noqa: F401 - declares the checks
from karat.measures import PAPERS, find

if TYPE_CHECKING:
    from karat.core.comparison import comparisons
    from karat.diagrams import diagrams
    from karat.studies import studies

papers = tuple(PAPERS)
"""Symbols of the measures of the five papers."""

DECLARE_COMPARISONS = (
    "karat.comparisons", "karat.intervals", "karat.across", "karat.decisions", "karat.concordance", "karat.groups",
    "karat.changes", "karat.slices",
)  # fmt: skip
LATER = {
    "comparisons": ("karat.core.comparison", *DECLARE_COMPARISONS),
    "diagrams": ("karat.diagrams",),
    "studies": ("karat.studies",),
}
"""Registries that are fetched when they are first asked for, because who wants numbers need not wait for them: where
they are, and who else declares something in them."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        if name.startswith("_"):
            raise AttributeError(name)
        raise instead("module 'karat.catalogue'", name, {"metrics": "karat.catalogue.measures"}, __all__, lambda _: "")
    home, *_ = [import_module(module) for module in LATER[name]]
    return getattr(home, name)


def registries() -> dict[str, Any]:
    """Kind ("measure", "diagram", ...) to all that were declared."""
    later = [__getattr__(name) for name in ("diagrams", "comparisons")]
    return dict(zip(FACTS, (measures, *later, checks, __getattr__("studies")), strict=True))


@understand(usage="explain('MCC')")
def explain(name: str | Measure, kind: str | None = None) -> Explanation:
    """All that is known of a measure, diagram, comparison, finding or study.

    Parameters
    ----------
    name : str or Measure
        Symbol, name or alias of a measure, in any case; name of a diagram, comparison or study; code of a finding.
    kind : {"measure", "diagram", "comparison", "finding", "study"}, optional
        Needed only if several have the name: otherwise it is the first of these.

    Returns
    -------
    Explanation
        It prints itself; `to_dict()` has the facts. Of a measure: title, symbol, question, formula, range, best value,
        value by chance, what it is influenced by and invariant under, conventions, where it is undefined, what other
        libraries call it, and the citation.

    Raises
    ------
    InputError
        Nothing has this name; the message says what has a similar one.

    See Also
    --------
    karat.advise : Which measures answer a question.

    Examples
    --------
    >>> explain("mcc").to_dict()["title"]
    'Matthews correlation coefficient'
    >>> print(explain("roc_curve"))  # doctest: +ELLIPSIS
    name: roc_curve
    ...
    """
    if isinstance(name, Measure):
        return Explanation("measure", FACTS["measure"](name))
    if not isinstance(name, str):
        raise InputError(f"name is {type_words(name)}; name a measure, a diagram, ..., such as 'MCC' or 'roc_curve'.")
    if kind is not None and not (isinstance(kind, str) and kind in FACTS):
        raise InputError(f"{option('kind')} is {kind!r}; give {', '.join(FACTS)}.")
    declared = {k: registry for k, registry in registries().items() if kind in (None, k)}
    things = {k: registry[name] for k, registry in declared.items() if name in registry} or _called(name, declared)
    first, *others = things
    return Explanation(first, FACTS[first](things[first]), tuple(others))


def _called(name: str, declared: dict[str, Any]) -> dict[str, Any]:
    """Kind to what has this name though it is in no registry, such as macro(F1); else an error says what was meant."""
    if "measure" not in declared:
        ((kind, registry),) = declared.items()
        return {kind: registry[name]}
    try:
        return {"measure": find(name)}
    except UnknownNameError:
        near = [symbol for registry in declared.values() for symbol in registry.near(name)]
        if not near or near == measures.near(name):
            raise
        meant = " or ".join(dict.fromkeys(near))
        raise UnknownNameError(f"nothing in the catalogue is called {name!r}. Did you mean {meant}?") from None


__all__ = ["checks", "comparisons", "diagrams", "explain", "measures", "papers", "registries", "studies"]
