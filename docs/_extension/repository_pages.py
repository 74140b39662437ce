"""Files of the repository that are pages of the site, too, and links that work in both places."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

PAGES = {
    "ARCHITECTURE.md": "contributing/architecture",
    "CONTRIBUTING.md": "contributing/guide",
    "CHANGELOG.md": "contributing/changelog",
    "benchmarks/README.md": "contributing/benchmarks",
    "benchmarks/results.md": "contributing/measured_speed",
    "README.md": "index",
}
"""Files beside `docs/`, and where the site has them; its front page stands for the README."""
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def setup(app: Any) -> dict[str, Any]:
    docs = Path(app.srcdir)
    app.connect("builder-inited", lambda app: write(docs))
    app.connect("source-read", lambda app, name, source: source.__setitem__(0, linked(source[0], docs, docs / name)))
    return {"parallel_read_safe": True}


def write(docs: Path) -> None:
    """Copies of the files, their links as seen from where the copies are."""
    for file, page in PAGES.items():
        path, target = docs.parent / file, docs / f"{page}.md"
        if page == "index" or not path.exists():
            continue
        text = linked(path.read_text(encoding="utf-8"), docs, path, target)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def linked(text: str, docs: Path, at: Path, seen_from: Path | None = None) -> str:
    """With links to files of the repository turned into links to pages; what is no page is named without a link."""
    seen_from = seen_from or at

    def replaced(match: re.Match[str]) -> str:
        words, path, anchor = match[1], match[2], match[3] or ""
        if "://" in path or path.startswith(("/", "mailto:")):
            return match[0]
        target = Path(os.path.normpath(at.parent / path))
        if target.is_relative_to(docs) and target.is_file():
            return f"[{words}]({os.path.relpath(target, seen_from.parent)}{anchor})"
        if target.is_relative_to(docs) and (target / "README.md").exists():
            return f"[{words}]({os.path.relpath(target / 'README.md', seen_from.parent)})"
        if target == docs / "decisions":
            return f"[{words}]({os.path.relpath(docs / 'contributing/decisions.md', seen_from.parent)})"
        page = PAGES.get(target.relative_to(docs.parent).as_posix()) if target.is_relative_to(docs.parent) else None
        if page and not (target.is_relative_to(docs)):
            return f"[{words}]({os.path.relpath(docs / f'{page}.md', seen_from.parent)})"
        return match[0] if target.is_relative_to(docs) else words

    return LINK.sub(replaced, text)
