"""Predicted scenarios of impacts against published numbers, exact limits and the stepped percussive equations."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.walker import predict, step_impact
from trundle.walker.impact.phases import foot_rows

SIXTY = np.pi / 3


def random_impacts(count, seed, wide=False):
    rng = np.random.default_rng(seed)
    beta = rng.uniform(np.pi / 4, 1.45, count) if wide else rng.uniform(0.1, 1.47, count)
    lam = rng.uniform(0.02, 1.0, count) * (-np.cos(2 * beta) if wide else 1.5)
    slip = np.abs(rng.normal(0, 0.3, count)) if wide else rng.normal(0, 0.5, count) * (rng.random(count) > 0.1)
    restitution = rng.uniform(0, 1, count) * (rng.random(count) < 0.7)
    return lam, beta, rng.exponential(2.0 if wide else 1.0, count), slip, -rng.uniform(0.2, 2, count), restitution


def late_stops(count, seed):
    """Impacts whose sliding stops in restitution, and soon after whose start the back foot may come down."""
    rng = np.random.default_rng(seed)
    beta, e = rng.uniform(0.85, 1.45, count), rng.uniform(0.3, 1, count)
    lam = rng.uniform(0.05, 0.95, count) * -np.cos(2 * beta)
    s, c = np.sin(beta), np.cos(beta)
    mu = (s**2 - lam) / (s * c) * (1 + rng.uniform(0, 0.3, count) * lam)
    compression = lam / (lam + s**2 - mu * s * c)
    stop = compression * (1 + e * rng.uniform(0, 0.6, count))
    return lam, beta, mu, stop * (mu * (lam + c**2) - s * c) / lam, np.full(count, -1.0), e


def kinetic_energy(lam, beta, velocities):
    motion = np.linalg.solve(foot_rows(beta), np.asarray(velocities)[..., None])[..., 0]
    return 0.5 * (motion[..., 0] ** 2 + motion[..., 1] ** 2 + lam * motion[..., 2] ** 2)


def test_critical_values_of_the_paper():
    critical = predict(0.625, SIXTY, 0.4, 0.3).critical
    found = (critical.mu_DP, critical.mu_c, critical.tan_beta, critical.mu_j)
    assert found == pytest.approx((0.2886751346, 0.4948716593, 1.7320508076, 3.1754264805), abs=5e-11)
    block = predict(1 / 3, 0.6, 0.4, 0.3).critical
    assert np.degrees(block.beta_DP) == pytest.approx(35.26438968, abs=5e-9)
    assert 1 / np.tan(block.beta_DP) == pytest.approx(np.sqrt(2), abs=1e-14)
    for nudge, label in ((-1e-9, "forward"), (1e-9, "DP")):
        assert predict(1 / 3, block.beta_DP + nudge, 0.0, 0.1).label == label
    assert predict(1.2, 1.5, 0.0, 0.0).critical.beta_DP == np.pi / 2


@pytest.mark.parametrize(
    ("friction", "label", "jamb"),
    [
        (0.2886, "DP", False),
        (0.2887, "forward", False),
        (0.49, "forward", False),
        (0.5, "forward+stick", False),
        (1.74, "forward+stick", False),
        (3.17, "forward+stick", False),
        (3.18, "forward+stick", True),
    ],
)
def test_intervals_of_friction_in_the_simplified_map(friction, label, jamb):
    found = predict(0.625, SIXTY, friction, 1e-4)  # so slow that sliding stops wherever it falls
    assert (found.label, found.jamb, found.reversal) == (label, jamb, False)
    if label != "DP":
        v_t = [phase.end.v_t for phase in found.phases]
        assert (v_t[0] > 1e-4) == (label == "forward")
        assert (found.phases[0].end.v_nf < -1.0) == jamb


def test_phases_carry_impulses_and_velocities():
    # Backward sliding, mu_c = 0.288: the foot stops and goes on forward; by hand from eq. A.4.
    lam, beta, mu = 0.9, 0.3, 0.1
    s, c = np.sin(beta), np.cos(beta)
    found = predict(lam, beta, mu, -0.1)
    assert found.label == "backward+forward" and found.reversal and not found.jamb
    first, second = found.phases
    assert first.impulse == pytest.approx(0.1 * lam / (s * c + mu * (lam + c**2)), rel=1e-14)
    assert first.end.v_t == 0 and first.end == second.start and first.start == (-0.1, -1.0, 0.0)
    assert first.end.v_nf == pytest.approx(-1 + first.impulse * (lam + s**2 + mu * s * c) / lam, rel=1e-14)
    assert second.impulse == pytest.approx(-lam * first.end.v_nf / (lam + s**2 - mu * s * c), rel=1e-14)
    assert second.end.v_t == pytest.approx(second.impulse * (s * c - mu * (lam + c**2)) / lam, rel=1e-13)
    assert second.end.v_nf == 0 and found.end == second.end
    assert found.impulse == found.compression == first.impulse + second.impulse
    assert "sliding is reversed" in str(found)


def test_closed_form_equals_stepping_the_percussive_equations():
    steps = 80
    given = random_impacts(3500, 5)
    found = predict(*given)
    single = found.code != 0
    lam, beta, mu, slip, approach, e = (values[single] for values in given)
    stepped = step_impact(lam, beta, mu, slip, approach, e, steps=steps)
    assert np.count_nonzero(single) > 2000 and set(found.label) >= {"DP", "stick", "backward+stick", "backward+forward"}
    step = (np.abs(slip) + np.abs(approach)) / steps
    assert np.max(np.abs(stepped.end - found.end[single]) / step[:, None]) < 0.4
    near = np.abs(stepped.impulse - found.impulse[single]) / found.impulse[single]
    assert np.max(near) < 3e-3
    assert np.max(np.abs(stepped.compression - found.compression[single]) / found.compression[single]) < 3e-3
    # The kinds of contact, read from the signs of v_t in the steps that belong to no transition.
    v_t, p = stepped.history[..., 0], stepped.impulses
    p1 = found.impulses[single, 0]
    signs = {"forward": 1.0, "backward": -1.0, "stick": 0.0}
    for i, label in enumerate(found.label[single]):
        kinds = label.split("+")
        margin = 3 * np.max(np.diff(p[:, i]))
        own = np.sign(np.where(np.abs(v_t[:, i]) < 1e-13, 0.0, v_t[:, i]))
        first = (p[:, i] > 0) & (p[:, i] < (p1[i] if len(kinds) == 2 else p[-1, i]) - margin)
        assert np.all(own[first] == signs[kinds[0]])
        if len(kinds) == 2:
            assert np.all(own[p[:, i] > p1[i] + margin] == signs[kinds[1]])


def test_double_points_from_the_start_are_those_of_the_stepped_equations():
    given = random_impacts(3000, 6)
    found = predict(*given)
    lam, beta, mu, slip, *_ = given
    rows = foot_rows(beta)
    kappa = -np.sign(slip) * mu
    mu_c = np.sin(beta) * np.cos(beta) / (lam + np.cos(beta) ** 2)
    kappa = np.where(slip == 0, -np.minimum(mu, mu_c), kappa)
    impulse = rows[:, 0] * kappa[:, None] + rows[:, 1]
    impulse[:, 2] /= lam
    assert np.array_equal(found.label == "DP", np.einsum("ij,ij->i", rows[:, 2], impulse) < 0)
    assert np.all(np.isnan(found.end[found.label == "DP"]))


def test_energy_never_grows_and_a_plastic_impact_ends_at_rest_in_the_normal():
    given = random_impacts(20000, 7)
    found = predict(*given)
    lam, beta, _, slip, approach, e = given
    start = kinetic_energy(lam, beta, np.stack([slip, approach, 0 * slip], axis=-1))
    single = found.code != 0
    assert np.all(kinetic_energy(lam, beta, found.end)[single] <= start[single] * (1 + 1e-12))
    assert np.all(found.end[single & (e == 0), 1] == 0)
    np.testing.assert_allclose((found.impulse / found.compression)[single], 1 + e[single], rtol=1e-12)
    assert np.all(found.end[single, 1] >= 0)


def test_back_foot_comes_down_as_springs_let_it():
    given = [np.concatenate(pair) for pair in zip(random_impacts(1500, 8, wide=True), late_stops(300, 8), strict=True)]
    found = predict(*given)
    lifted = found.label == "forward+stick"
    lam, beta, mu, slip, approach, e = (values[lifted] for values in given)
    stepped = step_impact(lam, beta, mu, slip, approach, e, steps=150)
    # A linear spring stores what the normal velocity brings in; the time of a step is impulse over force.
    p, v_nf, v_nb = stepped.impulses, stepped.history[..., 1], stepped.history[..., 2]
    work = np.vstack([np.zeros(len(lam)), np.cumsum(-0.5 * (v_nf[1:] + v_nf[:-1]) * np.diff(p, axis=0), axis=0)])
    peak = np.max(work, axis=0)
    soft = (peak - work[-1]) / peak  # stiffness in unloading over that in loading
    loading = np.sqrt(2 * np.maximum(work, 0.0))
    unloading = np.sqrt(2 * soft * np.maximum(work - work[-1], 0.0))
    twice_force = np.where(p[:-1] < stepped.compression, loading[:-1] + loading[1:], unloading[:-1] + unloading[1:])
    times = 2 * np.diff(p, axis=0) / np.where(twice_force > 0, twice_force, np.inf)
    height = np.sum(0.5 * (v_nb[1:] + v_nb[:-1]) * times, axis=0)
    flags, lands = found.double_contact[lifted], found.back_foot_lands[lifted]
    clear = (e > 0.05) & (np.abs(height) > 0.02 * np.sum(times, axis=0) * np.max(np.abs(v_nb), axis=0))
    assert np.count_nonzero(clear & flags) > 50 and np.count_nonzero(clear & lands & ~flags) > 10
    assert np.array_equal(flags[clear], height[clear] < 0)
    late = clear & lands & (found.between[lifted][:, 1] > 0)
    assert np.count_nonzero(late & flags) > 20 and np.count_nonzero(late & ~flags) > 20
    assert np.array_equal(flags[e == 0], found.end[lifted][e == 0, 2] < 0)
    assert np.array_equal(lands, found.end[lifted][:, 2] < 0) and np.all(lands | ~flags)


def test_double_contact_needs_wide_spokes_and_forward_sliding():
    given = random_impacts(30000, 9)
    found = predict(*given)
    down = found.back_foot_lands
    assert np.count_nonzero(down) > 100
    assert np.all(given[1][down] > np.pi / 4) and np.all(found.label[down] == "forward+stick")
    assert np.all(given[0][down] < -np.cos(2 * given[1][down]))


def test_run_of_section_5_has_no_double_contact_but_slower_slips_have():
    e = np.sqrt(0.8 / 1.2)  # spring with mu_n = 0.2
    found = predict(0.25, SIXTY, 2.9, [0.5, 0.3, 0.1], -1.0, e)
    assert list(found.label) == ["forward+stick"] * 3 and np.all(found.jamb)
    assert list(found.double_contact) == [False, True, True]
    assert found.back_foot_lands[0]  # after the front foot is released


@pytest.mark.parametrize("beta", [0.2, 0.7, np.pi / 4, 1.2])
@pytest.mark.parametrize("lam", [0.3, 0.9, 2.0])
def test_exact_thresholds(beta, lam):
    critical = predict(lam, beta, 0.1, 0.0).critical
    down = lam + np.cos(2 * beta) < 0
    assert predict(lam, beta, critical.mu_c, 0.0).label == ("DP" if down else "stick")
    assert predict(lam, beta, critical.mu_c * (1 - 1e-9), 0.0).label == ("DP" if down else "forward")
    if not down:
        kept = predict(lam, beta, critical.mu_c, 0.4)
        assert kept.label == "forward" and kept.end.v_t == 0.4
    assert predict(lam, beta, critical.mu_j, 1e-3).jamb is False
    assert predict(lam, beta, critical.mu_j * (1 + 1e-9), 1e-3).jamb is True
    if critical.mu_DP > 0:
        assert predict(lam, beta, critical.mu_DP, 1e-3).label != "DP"
        assert predict(lam, beta, critical.mu_DP * (1 - 1e-9), 1e-3).label == "DP"
    if lam > np.sin(beta) ** 2 + critical.mu_c * np.sin(beta) * np.cos(beta):
        assert predict(lam, beta, critical.mu_c, -1e-3).label == "backward+stick"
        assert predict(lam, beta, critical.mu_c * (1 - 1e-9), -1e-3).label == "backward+forward"


def test_mass_in_the_centre_is_the_limit_of_small_inertia():
    for mu, slip, beta in ((2.0, 0.3, 0.6), (1e6, 0.3, 0.6), (2.0, 0.0, 0.6), (0.1, 0.3, 0.6), (1.0, -0.2, 1.0)):
        exact, near = predict(0.0, beta, mu, slip, -1.0, 0.5), predict(1e-13, beta, mu, slip, -1.0, 0.5)
        assert exact.label == near.label and exact.jamb == near.jamb
        np.testing.assert_allclose(exact.end, near.end, atol=1e-11)
        np.testing.assert_allclose(exact.impulse, near.impulse, atol=1e-11)
    assert predict(0.0, 0.6, np.tan(0.6), 0.3).label == "forward+stick"  # the impulse passes through G
    assert predict(0.0, 0.6, 1e300, 0.3).jamb and np.isfinite(predict(0.0, 0.6, 1e300, 0.3).end).all()


def test_large_friction_stops_the_foot_without_normal_impulse():
    found = predict(0.5, 0.8, 1e12, 0.3)
    s, c = np.sin(0.8), np.cos(0.8)
    assert found.phases[0].impulse < 1e-12
    assert found.phases[0].end.v_nf == pytest.approx(-1 - 0.3 * s * c / (0.5 + c**2), rel=1e-10)


def test_scaling_of_velocities():
    given = random_impacts(500, 10)
    lam, beta, mu, slip, approach, e = given
    one, two = predict(*given), predict(lam, beta, mu, 3 * slip, 3 * approach, e)
    assert np.array_equal(one.code, two.code) and np.array_equal(one.double_contact, two.double_contact)
    np.testing.assert_allclose(3 * one.end, two.end, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(3 * one.impulses, two.impulses, rtol=1e-12, atol=1e-14)


def test_arrays_are_broadcast_and_equal_numbers():
    lam, mu = np.array([0.0, 0.2, 0.5, 1.0])[:, None, None], np.array([0.0, 0.3, 1.0, 2.9, 50.0])[:, None]
    slip = np.array([-0.4, 0.0, 1e-3, 0.3, 2.0])
    many = predict(lam, SIXTY, mu, slip, -1.0, 0.6, threads=2)
    assert many.shape == (4, 5, 5) and many.critical.mu_c.shape == (4, 5, 5)
    for index in np.ndindex(*many.shape):
        one, also = many[index], predict(*(float(g[index]) for g in many.given))
        assert one.label == also.label == many.label[index] and one.critical == also.critical
        for name in ("jamb", "reversal", "back_foot_lands", "double_contact"):
            assert getattr(one, name) == getattr(also, name) == bool(getattr(many, name)[index])
        np.testing.assert_allclose(one.end, also.end, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose([p.impulse for p in one.phases], [p.impulse for p in also.phases], atol=1e-14)
        np.testing.assert_allclose(many.impulse[index], also.impulse, rtol=1e-12)
    assert predict([], SIXTY, 0.3, 0.2).label.shape == (0,)
    with pytest.raises(IndexError, match="not the index of one impact"):
        many[0]


def test_shares_of_threads_do_not_matter():
    given = random_impacts(50_000, 11)
    one, two = predict(*given, threads=1), predict(*given, threads=2)
    assert np.array_equal(one.code, two.code) and np.array_equal(one.end, two.end, equal_nan=True)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"half_angle": 0.0}, "half_angle is 0.0 rad; it must lie between 0 and pi/2"),
        ({"half_angle": np.pi / 2}, "half_angle"),
        ({"half_angle": 60.0}, "half_angle is 60.0 rad"),
        ({"inertia_ratio": -1e-9}, "inertia_ratio is -1e-09"),
        ({"inertia_ratio": np.inf}, "inertia_ratio is inf"),
        ({"approach": 0.0}, "approach is 0.0"),
        ({"approach": 1.0}, "approach is 1.0"),
        ({"restitution": 1.01}, r"restitution is 1.01; it must lie in \[0, 1\]"),
        ({"restitution": -0.1}, "restitution is -0.1"),
        ({"friction": -0.5}, "friction is -0.5"),
        ({"friction": np.inf}, "friction is inf"),
        ({"slip": np.nan}, "slip is nan"),
    ],
)
def test_bad_input_is_refused(change, text):
    good = {"inertia_ratio": 0.5, "half_angle": 1.0, "friction": 0.5, "slip": 0.2, "approach": -1.0, "restitution": 0.5}
    with pytest.raises(ModelError, match=text):
        predict(**{**good, **change})
    name, value = next(iter(change.items()))
    with pytest.raises(ModelError, match=rf"impact \[2\] \(1 of 3 refused\): {text}"):
        predict(**{**good, name: np.array([good[name], good[name], value])})


def test_all_faults_are_reported_at_once_and_shapes_must_fit():
    with pytest.raises(ModelError) as error:
        predict(-1.0, 2.0, -1.0, np.inf, 1.0, 2.0)
    assert len(error.value.faults) == 6
    for bad in ("steep", [0.1, "steep"], 1j):
        with pytest.raises(ModelError, match=r"half_angle is .* it must be a number or an array"):
            predict(0.5, bad, 0.5, 0.2)
    with pytest.raises(ModelError, match="cannot be broadcast"):
        predict([1.0, 2.0], 1.0, [1.0, 2.0, 3.0], 0.0)


def test_walker_is_found_lazily():
    assert tr.walker.predict is predict
