"""Parts of a dataset, read by several threads, whose sums do not tell how many these were.

Sums of floats depend on their grouping. Parts are therefore put together to *strands*, by their place and size alone;
each strand is added up by itself, and strands are added up in their order, whoever has read them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition

from karat.accumulation.accumulator import Accumulator

LEAST_BYTES, MOST_BYTES, MANY = 8 << 20, 256 << 20, 64
"""Of a strand, as it lies on disk: what it costs to add one up is little beside reading so much. Of much data there are
about so many strands, until they are as large as can be."""
AHEAD = 3
"""Strands for each thread that may wait for an earlier one."""


def strands_of(sizes: Sequence[int]) -> list[range]:
    """Parts that follow one another, by the bytes of each; 0 is not known, and a strand by itself."""
    enough = max(LEAST_BYTES, min(sum(sizes) // MANY, MOST_BYTES))
    strands, first, taken = [], 0, 0
    for at, size in enumerate(sizes):
        taken += size
        if taken >= enough or not size or at == len(sizes) - 1:
            strands.append(range(first, at + 1))
            first, taken = at + 1, 0
    return strands


@dataclass
class StrandReaders:
    """Threads that read strands; the refusal of the first part that is refused is raised."""

    begin: Callable[[], Accumulator]
    strands: list[range]
    take_in: Callable[[Accumulator, int], None]
    """the part of this place, into an accumulator"""
    refused: dict[int, BaseException] = field(default_factory=dict)
    whole: Accumulator | None = None
    """strands up to `added`, in their order"""
    added: int = 0
    begun: int = 0
    adding: bool = False
    waiting: dict[int, Accumulator | None] = field(default_factory=dict)
    changed: Condition = field(default_factory=Condition)

    def read(self, threads: int) -> Accumulator:
        """All of them."""
        threads = max(1, min(threads, len(self.strands)))
        if threads == 1:
            mine = [self._work(1)]
        else:
            with ThreadPoolExecutor(threads) as pool:
                try:
                    mine = list(pool.map(self._work, [threads] * threads))
                except BaseException as trouble:
                    self.refused[-1] = trouble  # whoever interrupts does not wait for all files
                    raise
        if self.refused:
            raise self.refused[min(self.refused)]
        for one in mine:
            self._add(one)
        return self.whole or self.begin()

    def _work(self, threads: int) -> Accumulator:
        """One thread; what it has kept back: strands whose sums it keeps apart, beside counts of all of them."""
        mine = self.begin()
        while (number := self._next(threads)) is not None:
            at = self.strands[number].start
            try:
                for at in self.strands[number]:
                    if self.refused and at > min(self.refused):
                        return mine
                    self.take_in(mine, at)
                if mine._ends_strand(number):
                    self._give(number, None)
                else:
                    self._give(number, mine)
                    mine = self.begin()
            except BaseException as trouble:
                self.refused[at] = trouble
                return mine
        return mine

    def _next(self, threads: int) -> int | None:
        """The strand to be read next; none if something was refused, as all before it are being read."""
        with self.changed:
            while self.begun - self.added > AHEAD * threads and not self.refused:
                self.changed.wait(0.1)
            if self.refused or self.begun == len(self.strands):
                return None
            self.begun += 1
            return self.begun - 1

    def _give(self, number: int, strand: Accumulator | None) -> None:
        """Whoever gives the strand that the others wait for adds them up."""
        with self.changed:
            self.waiting[number] = strand
            if self.adding:
                return
            self.adding = True
        while True:
            with self.changed:
                if self.added not in self.waiting:
                    self.adding = False
                    return
                following = self.waiting.pop(self.added)
            if following is not None:
                self._add(following)
            with self.changed:
                self.added += 1
                self.changed.notify_all()

    def _add(self, strand: Accumulator) -> None:
        """To the whole; nobody else needs it, so that the first is no copy."""
        if self.whole is None or not self.whole._models:
            skipped = strand.skipped if self.whole is None else self.whole.skipped + strand.skipped
            self.whole, strand.skipped = strand, skipped
        else:
            self.whole += strand
