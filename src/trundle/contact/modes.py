"""Transitions of contacts: when they stick, slide, open and close, and what changes then.

Modes are numbers among the parameters of the kernels: which rows act, and where sliding goes. Events watch for the
transitions and jumps change the numbers, all in the compiled loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import casadi as ca

from trundle.contact.bonds import Touch, near
from trundle.contact.collision.layout import SLOW_SLIP
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model

if TYPE_CHECKING:
    from trundle.equations.kernels import Functions

KINDS_OF_TRANSITION = ("slips", "stops", "turns", "slows", "parts", "lands", "changes side", "jams")
SLIDING = ("stops", "turns", "slows")
TURN = 0.5  # tangent of the angle by which sliding may turn before its direction is stored anew
NOISE = 1e-8  # so that a slip has to be a tenth of that to be told from none
WEAK = 1e-9  # m/s^2, by which all masses give a force that is none
SHARED = 1e-9  # of all loads, by which that of one contact among several is uncertain
STILL = 1e-9  # m/s, slip at the start of a run below which a contact may stick


@final
@dataclass(frozen=True)
class Transition:
    """What is watched at a contact; `kind` is one of KINDS_OF_TRANSITION."""

    contact: str
    kind: str
    direction: int  # of the crossing
    strikes: bool = False  # whether a collision follows
    together: bool = False  # whether what follows is decided for all contacts at once

    @property
    def name(self) -> str:
        return f"{self.contact} {self.kind}"

    @property
    def due(self) -> bool:
        """Whether it must happen where its value is below zero, however that came about: what another contact does
        changes reactions at once.
        """
        return self.kind in ("slips", "stops", "turns", "slows", "parts", "changes side")

    @property
    def told(self) -> bool:
        """Whether it is of use to others: turning is the law's own book-keeping."""
        return self.kind not in ("turns", "slows")

    @property
    def ends(self) -> bool:
        """Whether the run cannot go on."""
        return self.kind == "jams"


def transitions(model: Model) -> list[Transition]:
    """All transitions of a model, known without deriving anything."""
    together = model.decides_together
    return [t for c in model.connections.values() for t in _of(c, together)]


def _of(c: ConnectedPair, together: bool) -> list[Transition]:
    found = []
    if "stick" in c.modes:
        kinds = {"slips": -1, "stops": -1} | ({"turns": -1, "slows": -1} if len(c.sliding) == 2 else {})
        found += [Transition(c.name, kind, direction, together=together) for kind, direction in kinds.items()]
    if "closed" in c.modes:
        found += [Transition(c.name, "parts", -1, together=together), Transition(c.name, "lands", -1, c.unilateral)]
    if "side" in c.modes:
        found.append(Transition(c.name, "changes side", -1))
    if c.friction is not None and not c.relaxes and "z" in c.holds:
        found.append(Transition(c.name, "jams", -1))
    return found


@final
class Modes:
    """Values of the events and the jumps of the modes, as expressions of (t, x, p)."""

    def __init__(self, functions: "Functions") -> None:
        self.functions, self.equations = functions, functions.equations
        self.index = {row.name: i for i, row in enumerate(functions.rows)}
        layout = self.equations.parameters
        self.place = {mode.name: layout.mode(*mode) for mode in layout.modes}

    @cached_property
    def _multipliers(self) -> Any:
        """Multipliers as a function of (t, q, u, p): p may be changed."""
        e = self.equations
        return ca.Function("multipliers", [e.t, e.q, e.u, e.p], [self.functions.dynamics[1]])

    @cached_property
    def _slip(self) -> Any:
        e = self.equations
        rates = [ca.vertcat(*[t.rate(n) for n in t.connection.sliding], ca.SX(0, 1)) for t in self._touches]
        return ca.Function("slip", [e.t, e.q, e.u, e.p], rates)

    @property
    def _mass(self) -> Any:
        """Mass of all bodies; 1 kg where they have none."""
        mass = sum((i.mass for i in self.equations.inertias.values()), ca.SX(0))
        return ca.SX(1) if mass.is_zero() else mass

    @property
    def _touches(self) -> list[Touch]:
        return [t for t in self.equations.touches.values() if t.modes]

    def _load(self, touch: Touch, multipliers: Any) -> Any:
        """Normal force."""
        c = touch.connection
        if "normal" in self.equations.touch_efforts[c.name]:
            return self.equations.touch_efforts[c.name]["normal"]
        return multipliers[self.index[f"{c.name}.normal"]]

    def _grip(self, touch: Touch, multipliers: Any) -> list[Any]:
        """Force of the constraint that holds the slip, along each direction."""
        return [multipliers[self.index[f"{touch.connection.name}.{n}"]] for n in touch.connection.sliding]

    def _margin(self, touch: Touch, multipliers: Any) -> Any:
        """Above zero while the contact can stick."""
        law = touch.connection.friction
        assert law is not None
        load = self._load(touch, multipliers) + self._allowance(multipliers)
        limit = law.limit(self.equations.signals) * load
        return limit**2 - sum((f**2 for f in self._grip(touch, multipliers)), ca.SX(0))

    def _allowance(self, multipliers: Any) -> Any:
        """A load that is none where contacts share loads."""
        if not self.equations.model.decides_together:
            return ca.SX(0)
        return SHARED * sum((ca.fabs(self._load(touch, multipliers)) for touch in self._touches), ca.SX(0))

    # -- events --------------------------------------------------------------------------------------------------------

    def values(self) -> list[Any]:
        """One value for each transition."""
        multipliers = self.functions.dynamics[1]
        mass = self._mass  # makes forces accelerations, of which it is known what is small
        out = []
        for transition in transitions(self.equations.model):
            touch = self.equations.touches[transition.contact]
            m = touch.modes
            if transition.kind == "slips":
                held = m["stick"] * m.get("closed", 1) == 1
                value = ca.if_else(held, self._margin(touch, multipliers) / mass**2, 1)
            elif transition.kind in SLIDING:
                slides = ca.logic_and(m["stick"] == 0, m.get("closed", 1) == 1)
                value = ca.if_else(slides, self._sliding(touch, transition.kind), 1)
            elif transition.kind == "parts":
                pressed = -touch.contact.gap if touch.connection.lets_go else self._load(touch, multipliers) / mass
                if touch.friction and "z" in touch.connection.holds:  # at Painleve's paradox the load has a pole
                    pressed = pressed * self.functions.uniqueness
                pressed = pressed + self._allowance(multipliers) / mass
                value = ca.if_else(m["closed"] == 1, pressed, 1)
            elif transition.kind == "jams":
                value = self._unique(touch, self.equations.u, self.equations.p)
            elif transition.kind == "lands":
                value = ca.if_else(m["closed"] == 1, 1, touch.contact.gap)
            else:
                value = m["side"] * self._load(touch, multipliers) / mass
            out.append(value)
        return out

    def _sliding(self, touch: Touch, kind: str) -> Any:
        """What is watched of a slip."""
        slip, least = [touch.rate(n) for n in touch.connection.sliding], near(self.equations.shift)
        along = [touch.modes["ahead_x"], touch.modes["ahead_y"]][: len(slip)]
        ahead = sum((s * d for s, d in zip(slip, along, strict=True)), ca.SX(0)) / least
        if kind == "stops":
            return NOISE * ahead / (1 + 10 * NOISE * ca.fabs(ahead))  # above -0.1: turning the other way goes before
        aside = (slip[1] * along[0] - slip[0] * along[1]) / least
        forward = ahead * ca.fabs(ahead)  # the square, below zero beyond the end of sliding
        if kind == "slows":
            slow = touch.modes["slow"]  # until the slip is twice as large
            return (1 - 2 * slow) * (forward + aside**2 - (SLOW_SLIP * (1 + slow)) ** 2)
        # over the square of the slip, so that no slip is so small that its turning could not be told
        return (TURN**2 * forward + 1 - aside**2) / (ahead**2 + aside**2 + 1)

    # -- jumps ---------------------------------------------------------------------------------------------------------

    def jumps(self) -> list[tuple[Any, Any] | None]:
        """(u, p) after each transition; None where it is not a function on the tape."""
        e = self.equations
        out: list[tuple[Any, Any] | None] = []
        for transition in transitions(e.model):
            touch = e.touches[transition.contact]
            u, p = ca.SX(e.u), ca.SX(e.p)
            if transition.together or transition.strikes or transition.ends:
                out.append(None)
                continue
            if transition.kind == "slips":
                p = self._slide(touch, p, self._grip(touch, self.functions.dynamics[1]))
            elif transition.kind == "stops":
                p = self._stopped(touch, u, p)
            elif transition.kind in ("turns", "slows"):
                p = self._along(touch, p, [touch.rate(n) for n in touch.connection.sliding])
                if transition.kind == "slows":
                    p = self._set(p, touch, slow=1 - touch.modes["slow"])
            elif transition.kind == "parts":
                p = self._set(p, touch, closed=0, **({"stick": 0} if "stick" in touch.modes else {}))
            elif transition.kind == "lands" and not transition.strikes:
                p = self._set(p, touch, closed=1)
                p = self._begin(touch, u, p) if "stick" in touch.modes else p
            elif transition.kind == "changes side":
                p = self._set(p, touch, side=-touch.modes["side"])
            out.append((u, self._possible(u, p)))
        return out

    @cached_property
    def _uniqueness(self) -> Any:
        e = self.equations
        return ca.Function("unique", [e.t, e.q, e.u, e.p], [self.functions.uniqueness])

    def _unique(self, touch: Touch, u: Any, p: Any) -> Any:
        """Above zero where friction leaves one acceleration, whichever way a bilateral contact presses."""
        e = self.equations
        if self.equations.model.decides_together:
            return self.functions.uniqueness
        value = self._uniqueness(e.t, e.q, u, p)
        if "side" in touch.modes:
            other = self._set(p, touch, side=-p[self.place[f"{touch.connection.name}.side"]])
            value = ca.fmin(value, self._uniqueness(e.t, e.q, u, other))
        return value

    def _possible(self, u: Any, p: Any) -> Any:
        """Modes in which the accelerations are unique; else nothing is a number, and the run ends."""
        rubbing = [touch for touch in self._touches if touch.friction and "z" in touch.connection.holds]
        value = ca.SX(1)
        for touch in rubbing if any("side" in t.modes for t in rubbing) else rubbing[:1]:
            value = ca.fmin(value, self._unique(touch, u, p))
        return ca.if_else(value > 0, p, ca.SX(ca.DM.nan(*p.shape))) if rubbing else p

    def start(self) -> Any:
        """Modes at the start of a run."""
        p = ca.SX(self.equations.p)
        e = self.equations
        for touch in self._touches:
            if "closed" in touch.modes:
                gap = ca.fabs(touch.contact.gap) < 1e-9
                resting = ca.fabs(touch.rate("normal")) < 1e-9
                closing = ca.logic_and(touch.contact.gap <= 0, touch.rate("normal") < 0)
                yielding = ca.logic_or(touch.contact.gap < 0, closing)
                closed = yielding if touch.connection.lets_go else ca.logic_and(gap, resting)
                p = self._set(p, touch, closed=ca.if_else(closed, 1, 0))
        for _ in range(2):
            for touch in self._touches:
                if "stick" in touch.modes:
                    p = self._begin(touch, ca.SX(e.u), p)
                if touch.connection.unilateral:
                    p = self._opened(touch, ca.SX(e.u), p)
                if "side" in touch.modes:
                    load = self._at(touch, ca.SX(e.u), self._set(p, touch, side=1))[0]
                    p = self._set(p, touch, side=ca.if_else(load < 0, -1, 1))
        return self._possible(ca.SX(e.u), p)

    def _opened(self, touch: Touch, u: Any, p: Any) -> Any:
        """A contact that would have to pull is open; in Painleve's paradox that is no reason."""
        pulls = self._at(touch, u, p)[0] < -self._weak
        if touch.friction:
            pulls = ca.logic_and(pulls, self._unique(touch, u, p) > 0)
        closed = p[self.place[f"{touch.connection.name}.closed"]] == 1
        opened = {"closed": 0, **({"stick": 0} if "stick" in touch.modes else {})}
        return ca.if_else(ca.logic_and(closed, pulls), self._set(p, touch, **opened), p)

    def _at(self, touch: Touch, u: Any, p: Any) -> tuple[Any, list[Any], Any]:
        """Normal force, grip and margin with other modes."""
        e = self.equations
        multipliers = self._multipliers(e.t, e.q, u, p)
        return self._load(touch, multipliers), self._grip_if(touch, multipliers), multipliers

    def _grip_if(self, touch: Touch, multipliers: Any) -> list[Any]:
        return self._grip(touch, multipliers) if "stick" in touch.modes else []

    def _set(self, p: Any, touch: Touch, **modes: Any) -> Any:
        p = ca.SX(p)
        for mode, value in modes.items():
            p[self.place[f"{touch.connection.name}.{mode}"]] = value
        return p

    @property
    def _weak(self) -> Any:
        """A force that is none."""
        return WEAK * self._mass

    def _along(self, touch: Touch, p: Any, vector: Sequence[Any]) -> Any:
        """The direction of sliding set along a vector."""
        size = ca.sqrt(sum((v**2 for v in vector), ca.SX(1e-300)))
        named = dict(zip(("ahead_x", "ahead_y"), [v / size for v in vector], strict=False))
        return self._set(p, touch, **named)

    def _slide(self, touch: Touch, p: Any, grip: Sequence[Any]) -> Any:
        """Sliding begins against the force that held."""
        return self._along(touch, self._set(p, touch, stick=0, slow=1), [-f for f in grip])

    def _stopped(self, touch: Touch, u: Any, p: Any) -> Any:
        """At rest: does it stick, or slide on the other way? Others that are at rest too are held along with it; those
        for which that is too much are due to slip.
        """
        held = self._set(p, touch, stick=1)
        for other, slip in zip(self._touches, self._slips(u, p), strict=True):
            if other is not touch and "stick" in other.modes:
                still = self._is_still(other, slip, p, near(self.equations.shift))
                sticks = p[self.place[f"{other.connection.name}.stick"]]
                held = self._set(held, other, stick=ca.if_else(still, 1, sticks))
        _, grip, multipliers = self._at(touch, u, held)
        # There is no normal force yet where a contact that lets go by itself lands.
        least = -(self._weak**2) if touch.connection.lets_go else 0
        sticks = self._margin(touch, multipliers) >= least
        return ca.if_else(sticks, held, self._slide(touch, p, grip))

    def _slips(self, u: Any, p: Any) -> list[Any]:
        """Slips of all contacts with modes."""
        e = self.equations
        found = self._slip(e.t, e.q, u, p)
        return list(found) if isinstance(found, tuple | list) else [found]

    def _is_still(self, touch: Touch, slip: Any, p: Any, least: Any) -> Any:
        """Whether a contact is closed and its slip is below `least`."""
        speed = ca.sqrt(sum((slip[i] ** 2 for i in range(slip.shape[0])), ca.SX(0)))
        closed = p[self.place[f"{touch.connection.name}.closed"]] if "closed" in touch.modes else 1
        return ca.logic_and(speed < least, closed == 1)

    def _begin(self, touch: Touch, u: Any, p: Any) -> Any:
        """Modes of a contact that has closed or is there from the start."""
        slip = self._slips(u, p)[self._touches.index(touch)]
        parts = [slip[i] for i in range(slip.shape[0])]
        moving = self._along(touch, self._set(p, touch, stick=0, slow=0), parts)
        return ca.if_else(self._is_still(touch, slip, p, STILL), self._stopped(touch, u, p), moving)
