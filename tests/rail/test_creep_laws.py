"""Creep laws against CONTACT's published outputs, Kalker's linear theory, full slip, each other, and the tape."""

from functools import partial

import casadi as ca
import numpy as np
import pytest

from trundle.errors import ModelError
from trundle.rail import (
    Coefficients,
    FallingFriction,
    Fastsim,
    JohnsonVermeulen,
    KalkerWarning,
    Linear,
    Patch,
    Polach,
    ShenHedrickElkins,
    creep_plot,
    creepages,
)
from trundle.rail.wheel_rail.fastsim import _grid, _march_arrays, evaluate_many

LAWS = {
    "Linear": Linear(0.3),
    "JohnsonVermeulen": JohnsonVermeulen(0.3),
    "ShenHedrickElkins": ShenHedrickElkins(0.3),
    "Polach": Polach(0.3),
    "Fastsim": Fastsim(0.3),
    "Fastsim 5 x 7, elliptic": Fastsim(0.3, 5, 7, "elliptic"),
}
EACH = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
SATURATED = pytest.mark.parametrize("law", list(LAWS.values())[1:], ids=list(LAWS)[1:])
PATCH = Patch.ellipse(6.3e-3, 4.7e-3)
N = 8e4


def spinning() -> Patch:
    """CONTACT's example with spin: a 8 mm, b 4 mm, with the flexibilities (mm^3/N) that its FASTSIM printed."""
    a, b, G = 8e-3, 4e-3, 82e9
    L1, L2, L3 = (1e-9 * v for v in (4.937e-5, 5.152e-5, 4.090e-5))
    c = np.sqrt(a * b)
    return Patch(
        a, b, Coefficients(8 * a / (3 * G * L1), 8 * a / (3 * G * L2), np.pi * a**2 / (4 * G * c * L3), 0.8), G
    )


def plain_fastsim(patch: Patch, n: int, xi: float, bound: float) -> float:
    """Kalker's algorithm as printed, on equal cells over the rectangle, whole first step; longitudinal only."""
    rate, h, total = 3 * np.pi / 8 * patch.f11 * xi / bound, 2 / n, 0.0
    middles = -1 + (np.arange(n) + 0.5) * h
    for y in middles:
        t = 0.0
        for x in middles[::-1]:
            if x * x + y * y < 1:
                t = min(t + rate * h, 2 * (1 - x * x - y * y))
                total += t * h * h / np.pi
    return total


def test_contact_s_example_with_spin():
    """CONTACT rev. 2707, FASTSIM on the fine grid: Fy/(mu N) -0.6359 (parabola), -0.5956 (ellipse)."""
    load, creep = 82e3, (0.0, -6.25e-4, 0.625)
    for bound, printed, near in (("parabolic", -0.6359, 0.011), ("elliptic", -0.5956, 0.003)):
        fine = Fastsim(0.3, 220, 220, bound).force(*creep, load, spinning()).lateral / (0.3 * load)
        coarse = Fastsim(0.3, 10, 10, bound).force(*creep, load, spinning()).lateral / (0.3 * load)
        assert fine == pytest.approx(printed, rel=near)
        assert coarse == pytest.approx(fine, rel=0.016)
        own = Fastsim(0.3, 220, 220, bound).force(*creep, load, Patch.ellipse(8e-3, 4e-3)).lateral / (0.3 * load)
        assert own == pytest.approx(printed, rel=0.02)


def test_contact_s_traction_curve():
    """CONTACT rev. 2707, FASTSIM on some 44 cells with whole first steps; its half-space solution lies 5 % apart."""
    patch, load, mu = Patch.ellipse(6.304e-3, 12.61e-3), 106.7e3, 0.33
    xi = np.array([1e-5, 1.2e-3, 2.4e-3, 3.6e-3])
    printed, half_space = np.array([0.007126, 0.6281, 0.9075, 0.9915]), np.array([0.007015, 0.6482, 0.9467, 0.9991])
    on_its_grid = [plain_fastsim(patch, 44, x, mu * load) for x in xi]
    assert on_its_grid == pytest.approx(printed, rel=0.003)
    fine = Fastsim(mu, 200, 200).force(-xi, 0.0, 0.0, load, patch).longitudinal / (mu * load)
    assert fine == pytest.approx([plain_fastsim(patch, 240, x, mu * load) for x in xi], rel=0.005)
    coarse = Fastsim(mu).force(-xi, 0.0, 0.0, load, patch).longitudinal / (mu * load)
    assert coarse == pytest.approx(fine, rel=0.007)
    assert fine[1:] == pytest.approx(printed[1:], rel=0.021)
    refined = [plain_fastsim(patch, 240, x, mu * load) / plain_fastsim(patch, 44, x, mu * load) for x in xi]
    assert fine == pytest.approx(printed * refined, rel=0.008)  # what CONTACT's FASTSIM would print on a fine grid
    assert fine == pytest.approx(half_space, rel=0.052)
    # Kalker's linear force where creepage is small. A whole first step adds half a cell h / 2 to the way of every cell
    # since the leading edge: on the unit circle pi h / 2 to the integral 8 / 3 of the way, which is 2.7 % for 44 cells.
    assert fine[0] == pytest.approx(patch.f11 * xi[0] / (mu * load), rel=1e-3)
    assert fine[0] * (1 + 3 * np.pi / 16 * (2 / 44)) == pytest.approx(printed[0], rel=0.005)


@EACH
def test_small_creepages_give_kalker_s_linear_forces(law):
    size = 1e-7
    f = PATCH
    for creep in ((size, 0, 0), (0, size, 0), (0, 0, size / 5e-3), (size, -0.6 * size, 0)):
        if isinstance(law, Polach) and creep[0] and creep[1]:
            continue  # its force lies against the creepage, also where C11 and C22 differ
        spin = 0.0 if isinstance(law, JohnsonVermeulen) else creep[2]
        found = law.force(*creep, N, PATCH)
        assert found.longitudinal == pytest.approx(-f.f11 * creep[0], rel=0.01, abs=1e-9)
        assert found.lateral == pytest.approx(-f.f22 * creep[1] - f.f23 * spin, rel=0.01, abs=1e-9)
    spun = Linear(0.3).force(0.0, 1e-4, 0.1, N, PATCH).spin_moment
    assert spun == pytest.approx(PATCH.f23 * 1e-4 - PATCH.f33 * 0.1, rel=1e-14)


@EACH
def test_slopes_at_rest_are_kalker_s_whatever_round_off_leaves_of_the_creepages(law):
    """Linearisations take them there; with Polach's law they were those of no creep force at all, or of its noise."""
    at = ca.SX.sym("creep", 3)
    slopes = ca.Function("slopes", [at], [ca.jacobian(ca.vertcat(*law.force(*ca.vertsplit(at), N, PATCH)[:2]), at)])
    f23 = 0.0 if isinstance(law, JohnsonVermeulen) else PATCH.f23
    for creep in ((0, 0, 0), (1e-16, 0, 0), (0, -1e-17, 0), (1e-14, -1e-15, 0), (1e-12, 1e-12, 1e-12)):
        along, across = np.array(slopes(creep))
        assert along == pytest.approx([-PATCH.f11, 0, 0], rel=1e-5, abs=1e-5 * PATCH.f11)
        assert across[:2] == pytest.approx([0, -PATCH.f22], rel=1e-5, abs=1e-5 * PATCH.f22)
        assert across[2] == pytest.approx(-f23, rel=1e-4, abs=1e-3)
    spinning = [np.array(slopes((xi_x, xi_y, 0.1))) for xi_x, xi_y in ((0, 0), (1e-16, 0), (-1e-15, 1e-14))]
    for one in spinning[1:]:
        assert one == pytest.approx(spinning[0], rel=1e-6, abs=1e-6 * PATCH.f11)


@SATURATED
def test_large_creepages_give_mu_n_against_the_slip(law):
    slip = np.array([[3.0, 0.0], [-2.0, 2.0], [0.0, -5.0]]) * (1e6 if isinstance(law, Polach) else 10.0)
    forces = np.stack(law.force(*slip.T, 0.0, N, PATCH)[:2], axis=-1) / (0.3 * N)
    assert np.linalg.norm(forces, axis=1) == pytest.approx(1.0, rel=1e-6)
    direction = slip / np.linalg.norm(slip, axis=1)[:, None]
    assert forces[[0, 2]] == pytest.approx(-direction[[0, 2]], abs=1e-6)
    # An oblique slip is weighed with C11 and C22, but for Polach's.
    assert forces[1] == pytest.approx(-direction[1], abs=1e-6 if isinstance(law, Polach) else 0.04)


@SATURATED
def test_friction_is_never_exceeded_and_never_drives(law):
    rng = np.random.default_rng(3)
    creep = rng.normal(size=(3, 400)) * np.array([[4e-3], [4e-3], [1.0]])
    found = law.force(*creep, N, PATCH)
    assert np.all(np.hypot(*found[:2]) <= 0.3 * N * (1 + 1e-12)) or isinstance(law, Polach)
    if isinstance(law, Fastsim):  # dissipation: force against creepage, moment against spin
        power = found.longitudinal * creep[0] + found.lateral * creep[1] + found.spin_moment * creep[2]
        assert np.all(power < 0)


def test_polach_without_spin_is_the_simplified_theory_with_an_elliptic_bound():
    """His closed form integrates the same tractions [Polach 1999], where one flexibility serves both directions."""
    equal = Patch(6e-3, 6e-3, Coefficients(4.0, 4.0, 1.5, 1.2))
    xi = np.linspace(1e-4, 8e-3, 40)
    fine = Fastsim(0.3, 200, 200, "elliptic").force(xi, -0.5 * xi, 0.0, N, equal)
    closed = Polach(0.3).force(xi, -0.5 * xi, 0.0, N, equal)
    assert np.stack(fine[:2]) == pytest.approx(np.stack(closed[:2]), rel=2e-3)


def test_creep_forces_of_mirrored_creepages_are_mirrored():
    """Mirrored at the vertical plane through the rail, lateral creepage and spin change their signs together."""
    rng = np.random.default_rng(5)
    x, y, s = rng.normal(size=(3, 50)) * np.array([[2e-3], [2e-3], [0.5]])
    for law in LAWS.values():
        one, other = law.force(x, y, s, N, PATCH), law.force(x, -y, -s, N, PATCH)
        assert np.stack([one[0], -one[1], -one[2]]) == pytest.approx(np.stack(other), abs=1e-6)


@EACH
def test_the_tape_gives_what_numpy_gives(law):
    symbols = [ca.SX.sym(n) for n in ("x", "y", "s", "N", "a", "b")]
    patch = Patch(*symbols[4:], PATCH.coefficients)
    forces = ca.vertcat(*law.force(*symbols[:4], patch, speed=20.0))
    evaluate = ca.Function("f", symbols, [forces, ca.jacobian(forces, ca.vertcat(*symbols[:4]))])
    rng = np.random.default_rng(7)
    for creep in [np.zeros(3), *rng.normal(size=(8, 3)) * np.array([4e-3, 4e-3, 1.0])]:
        force, slopes = evaluate(*creep, N, PATCH.a, PATCH.b)
        numbers = law.force(*creep, N, PATCH)
        assert np.array(force).ravel() == pytest.approx(np.array(numbers, dtype=float), rel=1e-12, abs=1e-9)
        assert np.all(np.isfinite(np.array(slopes)))
    lifted = np.array(evaluate(1e-3, 1e-3, 0.1, 0.0, PATCH.a, PATCH.b)[0]).ravel()
    assert np.all(np.abs(lifted) < 1e-8) or isinstance(law, Linear)


def test_machine_code_in_lanes_marches_as_numpy_does():
    rows = np.random.default_rng(2).uniform(-3, 3, (61, 4))
    rows[:, 3] = np.abs(rows[:, 3]) + 0.1
    for grid in ((5, 5, "parabolic"), (10, 10, "elliptic")):
        plain = np.stack(_march_arrays(_grid(*grid), *rows.T), axis=-1)
        assert evaluate_many(*grid, rows) == pytest.approx(plain, abs=1e-13)


def test_falling_friction():
    """mu halves where the exponential does: 0.3 (0.6 / 2 + 0.4) at w = ln 2 / 0.6."""
    friction = FallingFriction(0.3)
    assert friction.at(np.log(2) / 0.6) == pytest.approx(0.21)
    back, on = (Polach(friction).force(0.05, 0.0, 0.0, N, PATCH, speed=v).longitudinal for v in (-30.0, 30.0))
    assert back == on
    slow, fast = (Polach(friction).force(0.05, 0.0, 0.0, N, PATCH, speed=v).longitudinal for v in (1.0, 60.0))
    assert abs(fast) < 0.65 * abs(slow)
    with pytest.raises(ModelError, match=r"needs the rolling speed; give\s+speed="):
        Polach(friction).force(0.05, 0.0, 0.0, N, PATCH)


def test_creepages():
    assert creepages(0.2, -0.1, 3.0, -20.0) == pytest.approx((0.01, -0.005, 0.15))


def test_all_laws_in_one_picture(tmp_path):
    figure = creep_plot(path=tmp_path / "creep.png")
    assert (tmp_path / "creep.png").stat().st_size > 20_000
    assert [len(axes.lines) for axes in figure.axes] == [8, 8, 8]
    with pytest.raises(ModelError, match="load is 0 N"):
        creep_plot(load=0.0)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (partial(Polach, 0.0), "Polach: the coefficient of friction mu must be greater than zero, got 0.0"),
        (partial(ShenHedrickElkins, -0.3), "ShenHedrickElkins: .*greater than zero"),
        (partial(Linear, "dry"), "Linear: mu must be a number"),
        (partial(FallingFriction, 0.3, floor=0.0), "floor must lie above 0"),
        (partial(Polach, 0.3, adhesion=0.4, slip=0.5), "1 >= adhesion >= slip > 0"),
        (partial(Fastsim, 0.3, 1, 10), "along must be an integer from 2"),
        (partial(Fastsim, 0.3, 10, 10, "round"), "'parabolic' or 'elliptic'"),
        (partial(Fastsim(0.3, 40, 40).force, ca.SX.sym("x"), 0, 0, N, PATCH), "too large for the tape"),
        (partial(Polach(0.3).force, 0.01, 0.0, 0.0, [1e4, -5.0], PATCH), "load is -5 at index 1 N; an open contact"),
        (partial(Polach(0.3).force, np.inf, 0.0, 0.0, N, PATCH), "longitudinal creepage is inf.*speed zero"),
        (partial(creepages, 0.1, 0.0, 0.0, 0.0), "speed is 0 m/s; creepage is slip over rolling speed"),
    ],
)  # fmt: skip
def test_what_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()


def test_a_slender_patch_is_noted():
    with pytest.warns(KalkerWarning):
        Patch.ellipse(1e-2, 5e-4)
