"""How a run can end: a name, a sentence and a remedy."""

from dataclasses import dataclass
from typing import final

from trundle.integrate import codes


@final
@dataclass(frozen=True)
class Outcome:
    """An ending of a run. What was computed before it is always kept."""

    name: str
    code: int
    sentence: str
    remedy: str = ""
    ok: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}" + (f" {self.remedy}" if self.remedy else "")


FINISHED = Outcome("FINISHED", codes.FINISHED, "The end time was reached.", ok=True)
EVENT_STOP = Outcome("EVENT_STOP", codes.EVENT_STOP, "An event of kind `stop` ended the run.", ok=True)
INTERRUPTED = Outcome(
    "INTERRUPTED", 20, "The run was interrupted from the keyboard.", "What was computed is kept; run on from its end."
)
REFUSED = Outcome(
    "REFUSED", 23, "The case of the batch cannot start, as simulate would say.", "see `messages` of the batch."
)
STEP_TOO_SMALL = Outcome(
    "STEP_TOO_SMALL",
    codes.STEP_TOO_SMALL,
    "The error estimate asks for a step below the smallest one.",
    "Look for a jump or a singularity in a law at this time, make it an event, or use the stiff method.",
)
NOT_FINITE = Outcome(
    "NOT_FINITE",
    codes.NOT_FINITE,
    "The equations gave a value that is not a number, and shorter steps did not help.",
    "Look for a division by zero, a square root or a power of a negative number in a law at this state.",
)
CONSTRAINT = Outcome(
    "CONSTRAINT",
    codes.CONSTRAINT,
    "The constraints could not be satisfied, and shorter steps did not help.",
    "The mechanism may be locked or torn apart at this position: look at the loops that are reported near-singular.",
)
TOO_MANY_STEPS = Outcome(
    "TOO_MANY_STEPS",
    codes.TOO_MANY_STEPS,
    "The largest number of steps was used up.",
    "Raise max_steps, loosen the tolerance, or use the stiff method if the steps are much shorter than the motion.",
)
ZENO = Outcome(
    "ZENO",
    codes.ZENO,
    "Events pile up at one time: the intervals between them fall below the smallest step.",
    "Let the contact close (a stop event or a mode in which it stays) when the speed of approach is small.",
)
TOO_MANY_EVENTS = Outcome(
    "TOO_MANY_EVENTS",
    codes.TOO_MANY_EVENTS,
    "The largest number of events was reached.",
    "Raise max_events, or give the event function a direction so that it counts less often.",
)
IMPACT_UNSOLVED = Outcome(
    "IMPACT_UNSOLVED",
    codes.IMPACT_UNSOLVED,
    "A collision found no end: its contacts went on striking each other.",
    "Treat several contacts in another way (model.impacts), or make the normals compliant.",
)
IMPACT_GAINS = Outcome(
    "IMPACT_GAINS",
    codes.IMPACT_GAINS,
    "A collision would have gained energy by its law of restitution.",
    "Newton's law can do that where there is friction, and so can several contacts at once with different "
    "restitutions. Use tr.Stronge, which never does, or tr.Poisson.",
)
ENERGY_OFF = Outcome(
    "ENERGY_OFF",
    21,
    "The end was reached, but energy was not kept: E(t) - E(0) is not work in + work of events - work lost, by far "
    "more than the tolerance explains.",
    "Use smaller rtol and atol, another method or formalism; or a law does not account for its energy (its potential, "
    "dissipated or supplied): run.power.table() names it.",
)
FRICTION_DRIVES = Outcome(
    "FRICTION_DRIVES",
    22,
    "The end was reached, but friction pushed along the slip instead of against it.",
    "A coefficient of friction may be negative there. If not, use smaller rtol and atol or a smooth law.",
)
HALF_TURN = Outcome(
    "HALF_TURN",
    37,
    "The run came to its end, but the angle {angle} was beyond half a turn at t = {time} s, and a force, state or "
    "event depends on its whole turns: it is measured in (-pi, pi], because it is no coordinate of the tree.",
    "Use formalism='kane', with the joint in the tree (let another one close the loop), or what does not count turns.",
)
EVENT_REFUSED = Outcome(
    "EVENT_REFUSED",
    38,
    "The run came to its end, but event {event} gave the model parameters at t = {time} s that it cannot have:",
    "What follows after that time is not a motion of the model: mend the action of the event.",
)
ALARM = Outcome("ALARM", codes.ALARM, "A contact may have ceased to be one.")  # made again, no run ends with it

SURFACE_LEFT = Outcome(
    "SURFACE_LEFT",
    31,
    "The point of contact {contact} reached the end{on}: its apex, cusp or fold.",
    "Beyond it there is no surface. Let an edge or a vertex touch there, or end the run before.",
)
INTERFERENCE = Outcome(
    "INTERFERENCE",
    32,
    "The surfaces of contact {contact} no longer fit each other: a relative curvature vanished, and beyond they would "
    "cut each other beside the point of contact, or touch along a line.",
    "Use surfaces that are less hollow or more curved; `system.trace` finds where contacts are lost.",
)
DOUBLE_CONTACT = Outcome(
    "DOUBLE_CONTACT",
    36,
    "The surfaces of contact {contact} touch in a second point, {place}.",
    "A contact acts in one point only. Use surfaces that fit, or end the run before; `system.trace` finds where it is.",
)
LIES_FLAT = Outcome(
    "LIES_FLAT",
    33,
    "The wheel of contact {contact} lies flat (a roll of 90 degrees): it touches all round, not in a point.",
    "Let the rim touch with points on which it can stand or lie, m.connect_points(tr.HigherPair(tr.Plane(), "
    "tr.Vertex()), ground, body, [(x, y, z), ...], unilateral=True); or end the run before by an event on the roll.",
)
TABLE_LEFT = Outcome(
    "TABLE_LEFT",
    34,
    "An argument of a table has come to the end of its knots, and the table refuses to answer beyond.",
    "Give the table more knots, or let it hold its value or go on along its tangent: beyond='hold', beyond='line'.",
)

ALL = (
    FINISHED,
    EVENT_STOP,
    INTERRUPTED,
    REFUSED,
    STEP_TOO_SMALL,
    NOT_FINITE,
    CONSTRAINT,
    TOO_MANY_STEPS,
    ZENO,
    TOO_MANY_EVENTS,
    IMPACT_UNSOLVED,
    IMPACT_GAINS,
    ENERGY_OFF,
    FRICTION_DRIVES,
    HALF_TURN,
    EVENT_REFUSED,
    SURFACE_LEFT,
    INTERFERENCE,
    DOUBLE_CONTACT,
    LIES_FLAT,
    TABLE_LEFT,
)


def outcome_of(code: int) -> Outcome:
    """The outcome with this code of the compiled loop."""
    return next(outcome for outcome in (*ALL, ALARM) if outcome.code == code)
