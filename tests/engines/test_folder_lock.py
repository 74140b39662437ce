"""Where there is no fcntl, a folder is locked as Windows does it; tried here with a stand-in for its module."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from karat.core.errors import InputError
from karat.engines.folder_lock import LOCK, FolderLock


def test_windows_locks_one_byte_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    files: list[int] = []

    def locking(descriptor: int, mode: int, size: int) -> None:
        files.append(descriptor)
        asked.append((mode, size))
        if len(asked) > 1:
            raise OSError(36, "Resource deadlock avoided")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=-2))
    first, other = tmp_path / "first", tmp_path / "other"
    first.mkdir()
    other.mkdir()
    (other / LOCK).write_text("process 7 on elsewhere")
    lock = FolderLock(first)
    assert lock.file is not None
    assert (lock.held, files, asked) == (True, [lock.file.fileno()], [(-2, 1)])
    with pytest.raises(InputError, match=r"in use by a run \(process 7 on elsewhere\)"):
        FolderLock(other)
    lock.release()


def test_a_run_that_has_let_go_lets_go_of_nobody_elses_lock(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    first.release()
    second = FolderLock(tmp_path)
    first.release()
    with pytest.raises(InputError, match="which is this one"):
        FolderLock(tmp_path)
    second.release()
