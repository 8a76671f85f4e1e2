"""Small models that the tables of nasty ones are made from."""

from collections.abc import Callable
from typing import Any

import trundle as tr


def pendulum(pair: Any = None, law: Any = None, **options: Any) -> tr.Model:
    """A bob on one joint; options of the body or of the connection."""
    m = tr.Model("pendulum")
    ends = {k: options.pop(k) for k in ("compliance", "unilateral", "restitution", "wheel") if k in options}
    bob = m.body("bob", **{"mass": 1.0, "inertia": (0.1, 0.1, 0.1), "com": (0, 0, -1.0), **options})
    m.connect(pair or tr.Revolute("y"), m.ground, bob, law=law, **ends)
    return m


def ball(radius: Any = 0.2, first: Any = None, law: Any = None, **options: Any) -> tr.Model:
    """A ball that touches the ground in contact "c"."""
    m = tr.Model("ball")
    b = m.body("b", mass=1.0, inertia=0.016)
    m.connect(tr.HigherPair(first or tr.Plane(), tr.Sphere(radius)), m.ground, b, name="c", law=law, **options)
    return m


def disc(law: Any = None, **options: Any) -> tr.Model:
    """A knife-edge wheel on a plane."""
    m = tr.Model("disc")
    b = m.body("b", mass=1.0, inertia=(0.1, 0.2, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, b, law=law or tr.NoSlip(), **options)
    return m


def free_body(**options: Any) -> tr.Model:
    """A body without symmetry, without gravity."""
    m = tr.Model("free", gravity=(0, 0, 0))
    m.connect(tr.Free(), m.ground, m.body("a", **{"mass": 1.0, "inertia": (0.1, 0.2, 0.25), **options}))
    return m


def doubly_held(first: Any, second: Any, at: tuple[float, float, float] = (0, 0, 0), **options: Any) -> tr.Model:
    """One body on two joints."""
    m = tr.Model("doubly held")
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0.05, 0))
    m.connect(first, m.ground, a, name="j")
    m.connect(second, m.ground.at(*at), a.at(*at), name="k", **options)
    return m


def four_bar(lengths: tuple[float, float, float, float], law: Any = None) -> tr.Model:
    """Ground, crank, coupler and rocker of these lengths, hinges about z."""
    base, crank, coupler, rocker = lengths
    m = tr.Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = (
        m.body(n, mass=1.0, inertia=0.1, com=(l / 2, 0, 0))
        for n, l in zip("abc", (crank, coupler, rocker), strict=True)
    )
    m.connect(tr.Revolute("z"), m.ground, a, law=law)
    m.connect(tr.Revolute("z"), a.at(crank, 0, 0), b)
    m.connect(tr.Revolute("z"), m.ground.at(base, 0, 0), c)
    m.connect(tr.Revolute("z"), b.at(coupler, 0, 0), c.at(rocker, 0, 0), name="pin")
    return m


def chain(count: int) -> tr.Model:
    """A hanging chain of rods."""
    m = tr.Model("chain")
    last: Any = m.ground
    for i in range(count):
        b = m.body(f"b{i}", mass=1.0, inertia=0.01, com=(0, 0, -0.5))
        m.connect(tr.Revolute("y"), last, b)
        last = b.at(0, 0, -1)
    return m


def changed(model: tr.Model, change: Callable[[tr.Model], Any]) -> tr.Model:
    """The model after a call on it."""
    change(model)
    return model
