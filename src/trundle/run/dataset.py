"""A run: states over time, and every quantity of the model on request, as xarray data with units and sentences."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.contact.modes.find import transitions
from trundle.equations.formulation import Formulation
from trundle.errors import StoreError, UnknownNameError
from trundle.model.model import full_name
from trundle.run.told import told_events
from trundle.run.turns import continuous
from trundle.typing import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from trundle.integrate.trajectory import Trajectory
    from trundle.quantities.initial_state import InitialState
    from trundle.run.energy import Energy
    from trundle.run.impacts import Impact
    from trundle.run.power import Power
    from trundle.system import System


DIMENSIONS = {3: "axis", 4: "quaternion", 6: "bond", 9: "matrix"}  # number of components -> name of the dimension
WORK = {
    "energy.work_in": "work brought in by drives and given forces",
    "energy.work_lost": "work lost in dampers, friction, collisions and other losses",
    "energy.work_events": "work brought in by events that change the state or parameters",
}


@final
class Run:
    """Result of a simulation. run["crank.angle"] is an xarray.DataArray; run.outcome tells how it ended.

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
    ) -> None:
        self._dataset, self.outcome = dataset, outcome
        self.formulation, self._raw, self.settings, self.initial = formulation, raw, dict(settings or {}), initial
        self.trajectory = trajectory
        self.created = datetime.now(UTC).isoformat(timespec="seconds")
        self._numbers: dict[str, Array] = {}  # everything evaluated so far, asked for or not
        self._values: dict[str, xr.DataArray] = {}  # what was asked for

    @staticmethod
    def of(
        f: Formulation, trajectory: "Trajectory", p: Array, initial: "InitialState", settings: Mapping[str, Any]
    ) -> "Run":
        """Wrap what the integrator returned."""
        from trundle.run.ending import explain

        outcome = explain(f, trajectory, trajectory.p_end)
        switching = f.model.events or f.parameters.modes
        raw = (trajectory.t, trajectory.x, trajectory.parameters() if switching else p)
        return Run(None, outcome, f, raw, settings, initial, trajectory)

    @property
    def system(self) -> "System | None":
        """The system that ran, for further questions; None for a run from a file."""
        from trundle.system import System

        f = self.formulation
        return System(f.derivation, f.formalism) if f is not None else None

    def __repr__(self) -> str:
        ending = self.outcome.partition(":")[0]
        return f"<Run of {self.model_name!r}: {len(self.time)} samples up to {self.time[-1]:g} s, {ending}>"

    # -- quantities ----------------------------------------------------------------------------------------------------

    @property
    def time(self) -> Array:
        """Times of the samples (s)."""
        if self._raw is not None:
            return self._raw[0]
        assert self._dataset is not None
        return np.asarray(self._dataset["time"].values)

    def __getitem__(self, name: str) -> "xr.DataArray":
        """A quantity over time, with unit and sentence; components such as "rod.position_x" too."""
        if not isinstance(name, str):
            raise UnknownNameError(str(name), self.names, "quantity (quantities go by name)")
        name = full_name(name, self.aliases)
        if name in self._values:
            return self._values[name]
        if self._dataset is not None and name in self._dataset.data_vars:
            return self._dataset[name]
        whole = self._whole_of(name)
        if whole is not None:
            return _component(whole, name)
        if self.formulation is None:
            raise UnknownNameError(name, self.names, "quantity stored in this file")
        self._values[name] = self._evaluate(name)
        return self._values[name]

    def values(self, name: str) -> Array:
        """Plain numbers of a quantity."""
        return np.asarray(self[name].values)

    @property
    def names(self) -> list[str]:
        """Quantities that can be asked for: those of the model, or those in the file."""
        if self.formulation is not None:
            return [*self.formulation.quantities, *self.aliases, *WORK]
        if self._dataset is None:
            return []
        stored = [str(name) for name in self._dataset.data_vars]
        return stored + [short for short, full in self.aliases.items() if self._is_stored(full)]

    def _is_stored(self, name: str) -> bool:
        """Whether the file has this quantity, or the vector of which it is a component."""
        assert self._dataset is not None
        return name in self._dataset.data_vars or self._whole_of(name) is not None

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Short names of quantities."""
        return self.formulation.model.aliases if self.formulation is not None else self._stored("short_names", {})

    @cached_property
    def coordinates(self) -> list[str]:
        """Names of the joint coordinates in the order of the tree."""
        if self.formulation is not None:
            return [c.name for c in self.formulation.layout.coordinates if c.name in self.formulation.quantities]
        return [str(name) for name in self._stored("joint_coordinates", [])]

    def _whole_of(self, name: str) -> "xr.DataArray | None":
        """The vector that `name` is a component of; None when it is a quantity of its own."""
        stem, _, label = name.rpartition("_")
        letters = bool(label) and len(label) <= 2 and set(label) <= set("wxyz")
        if not (stem and letters):
            return None
        if self.formulation is None:
            known = self._dataset is not None and stem in self._dataset.data_vars
        else:
            known = name not in self.formulation.quantities and name not in self.formulation.power_quantities
        if not known:
            return None
        whole = self[stem]
        return whole if whole.ndim == 2 and label in whole[whole.dims[1]].values else None

    def _evaluate(self, name: str) -> "xr.DataArray":
        """Compute the quantity; those of its group come with it and are kept."""
        assert self.formulation is not None and self._raw is not None
        t, x, p = self._raw
        body = name.removesuffix(".orientation")
        if body != name and body in self.formulation.model.bodies:
            return self._orientation(body)
        if name in WORK:
            return self._array(name, self._work(name)[:, None], "J", WORK[name], ())
        if name not in self._numbers:
            self._numbers.update(self.formulation.evaluate(name, t, x, p))
        values, q = self._numbers[name], self.formulation.quantity(name)
        if q.group == "joints" and q.unit == "rad" and q.size == 1:  # a measured angle is known up to whole turns
            values = continuous(self, name, values[:, 0])[:, None]
        return self._array(name, values, q.unit, q.text, q.labels)

    def _work(self, name: str) -> Array:
        """Work at the samples: that of laws and drives is a state of the run, that of events stands in their log."""
        assert self.formulation is not None and self._raw is not None
        x = self._raw[1]
        at = self.formulation.n_q + self.formulation.n_u + list(WORK).index(name)
        integrated = name != "energy.work_events" and at < x.shape[1] - len(self.formulation.turning)
        work = x[:, at].copy() if integrated else np.zeros(len(x))
        if self.trajectory is None:
            return work
        log, given = self.trajectory.events, len(self.formulation.model.events)
        brought = {
            "energy.work_in": log.work * (log.index >= given),
            "energy.work_lost": log.lost,
            "energy.work_events": log.work * (log.index < given),
        }[name]
        result: Array = work + np.concatenate([[0.0], np.cumsum(brought)])[self.trajectory.events_before]
        return result

    def _orientation(self, body: str) -> "xr.DataArray":
        """Unit quaternion of a body, continuous in time."""
        from scipy.spatial.transform import Rotation

        R = self.values(f"{body}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)
        q = Rotation.from_matrix(R).as_quat(scalar_first=True)
        if q[0, 0] < 0:
            q = -q
        flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0))
        q[1:] *= flips[:, None]
        text = f"unit quaternion from body to ground axes: {body}"
        return self._array(f"{body}.orientation", q, "", text, ("w", "x", "y", "z"))

    def _array(self, name: str, values: Array, unit: str, text: str, labels: tuple[str, ...]) -> "xr.DataArray":
        import xarray as xr

        attrs = {"units": unit, "long_name": text}
        time = xr.Variable("time", self.time, {"units": "s", "long_name": "time"})
        if not labels:
            return xr.DataArray(values[:, 0], {"time": time}, ("time",), name, attrs)
        axis = "contact_bond" if "normal" in labels else DIMENSIONS[len(labels)]
        return xr.DataArray(values, {"time": time, axis: list(labels)}, ("time", axis), name, attrs)

    @property
    def dataset(self) -> "xr.Dataset":
        """States, energy and whatever was asked so far, with provenance."""
        if self._dataset is not None:
            return self._dataset
        import xarray as xr

        from trundle.run.provenance import provenance

        assert self.formulation is not None
        kept = self.power.attributes if self.power.kept else {}
        names = [q.name for q in self.formulation.quantities.values() if q.group in ("state", "energy")]
        arrays = {name: self[name] for name in [*names, *WORK]} | self._values
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
        """True when the run reached its end time or a stop event."""
        from trundle.integrate.outcome import ALL

        return any(ending.ok and ending.name == self.outcome.partition(":")[0] for ending in ALL)

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
    def events(self) -> list[tuple[str, float]]:
        """(name, time) of the events in their order."""
        if self.trajectory is None or self.formulation is None:
            return [(str(name), float(t)) for name, t in self._stored("events", [])]
        return told_events(self.formulation, self.trajectory.events, self.trajectory.p_end)

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

        if self.trajectory is None or self.formulation is None:
            return [str(text) for text in self._stored("warnings", [])]
        hints = list(self.initial.hints) if self.initial is not None else []
        return [*hints, *event_warnings(self.formulation.model, self.trajectory)]

    @cached_property
    def near_singular(self) -> list[tuple[str, float, float]]:
        """(loop, time, measure) of passages close to a singular pose."""
        if self.trajectory is None or self.formulation is None:
            return [(str(loop), float(t), float(value)) for loop, t, value in self._stored("near_singular", [])]
        loops = self.formulation.monitored_loops
        log = self.trajectory.near_singular
        return [(loops[int(i)], float(t), float(v)) for i, t, v in zip(log.loop, log.t, log.value, strict=True)]

    def _stored(self, key: str, default: Any) -> Any:
        """What the file tells under this key."""
        attrs = {} if self._dataset is None else self._dataset.attrs
        return json.loads(attrs[key]) if key in attrs else default

    # -- hand over -----------------------------------------------------------------------------------------------------

    def plot(self, *names: str, **options: Any) -> "Figure":
        """Quantities over time; returns the matplotlib figure."""
        from trundle.view.plot import plot_quantities

        return plot_quantities(self, names, **options)

    def draw(self, **options: Any) -> "Figure":
        """Pictures of the mechanism at a few times; returns the matplotlib figure."""
        from trundle.view.scene import draw

        return draw(self, **options)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as netCDF (.nc) or as a table (.csv), whole or not at all."""
        from trundle.run.store import save

        return save(self, path)

    def summary(self) -> str:
        """A few lines for the terminal."""
        from trundle.run.summary import summary

        return summary(self)


def _component(whole: "xr.DataArray", name: str) -> "xr.DataArray":
    label = name.rpartition("_")[2]
    part = whole.sel({whole.dims[1]: label}, drop=True)
    part.attrs = {**whole.attrs, "long_name": f"{whole.attrs.get('long_name', '')}, component {label}"}
    return part.rename(name)
