"""Pages in a real browser: how tests open them, and wait for them."""

from __future__ import annotations

from typing import Any


class Opened:
    """A page, and everything that went wrong or left it."""

    def __init__(self, browser: Any, url: str, width: int = 1280, height: int = 800, **options: Any) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.trouble.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.trouble.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.goto(url)

    def drawn(self) -> Any:
        """The page, once every chart is drawn."""
        try:
            self.page.wait_for_selector("[data-ready=all]", state="attached", timeout=60_000)
        finally:
            assert not self.trouble
        return self.page


def settled(page: Any) -> None:
    """After the next frames."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
