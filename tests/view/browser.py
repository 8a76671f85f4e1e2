"""A headless Chromium driven through its debugging pipe: no package is needed beside the browser itself."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--mute-audio",
)  # fmt: skip


def find_chromium() -> str | None:
    """Path of a Chromium on this machine; none on Windows, whose processes do not inherit pipes by their numbers."""
    if os.name == "nt":
        return None
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


class Browser:
    """One browser with one page."""

    def __init__(self, program: str) -> None:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its processes end one by one
        to_read, to_write = os.pipe(), os.pipe()
        command = f'exec "$0" "$@" 3<&{to_read[0]} 4>&{to_write[1]}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, program, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_read[0], to_write[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        os.close(to_read[0])
        os.close(to_write[1])
        self.to, self.back = os.fdopen(to_read[1], "wb", buffering=0), os.fdopen(to_write[0], "rb")
        self.number, self.session, self.events = 0, "", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self.to.close()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.back.close()
        self.profile.cleanup()

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self.back.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has gone")
            data += byte
            more = self.back.peek(1)
            end = more.find(b"\0")
            data += self.back.read(end if end >= 0 else len(more))
        message = json.loads(data)
        if "method" in message:
            self.events.append(message)
        return message

    def wait_for(self, event: str) -> None:
        while not any(e["method"] == event for e in self.events):
            self._next()

    def open(self, url: str, width: int = 1200, height: int = 760, dark: bool = False, offline: bool = False) -> None:
        """Load a page and wait until it has drawn once and its boxes know their sizes."""
        self.size(width, height)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        speed = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.call("Network.emulateNetworkConditions", offline=offline, **speed)
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")
        self.run(
            "new Promise(ok => { const wait = () => window.trundle?.drawn > 0 ? ok() : setTimeout(wait, 5); wait(); })"
        )
        self.frame()

    def size(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script: str) -> Any:
        """Value of an expression of JavaScript; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:800])
        return answer["result"].get("value")

    def frame(self) -> None:
        """Wait until the requested picture is drawn."""
        self.run("new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok)))")

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings on the console since the page was opened."""
        out = [json.dumps(e["params"])[:300] for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        calls = [e["params"] for e in self.events if e["method"] == "Runtime.consoleAPICalled"]
        out += [json.dumps(c["args"])[:300] for c in calls if c["type"] in ("error", "warning", "assert")]
        entries = [e["params"]["entry"] for e in self.events if e["method"] == "Log.entryAdded"]
        return out + [e["text"] for e in entries if e["level"] == "error"]

    @property
    def requests(self) -> list[str]:
        """Addresses requested since the page was opened."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]


def opened() -> Iterator[Browser]:
    """A browser for the tests of a module, which are skipped where there is none: found when the first of them begins,
    so that it may be installed while others run.
    """
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    one = Browser(program)
    yield one
    one.close()
