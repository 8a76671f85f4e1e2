"""Friction of a patch that slides and spins: against sums over the patch, its limits, and the disc on a table."""

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

import trundle as tr
from trundle import examples
from trundle.contact.patch_friction import SHARES
from trundle.errors import ModelError


def over_patch(s: float, pressure: str, n: int = 200) -> tuple[float, float]:
    """Force over mu N and moment over mu N a, point by point."""
    g, w = np.polynomial.legendre.leggauss(n)
    r, w = (g + 1) / 2, w / 2
    phi = (np.arange(4 * n) + 0.5) * 2 * np.pi / (4 * n)
    p = {"even": np.ones(n) / np.pi, "hertz": 1.5 / np.pi * np.sqrt(1 - r**2)}[pressure]
    ring, angle = np.meshgrid(r, phi, indexing="ij")
    v, u = s / (1 + s), 1 / (1 + s)
    vx, vy = v - u * ring * np.sin(angle), u * ring * np.cos(angle)
    weight = (w * p * r)[:, None] * 2 * np.pi / (4 * n) / np.hypot(vx, vy)
    return float(np.sum(weight * vx)), float(np.sum(weight * ring * (np.cos(angle) * vy - np.sin(angle) * vx)))


@pytest.mark.parametrize("pressure", SHARES)
def test_shares_against_sums_over_the_patch(pressure: str) -> None:
    s = ca.SX.sym("s")
    share = ca.Function("share", [s], list(SHARES[pressure](s)))
    for ratio in (1e-9, 1e-3, 0.2, 0.7, 0.999, 1.001, 1.5, 3.0, 5.999, 6.001, 20.0, 1e4, 1e9):
        found = [float(each) for each in share(ratio)]
        assert found == pytest.approx(over_patch(ratio, pressure), abs=2e-5)
        assert found[1] * ratio < 0.7 and 0 < found[0] <= 1  # the moment falls as 1 / s, without noise
    for edge in (1.0, 6.0):  # the pieces meet
        below, above = (np.array(share(edge * (1 + d))).ravel() for d in (-1e-12, 1e-12))
        np.testing.assert_allclose(below, above, atol=1e-10)


def answer(law: Any, motion: Any) -> np.ndarray:
    return np.array([float(ca.SX(v)) for v in law.resist({}, [ca.SX(v) for v in motion], ca.SX(0), [])[0]])


@pytest.mark.parametrize(("pressure", "mean"), [("hertz", 3 * np.pi / 16), ("even", 2 / 3)])
def test_limits_are_the_laws_of_slip_and_of_spin(pressure: str, mean: float) -> None:
    law = tr.PatchFriction(0.3, 0.05, pressure, v0=1e-3)
    for speed in (1e-4, 2e-3, 1.0):
        slip = answer(tr.RegularisedCoulomb(0.3, 1e-3), (0.6 * speed, -0.8 * speed))
        assert answer(law, (0.6 * speed, -0.8 * speed, 0.0)) == pytest.approx([*slip, 0.0], abs=1e-9)
        (spin,) = answer(tr.SpinFriction(mean * 0.05, 0.3, 1e-3 / 0.05), (-speed / 0.05,))
        assert answer(law, (0.0, 0.0, -speed / 0.05)) == pytest.approx([0.0, 0.0, spin], abs=1e-9)
    rng = np.random.default_rng(8)
    for motion in rng.normal(size=(40, 3)) * (0.3, 0.3, 10.0):
        assert answer(law, motion) @ motion > 0


def disc(gyration: float = 0.5**0.5) -> Any:
    """A thin disc on a table; the radius of gyration over its radius."""
    m = tr.Model("disc")
    spin = 0.3 * (gyration * 0.05) ** 2
    body = m.body("disc", 0.3, (spin / 2, spin / 2, spin))
    law = tr.PatchFriction(0.2, 0.05, "even", v0=1e-8)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, body, name="table", law=law)
    m.event(
        "slow", lambda s: s["disc.velocity_x"] ** 2 + (0.05 * s["disc.angular_velocity_z"]) ** 2 - 1e-8, action="stop"
    )
    return m.build()


def slow_down(system: Any, ratio: float) -> np.ndarray:
    """Sliding over rim speed until both are below 0.1 mm/s."""
    start = {"disc.velocity": (ratio, 0, 0), "disc.angular_velocity": (0, 0, 1 / 0.05)}
    run = system.simulate(5.0, start, method="stiff", rtol=1e-9)
    assert run.outcome.startswith("EVENT_STOP") and run.energy.drift < 1e-9
    return run.values("disc.velocity")[:, 0] / (0.05 * run.values("disc.angular_velocity")[:, 2])


def test_a_uniform_disc_ends_with_the_published_ratio() -> None:
    """0.653 [Weidman 2007]: it stays there, and all other ratios tend to it."""
    fixed = brentq(lambda e: 0.5 * np.divide(*over_patch(e, "even", 80)) - e, 0.3, 0.95, xtol=1e-6)
    assert fixed == pytest.approx(0.653, abs=1e-4)
    system = disc()
    assert slow_down(system, fixed) == pytest.approx(fixed, abs=1e-4)
    for begun in (0.3, 0.6, 0.7, 1.5):
        ratios = slow_down(system, begun)
        assert np.all(np.diff(ratios) * (fixed - begun) > -1e-9)  # monotonous
        assert abs(ratios[-1] - fixed) < 0.45 * abs(begun - fixed)


def test_regimes_of_the_radius_of_gyration() -> None:
    """Above sqrt(2/3) sliding ends first, below 1/2 spinning does [Weidman 2007]."""
    heavy_rim, heavy_hub = slow_down(disc(0.95), 0.653), slow_down(disc(0.4), 0.653)
    assert heavy_rim[-1] < 0.2 and np.all(np.diff(heavy_rim) < 1e-9)
    assert heavy_hub[-1] > 2.0 and np.all(np.diff(heavy_hub) > -1e-9)


def test_the_example_and_what_is_refused() -> None:
    law = next(iter(examples.model("spinning-disc").connections.values())).friction_laws[0]
    assert isinstance(law, tr.PatchFriction) and law.pressure == "even"
    with pytest.raises(ModelError, match="pressure must be 'hertz' or 'even', not 'flat'"):
        tr.PatchFriction(0.3, 0.05, "flat")
    with pytest.raises(ModelError, match="above zero"):
        tr.PatchFriction(0.3, 0.0)
