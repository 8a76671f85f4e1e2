"""A random mechanism as a model file, written from the same data as the model in Python."""

from typing import Any

import numpy as np
import yaml
from random_models import SIX, RandomModel
from tests.adversary.random_parts import Array, Joint, Law

import trundle as tr


def as_file(data: RandomModel, sizes: dict[str, float]) -> str:
    """The text of the file with these numbers."""

    def number(name: str, value: float) -> float:
        return float(sizes.get(name, value))

    ground = "ground" if data.deck is None else "deck"
    joints = {joint.name: joint for joint in data.joints}
    sections: dict[str, Any] = {
        "name": f"random {data.kind} {data.seed}",
        "gravity": data.gravity.tolist(),
        "bodies": {
            b.name: {
                "mass": sizes[f"{b.name}_mass"],
                "inertia": [sizes[f"{b.name}_{i}"] for i in SIX],
                "com": [sizes[f"{b.name}_{axis}"] for axis in "xyz"],
            }
            for b in data.solids
        },
        "connections": {j.name: _connection(j, joints, number, ground) for j in data.joints},
        "forces": {},
    }

    def place(body: str, at: Any, R: Array | None = None) -> dict[str, Any]:
        return _place(ground if body == "ground" else body, at, R)

    for i, tie in enumerate(data.ties):
        first, second = (place(b, p) for b, p in zip((tie.first, tie.second), tie.ends, strict=True))
        how = {what: number(f"tie{i}_{what}", getattr(tie, what)) for what in ("stiffness", "damping", "length")}
        sections["forces"][f"tie {i}"] = {"spring_damper": {"first": first, "second": second, **how}}
    if data.push is not None:
        force = data.push[1].tolist()
        sections["forces"]["push"] = {"wrench": {"place": data.push[0], "force": force, "axes": "body"}}
    if data.deck is not None:
        pace, roll = number("deck_pace", data.deck.pace), number("deck_roll", data.deck.roll)
        angle = "swing" if data.deck.by_state else f"sin({pace!r}*t)"
        if data.deck.by_state:
            sections["states"] = {"swing": {"rate": f"{pace!r}*cos({pace!r}*t)", "unit": "rad"}}
        position = [f"{float(v)!r}*sin({pace!r}*t)" for v in data.deck.heave]
        turn = {"axis": data.deck.axis.tolist(), "angle": f"{roll!r}*{angle}"}
        sections["frames"] = {"deck": {"position": position, "rotation": turn}}
    if data.drive is not None:
        d, rate = data.drive, number("drive_rate", data.drive.rate)
        x, y, z = (float(f) for f in d.force)
        knots = np.linspace(-1, 1, len(d.values)).tolist()
        sections["tables"] = {"curve": {"x": knots, "y": list(map(float, d.values)), "beyond": "line"}}
        sections["inputs"] = {"gust": 0.3}
        sections["states"] = {"lag": {"rate": f"{rate!r}*(sin(2*t) + 0.2*gust - lag)"}}
        force = [f"{x!r}*lag", f"{y!r}*gust", f"{z!r}*curve(lag)"]
        sections["forces"]["drive"] = {"wrench": {"place": d.body, "force": force, "axes": "body"}}
    return str(yaml.safe_dump({k: v for k, v in sections.items() if v}, sort_keys=False))


def _place(body: str, at: Any, R: Array | None) -> dict[str, Any]:
    found: dict[str, Any] = {"body": body, "at": [float(v) for v in at]}
    return found if R is None else {**found, "rotation": R.tolist()}


def _connection(joint: Joint, joints: dict[str, Joint], number: Any, ground: str) -> dict[str, Any]:
    at = joint.place(number, joints)
    above = [p + up for p, up in zip(at, joint.lift(number), strict=True)]
    ends = (ground if b == "ground" else b for b in (joint.first, joint.second))
    R2 = joint.R if joint.teeth is None else joint.teeth.R
    found: dict[str, Any] = {"first": _place(next(ends), at, joint.R), "second": _place(next(ends), above, R2)}
    if joint.touch is not None:
        under, radius = (
            number(f"{joint.name}_under", joint.touch.under),
            number(f"{joint.name}_radius", joint.touch.radius),
        )
        second = {"Torus": {"radius": radius, "tube": 0.3 * radius}}.get(joint.touch.second, radius)
        found["pair"] = "HigherPair"
        first = "Plane" if joint.touch.first == "Plane" else {joint.touch.first: under}
        found["surfaces"] = [first, {joint.touch.second: second}]
        if isinstance(joint.touch.law, tr.RegularisedCoulomb):
            found["law"] = {"RegularisedCoulomb": {"mu": joint.touch.law.mu, "v0": joint.touch.law.v0}}
        elif joint.touch.law is not None:
            found["law"] = "NoSlip"
    elif joint.teeth is not None:
        found |= _teeth(joint, number)
    else:
        kind = type(joint.pair).__name__
        found["pair"] = kind
        if kind not in ("Spherical", "Fixed", "Free"):
            found["axis"] = joint.pair.axis
        if kind == "Helical":
            found["pitch"] = joint.pair.pitch
        if joint.laws:
            found["law"] = {c: _law(law, number, f"{joint.name}_{c}") for c, law in joint.laws.items()}
    if joint.compliance is not None:
        found["compliance"] = {"stiffness": joint.compliance.stiffness, "damping": joint.compliance.damping}
    return found


def _teeth(joint: Joint, number: Any) -> dict[str, Any]:
    assert joint.teeth is not None
    a, b = (number(f"{joint.name}_{letter}", getattr(joint.teeth, letter)) for letter in "ab")
    height = float(np.linalg.norm(joint.teeth.away))
    crossed = joint.teeth.kind == "crossed"
    belt = {"pair": "Belt", "first_radius": 0.1 * a, "second_radius": 0.1 * b, "crossed": crossed}
    profile = f"{0.7 * height!r} - {0.05 * a!r}*(1 - cos(angle))"
    words: dict[str, dict[str, Any]] = {
        "Gear": {"pair": "Gear", "ratio": -a},
        "ring": {"pair": "Gear", "ratio": 0.4 * a / (1 + a)},
        "BevelGear": {"pair": "BevelGear", "ratio": -a, "radius": 0.1 * b},
        "Rack": {"pair": "RackAndPinion", "radius": 0.1 * a},
        "Belt": belt,
        "crossed": belt,
        "Cam": {"pair": "PlanarPair", "surfaces": [{"Cam": {"profile": profile}}, {"Circle": 0.3 * height}]},
    }
    return words[joint.teeth.kind]


def _law(law: Law, number: Any, name: str) -> dict[str, Any]:
    a, b, c = (number(f"{name}_{letter}", getattr(law, letter)) for letter in "abc")
    if law.kind == "spring":
        return {"spring": {"stiffness": 3 * a, "damping": 0.3 * b, "rest": 0.1 * c}}
    if law.kind == "damper":
        return {"damper": 0.5 * a}
    if law.kind == "motor":
        return {"motor": f"{a!r}*sin({b!r}*t) - 0.2*u"}
    return {"spring": {"stiffness": a, "damping": 0.1 * b}}
