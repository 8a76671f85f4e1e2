"""Contacts of a body that land equally fast collide at once: the result does not depend on their order."""

from itertools import permutations

import numpy as np
import pytest

import trundle as tr
from trundle.contact.collision import layout as at
from trundle.contact.collision.collide import Solved, solve_collision
from trundle.typing import Array
from trundle.walker.dimer import bouncing_dimer

CORNERS = [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)]
G = 9.81


def falling_flat(order: tuple[int, ...], restitution: float = 0.0, impacts: str = "sequential") -> tr.Run:
    """A box that falls flat while it moves along x; its run until just after the landing."""
    m = tr.Model("flat")
    m.impacts = impacts
    box = m.body("box", mass=1.0, inertia=(0.02, 0.03, 0.04))
    for k in order:
        m.connect(
            tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, box.at(*CORNERS[k], -0.1), law=tr.Coulomb(0.3),
            unilateral=True, restitution=restitution, name=f"corner_{k}",
        )  # fmt: skip
    m.start = {"box.position": (0, 0, 0.3), "box.velocity": (1.0, 0, -2.0)}
    return m.build().simulate(0.0831, samples=[0.0831])


def test_a_box_that_falls_flat_slides_on_straight() -> None:
    """Plastic: the slide loses mu times the normal impulse, and nothing turns, in whatever order corners are given."""
    landing = np.sqrt(2.0**2 + 2 * G * 0.2)
    for order in ((0, 1, 2, 3), (2, 1, 3, 0)):
        run = falling_flat(order)
        after = 1.0 - 0.3 * landing - 0.3 * G * (0.0831 - run.events[0][1])
        np.testing.assert_allclose(run["box.velocity"].values[-1], [after, 0, 0], atol=1e-12)
        np.testing.assert_allclose(run["box.angular_velocity"].values[-1], 0.0, atol=1e-12)


def test_a_bounce_keeps_the_plane_of_symmetry() -> None:
    """Friction tips a box that bounces, as it does with springs at its corners, but does not turn it aside."""
    runs = [falling_flat(order, 0.5) for order in ((0, 1, 2, 3), (3, 0, 2, 1))]
    turning = [run["box.angular_velocity"].values[-1] for run in runs]
    np.testing.assert_allclose(turning[0], turning[1], atol=1e-12)
    np.testing.assert_allclose(turning[0][[0, 2]], 0.0, atol=1e-12)
    springs = falling_flat((0, 1, 2, 3), 0.5, "compliant")["box.angular_velocity"].values[-1]
    assert turning[0][1] == pytest.approx(springs[1], rel=0.07)


def test_a_rod_that_lands_level_stays_level() -> None:
    m = bouncing_dimer(restitution=0.8)
    run = m.build().simulate(0.05, samples=[0.05])
    lands = run.events[0][1]
    assert abs(run.values("pose.angle_rate")[-1]) < 1e-12
    assert run.values("height_rate")[-1] == pytest.approx(0.8 * G * lands - G * (0.05 - lands), abs=1e-9)


def test_bodies_that_land_at_the_same_time_are_independent() -> None:
    """Two rods far from each other strike the floor with their ends at once, each as if it were alone."""

    def ends(count: int) -> list[Array]:
        m = tr.Model("rods")
        for k in range(count):
            rod = m.body(f"rod_{k}", mass=1.0, inertia=(0.001, 0.08, 0.08))
            m.connect(
                tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, rod.at(0.5, 0, 0), law=tr.Coulomb(0.4),
                unilateral=True, restitution=0.6, name=f"end_{k}",
            )  # fmt: skip
            turn = (np.cos(0.4), 0, np.sin(0.4), 0)
            m.start |= {f"rod_{k}.position": (0, 3.0 * k, 1.0), f"rod_{k}.quaternion": turn}
            m.start |= {f"rod_{k}.velocity": (1.0, 0, -2.0)}
        run = m.build().simulate(0.3, samples=[0.3])
        assert run.ok and run.events
        return [run[f"rod_{k}.velocity"].values[-1] for k in range(count)]

    (alone,), both = ends(1), ends(2)
    np.testing.assert_allclose(both, [alone, alone], atol=1e-10)


def collision(D: Array, v: Array, mu: Array, e: float, law: int) -> Solved:
    """A collision of contacts with inverse masses D that all touch."""
    contacts = len(mu)
    data = [[m, m, e, law, 1.0, 1e-8, 0.0, 0.0, -1.0, 1.0, 1.0, 0.0] for m in mu]
    return solve_collision(np.concatenate([v, D.ravel(), np.ravel(data)]), contacts, at.SEQUENTIAL)


@pytest.mark.parametrize("law", [at.POISSON, at.NEWTON])
@pytest.mark.parametrize("e", [0.0, 0.4])
def test_random_bodies(e: float, law: int) -> None:
    """Any order gives the same; impulses lie in their cones, act against the slip and take energy."""
    rng = np.random.default_rng(12)
    for _ in range(40):
        contacts = int(rng.integers(2, 5))
        n = 3 * contacts
        arms = rng.normal(size=(n, 6)) * [1, 1, 1, 0.3, 0.3, 0.3]
        for i in range(contacts):  # a rigid body: the velocity of its mass centre is that of every point
            arms[3 * i : 3 * i + 3, :3] = np.eye(3)
        D = arms @ arms.T
        v = np.tile([*rng.normal(size=2), -1.0], contacts)
        mu = rng.uniform(0.0, 0.8, contacts)
        found = collision(D, v, mu, e, law)
        if not found.good:  # Newton's law may gain energy
            assert law == at.NEWTON and e > 0.0
            continue
        p, after = found.impulses.reshape(-1, 3), found.after.reshape(-1, 3)
        np.testing.assert_allclose(found.after, v + D @ found.impulses, atol=1e-11)
        assert np.all(after[:, 2] > -1e-12) and found.lost > -1e-12
        friction = np.linalg.norm(p[:, :2], axis=1)
        assert np.all(friction <= mu * p[:, 2] + 1e-11)
        if e == 0.0:  # nothing leaves that is pressed, and what slides is held as much as can be
            np.testing.assert_allclose(p[:, 2] * after[:, 2], 0.0, atol=1e-11)
            slips = np.linalg.norm(after[:, :2], axis=1)
            np.testing.assert_allclose(np.sum(p[:, :2] * after[:, :2], axis=1), -friction * slips, atol=1e-11)
            np.testing.assert_allclose(slips * (mu * p[:, 2] - friction), 0.0, atol=1e-11)
        for order in list(permutations(range(contacts)))[1:4]:
            rows = np.concatenate([[3 * i, 3 * i + 1, 3 * i + 2] for i in order])
            other = collision(D[np.ix_(rows, rows)], v[rows], mu[list(order)], e, law)
            np.testing.assert_allclose(other.after, found.after[rows], atol=1e-11)


def test_throws_do_not_depend_on_the_order_of_the_corners() -> None:
    """A box thrown at random, with corners of different friction, has the same motion to round-off."""
    rng = np.random.default_rng(5)
    systems = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        m = tr.Model("thrown")
        box = m.body("box", mass=1.3, inertia=(0.02, 0.03, 0.04))
        for k in order:
            m.connect(
                tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, box.at(*CORNERS[k], -0.1),
                law=tr.Coulomb(0.2 + 0.1 * k), unilateral=True, restitution=0.3, name=f"corner_{k}",
            )  # fmt: skip
        systems.append(m.build())
    for _ in range(3):
        turn, velocity, spin = rng.normal(size=4), rng.normal(size=3), 3 * rng.normal(size=3)
        start = {"box.position": (0, 0, 0.5), "box.quaternion": turn / np.linalg.norm(turn)}
        start |= {"box.velocity": velocity, "box.angular_velocity": spin}
        first, second = (system.simulate(0.6, start, samples=31) for system in systems)
        assert first.ok and second.ok and len(first.events) > 5
        np.testing.assert_allclose(first["box.velocity"], second["box.velocity"], atol=1e-8)
