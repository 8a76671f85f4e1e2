"""Linear equations of small motions on the constraint manifold, in independent coordinates and speeds.

The equations of small motions are in study/small_motions.py. Independent coordinates are chosen at the state itself.

Steady motion (a vehicle that runs or turns, a rotor) is an equilibrium in axes that move with it (study/steady.py) and
up to the coordinates on which nothing depends, its place and heading: these are left out where the state moves, and
speeds that change in the steady motion are not independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import FrozenTimeWarning, SolveError, UnsteadyWarning
from trundle.linear_algebra.repeatable import first_largest
from trundle.messages.arguments import explain_calls, unknown_attribute
from trundle.messages.warn import warn
from trundle.model.start_values import start_values
from trundle.study.eigenvalue_table import EigenvalueTable
from trundle.study.first_modes import first_modes
from trundle.study.small_motions import Chart, evaluate, held_rows, tangents_of
from trundle.study.start_state import Parameters, check_own_rates, refuse_relaxed, start_state, state_vector
from trundle.study.steady import moving_axes, rate_tolerance
from trundle.symbols.quick_symbols import with_quick_symbols
from trundle.typing import AnyArray, Json, Values

if TYPE_CHECKING:
    from trundle.study.eigenvalue_change import Change
    from trundle.study.state_space import StateSpace

FROZEN = (
    "the linear equations about this state change with time: a frame does not move steadily, or a law depends on "
    "time. The eigenvalues are those of the equations at t = {t:g} s, frozen at that time; they do not show whether "
    "motions grow. Linearise where frames move steadily (give t or parameters), or simulate from slightly different "
    "starts."
)

UNSTEADY = (
    "the state is neither an equilibrium nor a steady motion: something accelerates there, and the eigenvalues do "
    "not show how motions near it grow. Linearise about system.equilibrium(...) or system.steady(...), or give a "
    "state in "
    "which nothing accelerates."
)


_SPACE = "the state matrix is .matrix; B, C and D need inputs (m.input): space = .state_space(), then space.{}"
ELSEWHERE = {
    **{name: _SPACE.format(name) for name in "ABCD"},
    "eigs": "use .eigenvalues, or .table() for frequency and damping",
    "poles": "use .eigenvalues, or .table() for frequency and damping",
    "eigenvectors": "use .modes",
    "lqr": "with inputs (m.input), space = .state_space() has A and B for scipy.linalg.solve_continuous_are",
    "states": "use .names",
}
"""What new users look for, and where it is."""


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """State matrix of (independent coordinates, independent speeds, first-order states), whose `names` it has."""

    matrix: AnyArray
    names: tuple[str, ...]
    tangents: AnyArray  # all speeds per unit of each state
    speed_names: tuple[str, ...]
    motion_names: tuple[str, ...]  # of the motions whose rates the speeds are
    cyclic: tuple[str, ...] = ()  # coordinates left out: nothing depends on them
    steady: bool = True  # whether the state is an equilibrium or a steady motion
    frozen: bool = False  # whether the matrix changes with time, and is that of one time only
    change: "Change | None" = field(default=None, repr=False)  # where it comes from, for derivatives

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> object:
            raise unknown_attribute(self, name, ELSEWHERE)

    def __getstate__(self) -> Json:
        """For another process, which does not have the tables that it was made with: no derivatives of it there."""
        has_tables = self.change is not None and bool(self.change.formulation.model.tables)
        return {**self.__dict__, "change": None} if has_tables else dict(self.__dict__)

    def __repr__(self) -> str:
        values = np.array2string(self.eigenvalues, precision=4, threshold=8)
        return f"<Linearisation: {len(self.names)} states, eigenvalues {values}>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import linearisation_html

        return linearisation_html(self)

    @property
    def eigenvalues(self) -> AnyArray:
        """Sorted by frequency, then by decay."""
        values: AnyArray = np.linalg.eigvals(self.matrix)
        return values[in_order(values)]

    @property
    def modes(self) -> AnyArray:
        """Columns: shape of every speed of the tree in the mode of each eigenvalue, largest entry 1."""
        values, vectors = np.linalg.eig(self.matrix)
        shapes = self.tangents @ vectors[:, in_order(values)]
        largest = np.array([shape[first_largest(shape)] for shape in shapes.T], shapes.dtype)
        scaled: AnyArray = shapes / np.where(largest == 0, 1, largest)
        return scaled

    @with_quick_symbols
    def matrix_derivative(self, by: str, held: Sequence[str] | None = None) -> AnyArray:
        """Derivative of the matrix by a parameter, exact: the equilibrium or steady motion moves with it.

        Parameters
        ----------
        by : str
        held : sequence of str, optional
            As for `eigenvalue_derivative`.

        Returns
        -------
        array
            Per unit of the parameter, in the states of `matrix`.
        """
        return self._change().matrix(by, self, held)

    @with_quick_symbols
    def eigenvalue_derivative(self, by: str, held: Sequence[str] | None = None) -> AnyArray:
        """Derivative of each eigenvalue by a parameter, exact: the equilibrium or steady motion moves with it.

        Parameters
        ----------
        by : str
            Name of a parameter of the model, or of a quantity that steady motions may differ in, such as a speed.
        held : sequence of str, optional
            Quantities that do not change. Where steady motions form a family (a bicycle at any speed) these say which
            of them is followed; unless given, the values that the state was given have stay where they can.

        Returns
        -------
        array
            Complex, per unit of the parameter, in the order of `eigenvalues`. Eigenvalues that coincide but have modes
            of their own share their derivatives, sorted in the same way; where they have fewer modes there is no
            derivative: it is nan, and a DerivativeWarning names them.

        Raises
        ------
        SolveError
            If the state is not steady, no steady motion follows the parameter (a fold), or it is not known which.
        """
        return self._change().eigenvalues(by, self, held)

    def state_space(self, outputs: Sequence[str] | None = None, inputs: Sequence[str] | None = None) -> "StateSpace":
        """The linear equations with inputs and outputs, dx/dt = A x + B u and y = C x + D u.

        Parameters
        ----------
        outputs : sequence of str, optional
            Quantities, each one number; the states unless given.
        inputs : sequence of str, optional
            Inputs of the model; all of them unless given.

        Returns
        -------
        StateSpace
            Matrices with names; as a sequence it is (A, B, C, D).

        Raises
        ------
        SolveError
            If the model has no inputs, one prescribes a motion, or an output does not follow from the states.
        """
        from trundle.study.state_space import state_space

        if self.change is None:
            raise SolveError("this linearisation has lost its system: call system.linearise(...) again.")
        return state_space(self, self.change, outputs, inputs)

    def _change(self) -> "Change":
        if self.change is None or not self.steady or self.frozen:
            why = "its matrix changes with time" if self.frozen else "it is not about an equilibrium or a steady motion"
            raise SolveError(f"this linearisation has no derivatives: {why}. Find one first (equilibrium, steady).")
        return self.change

    def table(self) -> EigenvalueTable:
        """One line per eigenvalue: real, imaginary, frequency in Hz, damping ratio; it prints as a table."""
        rows = EigenvalueTable()
        for value in self.eigenvalues:
            size = abs(value)
            rows.append(
                {
                    "real": float(value.real),
                    "imaginary": float(value.imag),
                    "frequency_hz": float(abs(value.imag) / (2 * np.pi)),
                    "damping_ratio": float(-value.real / size) if size > 0 else 0.0,
                }
            )
        return rows


def linearise_with_warning(f: Formulation, state: Values | None, parameters: Parameters, t: float) -> "Linearisation":
    """Linearise as `System.linearise` does: an UnsteadyWarning where the state is not steady."""
    found = linearise_at(f, state, parameters, t)
    if not found.steady and not found.frozen:
        warn(UNSTEADY, UnsteadyWarning)
    return found


def linearise_at(
    f: Formulation, state: Values | None, parameters: Parameters, t: float, usual: Values | None = None
) -> "Linearisation":  # fmt: skip
    """Linearise about the state that belongs to named values; SolveError where contacts slide or are open there,
    FrozenTimeWarning where the matrix changes with time.
    """
    refuse_relaxed(f, "a linearisation")
    p = f.parameter_vector(parameters)
    at = start_state(f, state, parameters, t, usual)
    if f.parameters.modes:
        p = first_modes(f, t, state_vector(f, at, p, t), p)
        loose = [m for m, value in f.parameters.modes_at(p).items() if m.is_switch and value != 1]
        if loose:
            raise SolveError(
                f"contact {loose[0].contact!r} slides or is open at this state: small motions about it are not linear. "
                "Give a state in which contacts stick, or a smooth law."
            )
    x = np.concatenate([at.q, at.u])
    found, chart = _linearise(f.by_kane.functions, t, x, p)
    if found.frozen:
        warn(FROZEN.format(t=t), FrozenTimeWarning)
    from trundle.study.eigenvalue_change import Change

    given = tuple(f.resolved(state or (start_values(f.model) if usual is None else usual)))
    return replace(found, change=Change(f.by_kane, t, x[: f.by_kane.layout.n_motion], p, chart, given))


def in_order(values: AnyArray) -> AnyArray:
    """Places of eigenvalues sorted by frequency, then by decay."""
    return np.lexsort((values.imag, values.real.round(12), np.abs(values.imag).round(12)))


def linearise(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> Linearisation:
    """Linearise about a consistent state x = [q, u, ...]."""
    return _linearise(functions, t, x, p)[0]


def _linearise(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> tuple[Linearisation, Chart]:
    layout = functions.layout
    n_q, n_u = layout.n_q, layout.n_u
    x = np.asarray(x[: layout.n_motion], dtype=float)
    rates, A, J, _, _ = evaluate(functions, t, x, p)
    check_own_rates(layout, rates)
    qdot, udot = rates[:n_q], rates[n_q:]
    own = layout.own_slice
    moving = bool(np.max(np.abs(qdot[: own.start]), initial=0.0) > 1e-9)
    axes = moving_axes(functions, t, x, p) if moving else None
    size = np.maximum(1.0, np.abs(x[n_q:]))
    later = A[n_q:] @ rates  # a speed that turns with the heading may rest for a moment
    changing = (np.abs(udot) > 1e-7 * size**2) | (np.abs(later) > 1e-7 * size**3)
    holonomic = np.array([row.holonomic for row in held_rows(functions, p)], bool)
    coordinates, _ = tangents_of(J[holonomic], np.zeros(n_u, bool))
    speeds, _ = tangents_of(J, changing)
    chart = Chart(functions, coordinates, speeds, axes)
    matrix, T, V = chart(t, x, p)
    every, motions = layout.speed_names(), layout.turn_names()
    names = chart.names
    none = np.zeros((n_u, len(layout.first_order)))
    shapes = np.hstack([T, np.zeros_like(V), none])
    cyclic: list[int] = []
    if moving:
        known = chart.known(t, x, p, matrix)
        matrix = np.where(known, matrix, 0.0)
        fixed = matrix if axes is None else np.where(known, chart.in_fixed_axes(t, x, p), 0.0)
        growing = np.flatnonzero(np.abs(qdot[own]) > rate_tolerance(A, x)[own])  # a distance travelled
        cyclic = _cyclic(fixed, [*range(len(coordinates)), *(len(names) - len(layout.own) + growing)])
        shapes = np.hstack([np.zeros_like(T), V, none])  # places left out: modes are described by their speeds
    keep = [i for i in range(len(names)) if i not in cyclic]
    kept = [i for k, i in enumerate(coordinates) if k not in cyclic]
    steady = axes is not None or _at_rest(functions, t, x, p, kept, speeds)
    found = Linearisation(
        matrix[np.ix_(keep, keep)], tuple(names[i] for i in keep), shapes[:, keep], tuple(every), tuple(motions),
        tuple(names[i] for i in cyclic), steady, chart.frozen(t, x, p, matrix)[np.ix_(keep, keep)].any().item(),
    )  # fmt: skip
    return found, chart


def allowed_changes(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> AnyArray:
    """Columns: independent changes of the state x = [q, u] that keep the constraints."""
    _, _, J, _, _ = evaluate(functions, t, x, p)
    holonomic = np.array([row.holonomic for row in held_rows(functions, p)], bool)
    none = np.zeros(functions.equations.n_u, bool)
    chart = Chart(functions, tangents_of(J[holonomic], none)[0], tangents_of(J, none)[0], None)
    return chart.basis(t, x, p)[0]


def _at_rest(
    functions: Functions, t: float, x: AnyArray, p: AnyArray, coordinates: list[int], speeds: list[int]
) -> bool:
    """Whether no coordinate and no speed of those that are kept changes, each in its own measure."""
    n_q = functions.equations.n_q
    rates, A, _, _, _ = evaluate(functions, t, x, p)
    limit = rate_tolerance(A, x)
    still = np.all(np.abs(x[n_q:][coordinates]) < 1e-7)
    bending = np.any((np.abs(rates) > limit)[functions.layout.first_order_slice])
    resting = np.abs(rates[n_q:]) < limit[n_q:]
    return bool(still and np.all(resting[speeds]) and not bending)


def _cyclic(matrix: AnyArray, candidates: list[int]) -> list[int]:
    """States of the candidates on which nothing depends, their own rates included, but the rates of others that
    nothing depends on: x and y, then the heading, which turns only the velocity over the ground.
    """
    chosen: list[int] = []
    while True:
        others = [i for i in range(len(matrix)) if i not in chosen]
        more = [k for k in candidates if k not in chosen and not np.any(matrix[others, k])]
        if not more:
            return sorted(chosen)
        chosen += more
