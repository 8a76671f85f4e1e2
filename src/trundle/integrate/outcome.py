"""The possible outcomes of a run: name, sentence and remedy."""

from dataclasses import dataclass
from typing import final

from trundle.integrate import codes


@final
@dataclass(frozen=True)
class Outcome:
    """How a run ended. Results up to the end are always kept."""

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
    "INTERRUPTED",
    20,
    "The run was interrupted from the keyboard.",
    "The results up to this time are kept; continue from the end of the run.",
)
REFUSED = Outcome("REFUSED", 23, "This case of the batch cannot start.", "Its error is in `messages` of the batch.")
STEP_TOO_SMALL = Outcome(
    "STEP_TOO_SMALL",
    codes.STEP_TOO_SMALL,
    "The steps needed are too short for the run to come to its end.",
    "Check for a discontinuity or a singularity in a law at this time and make it an event, or use the stiff method.",
)
NOT_FINITE = Outcome(
    "NOT_FINITE",
    codes.NOT_FINITE,
    "The equations gave a value that is not a number, also with shorter steps.",
    "Check the laws for a division by zero, or a square root or power of a negative number, at this state.",
)
CONSTRAINT = Outcome(
    "CONSTRAINT",
    codes.CONSTRAINT,
    "The constraints could not be satisfied, also with shorter steps.",
    "The mechanism may be locked or impossible to assemble at this position: check the loops in run.near_singular.",
)
TOO_MANY_STEPS = Outcome(
    "TOO_MANY_STEPS",
    codes.TOO_MANY_STEPS,
    "The maximum number of steps was reached.",
    "Allow more, steps=tr.Steps(most=...), loosen the tolerance, or use the stiff method if the steps are much shorter "
    "than the motion.",
)
ZENO = Outcome(
    "ZENO",
    codes.ZENO,
    "Events accumulate at one time: the intervals between them fall below the smallest step.",
    "Let the contact close (by a stop event, or a mode in which it stays closed) when the approach speed is small.",
)
TOO_MANY_EVENTS = Outcome(
    "TOO_MANY_EVENTS",
    codes.TOO_MANY_EVENTS,
    "The maximum number of events was reached.",
    "Allow more, steps=tr.Steps(most_events=...), or give the event a direction so that it occurs less often.",
)
IMPACT_UNSOLVED = Outcome(
    "IMPACT_UNSOLVED",
    codes.IMPACT_UNSOLVED,
    "A collision could not be solved: its contacts kept striking each other.",
    "Choose another model for several contacts (model.impacts), or make the normals compliant.",
)
IMPACT_GAINS = Outcome(
    "IMPACT_GAINS",
    codes.IMPACT_GAINS,
    "A collision would gain energy with its restitution law.",
    "This can happen with Newton's law and friction, and with several contacts of different restitution. Use "
    "tr.Stronge, which never gains energy, or tr.Poisson.",
)
ENERGY_OFF = Outcome(
    "ENERGY_OFF",
    21,
    "The end time was reached, but the energy balance is violated: E(t) - E(0) differs from work in + work of "
    "events - work lost by far more than the tolerance explains.",
    "Use smaller rtol and atol, or another method or formalism; or a law declares a wrong energy (its potential, "
    "dissipated or supplied): run.power.table() shows which.",
)
FRICTION_DRIVES = Outcome(
    "FRICTION_DRIVES",
    22,
    "The end time was reached, but friction acted along the slip instead of against it.",
    "A friction coefficient may be negative there. If not, use smaller rtol and atol or a smooth law.",
)
HALF_TURN = Outcome(
    "HALF_TURN",
    37,
    "The end time was reached, but the angle {angle} exceeded half a turn at t = {time} s, and a force, state or "
    "event depends on its whole turns: it is computed from the pose, in (-pi, pi], because it is not a coordinate "
    "of the tree.",
    "Use formalism='kane' with the joint in the tree (let another joint close the loop), or a law that does not "
    "depend on whole turns.",
)
EVENT_REFUSED = Outcome(
    "EVENT_REFUSED",
    38,
    "The end time was reached, but event {event} assigned invalid parameters at t = {time} s:",
    "The results after that time are not a motion of the model: correct the action of the event.",
)
ALARM = Outcome("ALARM", codes.ALARM, "A contact may have become invalid.")  # such runs are repeated with checks

SURFACE_LEFT = Outcome(
    "SURFACE_LEFT",
    31,
    "The contact point of {contact} reached the end{on}: its apex, cusp or fold.",
    "The surface ends there. Let an edge or a vertex touch there, or stop the run before.",
)
INTERFERENCE = Outcome(
    "INTERFERENCE",
    32,
    "The surfaces of contact {contact} interfere from here on: a relative curvature became zero, so they would "
    "intersect next to the contact point, or touch along a line.",
    "Use a flatter hollow surface or a more curved convex one; `system.trace` finds where contacts are lost.",
)
DOUBLE_CONTACT = Outcome(
    "DOUBLE_CONTACT",
    36,
    "The surfaces of contact {contact} touch in a second point, {place}.",
    "A contact has one contact point only. Use surfaces that touch once, or stop the run before; `system.trace` "
    "finds the place.",
)
LIES_FLAT = Outcome(
    "LIES_FLAT",
    33,
    "The wheel of contact {contact} lies flat (a roll of 90 degrees): it touches along its whole rim, not in a point.",
    "Give the body a shape and feet to stand and lie on: m.body(..., shape=tr.shape.Cylinder(radius, length)) or "
    "tr.shape.Disc(...), and m.contact(ground, body, feet=3); or stop the run before with an event on the roll angle.",
)
JAMMED = Outcome(
    "JAMMED",
    39,
    "Friction at contact {contact} leaves no unique acceleration (Painleve's paradox): rigid bodies jam, or several "
    "motions are possible.",
    "Less friction, another pose, or a compliant normal (compliance=tr.Spring(...)) makes the motion unique.",
)
ENTERED = Outcome(
    "ENTERED",
    40,
    "In contact {contact} one body entered the other past the end of the face, where no contact stops it.",
    "Connect what touches there too: the face beside that end, and the corner at it with the faces of the other body.",
)
TABLE_LEFT = Outcome(
    "TABLE_LEFT",
    34,
    "An argument of a table left the range of its knots, and the table does not extrapolate (beyond='refuse').",
    "Give the table more knots, or let it extrapolate with its last value or its tangent: beyond='hold', "
    "beyond='line'.",
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
    JAMMED,
    ENTERED,
    TABLE_LEFT,
)


def outcome_of(code: int) -> Outcome:
    """The outcome with this code of the compiled loop."""
    return next(outcome for outcome in (*ALL, ALARM) if outcome.code == code)
