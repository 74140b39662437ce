"""What is left out means the same wherever it is called the same, and what the documentation says."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path

import karat


def classes() -> list[type]:
    """All of karat's own, of every module that can be imported here."""
    found = {}
    for module in pkgutil.walk_packages(karat.__path__, "karat."):
        if module.name.endswith("__main__") or "_native" in module.name:
            continue
        try:
            content = vars(importlib.import_module(module.name))
        except ImportError:  # of a library that is not here
            continue
        own = (x for x in content.values() if inspect.isclass(x) and x.__module__ == module.name)
        found |= {f"{x.__module__}.{x.__qualname__}": x for x in own}
    return list(found.values())


def test_defaults_are_those_of_the_method_that_is_replaced() -> None:
    seen, wrong = 0, []
    for kind in classes():
        for name, method in vars(kind).items():
            before = next((vars(base)[name] for base in kind.__mro__[1:] if name in vars(base)), None)
            if name.startswith("_") or not (inspect.isfunction(method) and inspect.isfunction(before)):
                continue
            if not before.__module__.startswith("karat"):
                continue
            theirs = inspect.signature(before).parameters
            for parameter in inspect.signature(method).parameters.values():
                other = theirs.get(parameter.name)
                if other is None or other.default is other.empty or parameter.default is parameter.empty:
                    continue
                seen += 1
                if parameter.default != other.default:
                    wrong.append(f"{kind.__module__}.{kind.__qualname__}.{name}({parameter})")
    assert seen > 10
    assert wrong == []


USUAL = {
    "level": "0.95",
    "seed": "0",
    "positive": "None",
    "sample_weight": "None",
    "labels": "None",
    "workers": "None",
    "data": "None",
    "ids": "None",
    "weight": "None",
    "stratified": "False",
    "as_json": "False",
    "lower_is_better": "False",
    "alternative": "'two-sided'",
    "title": "''",
    "reason": "''",
    "aliases": "()",
    "cost": "None",
    "reject": "None",
    "prior": "None",
    "every": "'week'",
}
"""What it means that nothing was said, of whatever has these names."""
OTHERS = {
    ("compare_across", "lower_is_better", "None"),  # of measures, whose names say it
    ("compare_measures", "lower_is_better", "None"),
    ("from_table", "lower_is_better", "None"),
    ("of", "lower_is_better", "None"),
    ("consistency", "lower_is_better", "(False, False)"),
    ("SignedRanks", "prior", "0.5"),  # the strength of Benavoli's prior
    ("bayes_ranks", "prior", "0.5"),
    ("Population", "prior", "0.5"),
    ("bayes_ranks", "seed", "None"),  # exact, unless it is drawn
    ("permutation_test", "seed", "None"),
    ("permutation_of_predictions", "seed", "None"),
    ("Study", "seed", "1"),  # as published tables were made
    ("study", "seed", "1"),
    ("reproduce", "seed", "1"),
    ("observe", "seed", "20131115"),
    ("TrialProblem", "positive", "1"),
    ("Problem", "positive", "1"),
    ("certain", "positive", "1"),
    ("evaluate", "every", "None"),  # no course is shown unless it is asked for
    ("against_rest", "level", "None"),
}
"""What is meant otherwise."""


ON = {
    "annotate": {"draw"},
    "balanced": {"Influence", "of"},
    "bar": {"draw"},
    "below": {"_border"},
    "best": {"draw"},
    "by_row": {"jackknife_tables"},
    "chosen": {"mid_p", "of_rate"},
    "claims": {"Measure"},
    "collapse": {"Rules", "__init__"},
    "convention": {"Remark"},
    "correct_ties": {"friedman"},
    "counted": {"rows"},
    "decided": {"Cell", "cell"},
    "decides": {"Predictions"},
    "greater_is_better": {"measure_from_function"},
    "has_band": {"BandedCurve"},
    "hinted": {"View"},
    "in_gallery": {"Diagram"},
    "in_processes": {"Correlation"},
    "inside": {"legend"},
    "intervals": {"of", "report", "steps_of", "summary"},
    "iso_f": {"draw"},
    "join": {"summaries_of"},
    "keep": {"KeyState", "RowState"},
    "needs_share": {"BandedCurve"},
    "normalising": {"_inspected"},
    "number": {"ValueColumn"},
    "numbers": {"draw"},
    "overloaded": {"_function"},
    "paired": {"Comparison", "PairedModels", "compare"},
    "probabilities": {"Answer", "Predictions"},
    "prune": {"Rules"},
    "raising": {"Rules"},
    "refinement": {"draw"},
    "slope": {"recalibration"},
    "subtree_raising": {"__init__"},
    "thresholds": {"dominance"},
    "two_classes": {"StatisticDiagram"},
    "upper": {"heights_between"},
}
"""What is done unless it is said not to be, and by whom; any other flag is off."""


@cache
def defaults() -> list[tuple[str, str, str, str]]:
    """Function or class, parameter, its default as it is written, and what the docstring says of the parameter."""
    found = []
    for path in sorted(Path(karat.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                a, said = node.args, ast.get_docstring(node) or ""
                given = [*zip(reversed([*a.posonlyargs, *a.args]), reversed(a.defaults), strict=False)]
                given += [(k, d) for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
                for k, d in given:
                    line = re.search(rf"^{k.arg} : (.*)", said, re.MULTILINE)
                    found.append((node.name, k.arg, ast.unparse(d), line[1] if line else ""))
            elif isinstance(node, ast.ClassDef) and "dataclass" in "".join(map(ast.unparse, node.decorator_list)):
                fields = [part for part in node.body if isinstance(part, ast.AnnAssign) and part.value is not None]
                found += [(node.name, ast.unparse(f.target), ast.unparse(f.value), "") for f in fields if f.value]
    return found


def test_what_has_one_name_has_one_default() -> None:
    found = [(where, name, default) for where, name, default, _ in defaults() if name in USUAL]
    assert len(found) > 250
    assert {x for x in found if x[2] != USUAL[x[1]]} == OTHERS


def test_the_documentation_states_the_defaults() -> None:
    """`level : float, default 0.95`; what has a name in the code is not looked up."""
    stated, wrong = 0, []
    for where, name, default, words in defaults():
        if said := re.search(r"default[ =](\S+?)[.,;]?$", words):
            stated += 1
            value = said[1].replace('"', "'")
            plain = re.fullmatch(r"[-\d.]+|'.*'|True|False", default)
            if plain and value not in (default, default.removesuffix(".0")):
                wrong.append(f"{where}: {name} is {default}, stated as {said[1]}")
    assert stated > 80
    assert wrong == []


def test_flags_are_off_unless_they_are_listed() -> None:
    found: dict[str, set[str]] = {}
    for where, name, default, _ in defaults():
        if default == "True":
            found.setdefault(name, set()).add(where)
    assert found == ON
