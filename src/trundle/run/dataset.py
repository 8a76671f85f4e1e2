"""A run: states over time, and every quantity of the model on request, as xarray data with units and sentences."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.contact.modes.find import transitions
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.lookup.table import Table
from trundle.model.register import Register
from trundle.quantity import Part, Quantity
from trundle.run.event_works import event_works
from trundle.run.reported_events import EventTime, contact_events, reported_events
from trundle.run.turns import USER_DEFINED, StatePath, continuous, start_angles, with_turns, without_flips
from trundle.typing import Array

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

    from trundle.integrate.trajectory import Trajectory
    from trundle.quantities.initial_state import InitialState
    from trundle.run.energy import Energy
    from trundle.run.impacts import Impact
    from trundle.run.power import Power
    from trundle.run.sensitivities import Sensitivities
    from trundle.system import System
    from trundle.view.page.serve import Viewer


DIMENSIONS = {3: "axis", 4: "quaternion", 6: "bond", 9: "matrix"}  # number of components -> name of the dimension
ELSEWHERE = {
    "to_csv": "run.save('result.csv')",
    "to_dataframe": "run.to_pandas()",
    "to_netcdf": "run.save('result.nc')",
    "t": "run.time",
    "times": "run.time",
    "animate": "run.show() or run.save_movie('run.gif')",
}
"""What new users look for, and where it is."""


@final
class Run:
    """Result of a simulation. run["crank.angle"] is an xarray.DataArray; run.outcome states how it ended.

    It stands on its system, which evaluates any quantity, or on a dataset from a file, which has what was stored.
    """

    def __init__(
        self,
        dataset: "xr.Dataset | None",
        outcome: str,
        formulation: Formulation | None = None,
        raw: "tuple[Array, Array, Array] | None" = None,
        settings: Mapping[str, Any] | None = None,
        initial: "InitialState | None" = None,
        trajectory: "Trajectory | None" = None,
        tables: Mapping[str, Table] | None = None,
    ) -> None:
        self._dataset, self.outcome = dataset, outcome
        self.formulation, self._raw, self.settings, self.initial = formulation, raw, dict(settings or {}), initial
        self.trajectory = trajectory
        self.shapes: dict[str, tuple[Any, ...]] = {}  # of bodies, where other ones are drawn than the model has
        self.along: str | None = None  # quantity that stands beside time as a second coordinate
        self.sensitivities: Sensitivities | None = None  # where they were asked for
        self.tables = dict(tables or {})  # which also keeps them in memory; none for a run from a file
        self.created = datetime.now(UTC).isoformat(timespec="seconds")
        self._numbers: dict[str, Array] = {}  # everything evaluated so far, asked for or not
        self._found: dict[str, Array] = {}  # numbers of what was asked for
        self._values: dict[str, xr.DataArray] = {}  # the same with names and units, where it was asked for so

    @staticmethod
    def of(
        f: Formulation, trajectory: "Trajectory", p: Array, initial: "InitialState", settings: Mapping[str, Any],
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
            How the start was found.
        settings : mapping
            Method and tolerances, for the books.
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

    def __setstate__(self, state: dict[str, Any]) -> None:
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

    if not TYPE_CHECKING:  # a checker shall not take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # of Python and of this class: nothing of a run is asked before it is there
                raise AttributeError(f"'Run' object has no attribute {name!r}", name=name, obj=self)
            if name in ELSEWHERE:
                raise AttributeError(f"a Run has no {name!r}: ask {ELSEWHERE[name]}.", name=name, obj=self)
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

    # -- quantities ----------------------------------------------------------------------------------------------------

    @property
    def raw(self) -> tuple[Array, Array, Array] | None:
        """Times, states and parameters as they were integrated; None for a run from a file."""
        return self._raw

    @property
    def time(self) -> Array:
        """Times of the samples (s)."""
        if self._raw is not None:
            return self._raw[0]
        assert self._dataset is not None
        return np.asarray(self._dataset["time"].values)

    def __getitem__(self, name: str) -> "xr.DataArray":
        """A quantity over time, with unit and description; components such as "rod.position_x" too."""
        if not isinstance(name, str):
            raise UnknownNameError(str(name), self.names, "quantity", "Use its name, such as run['bob.angle'].")
        if name in self._values:
            return self._values[name]
        what = "quantity" if self.formulation is not None else "quantity stored in this file"
        part = self._register.get(name, what=what)
        whole = self._whole(part.quantity)
        return whole if part.component is None else _component(whole, part)

    def values(self, name: str) -> Array:
        """Plain numbers of a quantity.

        Parameters
        ----------
        name : str
            Long or short name, or that of a component.

        Returns
        -------
        array
            Of shape (times,) or (times, components).

        Raises
        ------
        UnknownNameError
            With near names, where there is none.
        """
        if self._dataset is not None or name in self._values or not isinstance(name, str):
            return np.asarray(self[name].values)
        part = self._register.get(name)
        numbers = self._computed(part.quantity)
        if part.component is not None:
            return numbers[:, part.component]
        return numbers if part.quantity.labels else numbers[:, 0]

    def derivative(self, name: str, by: str) -> "xr.DataArray":
        """Derivative of a quantity with respect to a parameter or start value.

        Parameters
        ----------
        name : str
            Long or short name of the quantity, or that of a component.
        by : str
            One of the names given as `sensitivity` to `simulate`.

        Returns
        -------
        xarray.DataArray
            Derivative at every sample, at a fixed time.

        Raises
        ------
        SolveError
            Where no derivatives were asked for, or the quantity has none.
        """
        if self.sensitivities is None:
            raise SolveError(
                f"this run has no derivatives: simulate with sensitivity=[{by!r}] to have those by {by!r}."
            )
        part = self._register.get(name)
        values = self.sensitivities.of(self, part.quantity, by)
        unit = self.sensitivities.units[self.sensitivities.column(by)]
        whole = self._array(part.quantity, values)
        found = whole if part.component is None else _component(whole, part)
        return found.rename(f"d {name} / d {by}").assign_attrs(
            units=f"{part.unit or '1'}/({unit or '1'})", long_name=f"derivative of {name} by {by}"
        )

    def unit(self, name: str) -> str:
        """Unit of a quantity.

        Parameters
        ----------
        name : str
            Long or short name, or that of a component.

        Returns
        -------
        str
            Such as "rad/s"; "N, N m" where the components have different ones.
        """
        return self._register.get(name).unit

    def component_labels(self, name: str) -> tuple[str, ...]:
        """Names of the components of a quantity.

        Parameters
        ----------
        name : str
            Long or short name, or that of a component.

        Returns
        -------
        tuple
            Such as ("x", "y", "z"); empty for a number.
        """
        part = self._register.get(name)
        return () if part.component is not None or part.quantity.size == 1 else part.quantity.labels

    @property
    def names(self) -> list[str]:
        """Names of all available quantities: those of the model, or those in the file."""
        short = [name for name in self.aliases if self._register.find(name) is not None]
        return [*(q.name for q in self._register if q.listed), *short]

    def owners(self, kind: str, part: str = "connection") -> list[str]:
        """Names of the parts that have a quantity of this kind, in the order of the model.

        Parameters
        ----------
        kind : str
            What the quantity is of its owner: "state", "normal_force".
        part : str
            Kind of the owner: "connection", "body", "force" or "state".

        Returns
        -------
        list of str
        """
        return [q.owner for q in self._register if q.kind == kind and q.part == part]

    @property
    def _register(self) -> Register:
        """Of the model, or of what the file has."""
        return self._stored_names if self.formulation is None else self.formulation.register

    @cached_property
    def _stored_names(self) -> Register:
        return Register(self.aliases, self._stored_quantities)

    def _stored_quantities(self) -> Iterator[Quantity]:
        for name, array in {} if self._dataset is None else self._dataset.data_vars.items():
            labels = tuple(str(label) for label in array[array.dims[1]].values) if array.ndim == 2 else ()
            unit, text = array.attrs.get("units", ""), array.attrs.get("long_name", "")
            owner, part = array.attrs.get("owner", ""), array.attrs.get("part", "")
            kind = str(name)[len(owner) + 1 :] if owner else str(name)
            yield Quantity(owner, kind, unit, text, max(len(labels), 1), part=part, components=labels)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Short names of quantities."""
        return self.formulation.model.aliases if self.formulation is not None else self._stored("short_names", {})

    @cached_property
    def coordinates(self) -> list[str]:
        """Names of the joint coordinates in the order of the tree."""
        if self.formulation is not None:
            known = self.formulation.register
            return [c.name for c in self.formulation.layout.coordinates if known.find(c.name) is not None]
        return [str(name) for name in self._stored("joint_coordinates", [])]

    def _whole(self, q: Quantity) -> "xr.DataArray":
        """All components of a quantity over time."""
        if self._dataset is not None:
            return self._dataset[q.name]
        if q.name not in self._values:
            self._values[q.name] = self._array(q, self._computed(q))
        return self._values[q.name]

    def _computed(self, q: Quantity) -> Array:
        """Numbers of a quantity, of shape (times, size), kept."""
        if q.name not in self._found:
            self._found[q.name] = self._evaluate(q)
        return self._found[q.name]

    def _evaluate(self, q: Quantity) -> Array:
        """Compute the quantity; those of its group come with it and are kept."""
        assert self.formulation is not None and self._raw is not None
        t, x, p = self._raw
        path = StatePath(self.formulation, t, x, p, start_angles(self.formulation, self.initial), self.trajectory)
        if q.name not in self._numbers:
            found = self.formulation.evaluate(q.name, t, x, p)
            self._numbers.update(with_turns(path, q.group, found) if q.group in USER_DEFINED else found)
        values = self._numbers[q.name]
        if q.group == "joints" and q.coordinate and q.unit == "rad":  # a measured angle is known up to whole turns
            values = continuous(path, q.name, values[:, 0])[:, None]
        elif q.group == "orientations":
            values = without_flips(values)
        elif q.group == "work" and self.trajectory is not None:
            brought = event_works(self.formulation, self.trajectory.events)[q.name]
            values = values + brought[self.trajectory.events_before, None]
        return values

    def _array(self, q: Quantity, values: Array) -> "xr.DataArray":
        import xarray as xr

        attrs = {"units": q.unit, "long_name": q.text}
        if q.owner:
            attrs |= {"owner": q.owner, "part": q.part}
        beside: dict[str, Any] = {"time": xr.Variable("time", self.time, {"units": "s", "long_name": "time"})}
        if self.along is not None and self.along != q.name:
            beside[self.along] = self[self.along].variable
        if not q.labels:
            return xr.DataArray(values[:, 0], beside, ("time",), q.name, attrs)
        axis = dimension(q)
        return xr.DataArray(values, {**beside, axis: list(q.labels)}, ("time", axis), q.name, attrs)

    @property
    def dataset(self) -> "xr.Dataset":
        """States, energy and all quantities used so far, with provenance."""
        if self._dataset is not None:
            return self._dataset
        import xarray as xr

        from trundle.run.provenance import provenance

        assert self.formulation is not None
        kept = self.power.attributes if self.power.kept else {}
        groups = ("state", "energy", "work")
        arrays = {q.name: self[q.name] for q in self.formulation.register if q.group in groups}
        arrays |= {name: self[name] for name in list(self._found)}
        arrays.pop(self.along or "", None)  # which is a coordinate of all others
        for name in ("time", "contact_bond", *DIMENSIONS.values()):
            if name in arrays:
                raise StoreError(
                    f"the output {name!r} has the name of a dimension of the dataset; rename it in model.output."
                )
        return xr.Dataset(arrays, attrs=provenance(self) | kept)

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
        """True when the run reached its end time or a stop event, or what its settings call a good ending."""
        from trundle.integrate.outcome import ALL

        good = [*(ending.name for ending in ALL if ending.ok), *self.settings.get("good_endings", ())]
        return self.ending in good

    @property
    def ending(self) -> str:
        """The name of the outcome: FINISHED, EVENT_STOP, TABLE_LEFT and so on."""
        return self.outcome.partition(":")[0]

    @property
    def model_name(self) -> str:
        """Name of the model."""
        return self.formulation.model.name if self.formulation is not None else str(self.dataset.attrs.get("title", ""))

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Values of the model's parameters at the start, by name."""
        if self.formulation is None or self._raw is None:
            return {name: float(value) for name, value in self._stored("parameters", {}).items()}
        first = np.atleast_2d(self._raw[2])[0]
        return {name: float(value) for name, value in zip(self.formulation.model.parameters, first, strict=False)}

    @cached_property
    def events(self) -> list[EventTime]:
        """Events in their order, each with `name` and `time` (s): `for name, t in run.events`."""
        if self.trajectory is None or self.formulation is None:
            return [EventTime(str(name), float(t)) for name, t in self._stored("events", [])]
        return reported_events(self.formulation, self.trajectory.events, self.trajectory.p_end)

    @cached_property
    def contact_events(self) -> dict[str, str]:
        """Name of an event -> the contact whose change it is."""
        if self.formulation is None:
            return {str(name): str(contact) for name, contact in self._stored("contact_events", {}).items()}
        return contact_events(self.formulation)

    @cached_property
    def impacts(self) -> list["Impact"]:
        """Collisions in their order, with impulses, velocities and the energy lost; not kept in files."""
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
        changing += [c.kind == "lands" for c in transitions(self.formulation.model)]
        log = self.trajectory.events
        return [float(t) for i, t in zip(log.index, log.t, strict=True) if changing[int(i)]]

    @cached_property
    def warnings(self) -> list[str]:
        """What deserves a second look though the run went on."""
        from trundle.run.ending import event_warnings
        from trundle.run.unguarded import unguarded

        if self.trajectory is None or self.formulation is None:
            return [str(text) for text in self._stored("warnings", [])]
        hints = list(self.initial.hints) if self.initial is not None else []
        return [*hints, *event_warnings(self.formulation.model, self.trajectory), *unguarded(self)]

    @cached_property
    def near_singular(self) -> list[tuple[str, float, float]]:
        """(loop, time, measure) of passages close to a singular pose."""
        if self.trajectory is None or self.formulation is None:
            return [(str(loop), float(t), float(value)) for loop, t, value in self._stored("near_singular", [])]
        loops = self.formulation.monitored_loops
        log = self.trajectory.near_singular
        return [(loops[int(i)], float(t), float(v)) for i, t, v in zip(log.loop, log.t, log.value, strict=True)]

    def _stored(self, key: str, default: object) -> Any:
        """What the file has under this key."""
        attrs = {} if self._dataset is None else self._dataset.attrs
        return json.loads(attrs[key]) if key in attrs else default

    # -- hand over -----------------------------------------------------------------------------------------------------

    def plot(self, *names: str, **options: Any) -> "Figure":
        """Quantities over time, one panel for each unit.

        Parameters
        ----------
        *names : str
            What is drawn.
        **options
            As of `trundle.view.plot.plot_quantities`, such as path="out/crank.png".

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.plot import plot_quantities

        return plot_quantities(self, names, **options)

    def draw(self, **options: Any) -> "Figure":
        """Draw the mechanism at a few times.

        Parameters
        ----------
        **options
            As of `trundle.view.draw.draw`, such as times=[0.0, 0.5], path="out/crank.png".

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.draw import draw

        return draw(self, **options)

    def show(self, **options: Any) -> "Viewer":
        """Open an animation with plots in the browser, served on this machine only.

        Parameters
        ----------
        **options
            As of `trundle.view.page.serve.show`, such as plots=["crank.angle"], compare=another_run.

        Returns
        -------
        Viewer
            With `url`, and `close()` to end it.
        """
        from trundle.view.page.serve import show

        return show(self, **options)

    def save_html(self, path: str | Path, **options: Any) -> Path:
        """Write an animation of the run as a page that opens in any browser, without Python and without a network.

        Parameters
        ----------
        path : str or Path
            The file, such as "bicycle.html".
        **options
            As of `trundle.view.page.html.save_html`, such as plots=["roll", "steer"].

        Returns
        -------
        Path
            Of the file that was written.
        """
        from trundle.view.page.html import save_html

        return save_html(self, path, **options)

    def save_movie(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as a movie; no display is needed.

        Parameters
        ----------
        path : str or Path
            The file; .gif or .mp4.
        **options
            As of `trundle.view.movie.movie.save_movie`, such as fps=25, speed=0.5, size=(640, 400).

        Returns
        -------
        Path
            Of the file that was written.
        """
        from trundle.view.movie.movie import save_movie

        return save_movie(self, path, **options)

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
            Where it cannot be written.
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


def dimension(q: Quantity) -> str:
    """Name of the dimension along which the components of a quantity stand."""
    return "contact_bond" if "normal" in q.labels else DIMENSIONS[q.size]


def _component(whole: "xr.DataArray", part: Part) -> "xr.DataArray":
    label = part.label
    chosen = whole.sel({whole.dims[1]: label}, drop=True)
    text = f"{whole.attrs.get('long_name', '')}, component {label}"
    chosen.attrs = {**whole.attrs, "units": part.unit, "long_name": text}
    return chosen.rename(part.name)
