"""Every law and force owns its energy: effort * u = -dV/dt + supplied - dissipated, whatever the motion."""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle import laws as laws_package
from trundle import model as model_package
from trundle.equations.derive import derive
from trundle.graph import find_topology
from trundle.laws.law import EffortLaw
from trundle.laws.tracking import RateTracking, Tracking
from trundle.model.force import Force


def modules_of(package: Any) -> list[Any]:
    return [import_module(f"{package.__name__}.{m.name}") for m in iter_modules(package.__path__)]


def classes(module: Any, base: type) -> list[type]:
    return [
        v
        for k, v in vars(module).items()
        if isinstance(v, type) and issubclass(v, base) and v is not base and k[0] != "_"
    ]


LAWS: dict[str, Callable[[], EffortLaw]] = {
    "Spring": lambda: tr.Spring(3.0, 0.4, 0.2),
    "Damper": lambda: tr.Damper(0.7),
    "Motor": lambda: tr.Motor(lambda t, q, u: tr.sin(t) * q - u**3),
    "Open": tr.Open,
    "Backlash": lambda: tr.Backlash(30.0, 0.1, 0.4),
    "Tracking": lambda: Tracking(tr.Spring(3.0, 0.4, 0.1), tr.Servo(lambda t: tr.sin(2 * t))),
    "RateTracking": lambda: RateTracking(tr.Spring(3.0, 0.4, 0.1), tr.Flow(lambda t, q: tr.sin(2 * t) - q)),
    "Together": lambda: tr.Spring(3.0, 0.4) + tr.Damper(0.2) + tr.Motor(lambda t, q, u: tr.cos(t)),
}

FORCES: dict[str, Callable[[tr.Frame, tr.Frame], Force]] = {
    "LineForce": lambda a, b: tr.LineForce(a, b, tr.Spring(3.0, 0.4, 0.2)),
    "SpringDamper": lambda a, b: tr.SpringDamper(a, b, 5.0, 0.3, 0.4),
    "Bushing": lambda a, b: tr.Bushing(a, b, (5, 6, 7, 1, 2, 3), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    "Wrench": lambda a, b: tr.Wrench(b, lambda s: (s.t, s["b.position_x"], 1.0), (0.1, 0.2, 0.3), axes="body"),
    "CoordinateForce": lambda a, b: tr.CoordinateForce("a.y", lambda s: s["b.angular_velocity_z"] - s["a.y_rate"]),
    "TorsionSpring": lambda a, b: tr.TorsionSpring("a.z", 2.0, 0.3, 0.1),
}


def test_every_class_has_an_example() -> None:
    laws = {c.__name__ for module in modules_of(laws_package) for c in classes(module, EffortLaw)}
    assert laws == set(LAWS)
    homes = [module for module in modules_of(model_package) if module.__name__.endswith("forces")]
    forces = {c for module in homes for c in classes(module, Force)}
    assert {c.__name__ for c in forces if not c.__subclasses__()} == set(FORCES)


@pytest.mark.parametrize("name", LAWS)
def test_power_of_a_law(name: str) -> None:
    law = LAWS[name]()
    t, q, u = (ca.SX.sym(n) for n in "tqu")
    stored = ca.SX(law.potential(t, q))
    rate = ca.jtimes(stored, q, ca.SX(law.deflection_rate(t, q, u))) + ca.jacobian(stored, t)
    left = law.effort(t, q, u) * u + rate - law.supplied(t, q, u) + law.dissipated(t, q, u)
    f = ca.Function("f", [t, q, u], [left, ca.SX(law.dissipated(t, q, u))])
    rng = np.random.default_rng(0)
    for _ in range(5):
        imbalance, lost = f(*rng.normal(size=3))
        assert abs(float(imbalance)) < 1e-13
        assert float(lost) >= 0


@pytest.mark.parametrize("name", FORCES)
def test_power_of_a_force(name: str) -> None:
    """Power of all wrenches and efforts on two free bodies against the energy the force speaks of."""
    m = tr.Model("two")
    a, b = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in "ab")
    m.connect(tr.Free(), m.ground, a)
    m.connect(tr.Free(), m.ground, b)
    force = m.apply(
        FORCES[name](a.frame((0.1, 0.2, 0.3), ("x", 0.4)), b.frame((-0.3, 0.1, 0), ((1, 1, 0), 0.7))), "force"
    )
    assert force is m.forces["force"]
    e = derive(m, find_topology(m, {}), "kane")
    terms = e.terms["force"]
    power = ca.SX(0)
    for frame, F, M in terms.wrenches:
        power += ca.dot(F, e.signals.velocity(frame)) + ca.dot(M, e.signals.angular_velocity(frame))
    for coordinate, effort in terms.efforts:
        power += effort * e.signals[f"{coordinate}_rate"]
    stored = ca.SX(terms.potential)
    rate = ca.jtimes(stored, e.q, e.motion.coordinate_rates())
    left = power + rate - terms.supplied + terms.dissipated
    f = ca.Function("f", [e.t, e.q, e.u], [left, ca.SX(terms.dissipated)])
    rng = np.random.default_rng(1)
    for _ in range(4):
        imbalance, lost = f(rng.normal(), rng.normal(size=e.n_q), rng.normal(size=e.n_u))
        assert abs(float(imbalance)) < 1e-11
        assert float(lost) >= 0


@pytest.mark.parametrize("name", ["LineForce", "SpringDamper", "Bushing"])
def test_inner_force_keeps_momentum(name: str) -> None:
    """Forces between two bodies add up to no force and no moment about the origin."""
    m = tr.Model("two")
    a, b = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in "ab")
    m.connect(tr.Free(), m.ground, a)
    m.connect(tr.Free(), m.ground, b)
    m.apply(FORCES[name](a.frame((0.1, 0.2, 0.3), ("x", 0.4)), b.frame((-0.3, 0.1, 0), ((1, 1, 0), 0.7))), "force")
    e = derive(m, find_topology(m, {}), "kane")
    force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
    for frame, F, M in e.terms["force"].wrenches:
        force, moment = force + F, moment + M + ca.cross(e.signals.position(frame), F)
    rng = np.random.default_rng(2)
    f = ca.Function("f", [e.q, e.u], [ca.vertcat(force, moment)])
    total = np.array(ca.DM(f(rng.normal(size=e.n_q), rng.normal(size=e.n_u))))
    np.testing.assert_allclose(total, 0, atol=1e-12)
