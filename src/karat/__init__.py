"""karat says what a classifier is really worth.

>>> import karat
>>> e = karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
>>> round(e["MCC"], 4), round(e["LogL"], 4)
(0.5774, 0.6814)

One model: `evaluate` (labels and probabilities), `evaluate_estimator` (a model) and `evaluate_matrix` (a confusion
matrix) return an `Evaluation`: `e["f1"]`, `e.intervals()`, `e.findings()`, `e.plot()`, `e.report()`. `accumulate` and
`Accumulator` are for more rows than memory holds, `evaluate_batch` and `evaluate_matrices` for thousands at once.

Several models: `compare` and `compare_estimators` return a `Comparison`; `dominance`, `findings_of`; the tests
`mcnemar`, `cochran`, `bowker`, `permutation_test`, `equivalence`; `compare_across` for many data sets.

Measures and diagrams: `measures`, `diagrams`, `catalogue`, `explain`, `advise`, `scorer`, `macro`, `micro`, `weighted`;
`measure`, `measure_from_function` and `check_measure` for your own; `compare_measures`, `consistency`, `smallest_set`.

A page about all of it: `report`. What is installed: `show_versions`. What is refused raises `InputError`.
"""

from importlib import import_module
from importlib.util import find_spec

from karat.core import hooks
from karat.core.version import __version__

PUBLIC = {
    "Accumulator": "karat.accumulation",
    "Comparison": "karat.comparisons",
    "Evaluation": "karat.evaluation",
    "InputError": "karat.core.errors",
    "accumulate": "karat.accumulation",
    "advise": "karat.advice",
    "bowker": "karat.comparisons",
    "catalogue": "karat",
    "check_measure": "karat.claims",
    "cochran": "karat.comparisons",
    "compare": "karat.comparisons",
    "compare_across": "karat.across",
    "compare_estimators": "karat.adapters",
    "compare_measures": "karat.concordance",
    "consistency": "karat.concordance",
    "course": "karat.changes",
    "diagrams": "karat",
    "dominance": "karat.decisions",
    "equivalence": "karat.comparisons",
    "evaluate": "karat.evaluation",
    "evaluate_batch": "karat.batches",
    "evaluate_estimator": "karat.adapters",
    "evaluate_matrices": "karat.batches",
    "evaluate_matrix": "karat.evaluation",
    "explain": "karat.catalogue",
    "findings_of": "karat.findings",
    "macro": "karat.measures",
    "mcnemar": "karat.comparisons",
    "measure": "karat.core.measure",
    "measure_from_function": "karat.measures",
    "measures": "karat",
    "micro": "karat.measures",
    "permutation_test": "karat.comparisons",
    "report": "karat.page",
    "scorer": "karat.adapters",
    "shift": "karat.changes",
    "show_versions": "karat.versions",
    "smallest_set": "karat.concordance",
    "weak_slices": "karat.slices",
    "weighted": "karat.measures",
}
"""Every public name and the package that exports it. They are imported when first used, so that `karat --help` does not
wait for numpy. The stub beside this file says the same to editors; a test compares the two."""

__all__ = ["__version__", *PUBLIC]


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise _no_attribute(name)
    home = PUBLIC[name]
    value = import_module(f"karat.{name}") if home == "karat" else getattr(import_module(home), name)
    globals()[name] = value
    return value


def _no_attribute(name: str) -> AttributeError:
    """What people try first is a measure or a diagram: where it is."""
    if name.startswith("_") or find_spec(f"karat.{name}"):  # `from karat import kernels` asks here before it imports
        return AttributeError(f"module 'karat' has no attribute {name!r}")
    from karat.core.other_names import OF_PACKAGE, instead

    def meant(name: str) -> str:
        catalogue = import_module("karat.catalogue")
        elsewhere = import_module("karat.core.elsewhere")
        for measure in (name, name.removesuffix("_vec")):  # yardstick has each function twice
            if measure in catalogue.measures or elsewhere.expression_of(measure):
                return f"karat.measures.{measure}(y_true, y_proba), or karat.evaluate(y_true, y_proba)[{measure!r}]"
        drawn = name.removeprefix("plot_")
        if drawn in catalogue.diagrams:
            return f"karat.diagrams.{catalogue.diagrams[drawn].name}(y_true, y_proba)"
        refusal = elsewhere.refusal_of(name).removesuffix(".")
        return refusal.partition(": ")[2].removeprefix("use ") if ": use " in refusal else ""

    return instead("module 'karat'", name, OF_PACKAGE, PUBLIC, meant, "karat")


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC})


hooks.value_from_predictions.fill(lambda: import_module("karat.evaluation").value_from_predictions)
hooks.compare_across.fill(lambda: import_module("karat.across").compare_across)
hooks.run_study.fill(lambda: import_module("karat.engines").run)
hooks.report.fill(lambda: import_module("karat.page").report)
hooks.intervals.fill(lambda: import_module("karat.intervals").intervals)
hooks.interval_of_rate.fill(lambda: import_module("karat.intervals.rate_interval").of_rate)
hooks.course.fill(lambda: import_module("karat.changes").course)
hooks.measure_of_symbol.fill(lambda: import_module("karat.measures.lookup").find)
