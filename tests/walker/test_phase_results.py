"""Results of each phase of an impact: closed form against the phases read from stepped equations, and against runs."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.walker import BiStiffness, PercussionPlane, centre_of_motion, collide, foot_rows, predict, step_impact
from trundle.walker.impact.closed_form import LABELS
from trundle.walker.rimless import rimless_wheel

SIXTY = np.pi / 3
NUMBERS = ("impulse", "start", "end", "kappa", "centre", "tangential_impulse", "turn", "energy_lost", "transition")


def random_impact(rng):
    """Inertia ratio, half angle, friction, slip, approach, restitution (every other one Stronge's), static friction."""
    slip, mu = rng.normal(0, 0.5) * (rng.random() > 0.1), rng.exponential(1.0)
    e = rng.uniform(0, 1) * (rng.random() < 0.7)
    how = tr.Stronge(e) if rng.random() < 0.5 else e
    wheel = (rng.uniform(0.02, 1.5), rng.uniform(0.1, 1.47))
    return *wheel, mu, slip, -rng.uniform(0.2, 2.0), how, mu * rng.choice([1.0, 1.4])


def test_every_number_of_every_phase_equals_the_stepped_one():
    rng, seen = np.random.default_rng(18), set()
    for _ in range(250):
        given = random_impact(rng)
        found = predict(*given)
        if found.label == "DP":
            continue
        stepped = step_impact(*given, steps=12).phases()
        assert [phase.kind for phase in found.phases] == [phase.kind for phase in stepped], given
        seen.add(found.label)
        for phase, other in zip(found.phases, stepped, strict=True):
            for name in NUMBERS:
                exact, read = np.array(getattr(phase, name)), np.array(getattr(other, name))
                assert np.max(np.abs(exact - read) / (1 + np.abs(exact))) < 2e-11, (name, given)
    assert seen == set(LABELS) - {"DP"}


def test_centres_of_the_wheel_of_figure_23():
    found = predict(0.625, SIXTY, 0.6, 0.05)
    assert found.phases[0].centre == pytest.approx((-1.10419, -0.66251), abs=5e-6)
    assert found.phases[1].centre == pytest.approx((-1.01036, -0.5), abs=5e-6)
    assert [phase.kappa for phase in found.phases] == pytest.approx([-0.6, -found.critical.mu_c])
    assert "centre (-1.10419, -0.662514) L, kappa -0.6" in str(found)


def test_transition_takes_other_starts_of_the_same_kind_to_their_end():
    for given in (
        (0.625, SIXTY, 0.6, 0.05, -1.0, 0.0),
        (0.25, SIXTY, 2.9, 0.3, -1.0, 0.8),
        (0.9, 0.3, 0.1, -0.1, -1.0, 0.4),
    ):
        found = predict(*given)
        for slip, approach in ((1.03, 1.02), (0.98, 0.95)):
            other = predict(*given[:3], given[3] * slip, -approach, given[5])
            assert other.label == found.label
            for phase, same in zip(found.phases, other.phases, strict=True):
                start = (given[3] * slip, -approach, 0.0)
                np.testing.assert_allclose(phase.transition @ start, same.end, atol=1e-13)
        # In velocities of G it is the matrix of eq. 1.1; a plastic one that sticks is a projection.
        J = foot_rows(given[1])
        T = np.linalg.solve(J, found.transition @ J)
        assert np.allclose(T @ np.linalg.solve(J, found.phases[0].start), np.linalg.solve(J, found.end))
    stuck = predict(0.5, 0.6, 2.0, 0.0).transition
    np.testing.assert_allclose(stuck @ stuck, stuck, atol=1e-14)
    assert np.isnan(predict(0.25, SIXTY, 0.1, 0.3).transition).all()


def test_usual_assumptions_give_the_usual_factor():
    # Sticking plastic landing: the turning after it is (lambda + cos 2 beta)/(lambda + 1) of that before.
    lam, beta = 0.4, 0.5
    found = predict(lam, beta, 3.0, 0.0)
    before, after = (np.linalg.solve(foot_rows(beta), v)[2] for v in (found.phases[0].start, found.end))
    assert after / before == pytest.approx((lam + np.cos(2 * beta)) / (lam + 1), rel=1e-13)


def test_arrays_have_the_numbers_of_single_impacts():
    rng = np.random.default_rng(19)
    n = 60
    lam, beta, mu = rng.uniform(0, 1.2, n), rng.uniform(0.2, 1.4, n), rng.exponential(1.0, n)
    slip = rng.normal(0, 0.5, n) * (rng.random(n) > 0.2)
    many = predict(lam, beta, mu, slip, -1.0, tr.Stronge(0.7), 1.2 * mu)
    for i, one in enumerate(many):
        same = predict(lam[i], beta[i], mu[i], slip[i], -1.0, tr.Stronge(0.7), 1.2 * mu[i])
        assert one.label == same.label
        np.testing.assert_allclose(one.end, same.end, rtol=1e-12, atol=1e-14)
        for k, phase in enumerate(same.phases):
            assert many.kappas[i, k] == pytest.approx(phase.kappa, rel=1e-13)
            assert many.centres[i, k] == pytest.approx(phase.centre, rel=1e-9, nan_ok=True)
            assert many.turns[i, k] == pytest.approx(phase.turn, rel=1e-9, abs=1e-12, nan_ok=True)
            assert many.energies_lost[i, k] == pytest.approx(phase.energy_lost, rel=1e-9, abs=1e-12, nan_ok=True)
        if len(same.phases) == 1:
            assert np.isnan(many.kappas[i, 1]) and np.isnan(many.turns[i, 1])


def test_a_double_point_is_reported_by_the_centre_of_its_start():
    plane = PercussionPlane(SIXTY)
    for mu, slip in ((0.1, 0.2), (0.5, -0.3), (2.0, 0.0)):
        (phase,) = predict(0.3, SIXTY, mu, slip).phases
        assert phase.kind == "DP" and plane.double_point(*phase.centre)


def test_centre_from_the_motion_of_a_simulated_wheel():
    ratio, spokes = 0.1, 8
    system = rimless_wheel(spokes=spokes, slope=0.08, inertia_ratio=ratio, friction=0.36).build()
    plane = PercussionPlane(np.pi / spokes)
    for mu in (0.36, 0.4):  # mu_c is 0.3708: the landing foot slides, or sticks
        run = system.simulate(1.0, parameters={"mu": mu}, rtol=1e-10, atol=1e-12, samples="steps")
        (landing,) = [impact for impact in run.impacts if impact.contact == "foot1"]
        assert abs(landing.before["foot1"][0]) < 1e-9
        before, after = np.flatnonzero(run.time == landing.time)
        motion = np.column_stack([run.values(name) for name in ("along_rate", "height_rate", "hub.angle_rate")])
        (phase,) = predict(ratio, plane.half_angle, mu, 0.0).phases
        assert phase.kind == ("forward" if mu < 0.37 else "stick")
        assert centre_of_motion(motion[before], motion[after]) == pytest.approx(phase.centre, rel=1e-8)


@pytest.mark.parametrize(("slip", "v_nf"), [(0.5, 1.13151), (0.8, 1.29744), (1.5, 1.65087)])
def test_energetic_restitution_is_that_of_feet_with_two_stiffnesses(slip, v_nf):
    law = BiStiffness(1e3, 0.2)
    followed = collide(0.25, SIXTY, 2.9, slip, law=law)
    found = predict(0.25, SIXTY, 2.9, slip, restitution=tr.Stronge(law.restitution))
    assert found.end.v_nf == pytest.approx(v_nf, abs=5e-6)
    ends = (followed.slip[-1], followed.front_velocity[-1], followed.back_velocity[-1])
    assert found.end == pytest.approx(ends, abs=1e-9)
    assert found.impulse == pytest.approx(followed.front_impulse[-1], abs=1e-9)
    assert abs(predict(0.25, SIXTY, 2.9, slip, -1.0, law.restitution).end.v_nf - v_nf) > 1e-2  # Poisson's is another


def test_energetic_restitution_on_random_wheels():
    rng, seen = np.random.default_rng(20), set()
    for _ in range(40):
        beta = rng.uniform(0.2, 1.4)
        lam, mu, slip = rng.uniform(0.05, 1.5), rng.exponential(1.5), rng.normal(0, 0.5)
        law = BiStiffness(1e3, rng.uniform(0, 0.9))
        found = predict(lam, beta, mu, slip, restitution=tr.Stronge(law.restitution))
        if found.label == "DP" or found.double_contact:
            continue
        followed = collide(lam, beta, mu, slip, law=law)
        ends = (followed.slip[-1], followed.front_velocity[-1], followed.back_velocity[-1])
        assert found.end == pytest.approx(ends, abs=1e-9) and followed.sequence == found.label
        seen.add(found.label)
    assert len(seen) >= 4


def test_static_friction_holds_what_sliding_friction_cannot():
    lam, beta = 0.9, 0.3
    mu_c = predict(lam, beta, 0.1, 0.0).critical.mu_c
    assert predict(lam, beta, 0.1, -0.1).label == "backward+forward"
    held = predict(lam, beta, 0.1, -0.1, static_friction=mu_c * 1.001)
    assert held.label == "backward+stick" and held.phases[1].kappa == -mu_c
    assert predict(lam, beta, 0.1, 0.0, static_friction=mu_c * 0.999).label == "forward"
    assert predict(lam, beta, 0.1, 0.0, static_friction=mu_c * 1.001).label == "stick"
    grows = predict(lam, beta, 0.1, 0.2, static_friction=mu_c * 1.001)
    assert grows.label == "forward" and grows.end.v_t > 0.2
    for bad in (0.05, np.inf, np.nan):
        with pytest.raises(ModelError, match=r"static_friction is .* not below the friction of sliding, 0.1"):
            predict(lam, beta, 0.1, 0.2, static_friction=bad)
        with pytest.raises(ModelError, match=r"impact \[1\].*static_friction"):
            predict(lam, beta, 0.1, 0.2, static_friction=[0.2, bad])


def test_backward_threshold():
    critical = predict(0.9, SIXTY, 0.5, -0.3).critical
    s, c = np.sin(SIXTY), np.cos(SIXTY)
    assert critical.mu_DP == 0 and critical.mu_DP_backward == pytest.approx((0.9 - s**2) / (s * c), rel=1e-14)
    for nudge, label in ((1 - 1e-9, "backward"), (1 + 1e-9, "DP")):
        assert predict(0.9, SIXTY, critical.mu_DP_backward * nudge, -30.0).label == label
    assert predict(0.7, SIXTY, 0.0, 0.1).critical.mu_DP_backward == 0  # below sin^2 beta any friction does


def test_newtons_restitution_is_refused_and_slow_approaches_do_not_bounce():
    with pytest.raises(ModelError, match=r"take Poisson\(e\) or Stronge\(e\)"):
        predict(0.625, SIXTY, 0.6, 0.05, restitution=tr.Newton(0.5))
    assert (
        predict(0.625, SIXTY, 0.6, 0.05, restitution=tr.Poisson(0.5)).end
        == predict(0.625, SIXTY, 0.6, 0.05, -1.0, 0.5).end
    )
    slow = predict(0.625, SIXTY, 0.6, 0.0, [-1e-3, -1.0], tr.Stronge(0.5, rest_speed=0.01))
    assert slow.end[0, 1] == 0 and slow.end[1, 1] > 0


def test_the_report_of_a_double_point_explains_why_its_numbers_are_open() -> None:
    text = str(predict(0.9, SIXTY, 0.5, -0.3))
    assert "rigid bodies do not say how they share the impulse" in text and "trundle impact collide" in text
    assert "rigid bodies" not in str(predict(0.625, SIXTY, 0.6, 0.05))
