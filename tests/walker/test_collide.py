"""Collisions with compliant feet: closed forms, predicted phases, energy, and the same wheel as an ordinary model."""

from math import acosh, atan2, cos, inf, pi, sin, sinh, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import trundle as tr
from trundle.errors import ModelError, SolveError
from trundle.walker import BiStiffness, Collision, collide, predict

PAPER = (0.25, pi / 3, 2.9)  # inertia ratio, half angle, friction of [Barjau 2022, section 5]
FEET = BiStiffness(1.0, 0.2)


def rates(lam: float, beta: float, kappa: float) -> tuple[float, float, float]:
    """Rises of slip and of the normal speeds of front and back foot by a unit impulse at the front foot."""
    s, c = sin(beta), cos(beta)
    turn = (s + kappa * c) / lam
    return kappa + c * turn, 1 + s * turn, 1 - s * turn


def predicted(lam: float, beta: float, mu: float, slip: float, e: float) -> tuple[str, float]:
    """Sequence of phases over the normal impulse, and how far (relatively) the case is from another one."""
    mu_c = sin(beta) * cos(beta) / (lam + cos(beta) ** 2)
    rest = ("stick", -mu_c) if mu >= mu_c else ("forward", -mu)
    kind, kappa = rest if slip == 0 else (("forward", -mu) if slip > 0 else ("backward", mu))
    tangential, front, back = rates(lam, beta, kappa)
    margins = [abs(mu / mu_c - 1), abs(back)]
    if back < 0:
        return "DP", min(margins)
    stop = -slip / tangential if slip * tangential < 0 else inf
    last = (1 + e) / front if front > 0 else inf
    if stop < inf and last < inf:
        margins.append(abs(stop / last - 1))
    return kind if last <= stop else f"{kind}+{rest[0]}", min(margins)


def random_cases(count: int) -> list[tuple[float, float, float, float, float]]:
    rng = np.random.default_rng(20)
    cases = []
    for n in range(count):
        slip = 0.0 if n % 10 == 0 else rng.uniform(-1, 0) if n % 2 else rng.uniform(0, 2)
        plastic = n % 3 == 0
        friction = rng.uniform(0, 0.6 if n % 3 == 1 else 4)
        cases.append(
            (rng.uniform(0.02, 1.5), rng.uniform(0.05, 1.52), friction, slip, 1.0 if plastic else rng.random())
        )
    return cases


def impulses_explain_velocities(run: Collision) -> float:
    """Largest difference between the velocities and those which the impulses give to a free rigid body."""
    s, c = run.length * sin(run.half_angle), run.length * cos(run.half_angle)
    inertia = run.inertia_ratio * run.length**2
    up = (run.front_impulse + run.back_impulse) / run.mass
    turning = (s * (run.back_impulse - run.front_impulse) - c * run.friction_impulse) / (run.mass * inertia)
    along = run.friction_impulse / run.mass
    expected = (up - s * turning, up + s * turning, along - c * turning)
    found = (run.front_velocity, run.back_velocity, run.slip)
    return max(float(np.max(np.abs(f - f[0] - e))) for f, e in zip(found, expected, strict=True))


def out_of_bounds(run: Collision) -> float:
    """By how much a force is not that which its law and Coulomb's law give for the motion: where a foot or the slip is
    at rest, by how much it leaves its bounds.
    """
    law, moves = run.law, 1e-9
    worst = [0.0]
    for name in ("front", "back"):
        force, d, up = (getattr(run, f"{name}_{what}") for what in ("force", "deformation", "velocity"))
        least, most = (law.stiffness * np.maximum(d, 0) * (1 + s * law.internal_friction) for s in (-1, 1))
        worst += [np.max(force - most), np.max(np.where(up < -moves, most - force, 0))]
        worst += [np.max(np.where(d > moves, least - force, 0)), np.max(np.where(up > moves, force - least, 0))]
    largest = run.friction * (run.front_force + run.back_force)
    slides = np.where(np.abs(run.slip) > moves, np.sign(run.slip), 0)
    worst += [
        np.max(np.abs(run.friction_force) - largest),
        np.max(slides * run.friction_force + np.abs(slides) * largest),
    ]
    return float(max(worst) * np.sqrt(1 / law.stiffness))


@pytest.mark.parametrize(
    ("count", "least", "tolerance"), [(200, 1, 1e-12), pytest.param(15_000, 4, 1e-11, marks=pytest.mark.slow)]
)
def test_predicted_phases_on_random_cases(count: int, least: int, tolerance: float) -> None:
    """The sequence is that of the rigid wheel with Poisson's coefficient sqrt((1 - mu_n)/(1 + mu_n)), jamb included."""
    seen: dict[str, int] = {}
    for lam, beta, mu, slip, mu_n in random_cases(count):
        law = BiStiffness(50.0, mu_n)
        label, margin = predicted(lam, beta, mu, slip, law.restitution)
        assert margin > 1e-7  # none of these cases is left out
        run = collide(lam, beta, mu, slip, law=law)
        assert run.ending == "released"
        assert run.sequence == label
        assert run.jamb == (slip > 0 and label != "DP" and rates(lam, beta, -mu)[1] < 0)
        assert run.energy_residual < tolerance
        assert impulses_explain_velocities(run) < tolerance
        assert out_of_bounds(run) < 1e-9
        seen[label] = seen.get(label, 0) + 1
    assert set(seen) == {"DP", "forward", "backward", "stick", "forward+stick", "backward+stick", "backward+forward"}
    assert min(seen.values()) >= least


def test_phases_and_double_contacts_of_predict() -> None:
    """Where the back foot comes down, the impulse ratio of one foot decides whether it does so before the release."""
    rng = np.random.default_rng(7)
    doubles = []
    while len(doubles) < 100:
        lam, beta, mu, slip = rng.uniform(0.02, 0.7), rng.uniform(0.7, 1.5), rng.uniform(0.2, 6), rng.uniform(-1.5, 1.5)
        law = BiStiffness(1.0, rng.uniform(0, 0.95))
        told = predict(lam, beta, mu, slip, restitution=law.restitution)
        if told.label == "DP" or not told.back_foot_lands:
            continue
        run = collide(lam, beta, mu, slip, law=law)
        poisson = impulse_ratio_of_one_foot(lam, beta, mu, slip, told.label, law.restitution)
        assert run.sequence == told.label
        assert run.double_contact == predict(lam, beta, mu, slip, restitution=poisson).double_contact
        doubles.append(run.double_contact)
    assert 20 < sum(doubles) < 95


def impulse_ratio_of_one_foot(lam: float, beta: float, mu: float, slip: float, label: str, e: float) -> float:
    """Poisson's coefficient of a collision whose energetic one is e; they differ where sliding changes within."""
    kappas = {"forward": -mu, "backward": mu, "stick": -sin(beta) * cos(beta) / (lam + cos(beta) ** 2)}
    first, second = (rates(lam, beta, kappas[kind]) for kind in label.split("+"))
    stop = -slip / first[0]
    v1 = first[1] * stop - 1  # normal speed of the front foot where sliding changes
    if v1 <= 0:
        work = stop * (1 - v1) / 2 + v1**2 / (2 * second[1])
        return e * sqrt(2 * work / second[1]) / (stop - v1 / second[1])
    turn = 1 / first[1]
    left = e**2 * turn / 2 - first[1] * (stop - turn) ** 2 / 2
    return (stop - turn + (sqrt(v1**2 + 2 * second[1] * left) - v1) / second[1]) / turn


def paper_in_closed_form(slip: float) -> dict[str, float]:
    """Times of the paper's run and heights of the back foot, as long as it is open: jamb, then sticking."""
    lam, beta, mu = PAPER
    slide, stick = rates(lam, beta, -mu), rates(lam, beta, -sin(beta) * cos(beta) / (lam + cos(beta) ** 2))
    stop = -slip / slide[0]
    w1, w2, w3 = sqrt(-slide[1] * 1.2), sqrt(stick[1] * 1.2), sqrt(stick[1] * 0.8)
    v1 = 1 - slide[1] * stop
    t1 = acosh(v1) / w1
    d1 = sinh(w1 * t1) / w1
    h1 = slide[2] / slide[1] * (t1 - d1)
    turn = t1 + atan2(v1, w2 * d1) / w2
    release = turn + pi / (2 * w3)
    share = stick[2] / stick[1]

    def height(time: float, deformation: float) -> float:
        return h1 + (slide[2] * stop + share * v1) * (time - t1) + share * (d1 - deformation)

    deepest = sqrt(d1**2 + (v1 / w2) ** 2)
    return {
        "stop": t1, "turn": turn, "release": release,
        "height at turn": height(turn, deepest), "height at release": height(release, 0.0),
    }  # fmt: skip


def test_printed_data_give_no_double_contact() -> None:
    """With the slip of 0.5 m/s the front foot leaves at 2.106 sqrt(m/k) while the back foot is open."""
    run = collide(*PAPER, 0.5, law=FEET)
    exact = paper_in_closed_form(0.5)
    assert [event.name for event in run.events] == ["sliding stops", "front foot expands", "front foot leaves"]
    assert [event.time for event in run.events] == pytest.approx(
        [exact[k] for k in ("stop", "turn", "release")], rel=1e-13
    )
    assert round(run.duration, 3) == 2.106
    assert run.sequence == "forward+stick" and run.jamb and not run.double_contact and not run.reversal
    assert -run.back_deformation[-1] == pytest.approx(exact["height at release"], rel=1e-12)
    heavy = collide(*PAPER, 0.5, law=BiStiffness(1e3, 0.2), mass=7.0, length=0.3)
    assert heavy.duration == pytest.approx(run.duration * sqrt(7e-3), rel=1e-13)
    assert heavy.back_velocity[-1] == pytest.approx(run.back_velocity[-1], rel=1e-12)
    assert heavy.energy_residual < 1e-12


def test_window_of_the_described_sequence() -> None:
    """The back foot strikes while the front foot expands for slips between 0.107191 and 0.327077 m/s."""
    low = brentq(lambda v: paper_in_closed_form(v)["height at turn"], 0.05, 0.3, xtol=1e-14)
    high = brentq(lambda v: paper_in_closed_form(v)["height at release"], 0.2, 0.5, xtol=1e-14)
    assert (low, high) == pytest.approx((0.10719135590, 0.32707689945), abs=2e-11)
    described = ["sliding stops", "front foot expands", "back foot touches", "front foot leaves", "back foot expands"]
    for slip in (low + 1e-8, 0.15, 0.25, high - 1e-8):
        run = collide(*PAPER, slip, law=FEET)
        assert [event.name for event in run.events] == [*described, "back foot leaves"]
        assert run.jamb and run.double_contact and run.energy_residual < 1e-12
    assert [event.name for event in collide(*PAPER, low - 1e-8, law=FEET).events][1] == "back foot touches"
    assert not collide(*PAPER, high + 1e-8, law=FEET).double_contact


def test_feet_give_back_their_part_of_the_energy() -> None:
    """Compression takes k (1 + mu_n) d^2 / 2, expansion returns k (1 - mu_n) d^2 / 2, whatever the other foot does."""
    run = collide(*PAPER, 0.25, law=BiStiffness(300.0, 0.2), mass=2.0)
    for side in ("front", "back"):
        deformation, work = getattr(run, f"{side}_deformation"), getattr(run, f"{side}_work")
        deepest = int(np.argmax(deformation))
        assert work[deepest] == pytest.approx(180.0 * deformation[deepest] ** 2, rel=1e-11)
        assert work[-1] == pytest.approx(60.0 * deformation[deepest] ** 2, rel=1e-11)


def test_impulse_ratio_is_poissons_where_sliding_lasts() -> None:
    """A foot that slides or sticks all the time has one coefficient; elsewhere only the energetic one is fixed."""
    law = BiStiffness(10.0, 0.6)
    assert collide(0.6, 0.7, 0.2, 3.0, law=law).impulse_ratio == pytest.approx(law.restitution, rel=1e-11)
    changing = collide(*PAPER, 0.5, law=law)
    told = impulse_ratio_of_one_foot(*PAPER, 0.5, "forward+stick", law.restitution)
    assert changing.impulse_ratio == pytest.approx(told, rel=1e-10)
    assert abs(told - law.restitution) > 1e-2


def test_feet_that_slide_again_after_sticking_are_at_rest_at_first() -> None:
    """Round-off that has gathered while they stick, with the sign of a motion that is over, does not end the slide."""
    law = BiStiffness(50.0, 0.38593168982800297)
    run = collide(0.14004142230039107, 1.2803113831917565, 0.4815805519101802, -0.33666484902763183, law=law)
    assert run.ending == "released" and run.energy_residual < 1e-12 and impulses_explain_velocities(run) < 1e-12
    sliding = [phase.sliding for phase in run.phases]
    assert sliding == ["backward", "stick", "backward", "stick", "forward", "forward"]


def test_dry_friction_inside_a_foot_can_hold_it() -> None:
    """While a foot is held it neither yields nor returns; sharp damper and friction are the limit of smooth ones."""
    lam, beta, mu, slip, mu_n = 0.147, 1.292, 1.1036, 0.902, 0.4
    run = collide(lam, beta, mu, slip, law=BiStiffness(1.0, mu_n))
    held = dict(run.events)
    during = (run.time > held["front foot is held"]) & (run.time < held["front foot expands"])
    d, force = run.front_deformation[during], run.front_force[during]
    assert np.ptp(d) < 1e-15 and during.sum() > 3
    assert np.all((force >= (1 - mu_n) * d - 1e-12) & (force <= (1 + mu_n) * d + 1e-12)) and np.ptp(force) > 0.01

    s, c = sin(beta), cos(beta)
    J = np.array([[0, 1, -s], [0, 1, s], [1, 0, -c]])
    W = J @ np.diag([1, 1, 1 / lam]) @ J.T

    def smooth(t: float, y: np.ndarray) -> np.ndarray:
        normal = np.maximum(y[:2], 0) * (1 + mu_n * np.tanh(-y[2:4] / 1e-4))
        return np.concatenate([-y[2:4], W @ [*normal, -mu * normal.sum() * np.tanh(y[4] / 1e-4)]])

    end = solve_ivp(smooth, (0, run.duration), [0, 0, -1, 0, slip], method="LSODA", rtol=1e-8, atol=1e-10).y[2:, -1]
    assert end == pytest.approx([run.front_velocity[-1], run.back_velocity[-1], run.slip[-1]], abs=4e-5)


def wheel_model(law: Any) -> tr.System:
    """The same wheel as an ordinary model: a free body, two vertices on a line, friction and compliance."""
    m = tr.Model("wheel")
    m.gravity = (0, 0, 0)
    usual = {"lam": PAPER[0], "beta": PAPER[1], "mu": PAPER[2], "length": 1e3}
    lam, beta, mu, length = (m.parameter(name, value) for name, value in usual.items())
    body = m.body("wheel", 1.0, (lam * length**2,) * 3)
    for name, side in (("front", 1), ("back", -1)):
        foot = body.frame((side * length * tr.sin(beta), 0, -length * tr.cos(beta)))
        pair = tr.PlanarPair(tr.Line(), tr.Vertex())
        m.connect(pair, m.ground, foot, name=name, law=tr.Coulomb(mu), compliance=law)
    return m.build()


def simulated(
    system: tr.System, lam: float, beta: float, mu: float, slip: float, duration: float, length: float
) -> np.ndarray:
    """Slip and normal speeds of the front and back foot at the end; the front foot starts a little above the ground."""
    gap, back_gap = 0.01, 1e-9
    lean = -gap / (2 * length * sin(beta))
    turned = np.array([[cos(lean), sin(lean)], [-sin(lean), cos(lean)]]) * length
    front, back = turned @ (sin(beta), -cos(beta)), turned @ (-sin(beta), -cos(beta))  # from G
    rate = 1 / (front[0] - back[0])
    start = {
        "wheel.z": back_gap - back[1], "wheel.quaternion": (cos(lean / 2), 0, sin(lean / 2), 0),
        "wheel.angular_rate": (0, rate, 0), "wheel.z_rate": rate * back[0], "wheel.x_rate": slip - rate * front[1],
    }  # fmt: skip
    end = duration + gap + back_gap
    values = {"lam": lam, "beta": beta, "mu": mu, "length": length}
    run = system.simulate(end, start, values, rtol=1e-12, atol=1e-11, samples=[0.0, end], steps=tr.Steps(most=20_000))
    assert run.ok
    w, up = run.values("wheel.angular_rate_y")[-1] * length, run.values("wheel.z_rate")[-1]
    return np.array([run.values("wheel.x_rate")[-1] - cos(beta) * w, up - sin(beta) * w, up + sin(beta) * w])


@pytest.mark.parametrize("law", [tr.LinearContact(1.0, 0.1), tr.HuntCrossley(1.0, 0.2)])
def test_an_ordinary_model_moves_the_same(law: Any) -> None:
    """Its configuration changes, which a collision neglects: the difference is of first order in 1/length."""
    system = wheel_model(law)
    cases = [(*PAPER, 0.5), (*PAPER, 0.25), (*PAPER, -0.3), (0.6, 0.9, 0.3, -0.2), (0.3, 0.8, 0.25, 0.4)]
    for case in cases:
        run = collide(*case, law=law)
        end = np.array([run.slip[-1], run.front_velocity[-1], run.back_velocity[-1]])
        a, b, c = (simulated(system, *case, run.duration, length) - end for length in (500.0, 1e3, 2e3))
        assert np.max(np.abs(c)) < 1e-3
        assert np.max(np.abs(8 * c - 6 * b + a)) / 3 < 1e-7
        assert run.energy_residual < 1e-12 and impulses_explain_velocities(run) < 1e-12


def test_laws_are_distinguished() -> None:
    """The same wheel on four kinds of feet: forces at touch, at rest of the foot and at the end."""
    stiff = {"approach": -0.5, "mass": 3.0}
    spring, damped = (collide(0.3, 0.6, 0.4, 0.2, law=tr.LinearContact(800.0, c), **stiff) for c in (0.0, 6.0))
    assert spring.front_force[0] == 0 and damped.front_force[0] == pytest.approx(3.0)
    assert damped.front_deformation[-1] > 0 and damped.front_force[-1] == 0  # it leaves before the dent is gone
    elastic = collide(0.3, 0.6, 0.4, 0.2, law=BiStiffness(800.0, 0.0), **stiff)
    assert elastic.duration == pytest.approx(spring.duration, rel=1e-12)
    hertz = collide(0.3, 0.6, 0.4, 0.2, law=tr.Hertz(800.0), **stiff)
    lossy = collide(0.3, 0.6, 0.4, 0.2, law=tr.HuntCrossley(800.0, 0.3), **stiff)
    deepest = int(np.argmax(hertz.front_deformation))
    assert hertz.front_force[deepest] == pytest.approx(800.0 * hertz.front_deformation[deepest] ** 1.5, rel=1e-12)
    assert lossy.kinetic_energy[-1] < hertz.kinetic_energy[-1]


def test_rest_under_gravity() -> None:
    """Dry dampers bring the wheel to rest, with its weight on both feet and none of the feet in motion."""
    run = collide(0.4, 0.7, 0.5, 0.1, -0.3, BiStiffness(1e3, 0.3), gravity=9.81, duration=3.0)
    assert run.ending == "at rest" and run.duration < 1.0 and run.energy_residual < 1e-12
    assert run.front_force[-1] + run.back_force[-1] == pytest.approx(9.81)
    assert np.max(np.abs([run.front_velocity[-1], run.back_velocity[-1], run.slip[-1]])) < 1e-15
    with pytest.raises(SolveError, match=r"does not end.*give a duration"):
        collide(0.4, 0.7, 0.5, 0.1, -0.3, tr.LinearContact(1e3, 5.0), gravity=9.81)


def test_faults_are_reported_together() -> None:
    with pytest.raises(ModelError) as told:
        collide(0.0, 60.0, -0.1, inf, 1.0, mass=0.0, length=-1.0, gravity=-9.81, duration=0.0)
    names = ("inertia_ratio", "half_angle", "friction", "slip", "approach", "mass", "length", "gravity", "duration")
    assert [fault.split()[0] for fault in told.value.faults] == list(names)
    for bad in ({"stiffness": 0.0}, {"internal_friction": 1.1}, {"internal_friction": -0.1}):
        with pytest.raises(ModelError, match=next(iter(bad))):
            BiStiffness(**bad)
    with pytest.raises(ModelError, match=r"a foot has a law BiStiffness.*not Spring"):
        collide(*PAPER, 0.5, law=tr.Spring(3.0))
    with pytest.raises(ModelError, match="needs a number for stiffness"):
        collide(*PAPER, 0.5, law=tr.Hertz(tr.Model("m").parameter("k", 1.0)))


def test_picture_shades_every_phase(tmp_path: Any) -> None:
    run = collide(*PAPER, 0.25, law=FEET)
    figure = run.plot(tmp_path / "collision.svg")
    assert (tmp_path / "collision.svg").stat().st_size > 10_000
    assert [(p.front, p.back) for p in run.phases] == [
        ("forward", "open"), ("stick", "open"), ("stick", "stick"), ("open", "stick"),
    ]  # fmt: skip
    assert [p.end for p in run.phases[:-1]] == [p.start for p in run.phases[1:]] and run.phases[-1].end == run.duration
    for axes in figure.axes:
        spans = [patch.get_extents().transformed(axes.transData.inverted()) for patch in axes.patches]
        assert [span.x0 for span in spans] == pytest.approx([phase.start for phase in run.phases])
        assert [span.x1 for span in spans] == pytest.approx([phase.end for phase in run.phases])
