"""The session of one page: its open model, its runs, and its requests."""

import base64
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from trundle.command.find import read_number
from trundle.errors import SolveError, UnknownNameError
from trundle.run.run import Run
from trundle.studio.eigen import EigenAction, eigenvalues
from trundle.studio.opened import Opened, example_list, open_example, open_source, open_text
from trundle.studio.request import Request, Settings, count, number, read_settings, word, words
from trundle.studio.rewrite import with_values
from trundle.studio.script import Log, RunAction, script
from trundle.typing import Json, Raw
from trundle.view.page.html import page, page_data
from trundle.view.scene.curves import curves, scalar_names

FRAMES: Final = 1500  # poses of a run
NOTHING: Final = "no model is open: choose an example or open a file."
NO_RUN: Final = "there is no run yet: press Run first."


@final
class Session:
    """One page. Computations are sequential; `reached` and `stop` may be requested meanwhile."""

    def __init__(self, source: str | None = None) -> None:
        self.source = source  # opened first
        self.opened: Opened | None = None
        self.run: Run | None = None
        self.kept: Run | None = None
        self.settings: Settings | None = None
        self.log = Log()
        self.reached, self.end = 0.0, 0.0  # s, of the run under way
        self.stopping = False

    def answer(self, question: str, request: Request) -> Raw:
        """The answer to one request of the page."""
        if question not in QUESTIONS:
            raise UnknownNameError(question, QUESTIONS, "question")
        return QUESTIONS[question](self, request)

    @property
    def model(self) -> Opened:
        """The model that is open."""
        if self.opened is None:
            raise SolveError(NOTHING)
        return self.opened

    @property
    def last(self) -> Run:
        """The last run."""
        if self.run is None:
            raise SolveError(NO_RUN)
        return self.run

    # -- models --

    def begin(self, request: Request) -> Json:
        """Examples, and the open model: a page that is loaded again continues where it was."""
        if self.opened is None and self.source is not None:
            source, self.source = self.source, None
            return {"examples": example_list(), "model": self._open(open_source(source)), "settings": None}
        settings = self.settings.plain() if self.settings is not None else None
        shown = self.opened.description() if self.opened is not None else None
        return {"examples": example_list(), "model": shown, "settings": settings}

    def open_example(self, request: Request) -> Json:
        """Open an example."""
        name = word(request, "name")
        sizes: dict[str, float] = {}
        for key, value in dict(request.get("sizes") or {}).items():
            size = number(value, str(key))
            sizes[str(key)] = round(size) if size == round(size) else size
        return self._open(open_example(name, sizes))

    def open_text(self, request: Request) -> Json:
        """Open a model from the text of a YAML file; the changed text of an open file keeps its folder."""
        name = word(request, "name", "model.yaml")
        known = self.opened is not None and self.opened.name == name
        return self._open(open_text(word(request, "text"), name, self.model.folder if known else None))

    def _open(self, opened: Opened) -> Json:
        self.opened, self.run, self.kept, self.settings = opened, None, None, None
        self.log = Log()
        return opened.description()

    def structure(self, request: Request) -> Json:
        """Description, seals and bond graph."""
        from trundle.bond_graph.seal_rows import HEADER, seal_rows

        system = self.model.system
        graph = system.graph
        return {
            "describe": system.describe(),
            "header": list(HEADER),
            "rows": [list(row) for row in seal_rows(graph)],
            "causality": graph.causality.report(),
            "svg": graph._repr_svg_(),
        }

    def number(self, request: Request) -> float:
        """A number as typed, such as pi/3."""
        return read_number(word(request, "text"))

    # -- runs --

    def simulate(self, request: Request) -> Json:
        """Run with the values of the sliders; return the data of the player."""
        opened, settings = self.model, read_settings(request)
        file, usual = opened.at(settings.parameters), opened.start_at(settings.parameters)
        wish, start = file.run, {**usual, **settings.start}
        options: Json = {
            "method": settings.method if settings.method != "auto" else wish.method,
            "rtol": wish.rtol, "atol": wish.atol, "samples": wish.samples,
        }  # fmt: skip
        self.reached, self.end, self.stopping = 0.0, settings.duration, False
        began = time.perf_counter()
        run = opened.system.simulate(
            settings.duration, start, dict(settings.parameters), progress=self._tell, **options
        )
        took = time.perf_counter() - began
        run.shapes = {body.name: body.shape for body in file.model.bodies.values() if body.shape}
        self.run, self.settings = run, settings
        action = RunAction(dict(settings.parameters), start, settings.duration, options)
        self.log.add(action, bool(request.get("automatic")))
        return {**self._shown(words(request, "plots")), "took": took, "start": usual}

    def _tell(self, t: float) -> None:
        self.reached = t
        if self.stopping:
            raise KeyboardInterrupt

    def _shown(self, plots: list[str]) -> Json:
        run = self.last
        known = set(scalar_names(run))
        wanted = [name for name in plots if name in known] or [n for n in self.model.file.run.plot if n in known]
        data = page_data(run, wanted or None, self.kept, FRAMES, live=True)
        return {**data, "summary": run.summary(), "ok": run.ok, "outcome": run.outcome, "compared": bool(self.kept)}

    def show(self, request: Request) -> Json:
        """The last run again."""
        return self._shown(words(request, "plots"))

    def keep(self, request: Request) -> Json:
        """Keep the last run for comparison, or drop the kept one."""
        wanted = bool(request.get("on"))
        self.kept = self.last if wanted else None
        self.log.keep(wanted)
        return self._shown(words(request, "plots"))

    def quantity(self, request: Request) -> list[Json]:
        """Curves of a quantity of the last run and of the one kept."""
        name = word(request, "name")
        runs = [self.last, *([self.kept] if self.kept is not None else [])]
        return [vars(curve) for run in runs for curve in curves(run, [name])]

    def eigen(self, request: Request) -> Json:
        """Eigenvalues over a parameter, or over the speed of steady motions."""
        opened, settings = self.model, read_settings(request)
        first, last = number(request.get("first"), "from"), number(request.get("last"), "to")
        action = EigenAction(
            word(request, "over"), first, last, count(request), word(request, "about"), dict(settings.parameters),
            dict(settings.start),
        )  # fmt: skip
        found = eigenvalues(opened, action)
        self.log.add(action, False)
        return found

    # -- files --

    def save(self, request: Request) -> dict[str, str]:
        """A file for download: its name and content."""
        what = word(request, "what")
        if what not in FILES:
            raise UnknownNameError(what, FILES, "file")
        ending, write = FILES[what]
        stem = Path(self.model.name).stem or "model"
        return {"name": f"{stem}{ending}", "content": base64.b64encode(write(self, request)).decode()}

    def _model_file(self, request: Request) -> bytes:
        opened, settings = self.model, read_settings(request)
        if opened.text is None:
            raise SolveError(
                f"the example {opened.name!r} is made in Python and has no YAML file; save the script, which makes it."
            )
        return with_values(opened.text, settings, opened.folder).encode()

    def _result_file(self, request: Request) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            return self.last.save(Path(folder) / "result.nc").read_bytes()

    def _page_file(self, request: Request) -> bytes:
        return page(self.last, words(request, "plots") or None, self.kept).encode()

    def _script_file(self, request: Request) -> bytes:
        return script(self.model, self.log).encode()


QUESTIONS: Final[dict[str, Callable[[Session, Request], Raw]]] = {
    "begin": Session.begin,
    "example": Session.open_example,
    "text": Session.open_text,
    "structure": Session.structure,
    "number": Session.number,
    "run": Session.simulate,
    "show": Session.show,
    "keep": Session.keep,
    "quantity": Session.quantity,
    "eigenvalues": Session.eigen,
    "save": Session.save,
}

FILES: Final[dict[str, tuple[str, Callable[[Session, Request], bytes]]]] = {
    "model": (".yaml", Session._model_file),
    "result": (".nc", Session._result_file),
    "page": (".html", Session._page_file),
    "script": (".py", Session._script_file),
}
