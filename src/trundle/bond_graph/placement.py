"""Numbers: where all bodies and frames stand at given coordinates of the tree, moving frames as at the start."""

from collections.abc import Mapping
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.graph.topology import Topology
from trundle.model.body import Body, Frame
from trundle.model.connection import ConnectedPair
from trundle.model.frame_check import first_pose
from trundle.model.model import Model
from trundle.model.part_check import evaluate
from trundle.space.chain import Ball, Step
from trundle.space.rotation import axis_vector, rotation, rotation_from_quaternion
from trundle.typing import Array

Placed = tuple[Array, Array]  # rotation and position


def _after(a: Placed, b: Placed) -> Placed:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def _inverse(a: Placed) -> Placed:
    return a[0].T, -a[0].T @ a[1]


@final
class Placement:
    """A tree at coordinates q. Parameters have their default values."""

    def __init__(self, model: Model, topology: Topology, q: Array) -> None:
        self._model = model
        self.bodies: dict[Body, Placed] = {model.ground: (np.eye(3), np.zeros(3))}
        for frame in model.frames:
            p, R = first_pose(model, frame)
            self.bodies[frame] = R, p
        self.coordinates: dict[str, Array] = {}  # of each joint of the tree
        at = 0
        for joint in topology.tree:
            c = joint.connection
            chain = c.pair.chain()
            here = self.coordinates[c.name] = q[at : at + chain.n_q]
            at += chain.n_q
            motion = self._chain(c, here)
            near, far = (c.second, c.first) if joint.reverse else (c.first, c.second)
            end = _inverse(self._on_body(far, c))
            between = _inverse(motion) if joint.reverse else motion
            self.bodies[joint.child] = _after(self.frame(near, c), _after(between, end))

    def number(self, value: Any) -> Array:
        """Numbers of what a user gave as numbers or expressions."""
        parts = tuple(value) if isinstance(value, tuple | list) else (value,)
        if all(isinstance(part, float | int) for part in parts):
            return np.array(parts, dtype=float)
        return evaluate(self._model, ca.vertcat(*parts)).ravel()

    def frame(self, frame: Frame, connection: ConnectedPair | None = None) -> Placed:
        """A frame in the ground; with a connection, turned so that z is the axis of its pair."""
        return _after(self.bodies[frame.body], self._on_body(frame, connection))

    def columns(self, connection: ConnectedPair, point: Array) -> Mapping[str, Array]:
        """Velocity of `point`, then angular velocity of the second body against the first, per unit rate of each
        coordinate of a joint of the tree; ground axes.
        """
        base, out, at = self.frame(connection.first, connection), {}, 0
        q = self.coordinates[connection.name]
        for step in connection.pair.chain().steps:
            R, p = base
            if isinstance(step, Ball):
                arm = point - (p + R @ self.number(step.at))
                out[step.name] = np.hstack([[np.cross(e, arm), e] for e in R.T]).reshape(3, 6).T
            else:
                e = R @ axis_vector(step.axis)
                arm = point - (p + R @ self.number(step.at))
                pure = [e, np.zeros(3)] if step.slides else [np.cross(e, arm) + self.number(step.pitch)[0] * e, e]
                out[step.name] = np.concatenate(pure)[:, None]
            base = _after(base, self._step(step, q[at : at + step.n_q]))
            at += step.n_q
        return out

    def _on_body(self, frame: Frame, connection: ConnectedPair | None) -> Placed:
        turn = np.eye(3) if connection is None else connection.pair.frame()
        return frame.rotation @ turn, self.number(frame.position)

    def _chain(self, connection: ConnectedPair, q: Array) -> Placed:
        chain, at = connection.pair.chain(), 0
        placed: Placed = (np.eye(3), np.zeros(3))
        for step in chain.steps:
            placed = _after(placed, self._step(step, q[at : at + step.n_q]))
            at += step.n_q
        return _after(placed, (chain.end.R, self.number(chain.end.p)))

    def _step(self, step: Step, q: Array) -> Placed:
        if isinstance(step, Ball):
            R, at = rotation_from_quaternion(q), self.number(step.at)
            return R, at - R @ at
        e = axis_vector(step.axis)
        if step.slides:
            return np.eye(3), e * q[0]
        R, at = rotation(step.axis, float(q[0])), self.number(step.at)
        return R, at - R @ at + e * (self.number(step.pitch)[0] * q[0])
