"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from karat.core.errors import InputError
from karat.core.whole_files import write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")


def test_new_and_old_files(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for content in ("one", b"two", "ä\n"):
        write_whole(path, content)
        assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@posix
def test_a_link_is_followed_and_permissions_are_kept(tmp_path: Path) -> None:
    old, link = tmp_path / "old.html", tmp_path / "link.html"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    write_whole(link, "new")
    assert link.is_symlink()
    assert old.read_text() == "new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "fresh", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


@posix
def test_a_link_that_leads_nowhere_but_to_itself_is_no_place(tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(link)
    with pytest.raises(InputError, match="can't be written"):
        write_whole(link, "new")
    assert link.is_symlink()
    (tmp_path / "far.html").symlink_to(tmp_path / "new.html")
    write_whole(tmp_path / "far.html", "new")
    assert (tmp_path / "new.html").read_text() == "new"


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "a.txt"
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(InputError, match="can't be written"):
            write_whole(path, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@posix
def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    write_whole("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe, seen = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert seen == ["through"]


@pytest.mark.parametrize("place", ["", "none/a.txt", "x" * 300, "a\0b"])
def test_places_where_nothing_can_be_written(place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be written"):
        write_whole(f"{tmp_path}/{place}", "x")
    assert list(tmp_path.iterdir()) == []
