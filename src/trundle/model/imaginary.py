"""Imaginary forces: the inertial forces on a body that is described relative to a moving frame, due to the motion of
that frame.

The acceleration of a body is split into that of the frame, that against the frame, and their products; mass and inertia
times the parts that the frame brings, turned round, are wrenches about the mass centre [Zboinski 2011, Eq. 34; its
Eq. 9 has the wrong sign in the term of the angular acceleration].
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError, UnknownNameError
from trundle.laws.signals import Signals
from trundle.model.body import Body, Frame
from trundle.model.force import Force, Terms
from trundle.space.rotation import cross, dot
from trundle.typing import Expr

KINDS = {
    "translation": "acceleration of the origin of the frame",
    "rotation": "angular acceleration of the frame",
    "centrifugal": "angular velocity of the frame",
    "gyroscopic": "angular velocity of the frame times motion against it (Coriolis)",
}
"""Kinds of imaginary forces and what they come from."""

AXES = "xyz"
COMPONENTS = tuple(f"{what}_{axis}" for what in ("force", "moment") for axis in AXES)
WHOLE = "all"


@final
@dataclass(frozen=True)
class Carrier:
    """Motion of a frame in ground axes: origin, velocity, angular velocity, and their rates."""

    p: Expr
    v: Expr
    w: Expr
    a: Expr
    alpha: Expr


def imaginary_wrenches(mass: Expr, J: Expr, p: Expr, v: Expr, w: Expr, frame: Carrier) -> dict[str, tuple[Expr, Expr]]:
    """Force and moment about the mass centre by kind, ground axes; J is the inertia in ground axes, p, v, w place and
    motion of the mass centre.
    """
    zero = ca.SX.zeros(3)
    r = p - frame.p
    v_r, w_r = v - frame.v - cross(frame.w, r), w - frame.w
    trace = J[0, 0] + J[1, 1] + J[2, 2]
    return {
        "translation": (-mass * frame.a, zero),
        "rotation": (-mass * cross(frame.alpha, r), -ca.mtimes(J, frame.alpha)),
        "centrifugal": (-mass * cross(frame.w, cross(frame.w, r)), -cross(frame.w, ca.mtimes(J, frame.w))),
        "gyroscopic": (
            -2 * mass * cross(frame.w, v_r),
            -2 * cross(w_r, ca.mtimes(J, frame.w) - trace / 2 * frame.w),
        ),
    }


@final
@dataclass(frozen=True, eq=False)
class Omitted(Force):
    """The opposite of an imaginary force of a body, or of some of its components in the axes of the frame."""

    body: Body
    frame: Body
    kind: str
    components: tuple[str, ...] = COMPONENTS

    @property
    def places(self) -> tuple[Frame, ...]:
        return (Frame(self.body, self.body.com),)

    def terms(self, s: Signals) -> Terms:
        (centre,) = self.places
        inertia, name = self.body.mass_properties(), self.frame.name
        R, v, w = s.rotation(centre), s.velocity(centre), s.angular_velocity(centre)
        J = ca.mtimes(ca.mtimes(R, inertia.matrix), R.T)
        carrier = Carrier(
            s.position(Frame(self.frame)), s.velocity(Frame(self.frame)), s.angular_velocity(Frame(self.frame)),
            s[f"{name}.acceleration"], s[f"{name}.angular_acceleration"],
        )  # fmt: skip
        axes = s.rotation(Frame(self.frame))
        found = imaginary_wrenches(inertia.mass, J, s.position(centre), v, w, carrier)[self.kind]
        F, M = (self._part(axes, value, what) for value, what in zip(found, ("force", "moment"), strict=True))
        return Terms(wrenches=[(centre, -F, -M)], supplied=-dot(F, v) - dot(M, w))

    def _part(self, axes: Expr, value: object, what: str) -> Expr:
        """The chosen components of a vector, ground axes."""
        chosen = [i for i, axis in enumerate(AXES) if f"{what}_{axis}" in self.components]
        if len(chosen) == 3:
            return value
        return sum((axes[:, i] * dot(axes[:, i], value) for i in chosen), ca.SX.zeros(3))


def omissions(omit: Expr, carriers: Mapping[str, tuple[Body, Body]]) -> Iterator[tuple[str, Omitted]]:
    """Forces that cancel the omitted imaginary forces, with their names: {body: kinds}, where kinds is a kind, several,
    or {kind: components}; a body alone, or "all", means all kinds. `carriers` has bodies and their frames by name.
    """
    by_body = omit if isinstance(omit, Mapping) else dict.fromkeys(_several(omit), WHOLE)
    for name, kinds in by_body.items():
        if name not in carriers:
            raise UnknownNameError(str(name), carriers, "body in a moving frame whose imaginary forces are left out")
        body, frame = carriers[name]
        by_kind = kinds if isinstance(kinds, Mapping) else dict.fromkeys(_several(kinds), COMPONENTS)
        if WHOLE in by_kind:
            by_kind = dict.fromkeys(KINDS, by_kind[WHOLE])
        for kind, components in by_kind.items():
            if kind not in KINDS:
                raise UnknownNameError(str(kind), KINDS, f"kind of imaginary force of body {name!r}")
            chosen = tuple(c for part in _several(components) for c in _components(part, f"{name!r}, {kind}"))
            yield f"{name} without {kind}", Omitted(body, frame, kind, chosen)


def _several(given: object) -> Sequence[Expr]:
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, list | tuple | set | frozenset):
        raise ModelError(
            f"omit takes {{'body': kinds}}, where kinds is one of {', '.join(KINDS)}, several of them, or "
            f"{{kind: components}}; got {given!r}."
        )
    return tuple(given)


def _components(part: Expr, where: str) -> tuple[str, ...]:
    """Components by a name: "moment_z", "force", or "z" for both."""
    found = tuple(c for c in COMPONENTS if part in (c, *c.split("_"))) if part != WHOLE else COMPONENTS
    if not found:
        choices = [*AXES, "force", "moment", *COMPONENTS]
        raise UnknownNameError(str(part), choices, f"component of an imaginary force ({where})")
    return found
