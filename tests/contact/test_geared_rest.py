"""A slip that is slow because it is geared down is not at rest: stopping it would stop what drives it."""

import numpy as np
import pytest

import trundle as tr

G, MU, FLYWHEEL, RATE = 9.81, 0.3, 0.5, 100.0


def lead_screw(m: tr.Model, pitch: float, feet: int) -> None:
    """A flywheel that moves a sled by a screw, so slowly that its slip is far below the speeds of the run."""
    carriage, sled = m.body("carriage", 1.0, (0.1, 0.1, 0.1)), m.body("sled", 1.0, (0.1, 0.1, 0.1))
    wheel = m.body("wheel", 1.0, (FLYWHEEL,) * 3)
    m.connect(tr.Prismatic("x"), m.ground, carriage, name="way")
    m.connect(tr.Prismatic("z"), carriage, sled, name="lift")
    m.connect(tr.Revolute("x"), carriage, wheel, name="axle")
    m.connect(tr.Helical("x", pitch), m.ground, wheel, name="screw")
    for i in range(feet):
        floor, foot = m.ground.at(0, 0, -0.1), sled.at(0.4 * i - 0.2, 0, -0.1)
        m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), floor, foot, f"foot{i}", tr.Coulomb(MU), restitution=0.0)
    m.start |= {"axle.angle_rate": RATE, "way.displacement_rate": RATE * pitch}


@pytest.mark.parametrize("height", [0.0, 0.01])
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_sled_on_a_lead_screw_slides(height: float, turn: float) -> None:
    """Friction takes mu N pitch from the flywheel, whichever way the axes of the contact lie."""
    pitch, m = 1e-7, tr.Model("lead screw")
    lead_screw(m, pitch, 2)
    if turn:
        for name in ("foot0", "foot1"):
            c = m.connections.pop(name)
            floor = m.ground.frame((0, 0, -0.1), ((0, 0, 1), turn))
            m.connect(c.pair, floor, c.second, name, tr.Coulomb(MU), restitution=0.0)
    m.start["sled.position"] = (0, 0, height)
    run = m.build().simulate(0.2, samples=3)
    assert run.ok
    lost = MU * G * pitch / FLYWHEEL * 0.2  # the landing takes mu m g t of the fall
    assert run.values("axle.angle_rate").ravel()[-1] - RATE == pytest.approx(-lost, rel=1e-5)


def test_a_block_that_comes_to_rest_beside_a_lead_screw_does_not_stop_it() -> None:
    """Plastic contacts that part too slowly to be resolved stay; others are left alone."""
    pitch, lean, m = 1e-7, 0.03, tr.Model("lead screw beside a rocking block")
    lead_screw(m, pitch, 1)
    block = m.body("block", 1.0, (0.05, 0.05, 0.05))
    m.connect(tr.Planar("y"), m.ground, block, name="pose")
    for i in range(2):
        edge = block.at(0.3 * i - 0.15, 0, -0.3)
        m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), m.ground, edge, f"edge{i}", tr.Coulomb(0.6), restitution=0.0)
    m.start |= {"block.position": (0, 0, 0.3 * np.cos(lean) + 0.15 * np.sin(lean)), "pose.angle": lean}
    run = m.build().simulate(1.0, samples=3)
    assert run.ok
    assert np.max(np.abs(run.values("block.angular_velocity")[-1])) < 1e-12
    assert run.values("axle.angle_rate").ravel()[-1] - RATE == pytest.approx(-MU * G * pitch / FLYWHEEL, rel=1e-5)
