"""Curves of equilibria and of steady motions: what vanishes in them, from the tape."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.study.continuation.curve import Curve, Judgement, Linear
from trundle.study.first_modes import first_modes
from trundle.study.linearise import linearise
from trundle.study.stability import UNDAMPED, uncertain_eigenvalues
from trundle.study.steady import symmetries
from trundle.study.steady_motion import steady_equations
from trundle.typing import Array, State, Values

NEUTRAL = 1e-12  # of the largest eigenvalue: one that may be zero


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """A steady motion: its state [q, u], the symmetry along which it goes, the parameters of the kernels."""

    x: Array
    c: Array
    p: Array
    given: float  # value of the quantity that is the parameter of the curve; nan if that is a parameter of the model

    def values(self, f: Formulation) -> State:
        """Coordinates, rates and states by name."""
        found = f.states.values(f.states.vector(self.x[f.states.q], self.x[f.states.u])[None, :])
        return {name: float(v[0, 0]) if v.shape[1] == 1 else v[0] for name, v in found.items()}


@final
class SteadyCurve(Curve[Motion]):
    """Motions of a system that are steady, or at rest, over a parameter of the model or over one of the given values.

    Parameters
    ----------
    f : Formulation
        By Kane's method.
    over : str
        Name of the parameter, or of a quantity among `given`.
    first : Motion
        Near the first point; its parameters have the modes of the contacts.
    given : mapping
        Values that the motion has, by full names.
    moving : bool
        False for equilibria.
    width : float
        Of the range of the parameter.
    t : float
        Time (s), for frames.
    """

    def __init__(
        self, f: Formulation, over: str, x: Array, p: Array, given: Values, moving: bool, width: float,
        t: float = 0.0,
    ) -> None:  # fmt: skip
        self.formulation, self.over, self.width, self.t = f, over, width, t
        functions = self.functions = f.functions
        e, layout = functions.equations, functions.layout
        turns, basis = symmetries(functions, t, x[: layout.n_motion], p) if moving else ([], np.zeros((0, 0)))
        self.turns, self.basis = turns, basis
        c = ca.SX.sym("c", basis.shape[1])
        changes, holds = steady_equations(functions, turns, ca.mtimes(ca.DM(basis), c) if turns else c, p)
        value = ca.SX.sym("value")
        given_values = [
            ca.SX(e.signals[n]) - (value if n == over else ca.DM(np.asarray(v, float))) for n, v in given.items()
        ]
        q4 = [e.q[i : i + 4] for i in layout.quaternions]
        norms = [ca.dot(q, q) - 1 for q in q4]
        R = ca.vertcat(changes, holds, *given_values, *norms, e.corrections() if layout.followers else ca.SX(0, 1))
        by_parameter = value if over in given else e.p[f.parameters.parameter(over)]
        slopes = ca.horzcat(derivative(R, e.q), derivative(R, e.u), derivative(R, c), derivative(R, by_parameter))
        self._f = ca.Function("steady", [e.t, e.q, e.u, e.p, c, value], [ca.densify(R), ca.densify(slopes)])
        self._n_c, self._is_given = basis.shape[1], over in given
        self._neutral: int | None = None
        start = float(np.asarray(given[over])) if self._is_given else np.nan
        self.start = self._with_symmetry(Motion(x[: layout.n_motion], np.zeros(self._n_c), p, start))

    def _with_symmetry(self, motion: Motion) -> Motion:
        """The motion with the symmetry that fits it best."""
        at = self.linear(motion, motion)
        by_c = at.slopes[:, len(motion.x) : len(motion.x) + self._n_c]
        if not self._n_c:
            return motion
        return Motion(motion.x, np.asarray(np.linalg.lstsq(by_c, -at.values, rcond=None)[0]), motion.p, motion.given)

    def parameter(self, motion: Motion) -> float:
        """Value of the parameter."""
        return motion.given if self._is_given else float(motion.p[self.formulation.parameters.parameter(self.over)])

    def linear(self, place: Motion, base: Motion) -> Linear:
        n_q = self.functions.layout.n_q
        value = place.given if self._is_given else 0.0
        R, slopes = self._f(self.t, place.x[:n_q], place.x[n_q:], place.p, place.c, value)
        return Linear(np.array(ca.DM(R)).ravel(), np.array(ca.DM(slopes)))

    def moved(self, place: Motion, at: Linear, step: Array) -> Motion:
        n = len(place.x)
        p, given = place.p, place.given
        if self._is_given:
            given = given + float(step[-1])
        else:
            p = p.copy()
            p[self.formulation.parameters.parameter(self.over)] += step[-1]
        return Motion(place.x + step[:n], place.c + step[n:-1], p, given)

    def unknowns(self, place: Motion) -> Array:
        return np.concatenate([place.x, place.c, [self.parameter(place)]])

    def sizes(self, place: Motion) -> Array:
        layout, length = self.functions.layout, self.functions.length
        units = layout.units[: layout.n_motion]
        size = np.array([length if unit == "m" else 1.0 for unit in units])
        size[layout.n_q :] *= np.maximum(1.0, np.abs(place.x[layout.n_q :]) / size[layout.n_q :])
        return np.concatenate([size, np.maximum(1.0, np.abs(place.c)), [self.width]])

    def judge(self, place: Motion) -> Judgement:
        self._check_modes(place)
        found = linearise(self.functions, self.t, place.x, place.p)
        if not found.steady:
            raise SolveError("the motion is not steady there: something would accelerate.")
        values, error = uncertain_eigenvalues(found.matrix)
        known = np.maximum(10 * error, NEUTRAL * float(np.max(np.abs(values), initial=0.0)))
        count = int(np.sum(np.abs(values) <= known))
        self._neutral = count if self._neutral is None else min(count, self._neutral)
        kept = np.argsort(np.abs(values), kind="stable")[self._neutral :]
        real = values.real[kept]
        growth = np.where(np.abs(real) <= np.maximum(UNDAMPED * np.abs(values[kept]), known[kept]), 0.0, real)
        order = np.argsort(-growth, kind="stable")
        return Judgement(found.eigenvalues, growth[order], values[kept][order])

    def _check_modes(self, place: Motion) -> None:
        f = self.formulation
        if not f.parameters.modes:
            return
        x = f.states.vector(place.x[f.states.q], place.x[f.states.u])
        loose = loose_contacts(f, first_modes(f, self.t, x, place.p))
        if loose:
            raise SolveError(f"contact {loose[0]!r} begins to slide or to open there.")


def loose_contacts(f: Formulation, p: Array) -> Sequence[str]:
    """Contacts that slide or are open."""
    return [m.contact for m, value in f.parameters.modes_at(p).items() if m.is_switch and value != 1]
