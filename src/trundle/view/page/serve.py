"""The page of runs, served with every quantity on request."""

from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import unquote

from trundle.errors import TrundleError
from trundle.view.page.html import page
from trundle.view.page.local import NOT_HERE, PORT, LocalHandler, LocalPage
from trundle.view.page.pack import pack
from trundle.view.scene.curves import curves
from trundle.view.scene.make import Points

if TYPE_CHECKING:
    from trundle.run.run import Run

LIVE_FRAMES: Final = 4000


@final
class Viewer(LocalPage):
    """A served page of runs. It answers until `close` is called or Python ends."""

    def __init__(self, runs: Sequence["Run"], html: str, port: int) -> None:
        super().__init__(partial(_Handler, runs, html, Lock()), port)


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
        The first port that is tried; a taken one is passed over, which `note` of the answer says.
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

    def __init__(self, runs: Sequence["Run"], html: str, lock: Any, *given: Any) -> None:
        self.runs, self.html, self.lock = runs, html, lock
        super().__init__(*given)

    def do_GET(self) -> None:
        if not self.meant_for_here() or (self.path != "/" and self.from_another_page()):
            self.answer(403, NOT_HERE)
        elif self.path == "/":
            self.answer(200, self.html, "text/html")
        elif self.path.startswith("/quantity/"):
            self._quantity(unquote(self.path.removeprefix("/quantity/")))
        else:
            self.answer(404, "there is nothing here")

    def _quantity(self, name: str) -> None:
        try:
            with self.lock:  # runs evaluate and keep quantities when first asked: one page after the other
                found = [vars(curve) for run in self.runs for curve in curves(run, [name])]
        except TrundleError as error:
            self.answer(404, str(error))
        else:
            self.answer(200, pack(found))
