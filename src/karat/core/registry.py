"""A place where declared things are found by name, symbol or alias, in any case."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

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

SPELT_LIKE = 0.75
"""How alike two names must be for one to be a misspelling of the other."""
WORD_LIKE = 0.8
"""The same of two words; short ones must be equal."""
SHORT = 4
WORD = re.compile(r"[a-z0-9]+")
EMPTY_WORDS = {"a", "an", "and", "by", "for", "good", "how", "in", "is", "of", "per", "the", "to", "what", "with"}
"""What they share says nothing of what two names mean."""


def question_of(declared: Any) -> str:
    """The question that what is declared answers: its docstring up to the first line that ends with a question mark,
    within the first paragraph."""
    question = re.match(r".*?\?$", (inspect.getdoc(declared) or "").split("\n\n")[0], re.DOTALL | re.MULTILINE)
    if question is None:
        raise TypeError(f"{declared.__name__}: its docstring must begin with the question that it answers.")
    return " ".join(question[0].split())


def _misspelt(word: str, words: set[str]) -> bool:
    return len(word) > SHORT and bool(difflib.get_close_matches(word, words, 1, WORD_LIKE))


class Registry(Mapping[str, T], Generic[T]):
    """Declared things in the order of their declaration, or in that which is given where it would depend on what was
    imported first; iterates over symbols."""

    def __init__(
        self,
        kind: str,
        refusal: Callable[[str], str] = lambda name: "",
        order: Callable[[T], Any] | None = None,
    ) -> None:
        self.kind = kind
        self._order = order
        self._refusal = refusal
        """what to say of a name that something else has elsewhere"""
        self._declared: dict[str, T] = {}
        self._keys: dict[str, str] = {}
        self._spelt: dict[str, str] = {}
        """names that are found in their own spelling alone"""

    @property
    def kinds(self) -> str:
        """The plural."""
        return f"{self.kind[:-1]}ies" if self.kind.endswith("y") else f"{self.kind}s"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(f"the {self.kinds} are found by name: write [{name!r}] instead of .{name}.")

    def add(self, thing: T) -> T:
        """Register; a name that is taken is an error, so that no declaration can hide another."""
        keys = {key.casefold() for key in (thing.symbol, thing.name, *thing.aliases)}
        for key in keys:
            if key in self._keys:
                owner = self._keys[key]
                raise ValueError(f"the name {key!r} of {thing.symbol} is taken by {owner}; `remove` that first.")
        self._declared[thing.symbol] = thing
        self._keys |= dict.fromkeys(keys, thing.symbol)
        self._spelt |= dict.fromkeys(getattr(thing, "spelt", ()), thing.symbol)
        return thing

    def declare(self, kind: T, name: str, **facts: Any) -> T:
        """Register a class, whose name and other facts become its attributes."""
        for fact, value in {"name": name, "symbol": name, **facts}.items():
            setattr(kind, fact, value)
        return self.add(kind)

    def remove(self, symbol: str) -> None:
        """Take a declaration back (for tests and notebooks)."""
        thing = self._declared.pop(self[symbol].symbol)
        for names in (self._keys, self._spelt):
            for key in [k for k, owner in names.items() if owner == thing.symbol]:
                del names[key]

    def __getitem__(self, key: str) -> T:
        thing = self._declared.get(key) if isinstance(key, str) else None
        if thing is not None:
            return thing
        symbol = self._symbol(key) if isinstance(key, str) else None
        if symbol is None:
            raise UnknownNameError(self._refusal(str(key)) or self._unknown(str(key)))
        return self._declared[symbol]

    def _symbol(self, key: str) -> str | None:
        """Of what has this name, in any case; blanks and hyphens may stand for underscores."""
        folded = key.casefold()
        return self._spelt.get(key) or self._keys.get(folded) or self._keys.get(re.sub(r"[\s-]+", "_", folded.strip()))

    def _unknown(self, key: str) -> str:
        """What to say of a name that nothing has."""
        if meant := " or ".join(self.near(key)):
            hint = f"Did you mean {meant}?"
        elif related := self.related(key):
            hint = f"Nearest in meaning: {', '.join(map(self._presented, related))}."
        else:
            hint = f"`karat {self.kinds}` lists them."
        return f"there is no {self.kind} {key!r}. {hint}"

    def _presented(self, symbol: str) -> str:
        return str(getattr(self._declared[symbol], "label", symbol))

    def near(self, key: str) -> list[str]:
        """Symbols of what may have been meant by a name that nothing has: names that are spelt almost like it."""
        names = difflib.get_close_matches(key.casefold(), self._keys, 3, SPELT_LIKE)
        return list(dict.fromkeys(self._keys[name] for name in names))

    def related(self, key: str, most: int = 3) -> list[str]:
        """Symbols of what shares words with a name that nothing has, in titles, names or aliases: the nearest ones."""
        asked = set(WORD.findall(key.casefold())) - EMPTY_WORDS
        nearness = {symbol: self._nearness(asked, thing) for symbol, thing in self._declared.items()}
        shared = [symbol for symbol, value in nearness.items() if value > 0]
        return sorted(shared, key=lambda symbol: -nearness[symbol])[:most]

    @staticmethod
    def _nearness(asked: set[str], thing: T) -> float:
        """The share of words that a name has in common with the best of a thing's names."""
        best = 0.0
        for name in (getattr(thing, "title", ""), thing.name, thing.symbol, *thing.aliases):
            words = set(WORD.findall(name.casefold())) - EMPTY_WORDS
            common = [word for word in asked if word in words or _misspelt(word, words)]
            best = max(best, 2 * len(common) / (len(asked) + len(words)) if words else 0.0)
        return best

    def __iter__(self) -> Iterator[str]:
        if self._order is None:
            return iter(self._declared)
        return iter([thing.symbol for thing in sorted(self._declared.values(), key=self._order)])

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._symbol(key) is not None

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kinds}: {' '.join(self)}>"
