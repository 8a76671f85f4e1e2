"""All time loops from bitcode against the same loops compiled by numba for this processor: runs are equal."""

from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.kernel import compiled, make_loops, read_tape
from trundle.kernel.fuse import fuse
from trundle.kernel.program import program

pytestmark = pytest.mark.slow

NOT_RUN = {"collide_nearby", "track_other_normals"}
"""Parts that only derivatives of impacts and surfaces with several nearest points ask for."""


def box() -> tr.Model:
    """A box that lands on its corners and slides."""
    m = tr.Model("box")
    body = m.body("box", mass=1.0, inertia=(0.02, 0.03, 0.04))
    corners = {f"corner_{x:+}{y:+}": (0.2 * x, 0.1 * y, -0.1) for x in (-1, 1) for y in (-1, 1)}
    pair = tr.HigherPair(tr.Plane(), tr.Vertex())
    m.connect_points(pair, m.ground, body, corners, name="floor", law=tr.Coulomb(0.4), unilateral=True)
    m.start = {"box.position": (0, 0, 0.3), "box.velocity": (1.0, 0, 0), "box.angular_velocity": (0.3, 0.5, 0)}
    return m


def switched() -> tr.Model:
    """A pendulum with events, a law that changes at known times, and one that acts on its crossings."""
    m = tr.Model("switched")
    push = m.parameter("push", 1.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(lambda t, q, u: push * tr.step(t - 0.7) * tr.sin(5 * t)))
    m.event("bottom", lambda s: s["bob.angle"], direction=-1, action={"push": lambda s: -s["push"]})
    m.start = {"bob.angle": 1.0}
    return m


def answers() -> dict[str, np.ndarray]:
    """Runs that between them use every part that is not in NOT_RUN."""
    pendulum = tr.examples.model("simple-pendulum").build()
    angle = pendulum.simulate(0.1).coordinates[0]
    spread = np.linspace(0.1, 1.0, 37)
    landed = box().build().simulate(1.0)
    return {
        "explicit": pendulum.simulate(5.0).values(angle),
        "lanes": np.asarray(pendulum.batch(2.0, {angle: spread}).end(angle)),
        "loop": tr.examples.model("four-bar").build().simulate(3.0).values("left.angle"),
        "stiff": tr.examples.model("flyball-governor").build().simulate(1.0, method="stiff").values("shaft.angle"),
        "stiff loop": tr.examples.model("stiff-four-bar").build().simulate(0.5, method="stiff").values("left.angle"),
        "impacts": landed.values("box.position"),
        "impulses": np.array([sum(hit.impulse.values()) for hit in landed.impacts]),
        "events": switched().build().simulate(4.0).values("bob.angle"),
        "bicycle": tr.bicycle.benchmark().build().simulate(1.0, {"speed": 4.6, "roll_rate": 0.5}).values("roll"),
        "plan": program(fuse(read_tape(tr.bicycle.benchmark().build().formulation.functions.rhs()))).steps["a"],
        "map": np.asarray(tr.walker.predict(np.linspace(0.1, 1, 50), 1.0, 0.6, 0.05).end),
    }


def test_runs_are_equal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shipped = answers()
    asked: dict[str, int] = {}

    def by_numba(part: str, home: str) -> int:
        if part not in asked:
            asked[part] = compiled._load(part, compiled._generate(part, make_loops.bitcode(part, home)))
        return asked[part]

    monkeypatch.setattr(compiled, "_address", by_numba)
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))  # where no equations are kept, so that all are made anew
    own = answers()
    for name, values in shipped.items():
        np.testing.assert_allclose(own[name], values, rtol=1e-9, atol=1e-9, err_msg=name)
    assert set(compiled.PARTS) - set(asked) <= NOT_RUN
