"""What the measures cite, read from `references.bib`: entries as BibTeX writes them, one field on a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

START = re.compile(r"^@", re.MULTILINE)
ENTRY = re.compile(r"^@\w+\{(\S+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)


@dataclass(frozen=True)
class Reference:
    """One publication."""

    key: str
    author: str
    """as BibTeX has it: `Hand, David J. and Till, Robert J.`"""
    title: str
    year: int
    where: str
    """journal or proceedings with volume and pages; of a book the publisher"""

    @property
    def surnames(self) -> str:
        """The authors as a text names them: one, two, or the first `et al.`"""
        names = [name.split(",")[0].strip() for name in self.author.split(" and ")]
        return " & ".join(names) if len(names) <= 2 else f"{names[0]} et al."

    def __str__(self) -> str:
        return f"{self.surnames} ({self.year}), {self.title}, {self.where}"


@cache
def references() -> dict[str, Reference]:
    """Key to reference.

    >>> print(references()["hand2009"])
    Hand (2009), Measuring classifier performance: A coherent alternative to the area under the ROC curve,
    Machine Learning 77, 103-123
    """
    text = resources.files(__package__).joinpath("references.bib").read_text(encoding="utf-8")
    plain = text.replace(r"\%", "%")
    by_key = {key: _reference(key, dict(FIELD.findall(fields))) for key, fields in ENTRY.findall(plain)}
    if len(by_key) != len(START.findall(text)):
        raise ValueError("references.bib: two entries have one key, or an entry can't be read.")
    return by_key


def _reference(key: str, fields: dict[str, str]) -> Reference:
    place = next(fields[name] for name in ("journal", "booktitle", "publisher") if name in fields)
    volume = f"{place} {fields['volume']}" if "volume" in fields else place
    where = f"{volume}, {fields['pages'].replace('--', '-')}" if "pages" in fields else volume
    return Reference(key, fields["author"], fields["title"], int(fields["year"]), where)
