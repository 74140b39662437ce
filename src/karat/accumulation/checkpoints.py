"""What was read of each part of a dataset, kept in a folder: a run that was interrupted goes on from there."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from karat.accumulation.accumulator import Accumulator
from karat.accumulation.dataset_parts import DatasetPart
from karat.core.errors import InputError, option
from karat.core.whole_files import write_whole


@dataclass
class Checkpoint:
    """A folder with a file for each part: named after the part, its file's size and time, and how it is read, so that
    whatever changed is read again."""

    folder: Path
    options: str
    known: dict[str, str] = field(default_factory=dict)
    used: set[Path] = field(default_factory=set)

    @property
    def resumed(self) -> int:
        """How many parts were found here."""
        return len(self.used)

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as trouble:
            raise InputError(
                f"{option('checkpoint')} {str(self.folder)!r} can't be used ({trouble.strerror}); name a folder."
            ) from None

    def get(self, part: DatasetPart) -> Accumulator | None:
        """What was read of a part; None if nothing was, or it is damaged."""
        file = self._file(part)
        try:
            state = Accumulator.from_bytes(file.read_bytes())
        except (OSError, InputError):
            return None
        self.used.add(file)
        return state

    def put(self, part: DatasetPart, state: bytes) -> None:
        """Keep it; whoever looks meanwhile sees all of it or nothing."""
        file = self._file(part)
        write_whole(file, state, "free some space, or name another folder")

    def _file(self, part: DatasetPart) -> Path:
        if part.path not in self.known:
            system = getattr(part.fragment, "filesystem", None)
            if system is None:
                raise InputError(f"{option('checkpoint')} is for files, and the data are not in files; leave it out.")
            info = system.get_file_info(part.path)
            self.known[part.path] = f"{part.path}|{info.size}|{info.mtime_ns}"
        text = f"{self.known[part.path]}|{part.group}|{self.options}"
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.part"
