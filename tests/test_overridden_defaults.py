"""A method that takes the place of another is called the same way: what is left out means the same."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

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
