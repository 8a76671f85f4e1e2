"""The curve of poses that remains when all degrees of freedom of a mechanism but one are held fixed.

Unknowns are all coordinates: those of the tree and the surface coordinates of contacts that close loops. So the curve
stays regular where the surface coordinates cannot be found from the poses of the bodies alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.constraints.row import Role
from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.equations.formulation import Formulation
from trundle.errors import AssemblyError, SolveError, UnknownNameError
from trundle.laws.flows import Servo
from trundle.linear_algebra.rank import rank_of_values
from trundle.typing import Array, Expr, State, Untyped, Values

NEWTON_LIMIT = 12


@final
@dataclass(frozen=True, eq=False)
class Correction:
    """Where Newton's method ended, how many steps it took, and how much the second step was shorter than the first."""

    q: Array
    iterations: int
    contraction: float
    good: bool


@final
@dataclass(frozen=True, eq=False)
class Spectrum:
    """Singular values of the scaled rows in falling order, and the directions of coordinates that belong to them."""

    values: Array
    directions: Array

    @property
    def rank(self) -> int:
        return rank_of_values(self.values)

    @property
    def smallest(self) -> float:
        """Of those that do not vanish everywhere on the curve."""
        n = self.directions.shape[1] - 1
        return float(self.values[n - 1]) if 0 < n <= len(self.values) else (1.0 if n == 0 else 0.0)

    @property
    def nearness(self) -> float:
        """The smallest relative to the largest: zero at a singular pose."""
        return self.smallest / max(float(np.max(self.values, initial=0.0)), 1e-300)

    def free(self) -> Array:
        """Unit directions (rows) that the constraints leave free."""
        return self.directions[self.rank :]


@final
class Locus:
    """Residuals of all that holds, the driven coordinate, and their derivatives, as numbers."""

    def __init__(self, f: Formulation, coordinate: str, hold: Sequence[str], p: Array) -> None:
        rows = f.row_functions if f.has_rows else None
        e = self.equations = rows.equations if rows is not None else f.joint_functions.equations
        self.formulation, self.p, self.coordinate = f, p, f.register.full(coordinate)
        driven = self._expression(self.coordinate)
        if driven.numel() != 1:
            raise SolveError(f"{coordinate!r} has {driven.numel()} components; a trace is driven by one number.")
        if self.coordinate in f.layout.first_order_places:
            raise self._not_of_the_pose(coordinate)
        self.is_angle = _is_angle(e, self.coordinate)
        self.held = self._held(f, [f.register.full(name) for name in hold])
        self.scale, self.names, self._turns = _scales(f)
        self.row_names: list[str] = []
        self.row_owners: list[str] = []
        residuals = [self._rows(), *self._contacts(), *self._unit_quaternions()]
        held, targets = self._hold_rows()
        residual = ca.vertcat(ca.SX(0, 1), *residuals, held)
        outputs = [residual, derivative(residual, e.q), driven, derivative(driven, e.q)]
        locus = ca.Function("locus", [e.q, e.p, targets, e.u, e.t], [ca.densify(o) for o in outputs])
        buffer: Untyped
        buffer, self._evaluate = locus.buffer()
        self._keep = (locus, buffer)
        self._inputs = [np.zeros(locus.numel_in(i)) for i in range(5)]  # speeds and time stay zero
        self._outputs = [np.zeros(locus.size_out(i), order="F") for i in range(4)]
        for i in range(5):
            buffer.set_arg(i, self._inputs[i].data)
        for i in range(4):
            buffer.set_res(i, self._outputs[i].reshape(-1, order="F").data)
        self._inputs[1][:] = p

    # -- what holds ----------------------------------------------------------------------------------------------------

    def _expression(self, name: str) -> Expr:
        e = self.equations
        try:
            value = ca.SX(e.signals[name])
        except UnknownNameError as error:
            raise UnknownNameError(name, self._coordinates(), "coordinate") from error
        if ca.depends_on(value, e.u) or not ca.depends_on(value, e.q):
            raise self._not_of_the_pose(name)
        return value

    def _coordinates(self) -> list[str]:
        known = [*self.equations.signals.coordinates, *self.equations.signals.measured]
        return [name for name in known if name not in self.formulation.layout.first_order_places]

    def _not_of_the_pose(self, name: str) -> SolveError:
        known = self._coordinates()
        return SolveError(
            f"{name!r} is not a coordinate of the pose, so nothing can be traced along it. Choose one of "
            f"{', '.join(known[:8])}{', ...' if len(known) > 8 else ''}."
        )

    def _held(self, f: Formulation, hold: Sequence[str]) -> State:
        """Expressions by name: what the user holds, and coordinates with a drive of their own."""
        driven = [
            f"{c.name}.{k}" for c in f.model.connections.values() for k, law in c.laws.items()
            if isinstance(law, Servo)
        ]  # fmt: skip
        states = f.layout.first_order_places  # which are not part of a pose: they stay as they are
        names = [n for n in dict.fromkeys([*hold, *driven, *states]) if n != self.coordinate]
        return {name: self._expression(name) for name in names}

    def _rows(self) -> Expr:
        """Holonomic rows; drives give way to the driven coordinate."""
        length = self.formulation.length
        found = []
        for row in self.equations.rows:
            if row.holonomic and row.role is not Role.DRIVE:
                found.append(row.residual / length if row.unit == "m" else row.residual)
                self._name_rows(row.owner, row.name)
        return ca.vertcat(ca.SX(0, 1), *found)

    def _name_rows(self, owner: str, name: str, count: int = 1) -> None:
        self.row_owners += [owner] * count
        self.row_names += [name] * count

    def _contacts(self) -> list[Expr]:
        found = []
        for name, bonds in self.equations.contact_bonds.items():
            residual = bonds.contact.residual
            if residual.numel():
                size = ca.vertcat(ca.DM.ones(2) / self.formulation.length, ca.DM.ones(residual.numel() - 2))
                found.append(size * residual)
                self._name_rows(name, f"{name}.contact", residual.numel())
        return found

    def _unit_quaternions(self) -> list[Expr]:
        found = []
        for c in self.formulation.layout.coordinates:
            if c.n_q == 4:
                q = self.equations.q[c.i_q : c.i_q + 4]
                found.append((ca.dot(q, q) - 1) / 2)
                self._name_rows(c.owner, c.name)
        return found

    def _hold_rows(self) -> tuple[Expr, Expr]:
        """Differences from the values to be held (lengths in typical ones), and the symbols of these values."""
        rows, symbols = [], []
        for name, value in self.held.items():
            symbol = ca.SX.sym(name, value.numel())
            symbols.append(symbol)
            if value.numel() == 4:  # a rotation: three rows
                w, v, w0, v0 = value[0], value[1:], symbol[0], symbol[1:]
                rows.append(2 * (w0 * v - w * v0 - ca.cross(v0, v)))
            else:
                difference = value - symbol
                length = self.formulation.length if self.formulation.quantity(name).unit == "m" else 1.0
                angle = _is_angle(self.equations, name)
                rows.append(ca.atan2(ca.sin(difference), ca.cos(difference)) if angle else difference / length)
            self._name_rows(self.formulation.quantity(name).owner, name, rows[-1].numel())
        return ca.vertcat(ca.SX(0, 1), *rows), ca.vertcat(ca.SX(0, 1), *symbols)

    # -- numbers -------------------------------------------------------------------------------------------------------

    def hold_at(self, q: Array, values: Values) -> None:
        """Hold at the given values, and at those of the pose where none is given."""
        e = self.equations
        numbers = []
        for name, expression in self.held.items():
            now = ca.Function("held", [e.q, e.p, e.t], [expression])(q, self.p, 0).full().ravel()
            given = values.get(name)
            numbers.append(now if given is None else np.atleast_1d(np.asarray(given, dtype=float)))
        self._inputs[2][:] = np.concatenate([np.zeros(0), *numbers])

    def __call__(self, q: Array) -> tuple[Array, Array, float, Array]:
        """Residuals, their scaled Jacobian, the driven coordinate and its scaled gradient."""
        self._inputs[0][:] = q
        self._evaluate()
        r, A, c, g = self._outputs
        return r.ravel().copy(), A * self.scale, float(c[0, 0]), g.ravel() * self.scale

    def value(self, q: Array, near: float | None = None) -> float:
        """The driven coordinate; an angle is counted on from the value `near`."""
        return self._counted(self(q)[2], near)

    def _counted(self, c: float, near: float | None) -> float:
        if near is None or not self.is_angle:
            return c
        return c - 2 * np.pi * round((c - near) / (2 * np.pi))

    def way(self, a: Array, b: Array) -> Array:
        """Scaled difference of two poses, whole turns left out."""
        d = b - a
        return np.where(self._turns, d - 2 * np.pi * np.round(d / (2 * np.pi)), d) / self.scale

    def spectrum(self, q: Array) -> Spectrum:
        """Singular values of all rows."""
        A = self(q)[1]
        if len(A) == 0:
            return Spectrum(np.zeros(0), np.eye(len(q)))
        _, values, directions = np.linalg.svd(A, full_matrices=True)
        return Spectrum(values, directions)

    def across(self, q: Array, row: Array) -> Correction:
        """Newton's method onto the curve in the plane through q that is normal to `row` (scaled)."""
        start = q.copy()
        return self._newton(q, lambda now, c, g: (float(row @ ((now - start) / self.scale)), row))

    def at_value(self, q: Array, value: float) -> Correction:
        """Newton's method onto the pose with this value of the driven coordinate."""
        return self._newton(q, lambda now, c, g: (self._counted(c, value) - value, g))

    def _newton(self, q: Array, extra: Callable[[Array, float, Array], tuple[float, Array]]) -> Correction:
        q = q.copy()
        last, contraction = np.inf, 0.0
        for count in range(1, NEWTON_LIMIT + 1):
            r, A, c, g = self(q)
            off, row = extra(q, c, g)
            step = solve_rows(np.vstack([A, row]), -np.append(r, off))
            size = float(np.max(np.abs(step), initial=0.0))
            if not np.isfinite(size) or size > 1e3:
                return Correction(q, count, np.inf, False)
            q += self.scale * step
            if count == 2:
                contraction = size / max(last, 1e-300)
            rough = float(np.max(np.abs(q / self.scale), initial=1.0)) * 1e-15
            if size <= 4 * rough or (size < 1e-10 and size > 0.3 * last):
                return Correction(q, count, contraction if last > 1e-6 else 0.0, True)
            last = size
        return Correction(q, NEWTON_LIMIT, 1.0, last < 1e-9)

    # -- where it begins -----------------------------------------------------------------------------------------------

    def first_direction(self, q: Array) -> Array:
        """The one direction along the curve; SolveError when there is none or a choice."""
        spectrum = self.spectrum(q)
        free = spectrum.free()
        if len(free) == 0:
            raise SolveError(
                f"nothing can move: the constraints{' and what is held' if self.held else ''} leave no freedom for "
                f"{self.coordinate!r}. Hold fewer coordinates."
            )
        g = self(q)[3]
        if len(free) > 1:
            names = self._loose(free, g)
            raise SolveError(
                f"besides {self.coordinate!r} the mechanism has {len(free) - 1} more "
                f"freedom{'s' if len(free) > 2 else ''}: {', '.join(map(repr, names))} must be held. "
                f"Give hold={{{names[0]!r}: value}} or hold={names!r} (at the start values)."
            )
        if abs(float(g @ free[0])) < 1e-9 * np.linalg.norm(g):
            raise SolveError(
                f"{self.coordinate!r} cannot be driven at the start: there it has a turning point, or it does not take "
                "part in the motion. Start a little away from this pose, or drive another coordinate."
            )
        return np.asarray(free[0])

    def _loose(self, free: Array, g: Array) -> list[str]:
        """Coordinates that would have to be held: independent when the driven one is fixed."""
        from scipy.linalg import qr

        g = free @ g
        if np.linalg.norm(g) > 0:
            g = g / np.linalg.norm(g)
        rest = (np.eye(len(free)) - np.outer(g, g)) @ free
        n_tree = self.equations.motion.n_q
        rest = rest * np.linspace(1.5, 1.0, rest.shape[1])  # rather those near the ground
        rest[:, n_tree:] *= 1e-3  # and rather joints than surface coordinates
        pivots = qr(rest, mode="r", pivoting=True)[1][: len(free) - 1]
        return list(dict.fromkeys(self.names[i] for i in pivots))

    def check_held(self, q: Array, given: Values) -> None:
        """What is held must be met by the start pose."""
        r = np.abs(self(q)[0])
        worst = int(np.argmax(r)) if len(r) else 0
        if len(r) and r[worst] > 1e-8:
            raise AssemblyError(
                f"the trace cannot begin: {self.row_names[worst]} is off by {r[worst]:.3g} at the start "
                f"({', '.join(f'{k} = {v}' for k, v in given.items()) or 'default start'}). "
                "Give start and hold values that fit together."
            )


def solve_rows(M: Array, rhs: Array) -> Array:
    """Solve square systems directly, and in the least-squares sense those with redundant rows or at singular poses."""
    if M.shape[0] == M.shape[1]:
        try:
            return np.asarray(np.linalg.solve(M, rhs), dtype=float)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(M, rhs, rcond=1e-12)[0], dtype=float)


def _is_angle(e: Equations, name: str) -> bool:
    """Whether a coordinate is known up to whole turns only."""
    return name in e.signals.measured and e.signals.measured[name].is_angle


def _scales(f: Formulation) -> tuple[Array, list[str], Array]:
    """Unit of every coordinate (a typical length for metres, 1 for radians), its name, and whether a whole turn brings
    back the same pose.
    """
    scale, names, turns = [], [], []
    for c in f.layout.coordinates:
        scale += [f.length if c.unit == "m" else 1.0] * c.n_q
        names += [c.name] * c.n_q
        turns += [c.step.closed] * c.n_q
    for entry in f.layout.followers:
        steps = {step.name: step for step in f.model.connections[entry.owner].pair.coordinates}
        scale.append(f.length if entry.unit == "m" else 1.0)
        names.append(entry.name)
        turns.append(steps[entry.kind].closed)
    for entry in f.layout.first_order:
        scale.append(f.length if entry.unit == "m" else 1.0)
        names.append(entry.name)
        turns.append(False)
    return np.array(scale), names, np.array(turns, bool)
