"""Where friction leaves several motions possible (Painleve's paradox without a jam): dominoes that lean on each other.

Two dominoes slide on the four corners of their feet, and with the two corners of a tip on the face of the next one. All
six can press, and yet with one of them free, on either side, the other five can as well. On stiff springs instead of
rigid contacts the six loads run away from each other, and a corner parts.
"""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.contact.test_geared_contacts import decided

import trundle as tr
from trundle.contact.collision import layout as at

G, HEIGHT, WIDTH, DEPTH = 9.81, 0.5, 0.1, 0.3
INERTIA = (DEPTH**2 + HEIGHT**2) / 12, (WIDTH**2 + HEIGHT**2) / 12, (WIDTH**2 + DEPTH**2) / 12  # of 1 kg
CORNERS = 6  # feet of the first and of the second domino, tips of the first


def row_of(arm: Any, way: Any) -> np.ndarray:
    """Speed of a point along a way, over the velocity and the angular velocity of its body."""
    return np.concatenate([way, np.cross(arm, way)])


def leaning(angle: float, push: float, aside: float) -> tuple[Any, Any, Any]:
    """Two dominoes that lean to the right by the same angle: rows of their corners over speeds of unit masses, the
    accelerations without contacts, and speeds with which feet and tip slide. The second is pushed back at its tip, at
    `aside` from the middle, as by the next one.
    """
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    foot, tip, face = R @ (WIDTH / 2, 0, -HEIGHT / 2), R @ (WIDTH / 2, 0, HEIGHT / 2), R @ (-WIDTH / 2, 0, 0)
    out, up, side = R @ (-1, 0, 0), R @ (0, 0, 1), np.array([0.0, 1.0, 0.0])
    apart = np.array([(tip - face) @ out / out[0], 0, 0])  # of the mass centres: the tip lies in the plane of the face
    rows = np.zeros((3 * CORNERS, 12))
    for k, (body, y) in enumerate(product((0, 1), (-1, 1))):
        for axis in range(3):
            rows[3 * k + axis, 6 * body : 6 * body + 6] = row_of(foot + y * DEPTH / 2 * side, np.eye(3)[axis])
    for k, y in ((4, -1), (5, 1)):
        at_tip = tip + y * DEPTH / 2 * side
        for axis, way in enumerate((up, side, out)):
            rows[3 * k + axis] = np.concatenate([row_of(at_tip, way), -row_of(at_tip - apart, way)])
    roots = np.zeros((12, 12))  # of the inverse masses
    for body in (0, 1):
        roots[6 * body : 6 * body + 3, 6 * body : 6 * body + 3] = np.eye(3)
        roots[6 * body + 3 : 6 * body + 6, 6 * body + 3 : 6 * body + 6] = R @ np.diag(np.array(INERTIA) ** -0.5)
    force = np.zeros(12)
    force[[2, 8]] = -G
    force[6:] += push * row_of(tip + aside * side, out)
    rows = rows @ roots
    slips = np.tile([0.01, 0, 0], CORNERS)
    slips[[12, 15]] = -0.1
    return rows, rows @ (roots.T @ force), np.linalg.lstsq(rows, slips, rcond=None)[0]


def loads_of(rows: Any, free: Any, mu: float, speeds: Any, closed: Any) -> tuple[Any, Any, Any]:
    """Loads of the corners that are closed, the accelerations of all along their normals, and the matrix of the
    loads.
    """
    slips, columns = rows @ speeds, []
    for i in closed:
        push = np.zeros(len(rows))
        push[3 * i : 3 * i + 2] = -mu * slips[3 * i : 3 * i + 2] / np.hypot(*slips[3 * i : 3 * i + 2])
        push[3 * i + 2] = 1.0
        columns.append(push)
    A = rows @ rows.T @ np.array(columns).T
    normals = [3 * i + 2 for i in closed]
    loads = np.linalg.solve(A[normals], -free[normals])
    return loads, (free + A @ loads)[2::3], A[normals]


def solutions(rows: Any, free: Any, mu: float, speeds: Any) -> dict[tuple[int, ...], float]:
    """Corners that may press while the others part, of all that there are, and the lowest eigenvalue of each."""
    found = {}
    for choice in product((False, True), repeat=CORNERS):
        closed = tuple(i for i in range(CORNERS) if choice[i])
        if closed:
            loads, parting, A = loads_of(rows, free, mu, speeds, closed)
            if np.min(loads) > -1e-9 and np.min(parting) > -1e-9:
                found[closed] = float(np.min(np.linalg.eigvals(A).real))
    return found


def on_springs(rows: Any, free: Any, mu: float, speeds: Any, first: int) -> tuple[int, ...]:
    """Corners that press in the end where stiff springs stand in for rigid contacts: they begin with the loads of all
    six, but the load of corner `first` is a little too small.
    """
    loads, _, A = loads_of(rows, free, mu, speeds, range(CORNERS))
    gaps, rates, k, d, step = -loads, np.zeros(CORNERS), 1.0, 1.0, 0.02  # of unit stiffness: time is as short as it is
    gaps[first] *= 0.999
    for _ in range(4000):
        rates = rates + step * (free[2::3] + A @ np.maximum(-k * gaps - d * rates, 0.0))
        gaps = gaps + step * rates
    return tuple(int(i) for i in np.flatnonzero(gaps < 0))


@pytest.mark.parametrize("angle", [0.9, 1.08, 1.2])
@pytest.mark.parametrize(("push", "aside"), [(0.0, 0.0), (5.0, 0.0), (5.0, 0.1)])
def test_of_several_motions_one_is_taken_that_springs_lead_to(angle: float, push: float, aside: float) -> None:
    mu = 0.4
    rows, free, speeds = leaning(angle, push, aside)
    assert np.max(np.abs((rows @ speeds)[2::3])) < 1e-12
    possible, every = solutions(rows, free, mu, speeds), tuple(range(CORNERS))
    assert possible.get(every, -1.0) < 0  # not possible, or not for long
    modes, _ = decided(rows, free, mu, speeds, planar=False)
    chosen = tuple(int(i) for i in np.flatnonzero(modes[:, at.CLOSED]))
    assert chosen in possible and possible[chosen] > 0
    if every in possible:
        ends = {on_springs(rows, free, mu, speeds, i) for i in (4, 5)}
        assert chosen in ends and all(possible[closed] > 0 for closed in ends)


def random_contacts(seed: int) -> tuple[Any, Any, float, Any]:
    """Six points that slide, each with rows of its own over the speeds of unit masses; none parts."""
    rng = np.random.default_rng([7, seed])
    rows, speeds = rng.normal(size=(3 * CORNERS, 2 * CORNERS)), rng.normal(size=2 * CORNERS)
    speeds -= np.linalg.pinv(rows[2::3]) @ (rows[2::3] @ speeds)
    return rows, rows @ rng.normal(size=2 * CORNERS), rng.uniform(0.3, 1.2), speeds


def test_a_choice_is_noted_where_several_motions_are_possible_and_nowhere_else() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        lean = leaning(rng.uniform(0.7, 1.3), rng.choice([0.0, rng.uniform(0, 10)]), rng.uniform(-0.1, 0.1))
        mu = rng.uniform(0.2, 0.7)
        possible = solutions(lean[0], lean[1], mu, lean[2])
        modes, _ = decided(lean[0], lean[1], mu, lean[2], planar=False)
        assert np.any(modes[:, at.CHOICE]) == (len(possible) > 1)
        if len(possible) > 1:
            unstable = next(closed for closed, lowest in possible.items() if lowest < 0)
            assert tuple(np.flatnonzero(modes[:, at.CHOICE])) == unstable
            parted = np.flatnonzero(modes[:, at.CHOICE] == at.PARTED)
            assert {*parted} == {*unstable} - {*np.flatnonzero(modes[:, at.CLOSED])}


def test_no_choice_is_noted_where_random_contacts_have_one_motion_only() -> None:
    """Motions that are far from each other may be missed; here none are."""
    several, noted = 0, 0
    for seed in range(300):
        rows, free, mu, speeds = random_contacts(seed)
        modes, _ = decided(rows, free, mu, speeds, planar=False)
        possible = len(solutions(rows, free, mu, speeds)) + int(np.min(free[2::3]) > 0)  # or all part
        several += possible > 1
        if np.any(modes[:, at.CHOICE]):
            noted += 1
            assert possible > 1, seed
    assert several == noted > 3


# -- rows that fall ----------------------------------------------------------------------------------------------------


@cache
def dominoes(count: int) -> tr.System:
    """Dominoes free in space: every corner may touch the floor, the upper edge of each the face of the next one."""
    m = tr.Model(f"{count} dominoes free in space")
    law, last = tr.Coulomb(m.parameter("mu", 0.4)), None
    for i in range(count):
        body = m.body(f"d{i}", 1.0, INERTIA, shape=tr.shape.Box((WIDTH, DEPTH, HEIGHT)))
        m.contact(m.ground, body, law, name=f"floor{i}")
        if last is not None:
            face = body.frame((-WIDTH / 2, 0, 0), ((0, 1, 0), -np.pi / 2))
            for name, y in (("a", -DEPTH / 2), ("b", DEPTH / 2)):
                corner = last.at(WIDTH / 2, y, HEIGHT / 2)
                pair = tr.HigherPair(tr.Plane(), tr.Vertex())
                m.connect(pair, face, corner, f"touch{i}{name}", law, unilateral=True)
        last = body
    return m.build()


def pushed(count: int, apart: float, push: float) -> dict[str, Any]:
    start: dict[str, Any] = {f"d{i}.position": (apart * i, 0, HEIGHT / 2) for i in range(count)}
    return start | {"d0.angular_velocity": (0, push, 0), "d0.velocity": (push * HEIGHT / 2, 0, push * WIDTH / 2)}


def comes_to_rest(count: int, mu: float, apart: float, push: float) -> tr.Run:
    """A row whose first domino is pushed over falls and comes to rest; friction only dissipates, nothing penetrates."""
    steps = tr.Steps(most=60_000)
    run = dominoes(count).simulate(4.0, pushed(count, apart, push), {"mu": mu}, samples=101, steps=steps)
    assert run.ok, run.outcome
    assert not [name for name, _ in run.events if name.endswith("jams")]
    for i in range(count):
        for name in ("velocity", "angular_velocity"):
            assert np.max(np.abs(run.values(f"d{i}.{name}")[-1])) < 1e-12
    for name in dominoes(count).model.connections:
        if name.startswith(("floor", "touch")):
            assert np.min(run.values(f"{name}.gap")) > -1e-9
            assert np.min(run.values(f"{name}.friction_power")) > -1e-9
    energy = run.energy.kinetic + run.energy.potential
    assert np.max(np.diff(energy)) < 1e-8 * energy[0]
    return run


@pytest.mark.parametrize(("mu", "apart", "push"), [(0.3132, 0.2625, 7.391), (0.3083, 0.3062, 5.373)])
def test_a_corner_parts_where_six_that_slide_would_jam(mu: float, apart: float, push: float) -> None:
    """Both sides of the row have the same motion, so that nothing determines which corner it is; the run says so."""
    run = comes_to_rest(2, mu, apart, push)
    (text,) = run.warnings
    assert "several motions" in text and "'floor1.corner_5', 'floor1.corner_7', 'touch1a', 'touch1b' could all" in text
    assert run.events[0][1] <= float(text.split()[3]) <= run.events[-1][1]


def test_a_batch_tells_its_cases_in_which_a_motion_was_chosen() -> None:
    start = pushed(2, 0.2625, 7.391)
    cases = dominoes(2).batch(0.6, start, {"mu": np.array([0.3132, 0.05])})
    assert list(cases.warnings) == [0] and "several motions" in cases.warnings[0][0]
    assert cases.summary().endswith("2 FINISHED, 1 with warnings")
    assert not dominoes(2).simulate(0.6, start, {"mu": 0.05}).warnings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mu", "apart", "push"),
    [(0.2388, 0.1232, 5.28), (0.3580, 0.1436, 7.995), (0.3193, 0.2727, 3.678), (0.2599, 0.3475, 5.0)],
)
def test_rows_of_three_come_to_rest(mu: float, apart: float, push: float) -> None:
    """Half of such rows ended as jammed."""
    comes_to_rest(3, mu, apart, push)


@pytest.mark.slow
def test_slips_begin_along_the_direction_that_friction_has() -> None:
    """A rest of a slip aside of it changes the loads of others: a tip was found to part and to stay by turns."""
    comes_to_rest(3, *(0.7350588276998503, 0.2543209011369445, 5.289305202743056))
