"""What was found of a measure, by any name that the measure has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import karat.measures  # noqa: F401 - declares the measures, which are found by name here
from karat.core.errors import UnknownNameError
from karat.core.measure import Measure
from karat.data.errors import some
from karat.measures.averaging import find

T = TypeVar("T")


def by_name(found: Mapping[str, T], key: str | Measure) -> T:
    """What stands under the symbol of a measure (or `symbol[class]`), named by symbol, name or alias, in any case."""
    if isinstance(key, str):
        if key in found:
            return found[key]
        folded = key.casefold()
        for symbol, one in found.items():
            if symbol.casefold() == folded:
                return one
        name, bracket, of_class = key.partition("[")
        symbol = f"{find(name).symbol}{bracket}{of_class}"
    else:
        symbol = find(key).symbol
    if symbol in found:
        return found[symbol]
    raise UnknownNameError(f"{symbol} was not asked for; there are {some(found, 8)}.")
