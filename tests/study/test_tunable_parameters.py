"""Tunable parameters: a sweep compiles nothing, and gives what a model with constants gives."""

from typing import Any

import numpy as np
import pytest

import trundle as tr
import trundle.equations.kernel_store
from trundle.errors import ModelError

VALUES = {"mass": 1.7, "moment": 0.4, "stiffness": 25.0, "reach": 1.3, "foot": 0.15, "pull": -9.0, "gain": 0.3}
DEFAULTS = {"mass": 1.0, "moment": 0.2, "stiffness": 10.0, "reach": 1.2, "foot": 0.0, "pull": -9.81, "gain": 0.0}


def linkage(tunable: bool, values: dict[str, float]) -> tr.Model:
    """A four-bar in which mass, inertia, stiffness, gravity and places of joints are parameters or constants."""
    m = tr.Model("linkage")
    v: dict[str, Any] = {n: m.parameter(n, value) for n, value in values.items()} if tunable else values
    m.gravity = (0, v["pull"], 0)
    crank = m.body("crank", mass=v["mass"], inertia=(v["moment"],) * 3, com=(0, 0.2, 0))
    coupler = m.body("coupler", mass=1, inertia=(0.1, 0.1, v["moment"] / 3), com=(0.5, 0.6, 0))
    rocker = m.body("rocker", mass=1, inertia=(0.1, 0.1, 0.1), com=(v["reach"], 0.4, 0))
    m.connect(
        tr.Revolute("z"),
        m.ground.at(v["foot"], 0, 0),
        crank,
        law=tr.Motor(lambda t, q, u: v["gain"] * tr.cos(t) - 0.1 * u),
    )
    m.connect(
        tr.Revolute("z"), m.ground.at(v["reach"], 0, 0), rocker.at(v["reach"], 0, 0), law=tr.Spring(v["stiffness"], 0.1)
    )
    m.connect(tr.Revolute("z"), crank.at(0.1, 0.4, 0), coupler.at(0.1, 0.4, 0))
    m.connect(tr.Revolute("z"), coupler.at(1.0, 0.8, 0), rocker.at(1.0, 0.8, 0), name="pin")
    m.apply(tr.SpringDamper(m.ground.at(0, 2 * v["reach"], 0), coupler.at(0.5, 0.6, 0), v["stiffness"], 0.1, 1.0))
    return m


def test_sweep_compiles_nothing_and_equals_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    system = linkage(True, DEFAULTS).build()
    first = system.simulate(0.5, samples=3)
    first.energy, first["crank.acceleration"]
    compiled: list[Any] = []
    original = trundle.equations.kernel_store.store_and_load

    def counting(*args: Any, **options: Any) -> Any:
        compiled.append(args)
        return original(*args, **options)

    monkeypatch.setattr(trundle.equations.kernel_store, "store_and_load", counting)
    runs = [system.simulate(0.5, {}, {"stiffness": k}, samples=3) for k in (5.0, 10.0, 20.0)]
    run = system.simulate(0.5, {}, VALUES, samples=3)
    run.energy, run["crank.acceleration"]
    assert not compiled
    ends = [r.values("crank.angle")[-1] for r in runs]
    assert ends[1] == pytest.approx(first.values("crank.angle")[-1], abs=1e-12) and len(set(ends)) == 3
    constant = linkage(False, VALUES).build().simulate(0.5, samples=3)
    for name in ("crank.angle", "pin.reaction_force", "coupler.position", "energy.potential"):
        np.testing.assert_allclose(run.values(name), constant.values(name), rtol=0, atol=1e-8, err_msg=name)
    assert run.energy.drift < 1e-8


def test_other_defaults_use_the_kernels_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    linkage(True, DEFAULTS).build().simulate(0.01)
    compiled: list[Any] = []
    original = trundle.equations.kernel_store.store_and_load
    monkeypatch.setattr(
        trundle.equations.kernel_store, "store_and_load", lambda *a, **k: compiled.append(a) or original(*a, **k)
    )
    system = linkage(True, VALUES).build()
    system.simulate(0.01)
    assert not compiled
    constant = linkage(False, VALUES).build().accelerations()
    np.testing.assert_allclose(system.accelerations()["crank.acceleration"], constant["crank.acceleration"], atol=1e-8)


def test_default_mass_of_zero_is_refused_even_when_kernels_exist() -> None:
    def pendulum(mass: float) -> tr.Model:
        m = tr.Model("pendulum with a parameter")
        b = m.body("b", mass=m.parameter("mass", mass), com=(0, 0, -1))
        m.connect(tr.Revolute("y"), m.ground, b)
        return m

    assert pendulum(1.0).build().simulate(0.1).ok
    with pytest.raises(ModelError, match=r"b\.angle has mass"):
        pendulum(0.0).build()


def test_parameters_are_signals_too() -> None:
    m = tr.Model("signals")
    m.parameter("push", 2.0, "N")
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.connect(tr.Prismatic("x"), m.ground, b)
    m.apply(tr.CoordinateForce("b.displacement", lambda s: s["push"]))
    system = m.build()
    assert system.accelerations()["b.displacement_acceleration"] == pytest.approx(2.0)
    assert system.accelerations({}, {"push": -5.0})["b.displacement_acceleration"] == pytest.approx(-5.0)
