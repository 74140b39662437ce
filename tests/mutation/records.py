"""How planted faults ended: kept in files beside this one, and told in docs/trust.md."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from mutation.rooms import ROOT

KEY = ("file", "place", "kind", "before", "after")
"""What tells a fault from others; equal changes in one definition are one."""
FIELDS = ("room", *KEY, "end", "by")
OF_UNSEEN = ("seed", *FIELDS, "now", "now by")
Key = tuple[str, ...]
CAUGHT, SURVIVED, AFRESH, LATE = "caught", "survived", "to be imported afresh", "too long"
NO_FAULT = "no fault"
MARKS = ("<!-- planted faults: tests/mutation/run.py -->", "<!-- end of planted faults -->")
"""Between which docs/trust.md tells how they ended."""
RECORD = Path(__file__).with_name("record.csv")
UNSEEN = Path(__file__).with_name("unseen.csv")
"""Faults of other seeds, as they ended before any test was written for them, and as they end now."""
NO_FAULTS = Path(__file__).with_name("no_faults.csv")
"""Changes that were planted and are no faults, and why."""


def read(record: Path) -> list[dict[str, str]]:
    """What was tried before."""
    if not record.exists():
        return []
    with record.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def write(record: Path, rows: list[dict[str, str]]) -> None:
    with record.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, OF_UNSEEN if record.name == UNSEEN.name else FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


class Record:
    """A file of faults that were tried; of a seed only the rows of that seed are looked at. What was not caught can be
    tried `again`; of seeds that is kept beside the first end, which says what tests did that knew nothing of the
    faults. Where the time was over, the first end itself can be `decided` later, by the same tests."""

    def __init__(self, path: Path, seed: int | None, again: bool = False, decided: bool = False) -> None:
        self.path, self.seed, self.again, self.decided = path, "" if seed is None else str(seed), again, decided
        self.read()

    def read(self, begun: bool = False) -> None:
        """What the file holds; once a run has begun, with what was tried again in it."""
        rows = read(self.path)
        self.others = [row for row in rows if row.get("seed", "") != self.seed]
        self.rows = {tuple(row[k] for k in KEY): row for row in rows if row.get("seed", "") == self.seed}
        end = "now" if self.seed and self.again else "end"
        self.tried = {key: row[end] for key, row in self.rows.items() if begun or not (self.again or self.decided)}

    def left(self) -> list[dict[str, str]]:
        """What no test has caught, or what the time did not suffice for."""
        if self.decided:
            return [row for row in self.rows.values() if row["end"] in (LATE, AFRESH)]
        known = {tuple(row[k] for k in KEY) for row in read(NO_FAULTS)}
        return [
            row for key, row in self.rows.items() if CAUGHT not in (row["end"], row.get("now")) and key not in known
        ]

    def end(self, key: Key) -> str:
        """How a fault ended in this run, or in one that this one goes on with; nothing if it was not tried."""
        return self.tried.get(key, "")

    def tell(self, room: str, key: Key, end: str, by: str) -> None:
        self.tried[key] = end
        row = self.rows.setdefault(key, dict.fromkeys(OF_UNSEEN, "") if self.seed else {})
        row |= {"room": room, **dict(zip(KEY, key, strict=True))}
        row |= {"now": end, "now by": by} if self.seed and self.again else {"end": end, "by": by}
        if self.seed:
            row["seed"] = self.seed
        write(self.path, [*self.others, *self.rows.values()])


def page(rows: list[dict[str, str]], text: str) -> str:
    """docs/trust.md, with how planted faults ended between its two marks."""
    kinds = ("families of measures", "other rooms", "compiled kernels")
    reasons = {tuple(row[k] for k in KEY): row["why"] for row in read(NO_FAULTS)}
    found: dict[str, Counter[str]] = {kind: Counter() for kind in (*kinds, "all")}
    listed: dict[str, list[str]] = {NO_FAULT: [], SURVIVED: []}
    for row in rows:
        why = reasons.get(tuple(row[k] for k in KEY), "")
        end = NO_FAULT if why and row["end"] != CAUGHT else row["end"] if row["end"] == CAUGHT else SURVIVED
        of_measures = row["room"].startswith("measures/")
        found[kinds[2] if row["room"] == kinds[2] else kinds[not of_measures]][end] += 1
        found["all"][end] += 1
        if end != CAUGHT:
            place = " ".join(filter(None, (f"`{row['file'].removeprefix('src/karat/')}`", row["place"])))
            change = " -> ".join(f"`{' '.join(row[side].split())[:60]}`" for side in ("before", "after"))
            listed[end].append(f"- {place}, {change}" + (f": {why}" if why else ""))
    lines = [MARKS[0], "| where | planted | no fault: same numbers | caught | not caught | caught of faults |"]
    lines.append("|---|--:|--:|--:|--:|--:|")
    for kind, ends in found.items():
        planted, faults = sum(ends.values()), sum(ends.values()) - ends[NO_FAULT]
        numbers = (planted, ends[NO_FAULT], ends[CAUGHT], ends[SURVIVED])
        share = f"{100 * ends[CAUGHT] / max(faults, 1):.1f} %"
        lines.append(f"| {kind} | " + " | ".join(f"{number:,}" for number in numbers) + f" | {share} |")
    lines += ["", "No faults, because:", "", *sorted(listed[NO_FAULT])]
    lines += [
        "",
        "Not caught, or undecided because the time was over:",
        "",
        *(sorted(listed[SURVIVED]) or ["- none"]),
        "",
        *_told_of_unseen(reasons),
    ]
    before, _, rest = text.partition(MARKS[0])
    return before + "\n".join([*lines, MARKS[1]]) + rest.partition(MARKS[1])[2]


def _told_of_unseen(reasons: dict[Key, str]) -> list[str]:
    """Lines about faults for which no test was written before they were planted."""
    lines = [
        "Of other seeds (`unseen.csv`), as they ended before any test was written for them, and with today's tests:",
        "",
        "| seed | where | planted | no fault | caught at first | not caught | undecided: time was over "
        "| caught of faults, at least | with the tests of today |",
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    every = read(UNSEEN)
    for seed in sorted({row["seed"] for row in every}, key=int):
        for kind, kernels in (("Python", False), ("compiled kernels", True)):
            rows = [r for r in every if r["seed"] == seed and (r["room"] == "compiled kernels") == kernels]
            if not rows:
                continue
            real = [r for r in rows if r["end"] == CAUGHT or tuple(r[k] for k in KEY) not in reasons]
            ends = Counter(row["end"] for row in real)
            numbers = (len(rows), len(rows) - len(real), ends[CAUGHT], ends[SURVIVED], ends[LATE] + ends[AFRESH])
            now = sum(CAUGHT in (row["end"], row["now"]) for row in real)
            shares = (f"{100 * caught / max(len(real), 1):.1f} %" for caught in (ends[CAUGHT], now))
            lines.append(f"| {seed} | {kind} | " + " | ".join([*(f"{x:,}" for x in numbers), *shares]) + " |")
    return [*lines, ""]


def told() -> None:
    """Write the page from the records beside this file."""
    file = ROOT / "docs" / "trust.md"
    file.write_text(page(read(RECORD), file.read_text(encoding="utf-8")), encoding="utf-8")
