"""Mechanisms that the tests of the equations share, all assembled where their coordinates are zero.

Every body frame coincides with the ground frame at zero, so a joint at a point of space is written with the same
point on both bodies.
"""

from collections.abc import Callable

import trundle as tr

Point = tuple[float, float, float]
FOUR_BAR: dict[str, Point] = {"crank": (0, 0.2, 0), "coupler": (0.5, 0.6, 0), "rocker": (1.1, 0.4, 0)}
INERTIA = (0.12, 0.21, 0.17, 0.013, -0.021, 0.017)


def solid(m: tr.Model, name: str, centre: Point, mass: float = 1.3) -> tr.Body:
    """A body without any symmetry."""
    return m.body(name, mass=mass, inertia=INERTIA, com=centre)


def join(m: tr.Model, pair: object, first: tr.Body, second: tr.Body, at: Point, name: str, **options: object) -> None:
    """A joint at a point of space, given in the pose in which all coordinates are zero."""
    m.connect(pair, first.at(*at), second.at(*at), name=name, **options)


# -- open


def mixed_chain() -> tr.Model:
    """Every lower pair in one chain, every second one connected from its second to its first body."""
    m = tr.Model("mixed chain", gravity=(0.4, -0.3, -9.7))
    pairs = [
        tr.Spherical(),
        tr.Helical((1, 2, 3), pitch=0.1),
        tr.Cylindrical("x"),
        tr.Planar("y"),
        tr.Prismatic((1, 1, 0)),
        tr.Universal("x", cross="z"),
        tr.Fixed(),
        tr.Revolute((0.1, 0.2, 0.4)),
    ]
    last = m.ground
    for i, pair in enumerate(pairs):
        body = solid(m, f"b{i}", (0.2 * i + 0.1, 0.05, -0.1))
        ends = (last, body) if i % 2 else (body, last)
        join(m, pair, *ends, at=(0.2 * i, 0.0, -0.05 * i), name=f"j{i}")
        last = body
    return m


def reversed_chain() -> tr.Model:
    """Pairs with several coordinates, all of them connected backwards, in turned frames."""
    m = tr.Model("reversed chain")
    last = m.ground
    for i, pair in enumerate([tr.Planar("x"), tr.Universal((1, 0.3, 0)), tr.Free(), tr.Cylindrical((0, 1, 1))]):
        body = solid(m, f"b{i}", (0.15 * i, 0.1, -0.2))
        turn = ((1.0, 0.5, -0.2), 0.4 * i + 0.3)
        m.connect(pair, body.frame((0.1, 0, 0.2), turn), last.frame((0.2 * i, 0, 0), ("y", 0.7)), name=f"j{i}")
        last = body
    return m


def free_pair() -> tr.Model:
    """Two free bodies, one described relative to the other, a spring, a bushing and wrenches between them."""
    m = tr.Model("free pair", gravity=(0, 0, 0))
    a, b = solid(m, "a", (0.1, 0, 0.2)), solid(m, "b", (1.0, 0.3, 0))
    m.connect(tr.Free(), m.ground, a, law={"x": tr.Spring(3.0, 0.2), "z": tr.Motor(lambda t, q, u: tr.sin(3 * t))})
    m.connect(tr.Free(), a, b, law={"y": tr.Spring(5.0, rest=0.1)})
    m.apply(tr.SpringDamper(a.at(0.2, 0, 0), b.at(1.1, 0.2, 0.3), 20.0, 0.4, 0.5))
    m.apply(
        tr.Bushing(
            a.frame((0.3, 0.1, 0), ("x", 0.3)), b.at(0.4, 0, 0.1), (5, 6, 7, 1, 2, 3), (0.1, 0.2, 0.1, 0.3, 0.2, 0.1)
        )
    )
    m.apply(
        tr.Wrench(
            b.at(1, 0, 0), force=lambda s: (s["a.position_x"], 0.3, tr.cos(s.t)), moment=(0.1, 0, -0.2), axes="body"
        )
    )
    m.apply(tr.Wrench(a, force=(0.3, 0, 1), moment=lambda s: (0, s["b.angular_velocity_y"], 0)))
    return m


def driven_chain() -> tr.Model:
    """Servos, motors and springs on pairs that are connected backwards; a screw that turns many times."""
    m = tr.Model("driven chain")
    a, b, c = solid(m, "a", (0.1, 0.2, -0.4)), solid(m, "b", (0.3, 0.1, 0.2)), solid(m, "c", (0.4, 0.3, -0.2))
    d = solid(m, "d", (0.2, -0.1, 0.1))
    join(m, tr.Helical((1, 2, 3), pitch=-0.3), a, m.ground, (0.1, 0.2, 0.3), "screw", law=tr.Servo(lambda t: 20 * t))
    slide = {"displacement": tr.Servo(lambda t: 0.2 * tr.sin(3 * t)), "angle": tr.Motor(0.3)}
    join(m, tr.Cylindrical((0, 1, 1)), b, a, (0.2, 0, 0.1), "tube", law=slide)
    table = {"x": tr.Servo(lambda t: tr.sin(t)), "angle": tr.Servo(lambda t: 2 * t), "y": tr.Spring(9.0, 0.2)}
    join(m, tr.Planar("y"), c, m.ground, (0.3, 0.1, 0), "table", law=table)
    cardan = {"angle": tr.Servo(lambda t: tr.sin(t) + 0.3), "cross_angle": tr.Spring(2.0, 0.1)}
    join(m, tr.Universal((1, 1, 0)), d, c, (0.1, 0, 0.2), "cardan", law=cardan)
    return m


# -- planar loops


def four_bar(laws: bool = False) -> tr.Model:
    """Planar four-bar of hinges: three of the five rows of its loop are redundant."""
    m = tr.Model("four-bar with laws" if laws else "four-bar", gravity=(0, -9.81, 0))
    crank, coupler, rocker = (
        solid(m, n, c)
        for n, c in zip(("crank", "coupler", "rocker"), ((0, 0.2, 0), (0.5, 0.6, 0), (1.1, 0.4, 0)), strict=True)
    )
    law = {"law": tr.Spring(2.0, 0.3, 0.2)} if laws else {}
    motor = {"law": tr.Motor(lambda t, q, u: 0.7 * tr.cos(2 * t) - 0.1 * u)} if laws else {}
    join(m, tr.Revolute("z"), m.ground, crank, (0, 0, 0), "A", **motor)
    join(m, tr.Revolute("z"), m.ground, rocker, (1.2, 0, 0), "D", **law)
    join(m, tr.Revolute("z"), crank, coupler, (0.1, 0.4, 0), "B", **law)
    join(m, tr.Revolute("z"), coupler, rocker, (1.0, 0.8, 0), "C", **motor)
    return m


def slider_crank(drive: str = "") -> tr.Model:
    """Crank, rod and slide; with `drive` a servo on the crank or on the slide."""
    m = tr.Model(f"slider-crank {drive}".strip(), gravity=(0, -9.81, 0))
    crank, rod, slide = solid(m, "crank", (0.1, 0.1, 0)), solid(m, "rod", (0.5, 0.1, 0)), solid(m, "slide", (1.0, 0, 0))
    servos = {
        "crank": tr.Servo(lambda t: 0.4 * t + 0.2 * tr.sin(3 * t)),
        "slide": tr.Servo(lambda t: 0.1 * tr.sin(2 * t)),
    }
    join(m, tr.Revolute("z"), m.ground, crank, (0, 0, 0), "A", law=servos["crank"] if drive == "crank" else None)
    join(m, tr.Prismatic("x"), m.ground, slide, (1.0, 0, 0), "S", law=servos["slide"] if drive == "slide" else None)
    join(m, tr.Revolute("z"), crank, rod, (0.2, 0.25, 0), "B")
    join(m, tr.Revolute("z"), rod, slide, (1.0, 0, 0), "C")
    m.apply(tr.SpringDamper(m.ground.at(1.6, 0, 0), slide.at(1.1, 0, 0), 30.0, 1.0, 0.4))
    return m


def carried_four_bar() -> tr.Model:
    """A four-bar carried by a free body: its loop does not run over the ground."""
    m = tr.Model("carried four-bar", gravity=(0, 0, -1.6))
    base = solid(m, "base", (0.4, 0, 0.1), mass=4.0)
    crank, coupler, rocker = (
        solid(m, "crank", (0, 0.2, 0)),
        solid(m, "coupler", (0.5, 0.6, 0)),
        solid(m, "rocker", (1.1, 0.4, 0)),
    )
    m.connect(tr.Free(), m.ground, base)
    join(m, tr.Revolute("z"), base, crank, (0, 0, 0), "A", law=tr.Servo(lambda t: 0.5 * tr.sin(t)))
    join(m, tr.Revolute("z"), rocker, base, (1.2, 0, 0), "D")
    join(m, tr.Revolute("z"), crank, coupler, (0.1, 0.4, 0), "B")
    join(m, tr.Revolute("z"), coupler, rocker, (1.0, 0.8, 0), "C")
    m.apply(tr.Wrench(base.at(0.3, 0, 0), force=(1.0, 2.0, -1.0), axes="body"))
    return m


# -- spatial loops


def rssr() -> tr.Model:
    """Spatial four-bar with two balls; the rod can spin about its own line."""
    m = tr.Model("RSSR")
    crank, rod, rocker = (
        solid(m, "crank", (0, 0.1, 0.1)),
        solid(m, "rod", (0.5, 0.3, 0.5)),
        solid(m, "rocker", (1.0, 0.4, 0.3)),
    )
    join(m, tr.Revolute("x"), m.ground, crank, (0, 0, 0), "A", law=tr.Motor(0.6))
    join(m, tr.Revolute("y"), m.ground, rocker, (1.0, 0.4, 0), "D")
    join(m, tr.Spherical(), crank, rod, (0, 0.2, 0.3), "B")
    join(m, tr.Spherical(), rocker, rod, (1.1, 0.4, 0.8), "C")
    return m


def spatial_slider_crank() -> tr.Model:
    """Crank, ball, rod, cardan joint, slide."""
    m = tr.Model("spatial slider-crank")
    crank, rod, slide = (
        solid(m, "crank", (0, 0.1, 0.1)),
        solid(m, "rod", (0.5, 0.1, 0.2)),
        solid(m, "slide", (0.9, 0, 0)),
    )
    join(m, tr.Revolute((1, 0.2, 0)), m.ground, crank, (0, 0, 0.1), "A", law=tr.Damper(0.2))
    join(m, tr.Prismatic("x"), m.ground, slide, (0.9, 0, 0), "S")
    join(m, tr.Spherical(), crank, rod, (0, 0.2, 0.25), "B")
    join(m, tr.Universal("z", cross="y"), slide, rod, (0.9, 0, 0), "C")
    return m


def bricard() -> tr.Model:
    """Six hinges at corners of a cube, neighbours at right angles: mobile although the count of constraints predicts
    that it is not.
    """
    m = tr.Model("Bricard")
    corners = [(0, 0, 0), (1, 0, 0), (1, 0, -1), (1, 1, -1), (0, 1, -1), (0, 1, 0)]
    last = m.ground
    for i, (corner, axis) in enumerate(zip(corners, "zyxzyx", strict=True)):
        after = corners[(i + 1) % 6]
        body = m.ground if i == 5 else solid(m, f"b{i}", tuple((a + b) / 2 for a, b in zip(corner, after, strict=True)))
        join(m, tr.Revolute(axis), last, body, corner, f"j{i}")
        last = body
    return m


def closed_by(pair: object, laws: dict[str, tr.EffortLaw] | None = None) -> tr.Model:
    """A pendulum on a ball and a free body, joined by the pair: the pair closes the loop."""
    m = tr.Model(f"loop closed by {type(pair).__name__}")
    a, b = solid(m, "a", (0.1, 0.2, -0.3)), solid(m, "b", (0.5, 0.4, -0.2))
    join(m, tr.Spherical(), m.ground, a, (0, 0, 0), "J")
    m.connect(tr.Free(), m.ground, b, law={"x": tr.Spring(4.0, 0.3)})
    places = [body.frame((0.3, 0.3, -0.25), ("x", 0.5)) for body in (a, b)]
    m.connect(pair, *places, name="closer", law=laws or None)
    if laws and "angle" in laws:
        m.apply(tr.TorsionSpring("closer.angle", 0.6))
    return m


def _spring(rest: float = 0.0) -> tr.EffortLaw:
    return tr.Spring(3.0, 0.2, rest)


MECHANISMS: dict[str, tuple[Callable[[], tr.Model], int]] = {
    "mixed chain": (mixed_chain, 3 + 1 + 2 + 3 + 1 + 2 + 0 + 1),
    "reversed chain": (reversed_chain, 3 + 2 + 6 + 2),
    "free pair": (free_pair, 12),
    "driven chain": (driven_chain, 3),
    "four-bar": (four_bar, 1),
    "four-bar with laws": (lambda: four_bar(laws=True), 1),
    "slider-crank": (slider_crank, 1),
    "slider-crank, crank driven": (lambda: slider_crank("crank"), 0),
    "slider-crank, slide driven": (lambda: slider_crank("slide"), 0),
    "carried four-bar": (carried_four_bar, 6),
    "RSSR": (rssr, 2),
    "spatial slider-crank": (spatial_slider_crank, 1),
    "Bricard": (bricard, 1),
    "closed by Revolute": (lambda: closed_by(tr.Revolute("y"), {"angle": tr.Motor(lambda t, q, u: tr.sin(q) - u)}), 4),
    "closed by Helical": (lambda: closed_by(tr.Helical((1, 1, 0), pitch=0.2), {"angle": _spring(0.1)}), 4),
    "closed by Cylindrical": (
        lambda: closed_by(tr.Cylindrical("x"), {"angle": _spring(), "displacement": _spring(0.2)}),
        5,
    ),
    "closed by Prismatic": (lambda: closed_by(tr.Prismatic("z"), {"displacement": _spring(0.1)}), 4),
    "closed by Planar": (
        lambda: closed_by(tr.Planar("y"), {"x": _spring(), "y": tr.Motor(0.4), "angle": _spring()}),
        6,
    ),
    "closed by Universal": (lambda: closed_by(tr.Universal("x"), {"angle": _spring(), "cross_angle": _spring(0.3)}), 5),
    "closed by Spherical": (lambda: closed_by(tr.Spherical()), 6),
    "closed by Fixed": (lambda: closed_by(tr.Fixed()), 3),
}
