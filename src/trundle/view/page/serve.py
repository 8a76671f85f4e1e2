"""The page of runs, served with all quantities on request."""

import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final, final
from urllib.parse import unquote

from trundle.errors import TrundleError
from trundle.messages.arguments import advised
from trundle.typing import Untyped
from trundle.view.page.html import page
from trundle.view.page.local import NOT_HERE, PORT, LocalHandler, LocalPage
from trundle.view.page.pack import pack
from trundle.view.scene.curves import curves
from trundle.view.scene.make import Points

if TYPE_CHECKING:
    from trundle.run.run import Run

LIVE_FRAMES: Final = 4000
NO_KEY: Final = "open the address that `run.show()` or `trundle view` gave: it has the key of this page."


@final
class Viewer(LocalPage):
    """A served page of runs, available until `close` is called or Python ends.

    Its address has a key, so that other users of this machine cannot read the runs.
    """

    def __init__(self, runs: Sequence["Run"], html: str, port: int) -> None:
        key = secrets.token_urlsafe(24)
        super().__init__(partial(_Handler, runs, html, f"/{key}/", Lock()), port, f"{key}/")


@advised()
def show(
    run: "Run",
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    port: int = PORT,
    open_browser: bool = True,
    points: Points | None = None,
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
        First port to try; if it is in use, the next ones are tried, and `note` of the result says so.
    open_browser : bool
    points : mapping, optional
        Points whose paths can be shown, as of `save_html`.

    Returns
    -------
    Viewer
        With `url`, `note` and `close()`.
    """
    runs = [run] if compare is None else [run, compare]
    viewer = Viewer(runs, page(run, plots, compare, LIVE_FRAMES, live=True, points=points), port)
    if open_browser:
        viewer.open()
    return viewer


@final
class _Handler(LocalHandler):
    """Answers with the page, and with quantities by name."""

    def __init__(
        self, runs: Sequence["Run"], html: str, home: str, lock: AbstractContextManager[object], *given: Untyped
    ) -> None:
        self.runs, self.html, self.home, self.lock = runs, html, home, lock
        super().__init__(*given)

    def do_GET(self) -> None:
        home, address = self.path[: len(self.home)], self.path[len(self.home) :]
        if not self.is_addressed_here() or (address and self.from_another_page()):
            self.answer(403, NOT_HERE)
        elif not secrets.compare_digest(home.encode(), self.home.encode()):
            self.answer(403, NO_KEY)
        elif not address:
            self.answer(200, self.html, "text/html")
        elif address.startswith("quantity/"):
            self._quantity(unquote(address.removeprefix("quantity/")))
        else:
            self.answer(404, "there is nothing here")

    def _quantity(self, name: str) -> None:
        try:
            with self.lock:  # runs compute quantities on first use, which is not thread-safe
                found = [vars(curve) for run in self.runs for curve in curves(run, [name])]
        except TrundleError as error:
            self.answer(404, str(error))
        else:
            self.answer(200, pack(found))
