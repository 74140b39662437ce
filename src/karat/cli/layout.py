"""How wide the columns of a table are, which of them stand beside each other, and how a long heading is broken."""

from __future__ import annotations

import re
from collections.abc import Iterable

Lines = list[list[str]]
"""Rows of texts, the head first."""

GAP = 2
"""Blanks between columns."""

HEADING_WIDTH, TEXT_WIDTH, WORD_WIDTH = 10, 24, 40
"""A heading above numbers, a text, and a word are not broken into lines shorter than these."""

HEADING_WORD = 12
"""Letters of a word above numbers that is not broken."""

SEPARATORS = re.compile(r"(?<=[-_/.:, ])")
"""Behind these a name is broken rather than elsewhere."""


def longest(texts: Iterable[str]) -> int:
    """Of their lines, in cells of a terminal."""
    from rich.cells import cell_len

    return max((cell_len(part) for text in texts for part in text.split("\n")), default=0)


def width_of(lines: Lines) -> int:
    """Of a table in which nothing is broken."""
    columns = list(zip(*lines, strict=True))
    return sum(longest(column) for column in columns) + GAP * (len(columns) - 1)


def broken(name: str, width: int) -> str:
    """A name in lines of at most this width: behind separators, if its parts are short enough.

    >>> broken("random_forest", 9), broken("gradientboosting", 9)
    ('random_\\nforest', 'gradientb\\noosting')
    """
    from rich.cells import cell_len, chop_cells

    if "\n" in name or cell_len(name) <= width:
        return name
    parts = [part for part in SEPARATORS.split(name) if part]
    if any(cell_len(part.rstrip()) > width for part in parts):
        return "\n".join(chop_cells(name, width))
    lines = [""]
    for part in parts:
        if cell_len(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines if line.strip())


def laid_out(lines: Lines, numbers: list[bool], width: int) -> list[tuple[list[int], list[int]]]:
    """Which columns go into one table, and how wide they are."""
    natural, least = [], []
    for i, number in enumerate(numbers):
        head, body = longest([lines[0][i]]), longest([line[i] for line in lines[1:]])
        natural.append(max(head, body, 1))
        word = min(longest([" ".join(line[i] for line in lines).replace(" ", "\n")]), WORD_WIDTH)
        text = min(natural[-1], max(TEXT_WIDTH, word))
        text = text if i else min(text, max(width // 2, 1))  # so that something fits beside the first
        word = longest([lines[0][i].replace(" ", "\n")])
        heading = word if HEADING_WIDTH < word <= HEADING_WORD else min(head, HEADING_WIDTH)
        least.append(max(body, heading, 1) if number else text)
    blocks: list[list[int]] = [[0]]
    for i in range(1, len(numbers)):
        if sum(least[j] + GAP for j in blocks[-1]) + least[i] > width and len(blocks[-1]) > 1:
            blocks.append([0])
        blocks[-1].append(i)
    return [(places, _widths(places, natural, least, width)) for places in blocks]


def _widths(places: list[int], natural: list[int], least: list[int], width: int) -> list[int]:
    """What is left over goes to the columns that need little to be whole, then to those that need much."""
    spare = width - sum(least[i] + GAP for i in places) + GAP
    wide = {i: least[i] for i in places}
    for n, i in enumerate(sorted(places, key=lambda i: natural[i] - least[i])):
        more = min(natural[i] - least[i], spare if natural[i] - least[i] <= spare else spare // (len(places) - n))
        wide[i] += max(more, 0)
        spare -= max(more, 0)
    for i in sorted(places, key=lambda i: least[i] - natural[i]):
        more = max(min(natural[i] - wide[i], spare), 0)
        wide[i] += more
        spare -= more
    over = sum(wide[i] + GAP for i in places) - GAP - width
    if over > 0 and len(places) > 1:  # a narrow terminal: texts are broken, names and numbers are not
        widest = max(places[1:], key=lambda i: wide[i])
        wide[widest] = max(wide[widest] - over, 1)
    return [min(wide[i], width) for i in places]
