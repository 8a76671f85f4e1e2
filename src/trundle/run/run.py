"""A run: its results as xarray data, how it went and ended, and pictures, pages and files made from it."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import StoreError, UnknownNameError
from trundle.integrate.outcome import ALL
from trundle.lookup.table import Table
from trundle.messages.arguments import advised, explain_calls
from trundle.messages.preparing import preparing
from trundle.run.elsewhere import ELSEWHERE
from trundle.run.quantities import DIMENSIONS, RunQuantities, shown
from trundle.run.reported_events import EventTime, reported_events
from trundle.typing import Array, Option, Settings, State, Value

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

    from trundle.integrate.trajectory import Trajectory
    from trundle.quantities.initial_state import InitialState
    from trundle.run.energy import Energy
    from trundle.run.impacts import Impact
    from trundle.run.power import Power
    from trundle.system import System
    from trundle.view.page.serve import Viewer


@explain_calls
@final
class Run(RunQuantities):
    """Result of a simulation. run["crank.angle"] is an xarray.DataArray; run.outcome states how it ended.

    Its system evaluates any quantity; a run read from a file has those that were stored.
    """

    @staticmethod
    def of(
        f: Formulation, trajectory: "Trajectory", p: Array, initial: "InitialState", settings: Settings,
        tables: Mapping[str, Table],
    ) -> "Run":  # fmt: skip
        """Make a run from the result of the integrator.

        Parameters
        ----------
        f : Formulation
            Of the model that ran.
        trajectory : Trajectory
            Samples, events and ending.
        p : array
            Parameters at the start.
        initial : InitialState
            The start state.
        settings : mapping
            Method and tolerances, for the results.
        tables : mapping
            Those that it ran with, by name.

        Returns
        -------
        Run
        """
        from trundle.run.ending import explain

        outcome = explain(f, trajectory, trajectory.p_end)
        switching = f.model.events or f.parameters.modes
        raw = (trajectory.t, trajectory.x, trajectory.parameters() if switching else p)
        return Run(None, outcome, f, raw, settings, initial, trajectory, tables)

    def __setstate__(self, state: State) -> None:
        vars(self).update(state)
        if self.formulation is not None and self._raw is not None and self.trajectory is not None:
            for p in (self._raw[2], self.trajectory.p_end, self.trajectory.events.p):
                self.formulation.parameters.put_tables(p, self.tables.values())

    @property
    def system(self) -> "System | None":
        """The system that was simulated; None for a run from a file."""
        from trundle.system import System

        f = self.formulation
        return System(f.derivation, f.formalism) if f is not None else None

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> Value:
            if name.startswith("_"):  # of Python and of this class: no quantities of an incomplete run
                raise AttributeError(f"'Run' object has no attribute {name!r}", name=name, obj=self)
            if name in ELSEWHERE:
                raise AttributeError(f"a Run has no {name!r}: use {ELSEWHERE[name]}.", name=name, obj=self)
            named = [n for n in self.names if name in n.replace(".", "_").split("_") or n.endswith(f".{name}")]
            near = [*get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], n=2)]
            hints = [f"run.{n}" for n in near] + [f"run[{n!r}]" for n in named[:3]]
            hint = f" Did you mean {' or '.join(hints)}?" if hints else " Use names of quantities: run['bob.angle']."
            raise AttributeError(f"a Run has no attribute {name!r}.{hint}", name=name, obj=self)

    def __repr__(self) -> str:
        return f"<Run of {self.model_name!r}: {len(self.time)} samples up to {self.time[-1]:g} s, {self.ending}>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import run_html

        return run_html(self)

    @property
    def dataset(self) -> "xr.Dataset":
        """States, energy and all quantities used so far, with provenance."""
        if self.stored is not None:
            return self.stored.dataset
        import xarray as xr

        from trundle.run.provenance import about

        return xr.Dataset({name: self[name] for name in self.kept}, attrs=about(self))

    @property
    def kept(self) -> list[str]:
        """Names of the quantities in the dataset: states, energy and all used so far."""
        assert self.formulation is not None
        groups = ("state", "energy", "work")
        found = dict.fromkeys([*(q.name for q in self.formulation.register if q.group in groups), *self._found])
        found.pop(self.along or "", None)  # which is a coordinate of all others
        for name in found.keys() & {"time", "contact_bond", *DIMENSIONS.values()}:
            raise StoreError(f"the output {name!r} has the name of a dimension of the dataset; rename it in m.output.")
        return list(found)

    @property
    def energy(self) -> "Energy":
        """Kinetic, potential, work in, work lost and their balance."""
        from trundle.run.energy import Energy

        return Energy(self)

    @cached_property
    def power(self) -> "Power":
        """Power and energy through every bond, and where energy went."""
        from trundle.run.power import Power

        return Power(self)

    # -- how it went ---------------------------------------------------------------------------------------------------

    @property
    def ok(self) -> bool:
        """True when the run reached its end time, a stop event, or another regular ending of its settings."""
        good = [*(ending.name for ending in ALL if ending.ok), *self.settings.get("good_endings", ())]
        return self.ending in good

    @property
    def ending(self) -> str:
        """The name of the outcome: FINISHED, EVENT_STOP, TABLE_LEFT and so on."""
        return self.outcome.partition(":")[0]

    @property
    def model_name(self) -> str:
        """Name of the model."""
        return self.formulation.model.name if self.formulation is not None else str(self.stored_attrs.get("title", ""))

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Values of the model's parameters at the start, by name."""
        if self.formulation is None or self._raw is None:
            return {name: float(value) for name, value in self._stored("parameters", {}).items()}
        first = np.atleast_2d(self._raw[2])[0]
        return {name: float(value) for name, value in zip(self.formulation.model.parameters, first, strict=False)}

    @cached_property
    def events(self) -> list[EventTime]:
        """Events in their order: `for name, t in run.events`; those of contacts also have `contact` and `kind`."""
        if self.trajectory is None or self.formulation is None:
            changes = self._contact_changes
            return [EventTime(str(n), float(t), *changes.get(str(n), ())) for n, t in self._stored("events", [])]
        return reported_events(self.formulation, self.trajectory.events, self.trajectory.p_end)

    @cached_property
    def contact_events(self) -> dict[str, str]:
        """Name of an event -> the contact whose change it is."""
        return {name: contact for name, (contact, _) in self._contact_changes.items()}

    @cached_property
    def impacts(self) -> list["Impact"]:
        """Collisions in their order, with impulses, velocities and the energy lost; files keep none (StoreError)."""
        from trundle.run.impacts import impacts_of

        return impacts_of(self)

    @cached_property
    def jump_times(self) -> list[float]:
        """Times of the events that may have changed state or parameters."""
        if self.trajectory is None or self.formulation is None:
            return [float(t) for t in self._stored("jump_times", [])]
        quiet = {"stop"} if self.settings.get("answers") else {"stop", "record"}
        changing = [
            not (isinstance(e.action, str) and e.action in quiet) for e in self.formulation.model.events.values()
        ]
        changing += [c.kind == "lands" for c in self.formulation.transitions]
        log = self.trajectory.events
        return [float(t) for i, t in zip(log.index, log.t, strict=True) if changing[int(i)]]

    @cached_property
    def warnings(self) -> list[str]:
        """Warnings about the run, although it continued."""
        from trundle.run.ending import event_warnings
        from trundle.run.unguarded import unguarded

        if self.trajectory is None or self.formulation is None:
            return [str(text) for text in self._stored("warnings", [])]
        hints = list(self.initial.hints) if self.initial is not None else []
        return [*hints, *event_warnings(self.formulation, self.trajectory), *unguarded(self)]

    @cached_property
    def near_singular(self) -> list[tuple[str, float, float]]:
        """(loop, time, measure) of passages close to a singular pose."""
        if self.trajectory is None or self.formulation is None:
            return [(str(loop), float(t), float(value)) for loop, t, value in self._stored("near_singular", [])]
        loops = self.formulation.monitored_loops
        log = self.trajectory.near_singular
        return [(loops[int(i)], float(t), float(v)) for i, t, v in zip(log.loop, log.t, log.value, strict=True)]

    # -- hand over -----------------------------------------------------------------------------------------------------

    @preparing("the picture")
    def plot(self, *names: str, **options: Option) -> "Figure":
        """Quantities over time, one panel for each unit.

        Parameters
        ----------
        *names : str
            What is drawn.
        **options
            Options of `trundle.view.plot.plot_quantities`, such as path="out/crank.png".

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.plot import plot_quantities

        wrong = [name for name in names if not isinstance(name, str)]
        if wrong:
            remedy = "Give the names one by one, run.plot('bob.angle', 'bob.angle_rate')."
            raise UnknownNameError(shown(wrong[0]), self.names, remedy=remedy)
        for name in names:
            if Path(name).suffix in (".png", ".svg", ".pdf", ".jpg") and name not in self:
                raise UnknownNameError(name, self.names, remedy=f"The file of a picture is given by path={name!r}.")
        return plot_quantities(self, names, **options)

    @preparing("the picture")
    def draw(self, times: Sequence[float] | None = None, **options: Option) -> "Figure":
        """Draw the mechanism at a few times.

        Parameters
        ----------
        times : sequence of float, optional
            Times (s) of the poses, [0.0, 0.5]; unless given a few that are spread over the motion.
        **options
            Options of `trundle.view.draw.draw`, such as path="out/crank.png", plane="xz".

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.draw import draw

        return draw(self, times, **options)

    def show(self, **options: Option) -> "Viewer":
        """Open an animation with plots in the browser, served on this machine only.

        Parameters
        ----------
        **options
            Options of `trundle.view.page.serve.show`, such as plots=["crank.angle"], compare=another_run.

        Returns
        -------
        Viewer
            With `url`, and `close()` to end it.
        """
        from trundle.view.page.serve import show

        return show(self, **options)

    @advised("write the name of the file, run.save_html('run.html')")
    @preparing("the page")
    def save_html(self, path: str | Path, **options: Option) -> Path:
        """Write an animation of the run as a page that opens in any browser, without Python and without a network.

        Parameters
        ----------
        path : str or Path
            The file, such as "bicycle.html".
        **options
            Options of `trundle.view.page.html.save_html`, such as plots=["roll", "steer"].

        Returns
        -------
        Path
            Of the file that was written.
        """
        from trundle.view.page.html import save_html

        return save_html(self, path, **options)

    @advised("write the name of the file, run.save_movie('run.gif')")
    def save_movie(self, path: str | Path, **options: Option) -> Path:
        """Write the motion as a movie; no display is needed.

        Parameters
        ----------
        path : str or Path
            The file; .gif or .mp4.
        **options
            Options of `trundle.view.movie.movie.save_movie`, such as fps=25, speed=0.5, size=(640, 400).

        Returns
        -------
        Path
            Of the file that was written.
        """
        from trundle.view.movie.movie import save_movie

        return save_movie(self, path, **options)

    @advised(
        "write the name of the file, run.save('run.nc') or run.save('run.csv')",
        **dict.fromkeys(("names", "columns", "variables"), "write run.to_pandas('bob.angle').to_csv('run.csv')"),
    )
    def save(self, path: str | Path) -> Path:
        """Write the dataset as netCDF (.nc) or as a table (.csv), atomically.

        Parameters
        ----------
        path : str or Path
            The file; its ending chooses the format.

        Returns
        -------
        Path
            Of the file that was written.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        from trundle.run.store import save

        return save(self, path)

    def to_pandas(self, *names: str) -> "pd.DataFrame":
        """A pandas DataFrame with one row for each sample and the time as index.

        Parameters
        ----------
        *names : str
            Quantities; without any, all that the dataset holds. Components of vectors are columns of their own.

        Returns
        -------
        pandas.DataFrame
            Its columns are named like those of a saved .csv: 'bob.angle [rad]', 'bob.position_x [m]'.
        """
        import xarray as xr

        from trundle.run.table import data_frame

        return data_frame(xr.Dataset({name: self[name] for name in names}) if names else self.dataset)

    def summary(self) -> str:
        """Short summary of the run, as text."""
        from trundle.run.summary import summary

        return summary(self)
