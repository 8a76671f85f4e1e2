"""Every law of friction from random starts: energy balances, friction only resists, formalisms agree."""

import inspect
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.laws.friction_law import FrictionLaw

SIZES: dict[str, dict[str, Any]] = {
    "Coulomb": {"mu_static": 0.4, "mu_kinetic": 0.3},
    "RegularisedCoulomb": {"mu": 0.3, "v0": 0.05},
    "Stribeck": {"mu_static": 0.4, "mu_kinetic": 0.3, "v0": 0.05},
    "LuGre": {"mu_static": 0.4, "mu_kinetic": 0.3, "stiffness": 200.0},
    "Creep": {"stiffness": 20.0, "mu": 0.3, "slow": 0.1},
    "RollingResistance": {"lever": 0.01, "v0": 0.05},
    "SpinFriction": {"radius": 0.02, "mu": 0.3, "v0": 0.05},
    "Relaxed": {"mu": 0.4},
    "PatchFriction": {"mu": 0.3, "radius": 0.02, "v0": 0.05},
    "BrushTyre": {"mu": 0.4, "stiffness": 5.0, "slow": 0.3},
    "MagicTyre": {
        "mu_x": 0.4, "mu_y": 0.3, "stiffness_x": 5.0, "stiffness_y": 4.0, "relaxation_x": 0.1, "relaxation_y": 0.1,
        "slow": 0.3,
    },
    # A wheel that leans by 0.37 rad jams where the force across is 1.2 times the load: not as stiff as that.
    "FufaevNeimark": {"stiffness": 20.0, "twist_stiffness": 0.05, "alpha": 50.0, "beta": 2.0},
}  # fmt: skip
# Bristles and tyres give energy back; what a relaxed constraint does is said in docs/wheel.md.
STORING = ("LuGre", "Relaxed", "MagicTyre", "FufaevNeimark")


def exported_laws() -> list[str]:
    """All laws of friction that a user can name."""
    named = {n: getattr(tr, n) for n in dir(tr) if not n.startswith("_")}
    found = {n: c for n, c in named.items() if inspect.isclass(c) and issubclass(c, FrictionLaw)}
    return sorted(n for n, c in found.items() if c is not FrictionLaw)


def wheel(law: FrictionLaw) -> tr.Model:
    m = tr.Model("tyre")
    body = m.body("tyre", mass=1.0, inertia=(0.02, 0.03, 0.02))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3, 0.1)), m.ground, body, name="c", law=law)
    return m


def random_start(rng: np.random.Generator) -> dict[str, Any]:
    lean = rng.uniform(-0.5, 0.5)
    height = 0.2 * np.cos(lean) + 0.1
    quaternion = (np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0)
    return {
        "tyre.position": (0, 0, height),
        "tyre.quaternion": quaternion,
        "tyre.velocity_x": rng.normal(),
        "tyre.velocity_y": rng.normal(),
        "tyre.angular_velocity_y": 5 * rng.normal(),
        "tyre.angular_velocity_z": 3 * rng.normal(),
    }


def test_every_law_has_values_in_this_test() -> None:
    assert set(exported_laws()) <= set(SIZES), "a new law needs sizes in this file"


@pytest.mark.parametrize("name", sorted(SIZES))
def test_from_random_starts(name: str) -> None:
    system = wheel(getattr(tr, name)(**SIZES[name])).build()
    rng = np.random.default_rng(11)
    for _ in range(4):
        start = random_start(rng)
        if getattr(tr, name).held:  # along the wheel it rolls
            del start["tyre.velocity_x"]
        run = system.simulate(0.3, start, samples=61)
        assert run.ok, run.outcome
        assert run.energy.drift < 1e-7
        if name not in STORING:
            assert np.min(run.values("c.friction_power")) > -1e-7
        if name != "Relaxed":
            other = system.simulate(0.3, start, samples=61, formalism="udwadia_kalaba")
            assert other.ok, other.outcome
            np.testing.assert_allclose(
                other.values("tyre.position"), run.values("tyre.position"), rtol=0, atol=1e-6, err_msg=name
            )
