"""Invalid contacts, and contacts at the limits of what is valid."""

import math

from small_models import ball, changed, disc, free_body, pendulum
from what_must_happen import Table, built, ends, finishes, made, refused

import trundle as tr

nan, inf = math.nan, math.inf


def cylinders() -> tr.Model:
    m = tr.Model("two tubes")
    b = m.body("b", mass=1.0, inertia=0.1)
    m.connect(tr.HigherPair(tr.Cylinder(1.0), tr.Cylinder(0.2)), m.ground, b, name="c")
    return m


def massless_wheel() -> tr.Model:
    m = tr.Model("massless wheel")
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, m.body("b"), law=tr.NoSlip())
    return m


SURFACES: Table = {
    "ball without a radius": (made(lambda: ball(0)), refused(r"Sphere: radius must be greater than zero")),
    "ball of negative radius": (made(lambda: ball(-1)), refused(r"Sphere: radius must be greater than zero")),
    "ball of radius nan": (made(lambda: ball(nan)), refused(r"Sphere: radius must be a finite number")),
    "ball of infinite radius": (made(lambda: ball(inf)), refused(r"Sphere: radius must be a finite number")),
    "pipe of radius 1e308": (
        made(lambda: ball(0.05, tr.Cylinder(1e308, inside=True))),
        refused(r"Cylinder: radius is 1e\+308"),
    ),
    "ball larger than its bowl": (made(lambda: ball(2.0, tr.Sphere(1.0, inside=True))), refused(r"does not fit")),
    "ball that fills its bowl": (made(lambda: ball(1.0, tr.Sphere(1.0, inside=True))), refused(r"tr\.Spherical")),
    "ball wider than its pipe": (made(lambda: ball(0.2, tr.Cylinder(0.1, inside=True))), refused(r"too narrow")),
    "tube thicker than its wheel": (made(lambda: tr.Torus(0.1, 0.3)), refused(r"Torus: a tube of radius 0\.3")),
    "torus of negative tube": (made(lambda: tr.Torus(0.3, -0.1)), refused(r"Torus: the radius of the tube")),
    "cone without an opening": (made(lambda: tr.Cone(0.3, 0.0)), refused(r"Cone")),
    "cone that is a plane": (made(lambda: tr.Cone(0.3, math.pi / 2)), refused(r"Cone")),
    "helix edge of no radius": (made(lambda: tr.HelixEdge(0.0, 0.1)), refused(r"HelixEdge")),
    "tangent surface without reach": (made(lambda: tr.TangentSurface(1.0, 0.3, 0.0)), refused(r"TangentSurface")),
    "plane on plane": (made(lambda: tr.HigherPair(tr.Plane(), tr.Plane())), refused(r"tr\.Planar")),
    "vertex on vertex": (made(lambda: tr.HigherPair(tr.Vertex(), tr.Vertex())), refused(r"tr\.Spherical")),
    "line on plane": (made(lambda: tr.HigherPair(tr.LineEdge(), tr.Plane())), refused(r"straight line")),
    "surface in words": (made(lambda: tr.HigherPair("Plane", tr.Sphere(1.0))), refused(r"takes two surfaces")),
    "surface in a planar pair": (made(lambda: tr.PlanarPair(tr.Plane(), tr.Circle(1.0))), refused(r"Circle, Line")),
    "tubes along each other": (cylinders(), refused(r"touch along a line", {})),
}

LAWS: Table = {
    "rolling law on a hinge": (made(lambda: pendulum(law=tr.NoSlip())), refused(r"NoSlip acts at a contact point")),
    "rolls twice": (built(lambda: ball(law=[tr.NoSlip(), tr.NoSlip()])), refused(r"sealed 2 times")),
    "rolls and rubs": (built(lambda: ball(law=[tr.NoSlip(), tr.Coulomb(0.3)])), refused(r"sealed 2 times")),
    "rubs twice": (built(lambda: ball(law=[tr.Stribeck(0.3, 0.2), tr.Coulomb(0.3)])), refused(r"sealed 2 times")),
    "negative friction": (made(lambda: tr.Coulomb(-0.1)), refused(r"mu_static must not be negative")),
    "friction nan": (made(lambda: tr.Coulomb(nan)), refused(r"mu_static")),
    "kinetic above static": (made(lambda: tr.Coulomb(0.2, 0.4)), refused(r"mu_kinetic 0\.4 is above mu_static")),
    "friction zero": (ball(law=tr.Coulomb(0.0)), finishes({"b.x_rate": 1.0})),
    "friction of a million": (ball(law=tr.Coulomb(1e6)), finishes({"b.x_rate": 1.0})),
    "no width of regularisation": (made(lambda: tr.RegularisedCoulomb(0.3, 0.0)), refused(r"tr\.Coulomb is the exact")),
    "negative width": (made(lambda: tr.RegularisedCoulomb(0.3, -1.0)), refused(r"v0 must not be negative")),
    "bristles without stiffness": (
        made(lambda: tr.LuGre(0.3, 0.2, stiffness=0.0)),
        refused(r"stiffness must be above"),
    ),
    "stribeck speed zero": (made(lambda: tr.LuGre(0.3, 0.2, stribeck_speed=0.0)), refused(r"stribeck_speed")),
    "creep without slow": (made(lambda: tr.Creep(10.0, 0.3, slow=0.0)), refused(r"slow must be above zero")),
    "friction that drives": (
        ball(law=tr.RegularisedCoulomb(lambda s: -0.1 + 0 * s.t, 0.01)),
        ends("FRICTION_DRIVES", {"b.x_rate": 1.0}),
    ),
    "normal without stiffness": (made(lambda: tr.Hertz(0.0)), refused(r"stiffness must be above zero")),
    "normal that pulls": (made(lambda: tr.Hertz(-1e3)), refused(r"stiffness must not be negative")),
    "exponent zero": (made(lambda: tr.Hertz(1e5, 0.0)), refused(r"exponent must not be below 1")),
    "exponent one half": (made(lambda: tr.Hertz(1e5, 0.5)), refused(r"exponent must not be below 1")),
    "restitution two": (made(lambda: ball(restitution=2.0)), refused(r"between 0 \(plastic\) and 1")),
    "restitution negative": (made(lambda: ball(restitution=-0.1)), refused(r"must not be negative")),
    "restitution nan": (made(lambda: ball(restitution=nan)), refused(r"Poisson: e")),
    "restitution one": (ball(restitution=1.0), finishes({"b.z": 1.0}, duration=2.0)),
    "hinge that opens": (made(lambda: pendulum(unilateral=True)), refused(r"only a contact of surfaces can open")),
    "hinge that bounces": (made(lambda: pendulum(restitution=0.5)), refused(r"only a contact of surfaces can open")),
    "wheel of another model": (built(lambda: ball(wheel=tr.Body("w"))), refused(r"wheel 'w' belongs to another model")),
    "impacts unknown": (
        built(lambda: changed(ball(unilateral=True), lambda m: setattr(m, "impacts", "funny"))),
        refused(r"model\.impacts is 'funny'"),
    ),
    "row to relax unknown": (built(lambda: changed(pendulum(), lambda m: m.relax("bob.q", 0.5))), refused(r"bob\.q")),
    "weight of two": (made(lambda: pendulum().relax("bob.x", 2.0)), refused(r"between 0 \(lifted\) and 1")),
    "weight in words": (made(lambda: pendulum().relax("bob.x", "half")), refused(r"between 0 \(lifted\) and 1")),
    "relaxed twice": (
        made(lambda: changed(pendulum(), lambda m: (m.relax("bob.x", 0.5), m.relax("bob.x", 0.5)))),
        refused(r"has a weight already"),
    ),
    "compliance on no bond": (made(lambda: pendulum(compliance={"w": tr.Spring(1e4)})), refused(r"compliance on 'w'")),
    "compliance on a free bond": (made(lambda: pendulum(compliance={"rz": tr.Spring(1e4)})), refused(r"'rz'")),
    "compliance of nothing": (
        built(lambda: pendulum(tr.Free(), compliance=tr.Spring(1e4))),
        refused(r"has no constraint"),
    ),
    "massless wheel": (built(massless_wheel), refused(r"massless")),
}

POSES: Table = {
    "ball under the plane": (
        ball(unilateral=True),
        refused(r"overlaps 'ground' by 5\.2 m", {"b.position": (0, 0, -5.0)}),
    ),
    "ball in the plane": (ball(unilateral=True), refused(r"overlaps 'ground' by 0\.1 m", {"b.position": (0, 0, 0.1)})),
    "ball high above": (ball(unilateral=True), finishes({"b.position": (0, 0, 5.0)}, duration=2.0)),
    "ball ten kilometres away": (ball(unilateral=True), finishes({"b.position": (1e4, 1e4, 0.2)})),
    "ball outside its bowl": (
        ball(first=tr.Sphere(1.0, inside=True), law=tr.Coulomb(0.3)),
        refused(r"c\.normal|cannot", {"b.position": (0, 0, 5.0)}),
    ),
    "disc that lies": (disc(), ends("LIES_FLAT", {"b.roll": math.pi / 2})),
    "disc that falls flat": (
        disc(),
        ends("LIES_FLAT", {"b.roll": 0.3}, duration=3.0),
    ),
    "ball past the apex": (
        ball(first=tr.Cone(0.3, 0.4)),
        ends("SURFACE_LEFT", {"c.slide_rate": -2.0}, duration=1.0),
    ),
    "spin of a thousand radians": (free_body(), finishes({"a.angular_rate": (1e-3, 1e3, 0)}, drift=1e-8)),
}
