"""The same machine described in other axes: the whole is turned and shifted, and so is the frame of every body."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

import trundle as tr
from trundle.model.body import Body, Frame, as_frame
from trundle.model.contents import full_name
from trundle.model.floating import floating
from trundle.model.frame import GivenMotion, MotionPart
from trundle.model.input import Input
from trundle.model.table import ModelTable


class Posed:
    """A model after its description was moved; R and d are those of the ground: x_new = R x + d.

    Bodies that float get free joints between the moved frames, so that their coordinates are those of before. Bodies
    that start by their place or velocity keep the origins of their frames.
    """

    def __init__(self, model: tr.Model, seed: int, far: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        self.model = model = floating(model)
        placed = {owner for owner, kind in map(self.names, model.start) if kind in ("position", "velocity")}
        self.moves = {
            body: (
                Rotation.random(random_state=rng).as_matrix(),
                rng.normal(size=3, scale=far if body.name not in placed else 0.0),
            )
            for body in model.bodies.values()
        }
        self.R, self.d = self.moves[model.ground]
        model.gravity = _tuple(ca.mtimes(ca.DM(self.R), ca.vertcat(*[ca.SX(g) for g in model.gravity])))
        for body in model.bodies.values():
            if body.is_free:
                self._turn_body(body)
            elif not body.is_at_rest:
                object.__setattr__(body, "motion", self._turned(body))
        model.connections = {
            name: replace(
                c,
                first=self.moved(c.first),
                second=self.moved(c.second),
                contact_laws=tuple(map(self._told, c.contact_laws)),
            )
            for name, c in model.connections.items()
        }
        for kind in ("forces", "states", "blocks", "outputs", "events"):
            setattr(model, kind, {name: self._told(part) for name, part in getattr(model, kind).items()})
        for kind in ("relaxations", "weight_matrices", "resistances"):
            setattr(model, kind, self._field(getattr(model, kind)))
        for name, force in model.forces.items():
            if isinstance(force, tr.Wrench) and force.axes == "ground":  # else along the axes of its frame
                model.forces[name] = replace(force, **{k: self._along(getattr(force, k)) for k in ("force", "moment")})
        model.start = {name: self._started(name, value) for name, value in model.start.items()}

    def moved(self, place: Body | Frame) -> Frame:
        """The frame as it is described now."""
        frame = as_frame(place)
        R, d = self.moves[frame.body]
        position = ca.mtimes(ca.DM(R), ca.vertcat(*[ca.SX(v) for v in frame.position])) + d
        return replace(frame, position=_tuple(position), rotation=R @ frame.rotation)

    def _turn_body(self, body: Body) -> None:
        R, d = self.moves[body]
        known = body.mass_properties()
        del body.__dict__["_properties"]
        turned = ca.mtimes(ca.mtimes(ca.DM(R), known.matrix), ca.DM(R.T))
        object.__setattr__(body, "inertia", turned)
        object.__setattr__(body, "com", _tuple(ca.mtimes(ca.DM(R), known.com) + d))
        object.__setattr__(body, "about", "com")

    def _turned(self, frame: Body) -> GivenMotion:
        """The motion of a frame whose new origin is at `to` in its old axes."""
        R, d = self.moves[frame]
        to, given = ca.DM(-R.T @ d), frame.motion
        assert given is not None and given.rates is None, "a course that gives its own rates is not turned"

        def position(s: Any) -> Any:
            p, turn = given.pose(s)
            return ca.mtimes(ca.DM(self.R), p + ca.mtimes(turn, to)) + self.d

        def rotation(s: Any) -> Any:
            return ca.vec(ca.mtimes(ca.mtimes(ca.DM(self.R), given.pose(s)[1]), ca.DM(R.T)))

        return GivenMotion(MotionPart(position, 3), MotionPart(rotation, 9))

    def _told(self, part: Any) -> Any:
        """A part with its places moved and its functions of the signals as they were."""
        found = {f.name: self._field(getattr(part, f.name)) for f in fields(part) if f.init}
        return replace(part, **found)

    def _field(self, value: Any) -> Any:
        if isinstance(value, Body | Frame):
            return self.moved(value)
        if isinstance(value, Mapping):
            return {k: self._field(v) for k, v in value.items()}
        if callable(value) and not isinstance(value, ModelTable | Input | type):
            return lambda s: value(AsWritten(self, s))
        return value

    def _along(self, given: Any) -> Any:
        """Components along axes of the ground."""
        if callable(given):
            return lambda s: ca.mtimes(ca.DM(self.R), _column(given(s)))
        return _tuple(ca.mtimes(ca.DM(self.R), _column(given)))

    def names(self, quantity: str) -> tuple[str, str]:
        """Owner and kind."""
        owner, _, kind = full_name(quantity, self.model.aliases).partition(".")
        return owner, kind

    def _started(self, name: str, value: Any) -> Any:
        """A start value; bodies that start by their place or velocity have kept their origins."""
        owner, kind = self.names(name)
        if owner not in self.model.bodies or not kind.startswith(KINDS):
            return value
        assert kind in ("position", "velocity", "angular_velocity"), f"{name} is not turned"
        return _tuple(ca.mtimes(ca.DM(self.R), _column(value)) + (self.d if kind == "position" else 0))


class AsWritten:
    """The signals of a moved model as functions know them that were written for the model before."""

    def __init__(self, posed: Posed, s: Any) -> None:
        self.posed, self.s = posed, s

    def __getattr__(self, name: str) -> Any:
        return getattr(self.s, name)

    def __getitem__(self, name: str) -> Any:
        model = self.posed.model
        owner, kind = self.posed.names(name)
        kind, _, label = kind.rpartition("_") if kind[-2:] in ("_x", "_y", "_z") else (kind, "", "")
        if owner not in model.bodies or kind not in KINDS:
            assert kind not in ("contact_point", "contact_normal"), f"{name} is not turned"
            return self.s[name]
        body = model.bodies[owner]
        found = self._of(kind.removeprefix("com_"), Frame(body, body.com) if "com_" in kind else self.posed.moved(body))
        return found["xyz".index(label)] if label else ca.vec(found)

    def _of(self, kind: str, moved: Frame) -> Any:
        found = getattr(self.s, kind)(moved)
        return ca.mtimes(ca.DM(self.posed.R.T), found - self.posed.d if kind == "position" else found)

    def position(self, place: Body | Frame) -> Any:
        return self._of("position", self.posed.moved(place))

    def rotation(self, place: Body | Frame) -> Any:
        return self._of("rotation", self.posed.moved(place))

    def velocity(self, place: Body | Frame) -> Any:
        return self._of("velocity", self.posed.moved(place))

    def angular_velocity(self, place: Body | Frame) -> Any:
        return self._of("angular_velocity", self.posed.moved(place))


KINDS = ("position", "velocity", "angular_velocity", "rotation", "com_position", "com_velocity")


def _column(values: Any) -> Any:
    return values if isinstance(values, ca.SX | ca.DM) else ca.vertcat(*[ca.SX(v) for v in values])


def _tuple(vector: Any) -> tuple[Any, ...]:
    return tuple(float(v) if v.is_constant() else v for v in ca.vertsplit(ca.SX(vector)))
