"""Collisions of compliant feet with weight (Fig. 22 of [Barjau 2022]), and against the compliant treatment of runs."""

from math import cos, pi, sin

import numpy as np
import pytest
from scipy.optimize import brentq
from test_collide import out_of_bounds
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app
from trundle.errors import SolveError
from trundle.walker import BiStiffness, Collision, collide, critical_values, predict

PRINTED = (0.25, pi / 3, 2.9, 0.5)


def weighted(mass: float) -> Collision:
    return collide(*PRINTED, law=BiStiffness(1e3, 0.2), mass=mass, gravity=9.81)


def times(run: Collision, *names: str) -> list[float]:
    """Of the last event with each name."""
    found = dict(run.events)
    return [found.get(name, np.inf) for name in names]


SEQUENCE = ("sliding stops", "front foot expands", "back foot touches", "front foot leaves")


def test_one_kilogram_gives_the_sequence_of_the_paper() -> None:
    run = weighted(1.0)
    assert times(run, *SEQUENCE) == pytest.approx([0.01384, 0.03370, 0.03688, 0.07531], abs=5e-6)
    assert (run.sequence, run.jamb, run.double_contact, run.reversal) == ("forward+stick", True, True, False)
    assert run.phases[0].double and run.back_impulse[run.time <= run.phases[0].end][-1] < 0.01 * run.front_impulse[-1]
    assert run.energy_residual < 1e-12
    text = str(run)
    assert "front foot jambs" in text and "back foot strikes later" in text and "0.0368781 s: back foot touches" in text


def test_window_of_the_mass() -> None:
    """From where the back foot touches before the release to where it still sinks in when the front foot leaves."""

    def touches_early(mass: float) -> float:
        run = weighted(mass)
        leaves, touches = times(run, "front foot leaves", "back foot touches")
        return min(leaves - touches, 1.0) if np.isfinite(touches) else -1.0

    def sinks_late(mass: float) -> float:
        leaves, expands = times(weighted(mass), "front foot leaves", "back foot expands")
        return expands - leaves

    def edge(sign, low: float, high: float) -> float:
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (middle, high) if (sign(middle) > 0) == (sign(low) > 0) else (low, middle)
        return (low + high) / 2

    assert edge(touches_early, 0.0595, 0.0605) == pytest.approx(0.06011, abs=5e-6)
    assert brentq(sinks_late, 1.09, 1.11, xtol=1e-7) == pytest.approx(1.10197, abs=5e-6)


def test_flags_with_weight_are_those_of_the_blow() -> None:
    """A weight so small that it changes nothing, but that presses the back foot first."""
    rng, seen = np.random.default_rng(22), set()
    for _ in range(60):
        case = (rng.uniform(0.05, 1.2), rng.uniform(0.2, 1.4), rng.exponential(1.0), rng.normal(0, 0.4))
        law = BiStiffness(1e3, rng.uniform(0, 0.9))
        light, without = collide(*case, law=law, gravity=1e-4, duration=1.0), collide(*case, law=law)
        for name in ("sequence", "jamb", "double_contact", "reversal"):
            assert getattr(light, name) == getattr(without, name), (name, case)
        seen.add(without.sequence)
    assert len(seen) >= 5


def test_the_next_strike_with_weight() -> None:
    run = weighted(0.05)  # released before the back foot is down
    t, g = run.strikes_again - run.duration, 9.81
    heights = [-d[-1] + v[-1] * t - g * t**2 / 2 for d, v in
               ((run.front_deformation, run.front_velocity), (run.back_deformation, run.back_velocity))]  # fmt: skip
    assert min(heights) == pytest.approx(0.0, abs=1e-15) and t > 0


@pytest.fixture(scope="module")
def wheel() -> tr.System:
    """The wheel with rigid feet whose collisions go through equal springs, softer on the way out."""
    m = tr.Model("wheel")
    m.gravity, m.impacts = (0, 0, 0), "compliant"
    usual = {"lam": 0.25, "beta": 1.0, "mu": 0.5, "e": 0.5}
    lam, beta, mu, e = (m.parameter(name, value) for name, value in usual.items())
    body = m.body("wheel", 1.0, (lam,) * 3)
    m.connect(tr.Planar("y"), m.ground, body, name="hub")
    for name, side in (("front", 1), ("back", -1)):
        foot = body.frame((side * tr.sin(beta), 0, -tr.cos(beta)))
        pair = tr.PlanarPair(tr.Line(), tr.Vertex())
        m.connect(pair, m.ground, foot, name=name, law=tr.Coulomb(mu), restitution=tr.Poisson(e))
    return m.build()


def struck(system: tr.System, lam: float, beta: float, mu: float, slip: float, e: float) -> np.ndarray:
    """Slip and normal speeds after the blow; the front foot starts a little above the ground, the back foot on it."""
    lean = -1e-7 / (2 * sin(beta))
    turned = np.array([[cos(lean), sin(lean)], [-sin(lean), cos(lean)]])
    front, back = turned @ (sin(beta), -cos(beta)), turned @ (-sin(beta), -cos(beta))
    w = 1 / (front[0] - back[0])
    start = {"hub.angle": lean, "hub.x": -back[1], "hub.angle_rate": w, "hub.x_rate": w * back[0]}
    start["hub.y_rate"] = slip - w * front[1]
    run = system.simulate(3e-7, start, {"lam": lam, "beta": beta, "mu": mu, "e": e}, samples=2)
    (blow,) = run.impacts
    return np.array([blow.after["front"][0], blow.after["front"][2], blow.after["back"][2]])


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_double_points_are_those_of_the_compliant_treatment(wheel: tr.System, count: int) -> None:
    rng, errors, held = np.random.default_rng(3), [], 0
    while len(errors) < count:
        lam, beta, mu = rng.uniform(0.05, 1), rng.uniform(0.3, 1.45), rng.exponential(0.8)
        slip, law = rng.normal(0, 0.5) * (rng.random() > 0.2), BiStiffness(1e3, rng.uniform(0, 0.9))
        if predict(lam, beta, mu, slip).label != "DP":
            continue
        try:
            rigid = struck(wheel, lam, beta, mu, slip, law.restitution)
        except SolveError:  # sliding backward, the back foot would jam without a load
            assert slip < 0 and mu > predict(lam, beta, mu, slip).critical.mu_j
            continue
        run = collide(lam, beta, mu, slip, law=law)
        errors.append(np.max(np.abs(rigid - [run.slip[-1], run.front_velocity[-1], run.back_velocity[-1]])))
        assert out_of_bounds(run) < 1e-11
        held += any("held" in event.name for event in run.events)
    assert held > count // 10
    assert np.max(errors) < 3e-4 and np.median(errors) < 1e-5  # the springs of a run are stepped


def test_a_foot_and_the_slip_that_come_to_rest_together() -> None:
    """The front foot turns while both feet stick. Friction cannot hold them then, and with the friction of sliding the
    foot does not turn but is held; every force fits the motion at every step.
    """
    run = collide(0.06255, 0.76803, 0.12796, -0.56789, law=BiStiffness(1.0, 0.75288))
    assert [event.name for event in run.events][4:6] == ["slides backward", "front foot is held"]
    assert run.events[4].time == run.events[5].time and out_of_bounds(run) < 1e-13
    # By friction and dampers that set in smoothly within 1e-5 m/s, an independent integration.
    ends = run.slip[-1], run.front_velocity[-1], run.back_velocity[-1]
    assert ends == pytest.approx((-0.13874391, 0.10553984, 0.27838521), abs=1e-5)


def test_what_is_left_of_the_turning_below_the_friction_of_double_points() -> None:
    """Plastic feet stop the turning of the wheel; elastic feet turn most wheels back."""
    rng, kept = np.random.default_rng(1), []
    for _ in range(60):
        beta = rng.uniform(0.2, 1.4)
        lam = rng.uniform(0.02, 0.98) * sin(beta) ** 2
        mu = rng.uniform(0, 1) * critical_values(lam, beta).mu_DP
        slip = abs(rng.normal(0, 0.3)) * (rng.random() > 0.5)
        plastic, elastic = (collide(lam, beta, mu, slip, law=BiStiffness(1e3, mu_n)) for mu_n in (1.0, 0.0))
        assert plastic.sequence == elastic.sequence == "DP"
        assert abs(plastic.angular_velocity[-1]) < 1e-13 * plastic.angular_velocity[0]
        kept.append(elastic.angular_velocity[-1] / elastic.angular_velocity[0])
    assert np.count_nonzero(np.array(kept) < 0) == 54 and max(kept) < 1


def test_stiffness_sets_the_scale_of_time_only() -> None:
    """Feet that are held, break loose, and are held again while the other one turns."""
    case = (0.07729279432114151, 1.2610079934736214, 0.22153374385120372, -0.6461232366596315)
    ends = []
    for stiffness in (1.0, 10.0, 1e3, 2e3):
        run = collide(*case, law=BiStiffness(stiffness, 0.5858274279448619))
        ends.append((run.slip[-1], run.front_velocity[-1], run.back_velocity[-1]))
        names = [event.name for event in run.events]
        assert names[:5] == ["front foot is held", "front foot compresses", "back foot is held", "front foot is held",
                             "back foot expands"]  # fmt: skip
    np.testing.assert_allclose(ends, [ends[0]] * 4, atol=1e-13)
    # By dry friction that sets in smoothly within 1e-4 m/s, an independent integration.
    assert ends[0] == pytest.approx((-0.29262, 0.34038, 0.19263), abs=1e-4)


def test_the_verb_follows_a_collision(tmp_path) -> None:
    def call(*arguments: object):
        return CliRunner().invoke(app, ["impact", "collide", "--beta", "60", *map(str, arguments)])

    common = ("--lambda", 0.25, "--mu", 2.9)
    told = call(*common, "--slip", 0.5, "--gravity", 9.81, "-o", tmp_path / "weight.png")
    assert told.exit_code == 0, told.output
    assert "forward+stick" in told.output and "0.0368781 s: back foot touches" in told.output
    assert (tmp_path / "weight.png").read_bytes()[:4] == b"\x89PNG"
    assert call(*common, "--damping", 2).exit_code == 1
