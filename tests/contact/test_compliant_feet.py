"""A box that slides to rest on four feet with elastic normals."""

from typing import Any

import pytest

import trundle as tr

FEET = [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]  # m


def box(law: Any, **how: Any) -> tr.Run:
    m = tr.Model("box on four feet")
    body = m.body("box", mass=1.0, inertia=(0.1, 0.1, 0.1))
    for i, (x, y) in enumerate(FEET):
        m.connect(
            tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body.at(x, y, 0), name=f"foot{i}", law=law, **how
        )
    return m.build().simulate(1.0, {"box.position": (0, 0, 0.1), "box.velocity": (1.0, 0.2, 0.0)}, samples=2)


def test_stops_that_accumulate_say_what_is_not_determined() -> None:
    """Who shares the friction is not: it is refused by name, with what works."""
    run = box(tr.Coulomb(0.3), compliance=tr.HuntCrossley(1e5, 1.0))
    assert run.outcome.startswith("ZENO") and not run.ok
    assert "stops and slips of 'foot0'" in run.outcome and "unilateral=True, no compliance" in run.outcome


@pytest.mark.parametrize("how", [{"compliance": tr.HuntCrossley(1e5, 1.0)}, {"unilateral": True}])
def test_what_the_message_proposes_comes_to_rest(how: dict[str, Any]) -> None:
    law = tr.RegularisedCoulomb(0.3, 1e-3) if "compliance" in how else tr.Coulomb(0.3)
    run = box(law, **how)
    assert run.ok
    vx, vy, _ = run.values("box.velocity")[-1]
    assert abs(vx) < 1e-3 and abs(vy) < 1e-3
