"""The bias h of  M udot + h = J' lambda  term by term, each with its body and its kind.

The equations of motion use the sum of all terms; single terms are derived on request only.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import final

import casadi as ca

from trundle.errors import UnknownNameError
from trundle.model.body import Body, Frame
from trundle.motion.motion import Inertias, Load, Loads, Motion
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
class Kind(StrEnum):
    """Where a term of the bias comes from."""

    CONVECTIVE = "convective"  # mass and inertia times the accelerations at udot = 0
    GYROSCOPIC = "gyroscopic"  # w x I w
    GRAVITY = "gravity"
    LOAD = "load"  # forces and laws of the model


@final
@dataclass(frozen=True)
class BiasTerm:
    """One contribution to -h: a force and a moment applied to a body at a point (ground axes)."""

    body: Body
    kind: Kind
    load: Load

    def generalised(self, motion: Motion) -> Expr:
        """Generalised forces along all speeds."""
        out = ca.SX.zeros(motion.n_u)
        for i, angular, linear in motion.partials(self.body, self.load.point):
            out[i] = dot(angular, self.load.moment) + dot(linear, self.load.force)
        return out


def bias_terms(motion: Motion, inertias: Inertias, gravity: Expr, loads: Loads) -> list[BiasTerm]:
    """All terms of bodies; inertia and gravity act at the mass centre. Efforts along speeds are not included."""
    zero = ca.SX.zeros(3)
    out = []
    for body, inertia in inertias.items():
        at = motion.frame(Frame(body, body.com))
        I = ca.mtimes(ca.mtimes(at.R, inertia.matrix), at.R.T)
        wrenches = {
            Kind.CONVECTIVE: (-inertia.mass * at.a, -ca.mtimes(I, at.alpha)),
            Kind.GYROSCOPIC: (zero, -cross(at.w, ca.mtimes(I, at.w))),
            Kind.GRAVITY: (inertia.mass * gravity, zero),
        }
        for kind, (force, moment) in wrenches.items():
            out.append(BiasTerm(body, kind, Load(kind.value, at.p, force, moment)))
        out += [BiasTerm(body, Kind.LOAD, load) for load in loads.get(body, ())]
    return out


def omitting(
    motion: Motion, inertias: Inertias, gravity: Expr, loads: Loads, omit: Mapping[str, Collection[str]]
) -> dict[Body, list[Load]]:
    """Loads with which the bias lacks some kinds of terms, given by name of the body: terms of inertia and gravity are
    cancelled by opposite loads, loads are simply not applied.
    """
    bodies = {body.name: body for body in inertias}
    kinds = [kind.value for kind in Kind]
    for name, left_out in omit.items():
        if name not in bodies:
            raise UnknownNameError(name, bodies, "body whose terms are to be left out")
        for kind in left_out:
            if kind not in kinds:
                raise UnknownNameError(kind, kinds, "kind of term")
    out = {b: [load for load in of if Kind.LOAD not in omit.get(b.name, ())] for b, of in loads.items()}
    for term in bias_terms(motion, inertias, gravity, {}):
        if term.kind in omit.get(term.body.name, ()):
            _, point, force, moment = term.load
            out.setdefault(term.body, []).append(Load(f"without {term.kind}", point, -force, -moment))
    return out
