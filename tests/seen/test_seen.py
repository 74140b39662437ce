"""What people see is what was kept when somebody last read it; `python tests/seen/seen.py` writes it anew."""

from __future__ import annotations

import pytest

from seen.seen import answer, files, kept

KEPT = {(file.stem, question): words for file in files() for question, words in kept(file).items()}


@pytest.mark.parametrize(("file", "question"), KEPT)
def test_the_answer_is_the_one_that_was_read(file: str, question: str) -> None:
    assert answer(question) == KEPT[file, question]
