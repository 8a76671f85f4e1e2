"""A page served on this machine only (127.0.0.1), with every quantity of its runs on request."""

import webbrowser
from collections.abc import Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import unquote

from trundle.errors import SolveError, TrundleError
from trundle.view.page.html import page
from trundle.view.page.pack import pack
from trundle.view.scene.curves import curves

if TYPE_CHECKING:
    from trundle.run.dataset import Run

HERE: Final = "127.0.0.1"
PORT: Final = 8321
TRIES: Final = 50  # ports after the wanted one
LIVE_FRAMES: Final = 4000


@final
class Viewer:
    """A served page. It answers until `close` is called or Python ends; pages may be opened and closed at will."""

    def __init__(self, runs: Sequence["Run"], html: str, port: int) -> None:
        self._server, self.note = _listen(partial(_Handler, runs, html, Lock()), port)
        self.port = int(self._server.server_address[1])
        self.url = f"http://{HERE}:{self.port}/"
        self._thread = Thread(target=self._server.serve_forever, name="trundle view", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" style="width:100%;height:520px;border:0"></iframe>'

    def wait(self) -> None:
        """Serve until the program is interrupted."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop serving. Pages that are open keep what they have."""
        self._server.shutdown()
        self._server.server_close()


def show(
    run: "Run",
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    port: int = PORT,
    open_browser: bool = True,
) -> Viewer:
    """Serve the page of a run on this machine and open it in the browser.

    Parameters
    ----------
    run : Run
    plots : sequence of str, optional
        Quantities shown first; every other one can be chosen on the page.
    compare : Run, optional
        A second run in the same picture.
    port : int
        The first port that is tried; a taken one is passed over, which `note` of the answer says.
    open_browser : bool

    Returns
    -------
    Viewer
        With `url`, `note` and `close()`.
    """
    runs = [run] if compare is None else [run, compare]
    viewer = Viewer(runs, page(run, plots, compare, LIVE_FRAMES, live=True), port)
    if open_browser:
        webbrowser.open(viewer.url)
    return viewer


def _listen(handler: Any, port: int) -> tuple[ThreadingHTTPServer, str]:
    """A server at the port or the next free one, and a sentence where it is not the wanted one."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise SolveError(f"port={port!r}: give a number from 1 to 65535, or 0 for any free port.")
    for k in range(TRIES if port else 1):
        try:
            server = _Server((HERE, port + k if port + k < 65536 else 0), handler)
        except OSError:
            continue
        found = server.server_address[1]
        return server, f"port {port} is taken; took {found}." if port and k else ""
    raise SolveError(f"no free port from {port} to {port + TRIES - 1}; give another with port=.")


@final
class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False


@final
class _Handler(BaseHTTPRequestHandler):
    """Answers with the page, and with quantities by name."""

    def __init__(self, runs: Sequence["Run"], html: str, lock: Any, *given: Any) -> None:
        self.runs, self.html, self.lock = runs, html, lock
        super().__init__(*given)

    def do_GET(self) -> None:
        if self.headers.get("Host", "").partition(":")[0] not in (HERE, "localhost"):
            self._answer(403, "this page is for this machine only", "text/plain")
        elif self.path == "/":
            self._answer(200, self.html, "text/html")
        elif self.path.startswith("/quantity/"):
            self._quantity(unquote(self.path.removeprefix("/quantity/")))
        else:
            self._answer(404, "there is nothing here", "text/plain")

    def _quantity(self, name: str) -> None:
        try:
            with self.lock:  # runs evaluate and keep quantities when first asked: one page after the other
                found = [vars(curve) for run in self.runs for curve in curves(run, [name])]
        except TrundleError as error:
            self._answer(404, str(error), "text/plain")
        else:
            self._answer(200, pack(found), "text/plain")

    def _answer(self, status: int, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *given: Any) -> None:
        """Nothing is printed."""
