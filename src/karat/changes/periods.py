"""Dates, and the periods that they are in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, option, quoted
from karat.core.validation import one_of
from karat.core.words import counted
from karat.data.arrays import is_missing
from karat.data.coded_values import CodedValues

EVERY = ("hour", "day", "week", "month", "quarter", "year")
"""How long a period may be."""
MOST_PERIODS = 2000
UNITS: dict[str, Any] = {"hour": "h", "day": "D", "week": "D", "month": "M", "quarter": "M", "year": "Y"}
MONDAY = 3
"""Days from the Monday before numpy's first day, a Thursday."""


@dataclass(frozen=True, eq=False)
class Periods:
    """All periods from the first date to the last, also those without a case, and which each case is in."""

    every: str
    starts: Array
    """[periods], datetime64"""
    place: Array
    """[n]"""
    times: Array | None = None
    """[n]: how many cases each date is of; None: one"""

    @property
    def labels(self) -> tuple[str, ...]:
        """Each by its first hour, day, month, ..."""
        return tuple(map(self._label, self.starts))

    def _label(self, start: Any) -> str:
        text = str(start)
        if self.every == "quarter":
            return f"{text[:4]}-Q{(int(text[5:7]) + 2) // 3}"
        return text.replace("T", " ") + ":00" * (self.every == "hour")

    def named(self, place: int) -> str:
        """As a sentence has it: the week of 2026-03-09."""
        label = self.labels[place]
        return f"the week of {label}" if self.every == "week" else label

    @property
    def cases(self) -> Array:
        """[periods]"""
        return np.bincount(self.place, self.times, minlength=len(self.starts)).astype(np.int64)

    def before(self, day: Any) -> int:
        """How many periods end before, or begin before, that of a date."""
        start = starts_of(np.array([day], "datetime64[s]"), self.every)[0]
        return int(np.searchsorted(self.starts, start))


def periods_of(dates: Any, every: str, n: int, times: Array | None = None) -> Periods:
    """From one date for each case; `times`: for so many cases each, which were added up."""
    one_of(option("every").rstrip("="), every, EVERY)
    days = dates_of(dates, n)
    if every == "hour" and (days == days.astype("datetime64[D]")).all():
        raise InputError(
            f"no date has a time of the day (of accumulated cases, days are kept); choose {option('every')}day or "
            "longer."
        )
    starts = starts_of(days, every)
    step = {"week": 7, "quarter": 3}.get(every, 1)
    first, last = starts.min(), starts.max()
    count = int((last - first) / np.timedelta64(1, UNITS[every])) // step + 1
    if count > MOST_PERIODS:
        raise InputError(
            f"the dates span {count:,} {every}s, from {first} to {last}; choose a longer period with {option('every')}."
        )
    if count < 2:
        raise InputError(
            f"all cases are in one {every} ({first}); choose a shorter period with {option('every')}, one of "
            f"{', '.join(EVERY)}."
        )
    unit = np.timedelta64(step, UNITS[every])
    return Periods(every, first + np.arange(count) * unit, ((starts - first) // unit).astype(np.int64), times)


def starts_of(days: Array, every: str) -> Array:
    """The first day (hour, month, ...) of the period of each date."""
    starts = days.astype(f"datetime64[{UNITS[every]}]")
    if every == "week":
        return np.asarray(starts - (starts.astype(np.int64) + MONDAY) % 7)
    return np.asarray(starts - starts.astype(np.int64) % 3) if every == "quarter" else starts


def dates_of(dates: Any, n: int) -> Array:
    """[n], datetime64: of dates, times, or texts as ISO 8601 writes them."""
    coded = CodedValues.of(dates, "dates", "the date of each case")
    if len(coded) != n:
        raise ShapeError(f"dates has {len(coded):,} values and there are {n:,} cases; give the date of each case.")
    lost = [is_missing(v) or (isinstance(v, str) and not v.strip()) for v in coded.values]
    if any(lost):
        without = counted(int(coded.times() @ lost), "missing value")
        raise InputError(f"dates has {without} among {n:,}; fill or remove those cases first.")
    first = np.full(len(coded.values), n)
    np.minimum.at(first, coded.places, np.arange(n))
    known = [one_date(value, f" in row {row}") for value, row in zip(coded.values, first.tolist(), strict=True)]
    return np.array(known, "datetime64[s]")[coded.places]


def one_date(value: Any, where: str = "") -> datetime:
    """A date, without its time zone.

    >>> one_date("2026-03-09T10:00:00Z"), one_date("2026-03")
    (datetime.datetime(2026, 3, 9, 10, 0), datetime.datetime(2026, 3, 1, 0, 0))
    """
    try:
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
        if isinstance(value, str):
            text = value.strip()
            return datetime.fromisoformat(f"{text}-01" if len(text) == 7 else text).replace(tzinfo=None)
    except ValueError:
        pass
    raise InputError(
        f"{quoted([value])}{where} is not a date; write dates as 2026-03-09 (or 2026-03-09T14:30), or pass dates of "
        "Python, numpy or pandas."
    )
