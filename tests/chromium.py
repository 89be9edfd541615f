"""Headless Chromium driven over its DevTools protocol: what a test clicks, types and reads."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from waiting import PATIENCE, until

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-prefers-reduced-motion",
    "--remote-debugging-port=0",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing but this machine is reached
)


class Page:
    """A tab of the browser.

    Attributes:
        problems: errors of scripts, of the console and of the security policy.
        requests: the addresses that were asked for, but for the page itself.
    """

    def __init__(self, address: str) -> None:
        import websocket

        self._socket = websocket.create_connection(address, suppress_origin=True, timeout=PATIENCE)
        self._sent = 0
        self.problems: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        self._socket.close()

    def send(self, method: str, **parameters: Any) -> Any:
        """The result of a command of the protocol."""
        self._sent += 1
        self._socket.send(json.dumps({"id": self._sent, "method": method, "params": parameters}))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            heard = json.loads(self._socket.recv())
            if heard.get("id") == self._sent:
                if "error" in heard:
                    raise RuntimeError(f"{method}: {heard['error']}")
                return heard["result"]
            self._note(heard)
        raise TimeoutError(f"{method}: no answer in {PATIENCE:.0f} s")

    def _note(self, heard: dict[str, Any]) -> None:
        said = heard.get("params", {})
        if heard.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(said["exceptionDetails"])[:500])
        elif heard.get("method") == "Runtime.consoleAPICalled" and said["type"] in ("error", "assert"):
            self.problems.append(json.dumps(said["args"])[:500])
        elif heard.get("method") == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.problems.append(said["entry"]["text"])
        elif heard.get("method") == "Network.requestWillBeSent" and said.get("type") != "Document":
            self.requests.append(said["request"]["url"])

    def open(self, address: str) -> None:
        """Go to an address and wait until it has loaded."""
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def ask(self, script: str) -> Any:
        """The value of an expression; of a promise, what it gives."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {json.dumps(answer['exceptionDetails'])[:800]}")
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = PATIENCE) -> Any:
        """The value of an expression as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.ask(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"not true in {seconds} s: {script}")
            time.sleep(0.05)
        return value

    def click(self, node: str) -> None:
        """Click with the mouse into the middle of the node that an expression gives."""
        x, y = self.ask(
            f"(() => {{ const one = {node}; one.scrollIntoView({{block: 'center'}}); "
            "const at = one.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def look(self, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Set the size of the window and the colour scheme."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)

    def picture(self, path: Path) -> None:
        """Write what is seen as a PNG file."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))


@contextmanager
def chromium(folder: Path) -> Iterator[Page]:
    """A page of a browser of its own, which ends with the block; its profile is in the folder."""
    profile = folder / "profile"
    command = [str(BROWSER), *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            page = Page(_address(profile / "DevToolsActivePort", process))
            try:
                yield page
            finally:
                page.close()
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(path: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the first tab listens, once the browser has said so."""
    from urllib.request import urlopen

    def first_tab() -> str:
        lines = path.read_text().splitlines() if path.exists() else []
        if len(lines) != 2:
            return ""
        with urlopen(f"http://127.0.0.1:{lines[0]}/json/list", timeout=PATIENCE) as answer:
            return next((str(tab["webSocketDebuggerUrl"]) for tab in json.load(answer) if tab["type"] == "page"), "")

    return until(first_tab, process, "the browser")
