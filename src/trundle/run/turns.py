"""Whole turns of angles that are measured between bodies and so known up to a turn."""

import warnings
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.typing import AnyArray, Array

if TYPE_CHECKING:
    from trundle.equations.formulation import Formulation
    from trundle.run.dataset import Run

TURN = 2 * np.pi
FINE = 0.3  # rad, most that a joint turns between two looks at the angle
MOST = 1_000_000  # looks
CLEAR = 1.0  # rad, between an angle and what its rates say, from which on its turns are not clear
FAR = 20.0  # rad between two looks: its rate may have changed and changed back


class TurnsWarning(UserWarning):
    """An angle may be whole turns off."""


def continuous(run: "Run", name: str, values: Array) -> Array:
    """The angle without jumps, from where it started.

    In absolute coordinates the run has integrated the rate of every joint, whatever the samples. An angle of a joint
    that closes a loop is followed from sample to sample along the joints of the tree, which count their turns. Where
    ball joints or free bodies are among these, the rates show about how far the angle went, from one step of the run to
    the next as far as these are kept; a TurnsWarning says where that is not clear.
    """
    f = run.formulation
    assert f is not None and run._raw is not None
    x = run._raw[1]
    if name in f.states.turns:
        way = x[:, f.states.turn(name)]
        start = [run.initial.q[c.i_q] for c in f.layout.coordinates if c.name == name] if run.initial else []
        return nearest(values, start[0] + way if start else values[0] + way - way[0])
    along = _along_the_tree(run, name)
    if along is not None:
        return nearest(values, values[0] + along)
    if f.register.find(f"{name}_rate") is None:
        return np.unwrap(values)
    times, angles, rate, samples = _looks(run, name, values)
    way = (rate[1:] + rate[:-1]) / 2 * np.diff(times)
    way = np.where(np.isfinite(way), way, 0.0)
    steps = nearest(np.diff(angles), way)
    unclear = np.flatnonzero((np.abs(steps - way) > CLEAR) | (np.abs(way) > FAR))
    if len(unclear):
        warnings.warn(
            f"{name!r} is measured between bodies and known up to whole turns; from t = {times[unclear[0]]:.6g} s to "
            f"{times[unclear[0] + 1]:.6g} s it is not clear how many it made. Ask for more samples.",
            TurnsWarning,
            stacklevel=4,
        )
    result: Array = values[:1].repeat(len(values)) + np.concatenate([[0.0], np.cumsum(steps)])[samples]
    return result


def _looks(run: "Run", name: str, values: Array) -> tuple[Array, Array, Array, AnyArray]:
    """Times, angles and rates at the samples and at the steps that the run has kept, and which of them are samples."""
    f, trajectory = run.formulation, run.trajectory
    assert f is not None and run._raw is not None
    t, rate = run._raw[0], run.values(f"{name}_rate")
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


def _along_the_tree(run: "Run", name: str) -> Array | None:
    """How far the angle has gone at each sample when the joints of the tree go straight from one to the next; None
    where these do not count their own turns, or turn too often.
    """
    f = run.formulation
    assert f is not None and run._raw is not None
    t, x, p = run._raw
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
    """Places in the state of the angles that another angle depends on; None where it depends on a quaternion too."""
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
