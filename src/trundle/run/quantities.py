"""Quantities of a run by name: states over time, and every other quantity of the model on request."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.lookup.table import Table
from trundle.messages.arguments import explain_calls, method
from trundle.messages.preparing import preparing
from trundle.model.register import Register
from trundle.quantity import Part, Quantity
from trundle.run.event_works import event_works
from trundle.run.reported_events import contact_changes
from trundle.run.restart import parameters_at, state_at
from trundle.run.turns import USER_DEFINED, StatePath, continuous, start_angles, with_turns, without_flips
from trundle.typing import Array, Columns, Json, ModelPart, Settings, State, Value

if TYPE_CHECKING:
    import xarray as xr

    from trundle.integrate.trajectory import Trajectory
    from trundle.quantities.initial_state import InitialState
    from trundle.run.sensitivities import Sensitivities
    from trundle.run.stored_result import StoredResult

DIMENSIONS = {3: "axis", 4: "quaternion", 6: "bond", 9: "matrix"}  # number of components -> name of the dimension
TIME = {"units": "s", "long_name": "time"}  # attributes of the times
LONGEST = 60  # characters of a wrong name that a message repeats


def shown(name: object) -> str:
    """An invalid name as shown in a message; long values are replaced by their type."""
    text = str(name)
    return text if len(text) <= LONGEST and "\n" not in text else f"a {type(name).__name__}"


@explain_calls
class RunQuantities:
    """The part of `Run` that finds quantities: from the system that ran, or from a file."""

    def __init__(
        self,
        stored: "StoredResult | None",
        outcome: str,
        formulation: Formulation | None = None,
        raw: "tuple[Array, Array, Array] | None" = None,
        settings: Settings | None = None,
        initial: "InitialState | None" = None,
        trajectory: "Trajectory | None" = None,
        tables: Mapping[str, Table] | None = None,
    ) -> None:
        self.stored, self.outcome = stored, outcome
        self.formulation, self._raw, self.settings, self.initial = formulation, raw, dict(settings or {}), initial
        self.trajectory = trajectory
        self.shapes: dict[str, tuple[ModelPart, ...]] = {}  # of bodies, where other ones are drawn than the model has
        self.along: str | None = None  # quantity that stands beside time as a second coordinate
        self.sensitivities: Sensitivities | None = None  # if they were requested
        self.tables = dict(tables or {})  # which also keeps them in memory; none for a run from a file
        self.created = datetime.now(UTC).isoformat(timespec="seconds")
        self._numbers: dict[str, Array] = {}  # everything evaluated so far, requested or not
        self._found: dict[str, Array] = {}  # numbers of requested quantities
        self._values: dict[str, xr.DataArray] = {}  # the same with names and units

    @property
    def raw(self) -> tuple[Array, Array, Array] | None:
        """Times, states and parameters as they were integrated; None for a run from a file."""
        return self._raw

    @property
    def time(self) -> Array:
        """Times of the samples (s)."""
        if self._raw is not None:
            return self._raw[0]
        assert self.stored is not None
        return self.stored.variables["time"].values

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._register.find(name) is not None

    def __call__(self, *names: object) -> NoReturn:
        raise TypeError("a Run is not a function: a quantity is run['bob.angle'], with square brackets.")

    def __iter__(self) -> NoReturn:
        raise TypeError("a Run is not a list: run.names has the names of its quantities, run.time the times.")

    def __getitem__(self, name: str) -> "xr.DataArray":
        """A quantity over time, with unit and description; components such as "rod.position_x" too."""
        if not isinstance(name, str):
            remedy = "Use one name, such as run['bob.angle']; run.names has all, run.time the times, and "
            remedy += "run.to_pandas('bob.angle', 'bob.angle_rate') several quantities."
            raise UnknownNameError(shown(name), self.names, "quantity", remedy)
        if name in self._values:
            return self._values[name]
        if name in ("time", "t") and name not in self:
            raise UnknownNameError(name, self.names, "quantity", "The times of the samples are run.time.")
        part = self._register.get(name, what=self._what)
        whole = self._whole(part.quantity)
        return whole if part.component is None else _component(whole, part)

    def __len__(self) -> NoReturn:
        raise TypeError("a run has no len: len(run.time) counts its samples, len(run.names) its quantities.")

    def __bool__(self) -> bool:
        return True

    @method("run.values")
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
            With near names, if there is none.
        """
        if not isinstance(name, str) or name in self._values:
            return np.asarray(self[name].values)
        part = self._register.get(name, what=self._what)
        if self.stored is not None:
            found = self.stored.variables[part.quantity.name].values
            return found if part.component is None else found[:, part.component]
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
            If the run has no derivatives, or the quantity has none.
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

    def text(self, name: str) -> str:
        """Description of a quantity.

        Parameters
        ----------
        name : str
            Long or short name, or that of a component.

        Returns
        -------
        str
            As in the attribute "long_name" of run[name].
        """
        return self._register.get(name).text

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
            The quantity without its owner: "state", "normal_force".
        part : str
            Kind of the owner: "connection", "body", "force" or "state".

        Returns
        -------
        list of str
        """
        return [q.owner for q in self._register if q.kind == kind and q.part == part]

    @property
    def _what(self) -> str:
        return "quantity" if self.formulation is not None else "quantity stored in this file"

    @property
    def _register(self) -> Register:
        """Of the model, or of what the file has."""
        return self._stored_names if self.formulation is None else self.formulation.register

    @cached_property
    def _stored_names(self) -> Register:
        return Register(self.aliases, self._stored_quantities)

    def _stored_quantities(self) -> Iterator[Quantity]:
        if self.stored is None:
            return
        for name, one in self.stored.quantities.items():
            labels = tuple(map(str, self.stored.variables[one.dims[1]].values)) if len(one.dims) == 2 else ()
            unit, text = one.attrs.get("units", ""), one.attrs.get("long_name", "")
            owner, part = one.attrs.get("owner", ""), one.attrs.get("part", "")
            kind = name[len(owner) + 1 :] if owner else name
            yield Quantity(owner, kind, unit, text, max(len(labels), 1), part=part, components=labels)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Short names of quantities."""
        return self.formulation.model.aliases if self.formulation is not None else self._stored("short_names", {})

    @method("run.state")
    def state(self, time: float | None = None) -> State:
        """Coordinates, rates and states at a sample, from which another run can go on:
        `system.simulate(5.0, run.state(), run.parameters_at(), t0=run.time[-1])`.

        Parameters
        ----------
        time : float, optional
            One of `run.time`; the end unless given.

        Returns
        -------
        dict
            Start values by name, for `simulate`, `linearise` and others.

        Raises
        ------
        StoreError, SolveError
            For a run from a file; if there is no sample at this time; in absolute coordinates with quaternions.
        """
        return state_at(self, time)

    @method("run.parameters_at")
    def parameters_at(self, time: float | None = None) -> dict[str, float]:
        """Values of the parameters by name at a sample, which events may have changed.

        Parameters
        ----------
        time : float, optional
            As for `state`.

        Returns
        -------
        dict

        Raises
        ------
        StoreError, SolveError
            For a run from a file; if there is no sample at this time.
        """
        return parameters_at(self, time)

    @cached_property
    def coordinates(self) -> list[str]:
        """Names of the joint coordinates in the order of the tree."""
        if self.formulation is not None:
            return self.formulation.coordinates
        return [str(name) for name in self._stored("joint_coordinates", [])]

    def _whole(self, q: Quantity) -> "xr.DataArray":
        """All components of a quantity over time."""
        if self.stored is not None:
            return self.stored.dataset[q.name]
        if q.name not in self._values:
            self._values[q.name] = self._array(q, self._computed(q))
        return self._values[q.name]

    def _computed(self, q: Quantity) -> Array:
        """Numbers of a quantity, of shape (times, size), kept."""
        if q.name not in self._found:
            with preparing(f"{q.name!r} of the run"):
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

        attrs = attributes(q)
        beside: Columns = {"time": xr.Variable("time", self.time, TIME)}
        if self.along is not None and self.along != q.name:
            beside[self.along] = self[self.along].variable
        if not q.labels:
            return xr.DataArray(values[:, 0], beside, ("time",), q.name, attrs)
        axis = dimension(q)
        return xr.DataArray(values, {**beside, axis: list(q.labels)}, ("time", axis), q.name, attrs)

    @cached_property
    def _contact_changes(self) -> dict[str, tuple[str, str]]:
        """Name of an event -> contact and kind of its change; the kind is empty where an older file lacks it."""
        if self.formulation is not None:
            return contact_changes(self.formulation)
        stored = self._stored("contact_events", {}).items()
        pairs = ((name, (change, "") if isinstance(change, str) else change) for name, change in stored)
        return {str(name): (str(contact), str(kind)) for name, (contact, kind) in pairs}

    def _stored(self, key: str, default: object) -> Value:
        """What the file has under this key."""
        return json.loads(self.stored_attrs[key]) if key in self.stored_attrs else default

    @property
    def stored_attrs(self) -> Json:
        """What the file says of the run; nothing for a run with its model."""
        return {} if self.stored is None else self.stored.attrs


def attributes(q: Quantity) -> dict[str, str]:
    """What a dataset says of a quantity."""
    own = {"owner": q.owner, "part": q.part} if q.owner else {}
    return {"units": q.unit, "long_name": q.text, **own}


def dimension(q: Quantity) -> str:
    """Name of the dimension along which the components of a quantity stand."""
    return "contact_bond" if "normal" in q.labels else DIMENSIONS[q.size]


def _component(whole: "xr.DataArray", part: Part) -> "xr.DataArray":
    chosen = whole.sel({whole.dims[1]: part.label}, drop=True)
    chosen.attrs = {**whole.attrs, "units": part.unit, "long_name": part.text}
    return chosen.rename(part.name)
