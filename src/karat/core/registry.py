"""A place where declared things are found by name, symbol or alias, in any case."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from karat.core.errors import UnknownNameError


class Declared(Protocol):
    """What can be registered."""

    @property
    def symbol(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Declared)


def question_of(declared: Any) -> str:
    """The question that what is declared answers: its docstring up to the first line that ends with a question mark,
    within the first paragraph."""
    question = re.match(r".*?\?$", (inspect.getdoc(declared) or "").split("\n\n")[0], re.DOTALL | re.MULTILINE)
    if question is None:
        raise TypeError(f"{declared.__name__}: its docstring must begin with the question that it answers.")
    return " ".join(question[0].split())


class Registry(Mapping[str, T], Generic[T]):
    """Declared things in the order of their declaration; iterates over symbols."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._declared: dict[str, T] = {}
        self._keys: dict[str, str] = {}

    @property
    def kinds(self) -> str:
        """The plural."""
        return f"{self.kind[:-1]}ies" if self.kind.endswith("y") else f"{self.kind}s"

    def add(self, thing: T) -> T:
        """Register; a name that is taken is an error, so that no declaration can hide another."""
        keys = {key.casefold() for key in (thing.symbol, thing.name, *thing.aliases)}
        for key in keys:
            if key in self._keys:
                owner = self._keys[key]
                raise ValueError(f"the name {key!r} of {thing.symbol} is taken by {owner}; `remove` that first.")
        self._declared[thing.symbol] = thing
        self._keys |= dict.fromkeys(keys, thing.symbol)
        return thing

    def declare(self, kind: T, name: str, **facts: Any) -> T:
        """Register a class, whose name and other facts become its attributes."""
        for fact, value in {"name": name, "symbol": name, **facts}.items():
            setattr(kind, fact, value)
        return self.add(kind)

    def remove(self, symbol: str) -> None:
        """Take a declaration back (for tests and notebooks)."""
        thing = self._declared.pop(self[symbol].symbol)
        for key in [k for k, owner in self._keys.items() if owner == thing.symbol]:
            del self._keys[key]

    def __getitem__(self, key: str) -> T:
        thing = self._declared.get(key) if isinstance(key, str) else None
        if thing is not None:
            return thing
        try:
            return self._declared[self._keys[key.casefold()]]
        except (KeyError, AttributeError):
            meant = " or ".join(self.near(str(key)))
            hint = f" Did you mean {meant}?" if meant else f" `karat {self.kinds}` lists them."
            raise UnknownNameError(f"there is no {self.kind} {key!r}.{hint}") from None

    def near(self, key: str) -> list[str]:
        """Symbols of what may have been meant by a name that nothing has."""
        names = difflib.get_close_matches(key.casefold(), self._keys, 3)
        return list(dict.fromkeys(self._keys[name] for name in names))

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.casefold() in self._keys

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kinds}: {' '.join(self)}>"
