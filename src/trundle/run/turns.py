"""Whole turns of angles that are measured between bodies and so known up to a turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.equations.outputs.expressions import Expressions
from trundle.messages.warn import warn
from trundle.quantity import Quantity
from trundle.typing import AnyArray, Array, TapeFunction

if TYPE_CHECKING:
    from trundle.equations.formulation import Formulation
    from trundle.integrate.trajectory import Trajectory
    from trundle.quantities.initial_state import InitialState

TURN = 2 * np.pi
FINE = 0.3  # rad, most that a joint turns between two looks at the angle
MOST = 1_000_000  # looks
CLEAR = 1.0  # rad, between an angle and what its rates say, from which on its turns are not clear
USER_DEFINED = ("outputs", "blocks")  # groups of quantities
FAR = 20.0  # rad between two looks: its rate may have changed and changed back


class TurnsWarning(UserWarning):
    """An angle may be whole turns off."""


@final
@dataclass(frozen=True, eq=False)
class StatePath:
    """States of one run in the order of their times, with what is known of its start and of its steps."""

    f: "Formulation"
    t: Array
    x: Array
    p: Array
    start: Mapping[str, float] | None = None  # angles at the start, as far as these are known
    trajectory: "Trajectory | None" = None

    def evaluate(self, name: str) -> Array:
        """One number at each state."""
        return self.f.evaluate(name, self.t, self.x, self.p)[name][:, 0]


def continuous(path: StatePath, name: str, values: Array) -> Array:
    """The angle without jumps, from where it started.

    In absolute coordinates the run has integrated the rate of every joint, whatever the samples. An angle of a joint
    that closes a loop is followed from sample to sample along the joints of the tree, which count their turns. Where
    ball joints or free bodies are among these, the rates show about how far the angle went, from one step of the run to
    the next as far as these are kept; a TurnsWarning says where that is not clear.
    """
    found, doubt = _continued(path, name, values)
    if doubt:
        warn(doubt, TurnsWarning)
    return found


def _continued(path: StatePath, name: str, values: Array) -> tuple[Array, str]:
    """The angle without jumps, and what is not clear about it."""
    f = path.f
    if name in f.states.turns:
        return values + added_turns(f, name, path.t, path.x, values, None, path.start)[0], ""
    along = _along_the_tree(path, name)
    if along is not None:
        return nearest(values, values[0] + along), ""
    if f.register.find(f"{name}_rate") is None:
        return np.unwrap(values), ""
    times, angles, rate, samples = _looks(path, name, values)
    trail = None if path.trajectory is None else path.trajectory.trail
    start = path.start if trail is not None and path.t[0] <= trail.t[0] else None
    more, doubt = added_turns(f, name, times, path.x, angles, rate, start)
    unclear = np.flatnonzero(doubt)
    text = (
        f"{name!r} is measured between bodies and known up to whole turns; from t = {times[unclear[0]]:.6g} s to "
        f"{times[unclear[0] + 1]:.6g} s it is not clear how many it made. Use more samples."
        if len(unclear)
        else ""
    )
    return values + more[samples], text


def with_turns(path: StatePath, group: str, values: dict[str, Array]) -> dict[str, Array]:
    """Quantities that the user has defined, with the whole turns of the measured angles that they use."""
    f = path.f
    names = f.once(measured_angles)
    if not names or len(path.t) == 0 or not f.members(group):
        return values
    angles = [path.evaluate(name) for name in names]
    continued = [_continued(path, name, angle) for name, angle in zip(names, angles, strict=True)]
    turns = np.round((np.array([angle for angle, _ in continued]) - np.array(angles)) / TURN).T
    if not np.any(turns) and not any(doubt for _, doubt in continued):
        return values
    function, used = f.once(_outputs if group == "outputs" else _blocks)
    for i in used:
        if continued[i][1]:
            warn(continued[i][1], TurnsWarning)
    if not np.any(turns[:, used]):
        return values
    p = np.broadcast_to(path.p, (len(path.t), path.p.shape[-1]))
    found = np.array(function(path.t[None, :], path.x.T, p.T, turns.T))
    return {q.name: found[i][:, None] for i, q in enumerate(f.members(group))}


def _outputs(f: "Formulation") -> tuple[TapeFunction, list[int]]:
    return _turned(f, "outputs")


def _blocks(f: "Formulation") -> tuple[TapeFunction, list[int]]:
    return _turned(f, "blocks")


def _turned(f: "Formulation", group: str) -> tuple[TapeFunction, list[int]]:
    """Quantities of a group as a function of (t, x, p, whole turns), and the measured angles whose turns matter."""
    names = f.once(measured_angles)
    whole = ca.SX.sym("turns", len(names))
    by_name = dict(zip(names, ca.vertsplit(whole), strict=True))
    functions = f.functions_of(f.derivation.turned_equations(f.in_joints, by_name))
    of = Expressions(functions).of
    values = ca.densify(ca.vertcat(*[of(q) for q in f.members(group)]))
    used = sorted(set(derivative(values, whole).sparsity().get_col()))
    return ca.Function("turned", [*functions.inputs, whole], [values]), used


def measured_angles(f: "Formulation") -> list[str]:
    """Angles that are measured between bodies, in (-pi, pi]."""
    return [q.name for q in f.register.first if q.group == "joints" and q.coordinate and q.unit == "rad"]


def counts_up_to_turns(f: "Formulation", q: Quantity) -> bool:
    """Whether a quantity is, or may depend on, an angle that is measured between bodies."""
    if q.group in USER_DEFINED:
        return bool(f.once(measured_angles))
    return q.group == "joints" and q.coordinate and q.unit == "rad"


def added_turns(
    f: "Formulation",
    name: str,
    t: Array,
    x: Array,
    values: Array,
    rate: Array | None,
    start: Mapping[str, float] | None,
) -> tuple[Array, AnyArray]:  # fmt: skip
    """What has to be added to a measured angle so that it goes on from its start, and for each way between two times
    whether that is in doubt. `start` has angles at the first of the times; without it they are measured there.
    """
    whole = np.zeros(1) if start is None or name not in start else TURN * np.round((start[name] - values[:1]) / TURN)
    if name in f.states.turns:
        way = x[:, f.states.turn(name)]
        first = start[name] if start is not None and name in start else values[0] - way[0]
        return nearest(values, first + way) - values, np.zeros(len(values) - 1, bool)
    way = np.zeros(len(t) - 1) if rate is None else (rate[1:] + rate[:-1]) / 2 * np.diff(t)
    way = np.where(np.isfinite(way), way, 0.0)
    steps = nearest(np.diff(values), way)
    doubt = (np.abs(steps - way) > CLEAR) | (np.abs(way) > FAR)
    return values[0] + np.concatenate([[0.0], np.cumsum(steps)]) - values + whole, doubt


def start_angles(f: "Formulation", initial: "InitialState | None") -> dict[str, float]:
    """Coordinates of the joints that turn, at the start."""
    if initial is None:
        return {}
    return {c.name: float(initial.q[c.i_q]) for c in f.layout.coordinates if c.n_q == 1 and c.unit == "rad"}


def _looks(path: StatePath, name: str, values: Array) -> tuple[Array, Array, Array, AnyArray]:
    """Times, angles and rates at the samples and at the steps that the run has kept, and which of them are samples."""
    f, trajectory = path.f, path.trajectory
    t, rate = path.t, path.evaluate(f"{name}_rate")
    trail = None if trajectory is None else trajectory.trail
    if trail is None or trajectory is None:
        return t, values, rate, np.arange(len(t))
    inside = (trail.t > t[0]) & (trail.t < t[-1])
    times, x = trail.t[inside], trail.x[inside]
    found = f.evaluate(f"{name}_rate", times, x, trajectory.p_end)[f"{name}_rate"][:, 0]
    angles = f.evaluate(name, times, x, trajectory.p_end)[name][:, 0]
    order = np.argsort(np.concatenate([t, times]), kind="stable")
    places = np.empty(len(order), int)
    places[order] = np.arange(len(order))
    joined = [np.concatenate(pair)[order] for pair in ((t, times), (values, angles), (rate, found))]
    return joined[0], joined[1], joined[2], places[: len(t)]


def _along_the_tree(path: StatePath, name: str) -> Array | None:
    """How far the angle has gone at each sample when the joints of the tree go straight from one to the next; None
    where these do not count their own turns, or turn too often.
    """
    f, t, x, p = path.f, path.t, path.x, path.p
    places = _turning_joints(f, name)
    if places is None or len(t) < 2 or not np.all(np.isfinite(x)):
        return None
    counts = 1 + np.max(np.abs(np.diff(x[:, places], axis=0)), axis=1, initial=0.0) // FINE
    if np.sum(counts) > MOST:
        return None
    at = np.concatenate([[0], np.cumsum(counts)]).astype(int)
    between = np.interp(np.arange(at[-1] + 1), at, np.arange(len(t)))
    before = np.minimum(between.astype(int), len(t) - 2)
    part = between - before
    states = x[before] + part[:, None] * (x[before + 1] - x[before])
    times = t[before] + part * (t[before + 1] - t[before])
    angles = np.unwrap(f.evaluate(name, times, states, p[before] if p.ndim == 2 else p)[name][:, 0])
    way: Array = angles[at] - angles[0]
    return way


def _turning_joints(f: "Formulation", name: str) -> list[int] | None:
    """Places in the state of the angles that another angle depends on; None if it depends on a quaternion too."""
    if not f.in_joints:
        return None
    e = f.functions.equations
    needed = set(derivative(ca.SX(e.signals[name]), e.q).sparsity().get_col())
    places = []
    for c in f.layout.coordinates:
        if needed & set(range(c.i_q, c.i_q + c.n_q)):
            if c.n_q > 1:
                return None
            places += [c.i_q] if c.unit == "rad" else []
    return places


def nearest(angle: Array, about: Array) -> Array:
    """The angle in the turn that is nearest to what it should be about."""
    return angle + TURN * np.round((about - angle) / TURN)


def without_flips(quaternions: Array) -> Array:
    """Unit quaternions (times, 4) whose signs do not change from one time to the next."""
    same = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
    flips = np.cumprod(np.concatenate([[1.0], np.where(same < 0, -1.0, 1.0)]))
    return quaternions * flips[:, None]
