"""Linear equations with inputs and outputs about an equilibrium or steady motion: dx/dt = A x + B u, y = C x + D u."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from trundle.arguments import answering
from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.model.input import signal_name
from trundle.typing import AnyArray, Array, Columns, Expr

if TYPE_CHECKING:
    import xarray as xr

    from trundle.study.eigenvalue_change import Change
    from trundle.study.linearise import Linearisation

NOTHING = 1e-9  # of the other entries of a row: a dependence that is round-off


@answering
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
            Where a frequency is not a finite number, or an undamped mode swings at it.
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
    keep = [at.chart.names.index(name) for name in linear.names]
    e, chart = f.functions.equations, at.chart
    u = ca.vertcat(*[e.p[f.parameters.parameter(name)] for name in chosen])
    rates = ca.vertcat(e.coordinate_rates(), f.functions.dynamics[0])
    change = _numbers(at, derivative(rates, u))
    own = f.functions.layout.first_order_slice
    B = np.vstack([np.zeros((len(chart.coordinates), len(chosen))), change[e.n_q :][chart.speeds], change[own]])[keep]
    names = list(linear.names) if outputs is None else _listed(outputs)
    if outputs is None:
        return StateSpace(
            linear.matrix.real, B, np.eye(len(names)), np.zeros((len(names), len(chosen))), linear.names,
            tuple(chosen), tuple(names),
        )  # fmt: skip
    basis, _, _ = chart.basis(at.t, at.x, at.p)
    rows, through = [], []
    for name in names:
        value = _scalar(f, name)
        slope = _numbers(at, derivative(value, ca.vertcat(e.q, e.u))) @ basis
        left_out = [i for i in range(basis.shape[1]) if i not in keep]
        lost = [i for i in left_out if abs(slope[0, i]) > NOTHING * max(1.0, np.max(np.abs(slope)))]
        if lost:
            raise SolveError(
                f"the output {name!r} depends on {chart.names[lost[0]]!r}, which the linear equations leave out, since "
                "nothing else depends on it (a position or a heading). Use its rate."
            )
        rows.append(slope[0, keep])
        through.append(_numbers(at, derivative(value, u))[0])
    return StateSpace(
        linear.matrix.real, B, np.array(rows), np.array(through), linear.names, tuple(chosen), tuple(names)
    )


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
