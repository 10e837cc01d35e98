"""A headless Chromium driven over its DevTools pipe: window, colour scheme, scripts, console, requests, pictures."""

import base64
import contextlib
import fcntl
import itertools
import json
import os
import shutil
import time
from pathlib import Path
from typing import Self

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
MOST_LOOKS = 12_000
"""So often, twenty times a second, is a condition looked at."""


def find() -> str | None:
    """Path of Chromium, or None."""
    return next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)


def _pipe() -> tuple[int, int]:
    """Ends to write to and to read from, at descriptors that Chromium's own do not overwrite."""
    ends = os.pipe()
    read, write = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return write, read


class Chromium:
    """One tab; `errors` collects console errors and exceptions, `requests` the addresses asked for."""

    def __init__(self, executable: str, profile: Path):
        ours_to_write, theirs_to_read = _pipe()
        theirs_to_write, ours_to_read = _pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        self._pid = os.posix_spawn(
            executable,
            [executable, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs_to_read, 3),
                (os.POSIX_SPAWN_DUP2, theirs_to_write, 4),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        os.close(theirs_to_read)
        os.close(theirs_to_write)
        self._write, self._read = ours_to_write, ours_to_read
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._session = None
        with contextlib.suppress(RuntimeError, OSError):
            self.call("Browser.close")
        os.close(self._write)
        os.close(self._read)
        os.waitpid(self._pid, 0)

    def call(self, method: str, **parameters: object) -> dict:
        """Result of a DevTools command."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _next(self) -> dict:
        while b"\0" not in self._buffer:
            part = os.read(self._read, 1 << 20)
            if not part:
                raise RuntimeError("Chromium ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        event = json.loads(message)
        self._note(event.get("method"), event.get("params", {}))
        return event

    def _note(self, method: str | None, what: dict) -> None:
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.errors.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])

    def evaluate(self, expression: str) -> object:
        """Value of a JavaScript expression in the page; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def open(self, page: Path, width: int, dark: bool = False) -> None:
        """Open a file in a window of this width (px) and wait until its figures are drawn, folded ones opened."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait_for("document.readyState === 'complete'")
        self.evaluate("document.querySelectorAll('details.papers').forEach((part) => { part.open = true; })")
        drawn = "[...document.querySelectorAll('.chart')].every((chart) => chart.dataset.width)"
        self.wait_for(f"document.documentElement.dataset.figures === 'drawn' && {drawn}")

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript expression holds."""
        for _ in range(MOST_LOOKS):
            if self.evaluate(condition):
                return
            time.sleep(0.05)
        raise TimeoutError(f"{condition} did not come true; errors: {self.errors}")

    def screenshot(self, target: Path, whole: bool = True) -> None:
        """Picture of the page as PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        target.write_bytes(base64.b64decode(answer["data"]))
