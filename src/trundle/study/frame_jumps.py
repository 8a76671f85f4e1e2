"""Frames whose pose or velocity jumps during a run, which would strike the bodies in them."""

from collections.abc import Sequence

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.model.frame_check import frame_signals, pose_function
from trundle.typing import Array, Flags, TapeFunction

CELLS = 400  # parts of a run that are searched for jumps
NARROW = 1e-7  # s: what changes within less has jumped
JUMP = 1e-5  # m, m/s or of a rotation matrix, over its size: a smaller change does not count


def refuse_jumps(f: Formulation, p: Array, t0: float, t1: float) -> None:
    """SolveError if a frame that is given by position and rotation jumps between two times.

    States count with their values at the start.
    """
    for fault in jump_faults(f, p[None, :], [0], t0, t1).values():
        raise SolveError(fault)


def jump_faults(f: Formulation, p: Array, cases: Sequence[int], t0: float, t1: float) -> dict[int, str]:
    """Messages for the cases (rows of p) in which a frame jumps. Cases with the same motion of a frame are checked
    once.
    """
    faults: dict[int, str] = {}
    n = len(f.model.parameters)
    for name, pose, values, used in f.once(_poses):
        jumps: dict[bytes, float | None] = {}
        for case in cases:
            tables = p[case, f.parameters.table_slice]
            own = values[n : len(values) - len(tables)]
            given = np.concatenate([p[case, f.parameters.parameter_slice][:n], own, tables])
            key = given[used].tobytes()
            if key not in jumps:
                jumps[key] = first_jump(pose, given, t0, t1)
            jump = jumps[key]
            if jump is not None:
                faults.setdefault(
                    case,
                    f"frame {name!r}: its pose or its velocity jumps at t = {jump:g} s; bodies in it would be struck. "
                    "Give a smooth motion, end the run before, or let an event change a parameter of the motion: "
                    "bodies then keep their velocities in the ground.",
                )
    return faults


def _used(pose: TapeFunction, count: int, tables: int) -> Flags:
    """Places of the values that occur in a pose, in a condition too; those of tables always."""
    x = ca.SX.sym("x", count)
    occur = {v.element_hash() for v in ca.symvar(ca.veccat(*pose(ca.SX.sym("t"), x)))}
    return np.array([x[k].element_hash() in occur or k >= count - tables for k in range(count)], dtype=bool)


def _poses(f: Formulation) -> list[tuple[str, TapeFunction, list[float], Flags]]:
    """Frames that do not give their rates themselves, with the places of the values that they use."""
    found = []
    for frame in f.model.frames:
        if frame.motion is not None and frame.motion.rates is None:
            signals = frame_signals(f.model, ca.SX.sym("t"))
            pose, values = pose_function(f.model, frame.motion, signals)
            found.append((frame.name, pose, values, _used(pose, len(values), len(f.model.tables))))
    return found


def first_jump(pose: TapeFunction, values: Array, t0: float, t1: float) -> float | None:
    """A time at which a pose or its rate changes by what its derivative does not explain, however narrow the part of
    time is made in which it does.
    """

    def at(times: Array) -> tuple[Array, Array]:
        """Pose and velocity below each other, and their rates, a column for each time."""
        x, turn, v, a = (np.array(ca.DM(out)) for out in pose(ca.DM(times).T, ca.repmat(ca.DM(values), 1, len(times))))
        flat = turn.reshape(3, len(times), 3).transpose(2, 0, 1).reshape(9, len(times))
        return np.vstack([x, flat, v]), np.vstack([v, a])

    t = np.linspace(t0, t1, CELLS + 1)
    begin, end = t[:-1], t[1:]
    narrow = min(NARROW, (t1 - t0) / CELLS / 8)  # short runs are checked too
    while len(begin) and end[0] - begin[0] > narrow:
        middle, n = (begin + end) / 2, len(begin)
        x, rates = at(np.concatenate([begin, middle, end]))
        begin, end = np.concatenate([begin, middle]), np.concatenate([middle, end])
        x0, x1 = x[:, : 2 * n], x[:, n:]
        way = (rates[:, : 2 * n] + rates[:, n:]) / 2 * (end - begin)
        gap = np.abs(x1 - x0 - way) / (1.0 + np.abs(x0) + np.abs(x1))
        worst = np.max(np.where(np.isfinite(gap), gap, 0.0), axis=0)
        chosen = np.argsort(-worst, kind="stable")[:8]
        chosen = chosen[worst[chosen] > JUMP]
        begin, end = begin[chosen], end[chosen]
    return float(np.min(end)) if len(begin) else None
