"""Where joints, mass centres, shapes and springs sit on their bodies: plain numbers, stored with a run, drawn later."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.pairs.higher import HigherPair

if TYPE_CHECKING:
    from trundle.run.dataset import Run

Geometry = dict[str, Any]


def geometry(run: "Run") -> Geometry:
    """Points in body axes (m).

    "bodies": {name: {"com", "joints", "shapes"}}, a shape being {"kind": "Rod", ...} with the fields of its class;
    "springs": [[body, point, body, point]]; "rails": [[point of the ground, direction, body, its point]];
    "road": height of a level plane of the ground that something rolls on, or None.
    """
    if run.formulation is None:
        stored: Geometry = json.loads(run.dataset.attrs.get("geometry", '{"bodies": {}, "springs": [], "rails": []}'))
        return stored
    return _read(run.formulation, run.parameters)


def _read(f: Formulation, parameters: dict[str, float]) -> Geometry:
    model = f.model
    symbols = [p.symbol for p in model.parameters.values()]
    values = [parameters[name] for name in model.parameters]

    def point(position: Any) -> list[float]:
        import casadi as ca

        function = ca.Function("point", [ca.vertcat(ca.SX(0, 1), *symbols)], [ca.SX(ca.vertcat(*position))])
        return [float(v) for v in np.array(ca.DM(function(values))).ravel()]

    bodies: dict[str, Any] = {
        body.name: {
            "com": point(body.com),
            "joints": [],
            "shapes": [{"kind": type(shape).__name__, **asdict(shape)} for shape in body.shape],
        }
        for body in model.bodies.values()
    }
    rails = []
    level = [
        c.first
        for c in model.connections.values()
        if isinstance(c.pair, HigherPair) and c.pair.first.flat and c.first.rotation[2, 2] > 0.999
    ]
    roads = [point(frame.position)[2] for frame in level if frame.body.is_at_rest]
    for connection in model.connections.values():
        first, second = connection.first, connection.second
        if "normal" in connection.pair.locked:
            continue  # a contact is drawn by its bodies
        slides = "z" in connection.pair.free
        if slides and len(connection.pair.free) < 3 and (first.body.is_at_rest or second.body.is_at_rest):
            ground, other = (first, second) if first.body.is_at_rest else (second, first)
            direction = ground.rotation @ connection.pair.frame()[:, 2]
            rails.append([point(ground.position), direction.tolist(), other.body.name, point(other.position)])
        elif len(connection.pair.free) < 3 or not slides:
            for frame in (first, second):
                bodies[frame.body.name]["joints"].append(point(frame.position))
    springs = []
    for force in model.forces.values():
        if len(force.places) == 2:
            a, b = force.places
            springs.append([a.body.name, point(a.position), b.body.name, point(b.position)])
    return {"bodies": bodies, "springs": springs, "rails": rails, "road": min(roads, default=None)}
