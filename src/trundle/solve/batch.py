"""Many runs of one system: start values and parameters as arrays, on threads.

Where nothing switches, several runs go through SIMD lanes at once. Models with events, or with contacts that stick,
slide or open, run one by one in the same compiled loop as a single run.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.errors import AssemblyError, SolveError, UnknownNameError
from trundle.solve.explicit import ExplicitRungeKutta
from trundle.solve.initial import read_wish
from trundle.solve.lanes import LaneProblem, march_lanes
from trundle.solve.one_by_one import march_each
from trundle.solve.simulate import check_positive, choose_method, make_problem, multiplier_shift, sample_times

if TYPE_CHECKING:
    from trundle.run.batch import BatchRun
    from trundle.system import System

Array = np.ndarray[Any, np.dtype[np.float64]]

ONE_BY_ONE, IN_LANES = "one by one", "in lanes"
# Start values that are vectors: one of them is for all cases, a table of them has one row for each.
VECTORS = {"quaternion", "angular_rate", "position", "velocity", "angular_velocity", "com_position", "com_velocity"}
VECTORS |= {"rotation"}


def run_batch(
    system: "System",
    duration: float,
    start: Mapping[str, Any],
    parameters: Mapping[str, Any],
    *,
    rtol: float,
    atol: float,
    samples: int | Sequence[float] | None,
    threads: int | None,
    method: Any,
) -> "BatchRun":
    """See System.batch."""
    from trundle.run.batch import BatchRun

    if not system.in_joints:
        raise SolveError("a batch runs in joint coordinates; build the model with formalism='kane'.")
    check_positive(duration=duration, rtol=rtol, atol=atol)
    chosen = choose_method(method, rtol)
    if not isinstance(chosen, ExplicitRungeKutta):
        raise SolveError("a batch runs with an explicit method; stiff models are run one by one with simulate.")
    start = system.resolved(start)
    count = _count({**start, **parameters})
    p = np.tile(system.parameter_vector(None), (count, 1))
    p[:, -1] = multiplier_shift(rtol)
    names = list(system.model.parameters)
    for name, value in parameters.items():
        if name not in names:
            raise UnknownNameError(name, names, "parameter")
        p[:, names.index(name)] = _finite(name, value, count)
    x0 = _start_states(system, start, parameters, p, count)
    times = None if samples is None else sample_times(samples, 0.0, duration)
    switches = bool(system.model.events or system.model.mode_names())
    settings = {"method": type(chosen).__name__, "rtol": rtol, "atol": atol, "formalism": system.formalism}
    settings["way"] = ONE_BY_ONE if switches else IN_LANES
    if switches:
        p = np.array([_first_modes(system, x0, p, i) for i in range(count)])
        each = make_problem(system, stiff=False, returns=False, rtol=rtol)
        batch, log = march_each(
            each, chosen, 0.0, duration, x0, p, rtol=rtol, atol=atol, samples=times, threads=threads
        )
        return BatchRun(system, batch, p, settings, log)
    kernels = system.kernels("lanes")
    weight = np.ones(system.n_x)
    weight[system.n_q + system.n_u :] = 0.0
    problem = LaneProblem(kernels["rhs"], kernels.get("project"), weight)
    batch = march_lanes(problem, chosen, 0.0, duration, x0, p, rtol=rtol, atol=atol, samples=times, threads=threads)
    return BatchRun(system, batch, p, settings)


def _count(values: Mapping[str, Any]) -> int:
    sizes = {name: np.shape(v)[0] for name, v in values.items() if np.ndim(v) > 0 and not _is_vector(name, v)}
    if not any(sizes.values()):
        raise SolveError("a batch needs at least one start value or parameter given as an array, one entry per case.")
    if len(set(sizes.values())) > 1:
        raise SolveError(f"the arrays of a batch have different lengths: {sizes}.")
    return next(iter(sizes.values()))


def _finite(name: str, value: Any, count: int | None = None) -> Array:
    """The values of all cases; with `count`, one number for each or one for all."""
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.all(np.isfinite(numbers)) or (count is not None and numbers.shape not in ((), (count,))):
        raise SolveError(f"{name!r} of a batch must be finite numbers, one for each case, got {value!r}.")
    return numbers


def _is_vector(name: str, value: Any) -> bool:
    return np.ndim(value) == 1 and name.rpartition(".")[2] in VECTORS


def _first_modes(system: "System", x0: Array, p: Array, case: int) -> Array:
    """Parameters of one case with the modes of its contacts at the start."""
    try:
        return system.first_modes(0.0, x0[case], p[case])
    except SolveError as error:
        raise SolveError(f"case {case} of the batch: {error}") from None


def _start_states(
    system: "System", start: Mapping[str, Any], parameters: Mapping[str, Any], p: Array, count: int
) -> Array:
    """Start states of all cases: what simulate would start from."""
    varied = {k: _finite(k, v) for k, v in start.items() if np.ndim(v) > 0 and not _is_vector(k, v)}
    fixed = {k: v for k, v in start.items() if k not in varied}
    follows = bool(system.layout.followers)  # surface coordinates belong to each pose
    if (
        system.has_rows
        or follows
        or not system.layout.state_names().issuperset({*system.resolved(system.model.start), *start})
    ):
        return np.array([_assembled(system, fixed, varied, parameters, p, i) for i in range(count)])
    common = system.start(fixed)
    x0 = np.tile(system.state_vector(common, p[0]), (count, 1))
    for name, values in varied.items():
        wish = read_wish(system.layout, common.q, {name: values[0]})
        given = np.concatenate([wish.given_q, wish.given_u, np.zeros(system.n_x - system.n_q - system.n_u, bool)])
        x0[:, given] = values.reshape(count, -1)
    for i in system.layout.quaternions:
        x0[:, i : i + 4] /= np.linalg.norm(x0[:, i : i + 4], axis=1, keepdims=True)
    return x0


def _assembled(
    system: "System",
    fixed: Mapping[str, Any],
    varied: Mapping[str, Array],
    parameters: Mapping[str, Any],
    p: Array,
    case: int,
) -> Array:
    """Start state of one case: what is given is held while the loops are closed."""
    values = {name: v if np.ndim(v) == 0 else np.asarray(v)[case] for name, v in parameters.items()}
    try:
        state = system.start({**fixed, **{name: v[case] for name, v in varied.items()}}, values)
    except AssemblyError as error:
        raise AssemblyError(f"case {case} of the batch: {error}") from None
    return system.state_vector(state, p[case])
