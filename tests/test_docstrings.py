"""The docstring of every public name, and of every method of the public classes, has the sections of numpydoc: its
parameters with types, what it returns, an example (which `pytest src` runs)."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import karat
from karat.core.cached import cached
from karat.core.measure import Measure

NAMES = [name for name in karat.PUBLIC if not inspect.ismodule(getattr(karat, name))]
SELF_EVIDENT = {"self", "cls"}
HELD = {name: held for name in NAMES if inspect.isclass(held := getattr(karat, name))}
METHODS = [
    (kind, name)
    for kind, held in HELD.items()
    for name in dir(held)
    if not name.startswith("_") and not hasattr(Exception, name)
    if callable(thing := getattr(held, name)) or isinstance(thing, property | cached)
]
"""Public methods and properties, inherited ones too; fields are described by their class."""


def sections(thing: Any) -> dict[str, str]:
    """Title to text; that above all of them has no title."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def described(text: str) -> set[str]:
    """The names that a section of parameters has an entry for."""
    heads = [line.partition(" :")[0] for line in text.split("\n") if line[:1].strip()]
    return {name.strip(" *") for head in heads for name in head.split(",")}


def taken(thing: Any) -> set[str]:
    return set(inspect.signature(thing).parameters) - SELF_EVIDENT


@pytest.mark.parametrize("name", NAMES)
def test_sections_of_public_names(name: str) -> None:
    thing = getattr(karat, name)
    found = sections(thing)
    assert found[""].strip(), "a first line"
    assert ">>> " in found.get("Examples", ""), "an example"
    if inspect.isfunction(thing):
        missing = taken(thing) - described(found.get("Parameters", "")) - {"others", "habits"}
        assert not missing, f"parameters that nothing is said of: {missing}"
        assert found.get("Returns", "").strip()
    elif name != "InputError":
        assert "Attributes" in found or "Parameters" in found
        assert "See Also" in found


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_methods_of_public_classes(kind: str, name: str) -> None:
    held = getattr(HELD[kind], name)
    found = sections(held)
    assert found[""].strip()
    assert ">>> " in found.get("Examples", ""), "an example"
    if "Parameters" in found:
        assert not taken(held) - described(found["Parameters"]), name


def test_a_measure_is_documented_where_it_is_called() -> None:
    assert {"Parameters", "Returns", "Raises", "See Also"} <= set(sections(Measure.__call__))
