"""The studio on this machine: one server for any number of pages, each with its own session."""

import json
import secrets
from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import Final, final
from urllib.parse import parse_qs, urlsplit

from trundle.errors import TrundleError
from trundle.studio.faults import in_words
from trundle.studio.opened import check_source
from trundle.studio.page.html import studio_page
from trundle.studio.session import Session
from trundle.typing import Json, Raw
from trundle.view.page.local import NOT_HERE, PORT, LocalHandler, LocalPage
from trundle.view.page.pack import pack

SESSIONS: Final = 12  # pages whose models and runs are stored; beyond, the least recently used one is dropped
LARGEST: Final = 1_000_000  # bytes of a request
KEY: Final = "X-Trundle-Key"
NO_KEY: Final = "open the address that `trundle studio` printed: it has the key of this page."
ENDED: Final = "this page was not used for long, and its model was dropped: load the page again."


@final
class Sessions:
    """All sessions. Computations are sequential, because CasADi's expressions are not thread-safe."""

    def __init__(self, source: str | None = None) -> None:
        self.key = secrets.token_urlsafe(24)
        self.source = source
        self.by_name: OrderedDict[str, Session] = OrderedDict()
        self.computing, self.changing = Lock(), Lock()

    def begin(self, name: str | None) -> str:
        """The name of a session: the requested one, if it still exists, or a new one."""
        with self.changing:
            if name is None or name not in self.by_name:
                name = secrets.token_urlsafe(9)
                self.by_name[name] = Session(self.source)
                while len(self.by_name) > SESSIONS:
                    self.by_name.popitem(last=False)
            self.by_name.move_to_end(name)
            return name

    def answer(self, name: str, question: str, request: Json) -> Raw:
        """The answer to a request of a page."""
        with self.changing:
            session = self.by_name[name]
            self.by_name.move_to_end(name)
        if question == "reached":
            return {"t": session.reached, "end": session.end}
        if question == "stop":
            session.stopping = True
            return None
        with self.computing:
            return session.answer(question, request)


@final
class Studio(LocalPage):
    """The served studio, with `url`, `note`, `open()`, `wait()` and `close()`."""

    def __init__(self, source: str | None = None, port: int = PORT) -> None:
        self.sessions = Sessions(source)
        super().__init__(partial(_Handler, self.sessions), port, f"?key={self.sessions.key}")


def studio(source: str | None = None, port: int = PORT, open_browser: bool = True) -> Studio:
    """Serve the studio on this machine and open it in the browser.

    Parameters
    ----------
    source : str, optional
        An example or a YAML file that is opened first.
    port : int
        First port to try; if it is in use, the next ones are tried, and `note` of the result says so.
    open_browser : bool

    Returns
    -------
    Studio
        With `url`, `note`, `wait()` and `close()`.
    """
    if source is not None:
        check_source(source)
    made = Studio(source, port)
    if open_browser:
        made.open()
    return made


@final
class _Handler(LocalHandler):
    """Serves the page to clients with its key, and answers requests of that page only."""

    def __init__(self, sessions: Sessions, *given: Raw) -> None:
        self.sessions = sessions
        super().__init__(*given)

    def do_GET(self) -> None:
        request = urlsplit(self.path)
        if not self.is_addressed_here():
            self.answer(403, NOT_HERE)
        elif request.path != "/":
            self.answer(404, "there is nothing here")
        elif not self._has_key(parse_qs(request.query).get("key", [""])[0]):
            self.answer(403, NO_KEY)
        else:
            self.answer(200, studio_page(self.sessions.key), "text/html")

    def do_POST(self) -> None:
        if not self.from_own_page() or not self._has_key(self.headers.get(KEY, "")):
            self.close_connection = True
            self.answer(403, NOT_HERE)
            return
        try:
            request = self._read()
        except ValueError as error:
            self.close_connection = True
            self.answer(400, json.dumps({"words": str(error), "faults": []}))
            return
        self._answer_question(request)

    def _has_key(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.sessions.key.encode())

    def _read(self) -> Json:
        length = int(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= LARGEST:
            raise ValueError(f"a question has at most {LARGEST} bytes; build large models in Python.")
        request = json.loads(self.rfile.read(length))
        if not isinstance(request, dict):
            raise ValueError("a question is a mapping.")
        return request

    def _answer_question(self, request: Json) -> None:
        question, name = str(request.pop("question", "")), request.pop("session", None)
        name = name if isinstance(name, str) else None
        try:
            if question == "begin":
                name = self.sessions.begin(name)
            elif name not in self.sessions.by_name:
                self.answer(410, json.dumps({"words": ENDED, "faults": []}))
                return
            assert name is not None
            found = self.sessions.answer(name, question, request)
            self.answer(200, pack({"session": name, "answer": found}))
        except TrundleError as error:
            self.answer(422, json.dumps(in_words(error)))
        except (BrokenPipeError, ConnectionResetError):
            return  # the page was closed
        except Exception as error:  # shown on the page; the server continues
            words = f"Trundle itself failed ({type(error).__name__}: {error})."
            self.answer(500, json.dumps({"words": words, "faults": []}))
