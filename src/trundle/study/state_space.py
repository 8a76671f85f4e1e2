"""Linear equations with inputs and outputs about an equilibrium or steady motion: dx/dt = A x + B u, y = C x + D u."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.errors import FrozenTimeWarning, SolveError, UnknownNameError
from trundle.messages.arguments import explain_calls
from trundle.messages.warn import warn
from trundle.model.input import signal_name
from trundle.study.small_motions import SAME, SOON
from trundle.typing import AnyArray, Array, Columns, Expr

if TYPE_CHECKING:
    import xarray as xr

    from trundle.study.eigenvalue_change import Change
    from trundle.study.linearise import Linearisation

NOTHING = 1e-9  # of the other entries of a row: a dependence that is round-off
ROUND_OFF = 1e-12  # of the largest of all entries
FROZEN_PART = (
    "how {name!r} enters the linear equations changes with time, though their eigenvalues do not: it is given along "
    "axes that do not move with the frame, or depends on time itself. B, C and D are those at t = {t:g} s. Use "
    "quantities relative to the frame, such as coordinates and their rates."
)


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class StateSpace:
    """Deviations of states x, inputs u and outputs y from the state about which the equations were linearised:
    dx/dt = A x + B u, y = C x + D u. As a sequence it is (A, B, C, D): scipy.signal.StateSpace(*space).
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self) -> str:
        return f"<StateSpace: {len(self.states)} states, inputs {self.inputs}, outputs {self.outputs}>"

    def frequency_response(self, frequencies: Sequence[float] | Array) -> "xr.DataArray":
        """C (i w - A)^-1 B + D: outputs per unit of each input where all swings at a frequency.

        Parameters
        ----------
        frequencies : sequence of float
            In Hz.

        Returns
        -------
        xarray.DataArray
            Complex, over frequency (Hz), output and input: its size is the gain, its angle the phase.

        Raises
        ------
        SolveError
            If a frequency is not a finite number, or an undamped mode swings at it.
        """
        import xarray as xr

        given: Array = np.atleast_1d(np.asarray(frequencies, dtype=float))
        if given.ndim != 1 or not np.all(np.isfinite(given)):
            raise SolveError("frequencies are a row of finite numbers, in Hz.")
        unit = np.eye(len(self.A))
        found = np.empty((len(given), len(self.C), self.B.shape[1]), dtype=complex)
        for i, frequency in enumerate(given):
            M = 2j * np.pi * frequency * unit - self.A
            if len(M) and np.linalg.cond(M) > 1e14:
                raise SolveError(
                    f"an undamped mode has the frequency {frequency:g} Hz: the response there is infinite."
                )
            found[i] = self.C @ np.linalg.solve(M, self.B) + self.D
        beside: Columns = {"output": list(self.outputs), "input": list(self.inputs)}
        beside["frequency"] = xr.Variable("frequency", given, {"units": "Hz"})
        return xr.DataArray(found, beside, ("frequency", "output", "input"), "response")


def state_space(
    linear: "Linearisation", at: "Change", outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> StateSpace:
    """The matrices of a linearisation about the state `at`; all states and all inputs unless others are named."""
    f = at.formulation
    chosen = list(f.model.inputs) if inputs is None else _listed(inputs)
    for name in chosen:
        if name not in f.model.inputs:
            raise UnknownNameError(name, f.model.inputs, "input (declare it with m.input)")
        refuse_motion(f, name)
    if not chosen:
        raise SolveError("the model has no inputs: declare them with m.input, and use them in laws or forces.")
    names = list(linear.names) if outputs is None else _listed(outputs)
    keep = [at.chart.names.index(name) for name in linear.names]
    values = [] if outputs is None else [_scalar(f, name) for name in names]
    e = f.functions.equations
    parts = _Parts(values, ca.vertcat(*[e.p[f.parameters.parameter(name)] for name in chosen]), keep)
    B, whole, D = parts.at(at)
    for name, slope in zip(names, whole, strict=False):
        _refuse_left_out(at, name, slope, keep)
    if not linear.frozen:
        _warn_of_time(at, parts, [*chosen, *names[: len(values)]])
    C = np.eye(len(names)) if outputs is None else whole[:, keep]
    through = np.zeros((len(names), len(chosen))) if outputs is None else D
    return StateSpace(linear.matrix.real, B, C, through, linear.names, tuple(chosen), tuple(names))


@final
@dataclass(frozen=True, eq=False)
class _Parts:
    """Outputs and inputs as expressions, and which small motions the linear equations keep."""

    outputs: list[Expr]
    u: Expr
    keep: list[int]

    def at(self, at: "Change") -> tuple[Array, Array, Array]:
        """B, the derivatives of the outputs by all small motions, and D."""
        f, chart, u = at.formulation, at.chart, self.u
        e = f.functions.equations
        rates = ca.vertcat(e.coordinate_rates(), f.functions.dynamics[0])
        change = _numbers(at, derivative(rates, u))
        own, count = f.functions.layout.first_order_slice, u.numel()
        B = np.vstack([np.zeros((len(chart.coordinates), count)), change[e.n_q :][chart.speeds], change[own]])
        if not self.outputs:
            return B[self.keep], np.zeros((0, B.shape[0])), np.zeros((0, count))
        basis, _, _ = chart.basis(at.t, at.x, at.p)
        y = ca.vertcat(*self.outputs)
        slopes = _numbers(at, derivative(y, ca.vertcat(e.q, e.u))) @ basis
        return B[self.keep], slopes, _numbers(at, derivative(y, u))


def _refuse_left_out(at: "Change", name: str, slope: Array, keep: list[int]) -> None:
    """SolveError if an output depends on a coordinate that the linear equations leave out."""
    lost = [i for i, v in enumerate(slope) if i not in keep and abs(v) > NOTHING * max(1.0, np.max(np.abs(slope)))]
    if lost:
        raise SolveError(
            f"the output {name!r} depends on {at.chart.names[lost[0]]!r}, which the linear equations leave out, since "
            "nothing else depends on it (a position or a heading). Use its rate."
        )


def _warn_of_time(at: "Change", parts: _Parts, names: list[str]) -> None:
    """FrozenTimeWarning where an input acts or an output is measured otherwise at another time: along an axis of the
    ground, for instance, in a frame that turns.
    """
    functions = at.formulation.functions
    if not functions.equations.model.frames and not functions.depends_on_time:
        return

    def rows(t: float) -> list[Array]:
        B, slopes, D = parts.at(replace(at, t=t))
        return [*B.T, *np.hstack([slopes[:, parts.keep], D])]

    now = rows(at.t)
    least = ROUND_OFF * max(np.max(np.abs(row), initial=0.0) for row in now)
    for later in SOON:
        for name, row, other in zip(names, now, rows(at.t + later), strict=True):
            if np.max(np.abs(other - row), initial=0.0) > max(SAME * np.max(np.abs(row), initial=0.0), least):
                warn(FROZEN_PART.format(name=name, t=at.t), FrozenTimeWarning)
                return


def _listed(names: Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _scalar(f: Formulation, name: str) -> Expr:
    """Expression of a quantity that is one number."""
    part = f.register.get(name)
    if part.size != 1:
        raise SolveError(f"{name!r} is a vector: name a component, such as {name + '_x'!r}.")
    if part.quantity.of is None:
        raise SolveError(f"{name!r} is an integral over a run: it cannot be an output of linear equations.")
    return part.pick(ca.vec(ca.densify(ca.SX(f.expressions.of(part.quantity)))))


def _numbers(at: "Change", expression: Expr) -> AnyArray:
    e, n_q = at.formulation.functions.equations, at.formulation.functions.equations.n_q
    function = ca.Function("slopes", [e.t, e.q, e.u, e.p], [ca.densify(expression)])
    return np.array(ca.DM(function(at.t, at.x[:n_q], at.x[n_q:], at.p)))


def refuse_motion(f: Formulation, name: str) -> None:
    """An input that prescribes a motion acts by its second derivative, which these equations do not have."""
    e, p = f.functions.equations, f.functions.equations.p
    place = f.parameters.table_slice.start + f.parameters.tables.index(signal_name(name))
    both = ca.vertcat(p[f.parameters.parameter(name)], p[place])
    rows = [v for row in f.functions.independent for v in (row.residual, row.rate)]
    frames = [e.signals.position(body) for body in f.model.frames]
    frames += [ca.vec(e.signals.rotation(body)) for body in f.model.frames]
    if any(ca.depends_on(ca.SX(v), both) for v in (*rows, *frames)):
        raise SolveError(
            f"the input {name!r} prescribes a motion: its acceleration acts on the system, not its value. Make the "
            "acceleration the input, with states (m.state) for velocity and place, or let the motion be driven by a "
            "force."
        )
