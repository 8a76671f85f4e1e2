"""Exact dry friction: while a contact sticks its slip is a constraint, while it slides friction is a force along a
direction that turns with the slip.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import casadi as ca

from trundle.contact.collision.layout import AT_END, BEGINS, ENDS, NO_DIRECTION, SLOW_SLIP
from trundle.contact.modes.mode import Mode, Transition
from trundle.quantities.parameters import RunScales
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.contact.bonds import ContactBonds
    from trundle.contact.modes.expressions import ModeExpressions

TURN = 0.5  # tangent of the angle by which sliding may turn before its direction is stored anew
NOISE = 1e-8  # a slip has to be a tenth of this to be distinguished from zero
STILL_SLIP = 1e-9  # of the speed of the run: slip at the start below which a contact may stick


@final
class StickSlip(Mode):
    """stick: 1 while the slip is held; ahead_x, ahead_y: direction of sliding; slow: 1 while sliding has just begun,
    2 while it soon ends.
    """

    states = ("stick", "ahead_x", "ahead_y", "slow")
    switches = ("stick",)

    def transitions(self, together: bool) -> Sequence[Transition]:
        name = self.connection.name
        found = [Transition(name, kind, together=together) for kind in ("slips", "stops")]
        if len(self.connection.sliding) == 2:
            found += [Transition(name, kind, reported=False, together=together) for kind in ("turns", "slows")]
        return found

    def value(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds") -> Expr:
        m = bonds.modes
        if kind == "slips":
            held = m["stick"] * m.get("closed", 1) == 1
            return ca.if_else(held, at.relative_margin(bonds, at.multipliers), 1)
        slides = ca.logic_and(m["stick"] == 0, m.get("closed", 1) == 1)
        return ca.if_else(slides, self._sliding(kind, at, bonds), 1)

    def _sliding(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds") -> Expr:
        """What is watched of a slip."""
        slip, slow = [bonds.rate(n) for n in self.connection.sliding], bonds.modes["slow"]
        least = unknown_direction(at.equations.scales, None if kind == "slows" else slow)
        along = [bonds.modes["ahead_x"], bonds.modes["ahead_y"]][: len(slip)]
        ahead = sum((s * d for s, d in zip(slip, along, strict=True)), ca.SX(0)) / least
        if kind == "stops":
            return NOISE * ahead / (1 + 10 * NOISE * ca.fabs(ahead))  # above -0.1: turning the other way goes before
        aside = (slip[1] * along[0] - slip[0] * along[1]) / least
        forward = ahead * ca.fabs(ahead)  # the square, below zero beyond the end of sliding
        if kind == "slows":
            leaves = slow > 0  # until the slip is twice as large
            return (1 - 2 * leaves) * (forward + aside**2 - (SLOW_SLIP * (1 + leaves)) ** 2)
        # over the square of the slip, so that no slip is so small that its turning could not be resolved
        return (TURN**2 * forward + 1 - aside**2) / (ahead**2 + aside**2 + 1)

    def jump(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        if kind == "slips":
            return self._slide(at, bonds, p, at.grip(bonds, at.multipliers))
        if kind == "stops":
            return self._stopped(at, bonds, u, p)
        p = self._along(at, bonds, p, [bonds.rate(n) for n in self.connection.sliding])
        return at.put(p, bonds, slow=ca.if_else(bonds.modes["slow"] > 0, 0, ENDS)) if kind == "slows" else p

    def settle(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        slip = at.slip(bonds, u, p)
        moving = self._along(at, bonds, at.put(p, bonds, stick=0, slow=0), ca.vertsplit(slip))
        return ca.if_else(
            self._is_still(at, bonds, slip, p, STILL_SLIP * at.equations.scales.speed),
            self._stopped(at, bonds, u, p),
            moving,
        )

    def closed(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        return self.settle(at, bonds, u, p)

    def opened(self, at: "ModeExpressions", bonds: "ContactBonds", p: Expr) -> Expr:
        return at.put(p, bonds, stick=0)

    def _along(self, at: "ModeExpressions", bonds: "ContactBonds", p: Expr, vector: Sequence[Expr]) -> Expr:
        """The direction of sliding set along a vector."""
        size = ca.sqrt(sum((v**2 for v in vector), ca.SX(1e-300)))
        return at.put(p, bonds, **dict(zip(("ahead_x", "ahead_y"), [v / size for v in vector], strict=False)))

    def _slide(self, at: "ModeExpressions", bonds: "ContactBonds", p: Expr, grip: Sequence[Expr]) -> Expr:
        """Sliding begins against the force that held."""
        return self._along(at, bonds, at.put(p, bonds, stick=0, slow=BEGINS), [-f for f in grip])

    def _stopped(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        """At rest: does it stick, or slide on the other way? Others that are at rest too are held along with it; those
        for which that is too much are due to slip.
        """
        held = at.put(p, bonds, stick=1)
        for other, slip in zip(at.contacts, at.slips(u, p), strict=True):
            if other is not bonds and "stick" in other.modes:
                still = self._is_still(at, other, slip, p, unknown_direction(at.equations.scales))
                held = at.put(held, other, stick=ca.if_else(still, 1, at.get(p, other, "stick")))
        multipliers = at.multipliers_at(u, held)
        # There is no normal force yet where a contact that lets go by itself lands.
        least = -(at.negligible_force(self.connection) ** 2) if self.connection.separates else 0
        sticks = at.margin(bonds, multipliers) >= least
        return ca.if_else(sticks, held, self._slide(at, bonds, p, at.grip(bonds, multipliers)))

    @staticmethod
    def _is_still(at: "ModeExpressions", bonds: "ContactBonds", slip: Expr, p: Expr, least: Expr) -> Expr:
        """Whether a contact is closed and its slip is below `least`."""
        speed = ca.sqrt(sum((slip[i] ** 2 for i in range(slip.shape[0])), ca.SX(0)))
        closed = at.get(p, bonds, "closed") if "closed" in bonds.modes else 1
        return ca.logic_and(speed < least, closed == 1)


def unknown_direction(scales: RunScales, slow: Expr | None = None) -> Expr:
    """A slip (m/s) too small to have a direction. It goes with the tolerance, as does the shift of the multiplier
    block: 1e-7 of the speed of the run at the default one, and a tenth of it where sliding ends.
    """
    least = NO_DIRECTION * scales.speed * ca.sqrt(scales.shift)
    return least if slow is None else least * ca.if_else(slow == ENDS, AT_END, 1)


def sliding_direction(slip: Sequence[Expr], along: Sequence[Expr], slow: Expr, scales: RunScales) -> list[Expr]:
    """Unit vector of sliding: that of the slip. Its component along `along` stays positive beyond the end of the
    sliding, so that the right-hand side is smooth where an integrator steps over it.

    A slip too small to have a direction turns it as if it had that size: what begins to slide finds its direction, and
    where sliding ends it is `along`.
    """
    if len(slip) == 1:
        return [along[0]]
    least = unknown_direction(scales, slow)
    ahead = (slip[0] * along[0] + slip[1] * along[1]) / least
    aside = (slip[1] * along[0] - slip[0] * along[1]) / least
    steep = ahead**7
    ratio = aside * (steep + 1) / (steep * ahead + 1)  # aside / ahead, but for (least / ahead)^7 of it
    size = ca.sqrt(1 + ratio**2)
    return [(along[0] - ratio * along[1]) / size, (along[1] + ratio * along[0]) / size]
