"""Pages that are served on this machine only (127.0.0.1)."""

import webbrowser
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, final

from trundle.errors import SolveError
from trundle.real_array import is_integer
from trundle.typing import Maker

HERE: Final = "127.0.0.1"
PORT: Final = 8321
TRIES: Final = 50  # ports after the wanted one
NOT_HERE: Final = "this page is for this machine only"


class LocalPage:
    """A served page, available until `close` is called or Python ends."""

    def __init__(self, handler: Callable[..., BaseHTTPRequestHandler], port: int, path: str = "") -> None:
        self._server, self.note = _listen(handler, port)
        self.port = int(self._server.server_address[1])
        self.url = f"http://{HERE}:{self.port}/{path}"
        self._thread = Thread(target=self._server.serve_forever, name="trundle page", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self.url}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" style="width:100%;height:520px;border:0"></iframe>'

    def open(self) -> None:
        """Open the page in the browser."""
        webbrowser.open(self.url)

    def wait(self) -> None:
        """Serve until the program is interrupted."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop serving. Open pages keep their contents."""
        self._server.shutdown()
        self._server.server_close()


def _listen(handler: Maker, port: int) -> tuple[ThreadingHTTPServer, str]:
    """A server at the port or the next free one, and a sentence if it is another one."""
    if not is_integer(port) or not 0 <= port < 65536:
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


class LocalHandler(BaseHTTPRequestHandler):
    """Base of handlers of local pages: checks of the origin of requests, and answers that browsers do not cache."""

    def is_addressed_here(self) -> bool:
        """Whether the request addresses this machine by its own name, not by another name that resolves to it."""
        return self.headers.get("Host", "").partition(":")[0] in (HERE, "localhost")

    def from_another_page(self) -> bool:
        """Whether the request comes from a page of another server, according to the browser."""
        origin, own = self.headers.get("Origin"), f"http://{self.headers.get('Host', '')}"
        return origin not in (None, own) or self.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")

    def from_own_page(self) -> bool:
        """Whether the request comes from a page of this server, by its origin."""
        return self.is_addressed_here() and self.headers.get("Origin") == f"http://{self.headers['Host']}"

    def answer(self, status: int, text: str, kind: str = "text/plain") -> None:
        """Send a text."""
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *given: object) -> None:
        """Nothing is printed."""
