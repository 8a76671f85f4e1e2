"""A run: states over time, and every quantity of the model on request, as xarray data with units and sentences."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.errors import UnknownNameError

if TYPE_CHECKING:
    import xarray as xr

    from trundle.run.energy import Energy
    from trundle.solve.initial import InitialState
    from trundle.solve.trajectory import Trajectory
    from trundle.system import System

Array = np.ndarray[Any, np.dtype[np.float64]]


@final
class Run:
    """Result of a simulation. run["crank.angle"] is an xarray.DataArray; run.outcome tells how it ended."""

    def __init__(
        self,
        dataset: "xr.Dataset | None",
        outcome: str,
        system: "System | None" = None,
        raw: "tuple[Array, Array, Array] | None" = None,
        settings: Mapping[str, Any] | None = None,
        initial: "InitialState | None" = None,
        trajectory: "Trajectory | None" = None,
    ) -> None:
        self._dataset, self.outcome = dataset, outcome
        self.system, self._raw, self.settings, self.initial = system, raw, dict(settings or {}), initial
        self.trajectory = trajectory
        self._values: dict[str, Any] = {}

    @staticmethod
    def of(system: "System", trajectory: "Trajectory", p: Array, initial: "InitialState", settings: Mapping[str, Any]) -> "Run":
        """Wrap what the integrator returned."""
        from trundle.run.ending import explain

        outcome = explain(system, trajectory, p)
        raw = (trajectory.t, trajectory.x, p)
        return Run(None, outcome, system, raw, settings, initial, trajectory)

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
        if self._dataset is not None and name in self._dataset:
            return self._dataset[name]
        if name in self._values:
            found: xr.DataArray = self._values[name]
            return found
        if self.system is None:
            stem = name[:-2]
            if self._dataset is not None and stem in self._dataset:
                return self._component(self._dataset[stem], name)
            names = list(self._dataset.data_vars) if self._dataset is not None else []
            raise UnknownNameError(name, [str(n) for n in names], "quantity stored in this file")
        if name not in self.system.quantities and name[-2:] in ("_w", "_x", "_y", "_z"):
            return self._component(self[name[:-2]], name)
        self._evaluate(name)
        return self._values[name]

    @staticmethod
    def _component(whole: "xr.DataArray", name: str) -> "xr.DataArray":
        part = whole.sel({whole.dims[1]: name[-1]}, drop=True)
        part.attrs = {**whole.attrs, "long_name": f"{whole.attrs.get('long_name', '')}, component {name[-1]}"}
        return part.rename(name)

    def values(self, name: str) -> Array:
        """Plain numbers of a quantity."""
        return np.asarray(self[name].values)

    def _evaluate(self, name: str) -> None:
        """Compute the quantity and those of its group."""
        assert self.system is not None and self._raw is not None
        t, x, p = self._raw
        derived = name.removesuffix(".orientation")
        if derived != name:
            self._values[name] = self._orientation(derived)
            return
        if name in ("energy.work_in", "energy.work_lost"):
            at = self.system.n_q + self.system.n_u + (0 if name.endswith("in") else 1)
            work = x[:, at] if at < x.shape[1] else np.zeros(len(t))
            text = "work brought in by drives and given forces" if name.endswith("in") else "work lost in dampers and other losses"
            self._values[name] = self._array(name, work[:, None], "J", text, ())
            return
        for key, values in self.system.evaluate(name, t, x, p).items():
            q = self.system.quantity(key)
            if q.group == "joints" and q.unit == "rad" and q.size == 1:
                values = np.unwrap(values, axis=0)  # a measured angle is known up to whole turns
            self._values[key] = self._array(key, values, q.unit, q.text, q.labels)

    def _orientation(self, body: str) -> "xr.DataArray":
        """Unit quaternion of a body, continuous in time."""
        from scipy.spatial.transform import Rotation

        R = self.values(f"{body}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)
        q = Rotation.from_matrix(R).as_quat(scalar_first=True)
        if q[0, 0] < 0:
            q = -q
        flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0))
        q[1:] *= flips[:, None]
        return self._array(f"{body}.orientation", q, "", f"unit quaternion from body to ground axes: {body}", ("w", "x", "y", "z"))

    def _array(self, name: str, values: Array, unit: str, text: str, labels: tuple[str, ...]) -> "xr.DataArray":
        import xarray as xr

        attrs = {"units": unit, "long_name": text}
        time = xr.Variable("time", self.time, {"units": "s", "long_name": "time"})
        if not labels:
            return xr.DataArray(values[:, 0], {"time": time}, ("time",), name, attrs)
        axis = {3: "axis", 4: "quaternion", 9: "matrix"}[len(labels)]
        return xr.DataArray(values, {"time": time, axis: list(labels)}, ("time", axis), name, attrs)

    @property
    def dataset(self) -> "xr.Dataset":
        """States, energy and whatever was asked so far, with provenance."""
        if self._dataset is not None:
            return self._dataset
        from trundle.run.provenance import provenance

        import xarray as xr

        assert self.system is not None
        names = [q.name for q in self.system.quantities.values() if q.group in ("state", "energy")]
        names += ["energy.work_in", "energy.work_lost"]
        arrays = {n: self[n] for n in names}
        arrays.update({n: v for n, v in self._values.items() if n not in arrays})
        return xr.Dataset(arrays, attrs=provenance(self))

    @property
    def energy(self) -> "Energy":
        """Kinetic, potential, work in, work lost and their balance."""
        from trundle.run.energy import Energy

        return Energy(self)

    # -- events and warnings -------------------------------------------------------------------------------------------

    @cached_property
    def events(self) -> list[tuple[str, float]]:
        """(name, time) of the events in their order."""
        if self.trajectory is None or self.system is None:
            import json

            text = self._dataset.attrs.get("events", "[]") if self._dataset is not None else "[]"
            return [(str(n), float(t)) for n, t in json.loads(text)]
        names = list(self.system.model.events)
        log = self.trajectory.events
        return [(names[int(i)], float(t)) for i, t in zip(log.index, log.t, strict=True)]

    @cached_property
    def near_singular(self) -> list[tuple[str, float, float]]:
        """(loop, time, measure) of passages close to a singular pose."""
        if self.trajectory is None or self.system is None:
            import json

            text = self._dataset.attrs.get("near_singular", "[]") if self._dataset is not None else "[]"
            return [(str(n), float(t), float(v)) for n, t, v in json.loads(text)]
        loops = self.system.monitored_loops
        log = self.trajectory.near_singular
        return [(loops[int(i)], float(t), float(v)) for i, t, v in zip(log.loop, log.t, log.value, strict=True)]

    # -- hand over -----------------------------------------------------------------------------------------------------

    def plot(self, *names: str, **options: Any) -> Any:
        """Quantities over time; returns the matplotlib figure."""
        from trundle.view.plot import plot_quantities

        return plot_quantities(self, names, **options)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as netCDF, whole or not at all."""
        from trundle.run.store import save

        return save(self, Path(path))

    def summary(self) -> str:
        """A few lines for the terminal."""
        from trundle.run.summary import summary

        return summary(self)
