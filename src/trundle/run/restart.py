"""What another run needs to go on from a sample of a run."""

from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import SolveError, StoreError
from trundle.messages.warn import warn
from trundle.typing import State

if TYPE_CHECKING:
    from trundle.run.quantities import RunQuantities


class RestartWarning(UserWarning):
    """A state from which another run would go on with other parameters."""


def state_at(run: "RunQuantities", time: float | None) -> State:
    """Start values by name; a RestartWarning names parameters that events have changed, which these do not contain."""
    if run.formulation is None:
        raise StoreError("a run from a file has no states: give start values by name, run.values(name)[-1].")
    place = _sample(run, time)
    layout = run.formulation.by_kane.states
    names = list(layout.values(np.zeros((1, layout.n_x))))
    absent = [name for name in names if name not in run]
    if absent:
        raise SolveError(
            f"{absent[0]!r} is not a quantity of a run in absolute coordinates ({run.formulation.formalism}): run "
            "the system with formalism='kane' for a state from which others go on."
        )
    found = {name: run.values(name)[place] for name in names}
    before, after = parameters_at(run, run.time[0]), parameters_at(run, time)
    changed = [repr(name) for name in before if before[name] != after[name]]
    if changed:
        warn(
            f"events have changed {', '.join(changed[:5])} by t = {run.time[place]:.6g} s: a run goes on from there "
            "with these values too, simulate(duration, run.state(), run.parameters_at(), t0=run.time[-1]).",
            RestartWarning,
        )
    return {name: float(value) if np.ndim(value) == 0 else value for name, value in found.items()}


def parameters_at(run: "RunQuantities", time: float | None) -> dict[str, float]:
    """Values of the parameters by name at a sample, without those of inputs."""
    if run.formulation is None or run.raw is None:
        raise StoreError("a run from a file has the parameters of its start only, run.parameters.")
    rows = np.atleast_2d(run.raw[2])
    values = run.formulation.parameters.values(rows[_sample(run, time) if len(rows) > 1 else 0])
    return {name: value for name, value in values.items() if name not in run.formulation.model.inputs}


def _sample(run: "RunQuantities", time: float | None) -> int:
    """Place of the sample at a time; that of the end without one."""
    place = len(run.time) - 1 if time is None else int(np.argmin(np.abs(run.time - time)))
    if time is not None and abs(run.time[place] - time) > 1e-9 * max(1.0, abs(float(run.time[-1]))):
        raise SolveError(
            f"the run has no sample at {time:g} s; the nearest is at {run.time[place]:.9g} s. Give samples= to "
            "simulate, or one of run.time."
        )
    return place
