"""Two compliant feet of a wheel that collides with the ground: their forces, events and modes.

Deformations are small against the spokes, so the ground acts on the wheel with constant levers. Both feet stand on one
line and share one tangential velocity: they stick or slide together, and only the sum of their friction is determined
[Barjau 2022, section 5]. The units are the mass of the wheel, the length of a spoke, the velocity of approach and a
time. All numbers may be expressions.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

from trundle import math as tm
from trundle.contact.normal import NormalLaw
from trundle.math import where
from trundle.typing import Expr

EXPANDS, OPEN, COMPRESSES, HELD = -1.0, 0.0, 1.0, 2.0  # modes of a foot
ROUND_OFF = 4e-15  # of a force
INSIDE = 1e-9  # of a force: so far inside its bounds, a foot that has just broken loose is held again
CONE = 1e-12  # relative widening of the friction cone: at the critical coefficient the feet stick
ROUNDS = 4  # to find the modes of both feet at rest together


@final
@dataclass(frozen=True)
class Wheel:
    """The wheel on the feet: its numbers."""

    inertia_ratio: Expr  # I_G / (m L^2)
    half_angle: Expr  # rad
    friction: Expr
    gravity: Expr

    @cached_property
    def levers(self) -> tuple[Expr, Expr]:
        """Distances of the front foot from the centre, along and normal to the ground."""
        return tm.sin(self.half_angle), tm.cos(self.half_angle)

    @cached_property
    def mobility(self) -> list[list[Expr]]:
        """Changes of (front, back, tangential) velocity by unit impulses along each [Barjau 2022, Eqs. A.2, A.4]."""
        s, c = self.levers
        rows = ((0, 1, -s), (0, 1, s), (1, 0, -c))
        return [[a[0] * b[0] + a[1] * b[1] + a[2] * b[2] / self.inertia_ratio for b in rows] for a in rows]

    def drag(self, slide: Expr) -> list[Expr]:
        """Friction force per unit normal force at either foot."""
        along = self.mobility[2]
        return [where(slide == 0, -along[foot] / along[2], -slide * self.friction) for foot in (0, 1)]


@final
@dataclass(frozen=True)
class Feet:
    """Motion and modes of the feet, front and back."""

    wheel: Wheel
    law: NormalLaw
    units: tuple[Expr, Expr, Expr]  # of length (m), velocity (m/s) and force (N), for the law
    overlap: tuple[Expr, Expr]  # with the ground
    rate: tuple[Expr, Expr]  # of the overlap
    slip: Expr
    slide: Expr  # 1 forward, -1 backward, 0 sticks
    does: tuple[Expr, Expr]

    def _push(self, foot: int, way: Expr) -> Expr:
        """Force of a moving foot, continued as an odd function: a step may look beyond its end."""
        metre, speed, newton = self.units
        d = self.overlap[foot]
        size = self.law.one_way(-metre * tm.abs(d), -speed * self.rate[foot], way) / newton
        return where(d < 0, -size, size)

    def _presses(self, foot: int) -> Expr:
        """Above zero where a foot overlaps with the ground and its law pushes."""
        metre, speed, _ = self.units
        return tm.min(self.overlap[foot], self.law.pressed(-metre * self.overlap[foot], -speed * self.rate[foot]))

    @cached_property
    def _lift(self) -> list[list[Expr]]:
        """Upward acceleration of foot i by a unit force at foot j with its friction."""
        W, drag = self.wheel.mobility, self.wheel.drag(self.slide)
        return [[W[i][j] + W[i][2] * drag[j] for j in (0, 1)] for i in (0, 1)]

    @cached_property
    def forces(self) -> tuple[Expr, Expr, Expr]:
        """Normal forces of both feet, and the friction of both together."""
        lift, drag, g = self._lift, self.wheel.drag(self.slide), self.wheel.gravity
        push = [where(tm.abs(does) == 1, self._push(i, does), 0) for i, does in enumerate(self.does)]
        normal = []
        for i, j in ((0, 1), (1, 0)):
            both = g * (lift[j][j] - lift[i][j]) / (lift[0][0] * lift[1][1] - lift[0][1] * lift[1][0])
            held = where(self.does[j] == HELD, both, (g - lift[i][j] * push[j]) / lift[i][i])
            normal.append(where(self.does[i] == HELD, held, push[i]))
        return normal[0], normal[1], drag[0] * normal[0] + drag[1] * normal[1]

    def _rise(self, foot: int) -> Expr:
        """Upward acceleration of a foot."""
        row = self.wheel.mobility[foot]
        return sum((w * force for w, force in zip(row, self.forces, strict=True)), -self.wheel.gravity)

    def _cone_margin(self) -> Expr:
        """Above zero while the friction of sticking feet lies inside the cone."""
        front, back, along = self.forces
        margin = self.wheel.friction * (front + back) * (1 + CONE) + ROUND_OFF - tm.abs(along)
        return where(front + back > 0, margin, 1)

    def _hold_margins(self, foot: int) -> tuple[Expr, Expr]:
        """How far the force of a foot at rest is above that of expansion, and below that of compression."""
        force = self.forces[foot]
        return force - self._push(foot, EXPANDS) + ROUND_OFF, self._push(foot, COMPRESSES) - force + ROUND_OFF

    # -- event functions: above zero until the event -------------------------------------------------------------------

    def friction_event(self) -> Expr:
        """Sliding stops, or sticking breaks."""
        return where(self.slide == 0, replace(self, slide=0)._cone_margin(), self.slide * self.slip)

    def motion_event(self, foot: int) -> Expr:
        """The deformation of a foot reverses, or a held foot breaks loose."""
        does = self.does[foot]
        moving = where(does == OPEN, 1, does * self.rate[foot])
        return where(does == HELD, tm.min(*self._doing(foot, HELD)._hold_margins(foot)), moving)

    def contact_event(self, foot: int) -> Expr:
        """A foot touches (on its way down) or leaves."""
        does, presses = self.does[foot], self._presses(foot)
        return where(does == OPEN, -tm.min(presses, self.rate[foot]), where(does == EXPANDS, presses, 1))

    # -- modes after the events ----------------------------------------------------------------------------------------

    def after_friction(self) -> "Feet":
        """Sticking that breaks turns into sliding. Feet whose sliding stops stick if friction can hold them."""
        breaks = replace(self, slide=where(self.slide == 0, self._way(), 0))
        return breaks._with_friction()._settled(True, self._held)

    def after_motion(self, foot: int) -> "Feet":
        """A foot whose deformation comes to rest reverses, or is held by its internal dry friction; a held foot breaks
        loose.
        """
        does = self.does[foot]
        comes_back = does * self._doing(foot, -does)._rise(foot) < 0
        is_dry = self._is_dry(foot)
        turned = where(is_dry, where(comes_back, HELD, -does), -does)
        above, below = self._hold_margins(foot)
        moves = self._doing(foot, where(does == HELD, where(below < above, COMPRESSES, EXPANDS), turned))
        rest = [is_dry if i == foot else held for i, held in enumerate(self._held)]
        return moves._open_if_plastic(foot)._settled(self.slide == 0, rest)

    def after_contact(self, foot: int) -> "Feet":
        """An open foot touches; a closed one leaves."""
        rests, does = self.touches_at_rest(foot), self.does[foot]
        way = where(rests, HELD, where(self.rate[foot] > 0, COMPRESSES, EXPANDS))
        rest = [rests if i == foot else held for i, held in enumerate(self._held)]
        return self._doing(foot, where(does == OPEN, way, OPEN))._settled(self.slide == 0, rest)

    def touches_at_rest(self, foot: int) -> Expr:
        """Whether an open foot that is still deformed comes to rest as it touches."""
        stops = where(self.overlap[foot] > self.rate[foot], self._is_dry(foot), 0)
        return where(self.does[foot] == OPEN, stops, 0)

    def _is_dry(self, foot: int) -> Expr:
        """Whether the foot can be held by its internal dry friction."""
        return self._push(foot, EXPANDS) != self._push(foot, COMPRESSES)

    def _doing(self, foot: int, what: Expr) -> "Feet":
        return replace(self, does=(what, self.does[1]) if foot == 0 else (self.does[0], what))

    def _way(self) -> Expr:
        """Direction in which the feet begin to slide."""
        return where(replace(self, slide=0).forces[2] > 0, -1, 1)

    def _with_friction(self) -> "Feet":
        """At rest along the ground the feet slide if friction cannot hold them, and stick if it surely can."""
        margin = replace(self, slide=0)._cone_margin()
        return replace(self, slide=where(margin < 0, self._way(), where(margin > INSIDE, 0, self.slide)))

    @property
    def _held(self) -> list[Expr]:
        return [does == HELD for does in self.does]

    def _let_go(self, foot: int, rest: Expr) -> "Feet":
        """A foot at rest is held where its force stays within its bounds; otherwise it moves in the direction of the
        force that exceeds them. The other foot and friction influence this, so it is evaluated anew each time.
        """
        does = self.does[foot]
        above, below = self._doing(foot, HELD)._hold_margins(foot)
        free = where(below < 0, COMPRESSES, where(above < 0, EXPANDS, HELD))
        again = where(tm.min(above, below) > INSIDE, HELD, does)
        again = where(below < -INSIDE, COMPRESSES, where(above < -INSIDE, EXPANDS, again))
        again = where(rest, where(self._lift[foot][foot] > 0, again, does), does)
        return self._doing(foot, where(does == HELD, free, again))._open_if_plastic(foot)

    def _open_if_plastic(self, foot: int) -> "Feet":
        """A plastic foot opens instead of expanding: it exerts no force then."""
        limp = where(self._push(foot, EXPANDS) == 0, OPEN, EXPANDS)
        return self._doing(foot, where(self.does[foot] == EXPANDS, limp, self.does[foot]))

    def _settled(self, friction_rests: Expr, feet_rest: list[Expr]) -> "Feet":
        """Modes after the immediate consequences for the feet and for friction where they are at rest."""
        feet = self
        for _ in range(ROUNDS):
            feet = feet._let_go(0, feet_rest[0])._let_go(1, feet_rest[1])
            feet = replace(feet, slide=where(friction_rests, feet._with_friction().slide, feet.slide))
        return feet
