"""Positions of joints, mass centres, shapes and springs on their bodies: numbers that are stored with a run for
drawings.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.pairs.higher import SurfacePair
from trundle.typing import Json, ModelPart

if TYPE_CHECKING:
    from trundle.run.run import Run

Geometry = Json


def geometry(run: "Run") -> Geometry:
    """Points in body axes (m).

    "bodies": {name: {"com", "joints", "shapes"}}, a shape being {"kind": "Rod", ...} with the fields of its class;
    and "mass", "inertia" about the mass centre, by rows; "springs": [[body, point, body, point]]; "rails": [[point of
    the ground, direction, body, its point]]; "road": height of a level plane of the ground that something rolls on, or
    None; "contacts", "joints": names of connections, those of joints with their kind, second body, point and axis;
    "frames": names of moving frames.
    """
    if run.formulation is None:
        stored: Geometry = json.loads(run.stored_attrs.get("geometry", "{}"))
        return {"bodies": {}, "springs": [], "rails": [], "contacts": [], "joints": [], "frames": []} | stored
    found = _read(run.formulation, run.parameters)
    for name, shapes in run.shapes.items():
        found["bodies"][name]["shapes"] = _shapes(shapes)
    return found


def _shapes(shapes: Iterable[ModelPart]) -> list[Json]:
    return [{"kind": type(shape).__name__, **asdict(shape)} for shape in shapes]


def in_numbers(f: Formulation, parameters: Mapping[str, float], values: ModelPart) -> list[float]:
    """Expressions of parameters and tables, one below the other, in numbers."""
    tables = f.model.tables.values()
    symbols = [*(p.symbol for p in f.model.parameters.values()), *(t.symbol for t in tables)]
    given = [*(parameters[name] for name in f.model.parameters), *(t.table.block.handle for t in tables)]
    function = ca.Function("values", [ca.vertcat(ca.SX(0, 1), *symbols)], [ca.SX(ca.vertcat(*values))])
    return [float(v) for v in np.array(ca.DM(function(given))).ravel()]


def _read(f: Formulation, parameters: Mapping[str, float]) -> Geometry:
    model = f.model

    def point(position: object) -> list[float]:
        return in_numbers(f, parameters, position)

    bodies: Json = {
        body.name: {
            "com": point(body.com),
            "mass": point([body.mass])[0],
            "inertia": point([ca.vec(body.mass_properties().matrix)]),
            "joints": [],
            "shapes": _shapes(body.shape),
        }
        for body in model.bodies.values()
    }
    bodies["ground"]["shapes"] += _shapes(model.scenery)
    rails, joints = [], []
    level = [
        c.first
        for c in model.connections.values()
        if isinstance(c.pair, SurfacePair) and c.pair.first.flat and c.first.rotation[2, 2] > 0.999
    ]
    roads = [point(frame.position)[2] for frame in level if frame.body.is_at_rest]
    for connection in model.connections.values():
        first, second = connection.first, connection.second
        if not connection.is_contact:
            axis = (second.rotation @ connection.pair.frame()[:, 2]).tolist()
            joints.append([connection.name, connection.kind, second.body.name, point(second.position), axis])
        if "normal" in connection.pair.locked:
            continue  # a contact is drawn by its bodies
        slides = "z" in connection.pair.free
        if slides and len(connection.pair.free) < 3 and (first.body.is_at_rest or second.body.is_at_rest):
            ground, other = (first, second) if first.body.is_at_rest else (second, first)
            direction = ground.rotation @ connection.pair.frame()[:, 2]
            rails.append([point(ground.position), direction.tolist(), other.body.name, point(other.position)])
        elif len(connection.pair.free) < 3 or not slides:
            roams = {"x", "y"} <= set(connection.pair.free)  # on a plane: nothing is pinned to the ground
            for frame in (frame for frame in (first, second) if not (roams and frame.body.is_at_rest)):
                bodies[frame.body.name]["joints"].append(point(frame.position))
    springs = []
    for force in model.forces.values():
        if len(force.places) == 2:
            a, b = force.places
            springs.append([a.body.name, point(a.position), b.body.name, point(b.position)])
    return {
        "bodies": bodies,
        "springs": springs,
        "rails": rails,
        "road": min(roads, default=None),
        "contacts": [c.name for c in model.connections.values() if c.is_contact],
        "joints": joints,
        "frames": [b.name for b in model.bodies.values() if b.motion is not None],
    }
