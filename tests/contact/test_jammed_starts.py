"""Bodies in a row, joined by hinges, that slide over a rough line on feet: a start is refused (Painleve's paradox)
where no loads are possible, and only there; these are searched for among all sets of feet, by equations of their own.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np
import pytest
from scipy.optimize import linprog

import trundle as tr
from trundle.errors import SolveError

G, HALF = 9.81, 0.4  # from the middle of a body to its hinges


@final
@dataclass(frozen=True)
class Row:
    """Bodies at one height, without tilt, moving along x at `speed`."""

    height: float
    speed: float
    bodies: list[tuple[float, float]]  # mass, inertia
    feet: list[tuple[int, float, float]]  # body, place along it, coefficient of friction
    pushes: list[tuple[float, float, float, float]]  # on each body: x, z, force along x, along z

    def model(self, feet: Any) -> tr.Model:
        m = tr.Model("row of bodies")
        for k, ((mass, inertia), (x, z, *force)) in enumerate(zip(self.bodies, self.pushes, strict=True)):
            body = m.body(f"b{k}", mass=mass, inertia=inertia)
            m.connect(tr.Planar("y"), m.ground, body, name=f"pose{k}")
            if k:
                m.connect(tr.Revolute("y"), m.bodies[f"b{k - 1}"].at(HALF, 0, 0), body.at(-HALF, 0, 0), name=f"j{k}")
            m.apply(tr.Wrench(body.at(x, 0, z), force=(force[0], 0, force[1])))
            m.start |= {f"b{k}.position": (2 * HALF * k, 0, self.height), f"b{k}.velocity": (self.speed, 0, 0)}
        for i in feet:
            k, x, mu = self.feet[i]
            foot, pair = m.bodies[f"b{k}"].at(x, 0, -self.height), tr.PlanarPair(tr.Line(), tr.Vertex())
            m.connect(pair, m.ground, foot, name=f"f{i}", law=tr.Coulomb(mu), unilateral=True)
        return m

    def loads(self) -> tuple[Any, Any]:
        """Accelerations of the feet out of the line per load, friction included, and without loads."""
        n, rows = 3 * len(self.bodies), np.zeros((0, 3 * len(self.bodies)))  # x, z and angle of each body
        inverse = np.diag([1 / v for mass, inertia in self.bodies for v in (mass, mass, inertia)])
        force = np.zeros(n)
        for k, ((mass, _), (x, z, along, up)) in enumerate(zip(self.bodies, self.pushes, strict=True)):
            force[3 * k : 3 * k + 3] = along, up - mass * G, z * along - x * up
            if k:
                hinge = np.zeros((2, n))
                hinge[0, [3 * k - 3, 3 * k]] = 1, -1
                hinge[1, [3 * k - 2, 3 * k - 1, 3 * k + 1, 3 * k + 2]] = 1, -HALF, -1, -HALF
                rows = np.vstack([rows, hinge])
        if len(rows):
            inverse -= inverse @ rows.T @ np.linalg.solve(rows @ inverse @ rows.T, rows @ inverse)
        normals, pushed = np.zeros((len(self.feet), n)), np.zeros((n, len(self.feet)))
        for i, (k, x, mu) in enumerate(self.feet):
            friction = -mu * np.sign(self.speed)
            normals[i, 3 * k : 3 * k + 3] = 0, 1, -x
            pushed[3 * k : 3 * k + 3, i] = friction, 1, -x - self.height * friction
        return normals @ inverse @ pushed, normals @ inverse @ force


def drawn(seed: int) -> Row:
    rng = np.random.default_rng([11, seed])
    height, count = rng.uniform(0.1, 0.5), int(rng.integers(1, 4))
    masses = rng.uniform(1, 3, count)
    feet = [(k, rng.uniform(-0.3, 0.3), rng.uniform(0.3, 1.5)) for k in range(count) for _ in range(rng.integers(1, 5))]
    signs = rng.choice([-1, 1], count)
    return Row(
        height,
        float(rng.choice([-1, 1])) * rng.uniform(1, 3),
        [(m, m * rng.uniform(0.003, 0.03)) for m in masses],
        feet,
        [
            (rng.uniform(-0.2, 0.2), rng.uniform(-height, height), s * m * rng.uniform(0, 10), -m * rng.uniform(0, 10))
            for s, m in zip(signs, masses, strict=True)
        ],
    )


def possible(A: Any, free: Any) -> bool:
    """Whether a set of feet can press while the others part: loads and accelerations that are not negative."""
    n, size = len(free), np.max(np.abs(free))
    if np.min(free) >= 0:
        return True
    for count in range(1, n + 1):
        for some in map(list, combinations(range(n), count)):
            rest = [i for i in range(n) if i not in some]
            limits = {"A_ub": -A[np.ix_(rest, some)], "b_ub": free[rest] / size + 1e-9} if rest else {}
            found = linprog(np.zeros(count), A_eq=A[np.ix_(some, some)], b_eq=-free[some] / size, **limits)
            if found.status == 0:
                return True
    return False


def starts(row: Row, formalism: str, feet: Any) -> bool:
    try:
        row.model(feet).build(formalism).simulate(1e-4)
    except SolveError as error:
        assert "Painleve" in str(error)
        return False
    return True


def assert_told_where_no_loads_are_possible(seed: int) -> bool:
    """In whichever order the feet are given."""
    row = drawn(seed)
    feet, found = range(len(row.feet)), possible(*row.loads())
    assert [starts(row, "kane", order) for order in (feet, feet[::-1])] == [found, found]
    return found


@pytest.mark.parametrize("seed", [46, 64])
def test_feet_that_would_jam_alone_slide_together(seed: int) -> None:
    assert assert_told_where_no_loads_are_possible(seed)


@pytest.mark.parametrize("seed", [16, 19])
def test_rows_that_jam_are_told(seed: int) -> None:
    """Also (16) where this is seen only when a foot that would pull has opened."""
    assert not assert_told_where_no_loads_are_possible(seed)


@pytest.mark.slow
def test_rows_of_bodies_jam_where_no_loads_are_possible() -> None:
    possible_ones = [assert_told_where_no_loads_are_possible(seed) for seed in range(60)]
    assert 5 < possible_ones.count(False) < 20


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
@pytest.mark.parametrize("feet", [(0.1, 0.3), (0.3, 0.1)])
def test_a_box_slides_on_two_feet_of_which_one_would_jam_alone(feet: tuple[float, float], formalism: str) -> None:
    """Both feet lie ahead of the mass centre, which friction tips forward onto the middle between them."""
    row = Row(0.2, 2.0, [(1.0, 0.005)], [(0, x, 1.0) for x in feet], [(0.0, 0.0, 0.0, 0.0)])
    A, free = row.loads()
    assert np.min(np.diag(A)) < 0 < np.linalg.det(A)
    np.testing.assert_allclose(np.linalg.solve(A, -free), [G / 2] * 2)
    run = row.model((0, 1)).build(formalism).simulate(0.1, samples=[0.1])
    assert run.ok and not run.events
    assert run.values("b0.velocity")[-1][0] == pytest.approx(2.0 - 0.1 * G, abs=1e-9)
