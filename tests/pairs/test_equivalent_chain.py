"""A higher pair as a chain of lower pairs, and back."""

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import pytest
from test_higher_pairs import RATES, SAMPLES, START

import trundle as tr
from trundle.errors import ModelError
from trundle.pairs import recognise
from trundle.pairs.wheelset_guide import WheelsetGuide
from trundle.space.rotation import axis_vector

SMOOTH = ("Plane", "Cylinder", "Cone", "Torus", "Sphere", "SpiralColumn", "TangentSurface")


@cache
def surface_pairs() -> list[tuple[str, str]]:
    found = []
    for i, a in enumerate(SMOOTH):
        for b in SMOOTH[i:]:
            try:
                tr.HigherPair(SAMPLES[a], SAMPLES[b])
                found.append((a, b))
            except ModelError:
                continue
    return found


def test_there_are_24_surface_pairs() -> None:
    assert len(surface_pairs()) == 24


def model() -> tuple[tr.Model, Any, Any]:
    m = tr.Model("contact", gravity=(0.3, -0.2, -1.0))
    body = m.body("body", mass=1.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.07))
    return m, m.ground.frame((0.1, 0.2, 0.3), ("x", 0.4)), body.frame((0.05, 0.0, -0.1), ("y", -0.3))


@pytest.mark.parametrize(("a", "b"), surface_pairs())
def test_expanded_pair_moves_as_the_compact_one(a: str, b: str) -> None:
    pair = tr.HigherPair(SAMPLES[a], SAMPLES[b])
    joints = pair.lower_pairs()
    assert len(joints) == 5 and joints[2].kind == "Revolute"
    m, ground, body = model()
    m.connect(pair, ground, body)
    wide, ground, body = model()
    made = pair.expand(wide, ground, body, name="contact")
    assert [type(c.pair).__name__ for c in made] == [joint.kind for joint in joints]
    ball = [step for step in pair.chain().steps if step.n_u == 3]
    turned = {0, 1, 2} if pair.ball_first else {2, 3, 4} if ball else set()
    compact, expanded, spin = {}, {}, np.zeros(3)
    for i, joint in enumerate(joints):
        q, u = (0.0 if i in turned else START[i]), RATES[i]
        what = "displacement" if joint.kind == "Prismatic" else "angle"
        expanded |= {f"contact_{joint.name}.{what}": q, f"contact_{joint.name}.{what}_rate": u}
        if i in turned:
            spin += u * axis_vector(joint.axis)
        else:
            name = next(s.name for s in pair.chain().steps if s.n_u == 1 and joint.name.endswith(s.name))
            compact |= {f"body.{name}": q, f"body.{name}_rate": u}
    if ball:
        compact["body.angular_rate"] = tuple(spin)
    one, five = m.build().accelerations(compact), wide.build().accelerations(expanded)
    for name in ("body.acceleration", "body.angular_acceleration"):
        assert five[name] == pytest.approx(one[name], abs=1e-12 * (1 + np.max(np.abs(one[name])))), name


def same(found: Any, wanted: Any) -> bool:
    sizes = [(getattr(found, f.name), getattr(wanted, f.name)) for f in fields(wanted)]
    return type(found) is type(wanted) and all(
        x == y if isinstance(y, bool) else abs(abs(x) - abs(y)) < 1e-9 for x, y in sizes
    )


@pytest.mark.parametrize(("a", "b"), [*surface_pairs(), ("pipe", "Sphere"), ("Plane", "CircleEdge")])
def test_a_chain_is_recognised(a: str, b: str) -> None:
    pair = tr.HigherPair(SAMPLES[a], SAMPLES[b])
    found = recognise(pair.five_screws())
    assert same(found.first, pair.first) and same(found.second, pair.second)
    # Sliding the central joint along its axis gives the pair of offset surfaces, on the same other screws.
    d = 0.013
    chain = pair.five_screws()
    steps = list(chain.steps)
    moved = np.array([float(v) for v in steps[2].at]) + d * axis_vector(steps[2].axis)
    steps[2] = tr.Screw(steps[2].axis, at=tuple(moved), name=steps[2].name)
    slid = recognise(tr.Chain(*steps, end=chain.end))
    if min(pair.first.dimension, pair.second.dimension) == 2:
        offset = pair.offset(d)
        assert same(slid.first, offset.first) and same(slid.second, offset.second)


def test_what_is_no_point_contact_is_refused() -> None:
    turn, slide = tr.Screw("z"), tr.Screw("x", float("inf"), name="x")
    with pytest.raises(ModelError, match="a point contact is five screws"):
        recognise(tr.Chain(turn, slide))
    askew = tr.Screw((1, 2, 3), 0.3, (0.4, 0.1, 0.2), name="b")
    steps = (
        tr.Screw("z", 0.2, (1, 0, 0)),
        askew,
        tr.Screw("z", name="c"),
        tr.Screw("x", name="d"),
        tr.Screw("y", name="e"),
    )
    with pytest.raises(ModelError, match="of the first surface make no point contact"):
        recognise(tr.Chain(*steps))
    with pytest.raises(ModelError, match="three joints in one"):
        recognise(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)).chain())


def test_screws_of_the_user_are_a_connection() -> None:
    """The guide of a wheelset from its five screws, and a helical joint about an axis anywhere."""
    names = {"lift": "displacement", "lateral": "displacement", "roll": "angle", "yaw": "angle", "pitch": "angle"}
    state = dict(zip(names, START, strict=True))
    rates = {f"{name}_rate": value for name, value in zip(names, RATES, strict=True)}
    own, ground, body = model()
    own.connect(tr.Chain(*WheelsetGuide().chain().steps), ground, body, name="guide")
    built, ground, body = model()
    built.connect(WheelsetGuide(), ground, body, name="guide")
    whole = built.build().accelerations({f"guide.{name}": value for name, value in (state | rates).items()})
    single = {f"guide_{name}.{what}{end}": (state | rates)[f"{name}{end}"]
              for name, what in names.items() for end in ("", "_rate")}  # fmt: skip
    apart = own.build().accelerations(single)
    for name in ("body.acceleration", "body.angular_acceleration"):
        assert apart[name] == pytest.approx(whole[name], abs=1e-12)
    m = tr.Model("screw", gravity=(0, 0, 0))
    nut = m.body("nut", mass=2.0, inertia=0.3)
    m.connect(tr.Chain(tr.Screw("x", 0.1, (0, 0.5, 0))), m.ground, nut)
    m.apply(tr.CoordinateForce("nut_angle.angle", lambda s: 1.0))
    found = m.build().accelerations({})["nut_angle.angle_acceleration"]
    assert found == pytest.approx(1 / (0.3 + 2.0 * (0.1**2 + 0.5**2)), rel=1e-12)


def test_a_chain_takes_no_laws_of_a_contact() -> None:
    m = tr.Model("chain")
    with pytest.raises(ModelError, match="takes no laws and springs"):
        m.connect(tr.Chain(tr.Screw("x")), m.ground, m.body("b", mass=1.0, inertia=1.0), law=tr.Spring(1.0))
    with pytest.raises(ModelError, match="at least one screw"):
        m.connect(tr.Chain(), m.ground, m.body("c", mass=1.0, inertia=1.0))
