"""Forces that act between frames or on named coordinates. Each owns its wrenches and its energy."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, NamedTuple, Self, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.efforts import Spring
from trundle.laws.law import EffortLaw
from trundle.laws.signals import Signals as Signals
from trundle.laws.tracking import RateTracking
from trundle.model.body import Body, Frame, as_frame
from trundle.model.state import State
from trundle.space.rotation import cross, dot
from trundle.typing import Expr

EFFORT = "N or N m"  # of a measure that is an effort along the coordinate of its force; which one follows from that
Coordinate = Annotated[str, "name of a coordinate"]
Components = Sequence[Expr] | Callable[[Signals], Sequence[Expr]]  # constant, or a function of the signals
COMPONENTS = "components"  # in the metadata of a field: how many numbers it has
MEETS = 1e-14  # distance of two points over their distance from the origin at which they have met


@final
class Measure(NamedTuple):
    """What can be asked of a force."""

    name: str
    size: int
    unit: str
    text: str


@dataclass
class Terms:
    """What a force contributes: wrenches (frame, force, moment; ground axes), efforts on coordinates, energy
    and power.

    `stored` is for stiff parts whose energy is costly to differentiate, such as a contact: its rate counts as
    dissipated in the balance of a run, and `run.power` separates the two.
    """

    wrenches: list[tuple[Frame, Expr, Expr]] = field(default_factory=list)
    efforts: list[tuple[str, Expr]] = field(default_factory=list)
    potential: Expr = 0.0  # J
    dissipated: Expr = 0.0  # W
    supplied: Expr = 0.0  # W
    stored: Expr = 0.0  # J, beside the potential: `dissipated` includes its rate
    measures: Mapping[str, tuple[Expr, str, str]] = field(default_factory=dict)  # name -> (expression, unit, sentence)

    def listed(self) -> tuple[Measure, ...]:
        """The measures without their expressions."""
        return tuple(Measure(n, ca.SX(value).numel(), unit, text) for n, (value, unit, text) in self.measures.items())


@dataclass(frozen=True, eq=False)
class Force:
    """Anything that acts on the model. Subclasses are final."""

    @property
    def title(self) -> str:
        """What the force is called in words."""
        return type(self).__name__

    def terms(self, s: Signals) -> Terms:
        raise TypeError(f"{type(self).__name__} is abstract")

    def named(self, name: str) -> "Force":
        """The same force under the name that it has in a model; one with states of its own must know it."""
        return self

    def states(self) -> Iterator[State]:
        """Numbers that the force keeps, with their rates."""
        return iter(())

    def on(self, full: Callable[[str], str]) -> "Force":
        """The same force with the long names of its coordinates."""
        return self

    @property
    def element(self) -> str:
        """Element of the bond graph: C for what stores energy, R for what loses it, Se for a given force."""
        return "Se"

    @property
    def elements(self) -> tuple[str, ...]:
        """All elements that it is made of; they have its flow in common."""
        return (self.element,)

    @property
    def places(self) -> tuple[Frame, ...]:
        """Frames the force acts on."""
        return ()

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of coordinates the force acts on."""
        return ()

    @property
    def acts_on(self) -> str:
        """Unit of the coordinates it is for, "m" or "rad"; empty where either will do."""
        return ""


@dataclass(frozen=True, eq=False)
class Between(Force):
    """A force between two places. Subclasses are final."""

    first: Body | Frame
    second: Body | Frame

    @property
    def places(self) -> tuple[Frame, Frame]:
        return as_frame(self.first), as_frame(self.second)


@dataclass(frozen=True, eq=False)
class BetweenWithStates(Between):
    """One with states of its own, which are called "name.kind". Subclasses are final and list them in `states`."""

    name: str = field(default="", kw_only=True)  # given by Model.apply

    def named(self, name: str) -> Self:
        return replace(self, name=name)

    def state(self, s: Signals, kind: str) -> Expr:
        """Value of a state."""
        return s[f"{self.name}.{kind}"]


@final
class LineMotion(NamedTuple):
    """Of the line between two points: direction from the first to the second, distance (m) and its rate."""

    axis: Expr
    length: Expr
    rate: Expr


def along_line(s: Signals, a: Frame, b: Frame) -> LineMotion:
    """How two points move along the line between them."""
    p_A, p_B = s.position(a), s.position(b)
    d = p_B - p_A
    if d.is_zero():
        raise ModelError(
            "its two points coincide in every pose: a force along the line between them has no direction. Move "
            "one of the points; only a spring of natural length 0 may act there."
        )
    square = dot(d, d)
    # Points as near as round-off have met: the direction would be noise. Not a number ends the run with words.
    apart = square > MEETS**2 * (dot(p_A, p_A) + dot(p_B, p_B))
    length = ca.sqrt(square)
    e = d / ca.if_else(apart, length, 0)
    return LineMotion(e, length, dot(e, s.velocity(b) - s.velocity(a)))


@final
@dataclass(frozen=True, eq=False)
class LineForce(Between):
    """Force along the line between two points; `law` acts on their distance (a positive effort pushes them apart)."""

    law: EffortLaw

    @property
    def element(self) -> str:
        return self.law.element

    @property
    def elements(self) -> tuple[str, ...]:
        return self.law.elements

    def terms(self, s: Signals) -> Terms:
        a, b = self.places
        e, length, rate = along_line(s, a, b)
        push = self.law.effort(s.t, length, rate)
        zero = ca.SX.zeros(3)
        return Terms(
            wrenches=[(a, -push * e, zero), (b, push * e, zero)],
            potential=self.law.potential(s.t, length),
            dissipated=self.law.dissipated(s.t, length, rate),
            supplied=self.law.supplied(s.t, length, rate),
            measures={
                "length": (length, "m", "distance of the two points"),
                "length_rate": (rate, "m/s", "rate of the distance"),
                "force": (push, "N", "force along the line, positive when it pushes the points apart"),
            },
        )


@final
@dataclass(frozen=True, eq=False)
class SpringDamper(Between):
    """Linear spring and damper between two points, slack at `length`."""

    stiffness: Expr  # N/m
    damping: Expr = 0.0  # N s/m
    length: Expr = 0.0  # m

    @property
    def element(self) -> str:
        return "C"

    @property
    def elements(self) -> tuple[str, ...]:
        return Spring(self.stiffness, self.damping).elements

    def terms(self, s: Signals) -> Terms:
        if not isinstance(self.length, ca.SX) and float(self.length) == 0.0:
            return self._without_length(s)
        return LineForce(self.first, self.second, Spring(self.stiffness, self.damping, self.length)).terms(s)

    def _without_length(self, s: Signals) -> Terms:
        """A spring that is slack when its ends meet: no direction is needed there."""
        a, b = self.places
        d, v = s.position(b) - s.position(a), s.velocity(b) - s.velocity(a)
        square = dot(d, d) + 1e-300
        along = dot(d, v) / square  # rate of the distance over the distance
        F = -(self.stiffness + self.damping * along) * d
        zero = ca.SX.zeros(3)
        length = ca.sqrt(square)
        return Terms(
            wrenches=[(a, -F, zero), (b, F, zero)],
            potential=self.stiffness * dot(d, d) / 2,
            dissipated=self.damping * along * dot(d, v),
            measures={
                "length": (length, "m", "distance of the two points"),
                "length_rate": (along * length, "m/s", "rate of the distance"),
                "force": (
                    -(self.stiffness + self.damping * along) * length,
                    "N",
                    "force along the line, positive when it pushes the points apart",
                ),
            },
        )


@final
@dataclass(frozen=True, eq=False)
class Bushing(Between):
    """Six springs and dampers between two frames, along and about the axes of the first.

    The turn is measured by the axial vector of the rotation matrix (the rotation vector for small angles), and the
    moment is derived from its energy, so the bushing stays conservative at large angles.
    """

    stiffness: Sequence[Expr] = field(metadata={COMPONENTS: 6})  # (x, y, z) N/m, (rx, ry, rz) N m/rad
    damping: Sequence[Expr] = field(default=(0.0,) * 6, metadata={COMPONENTS: 6})  # N s/m, N m s/rad

    @property
    def element(self) -> str:
        return "C"

    def terms(self, s: Signals) -> Terms:
        a, b = self.places
        k, c = _numbers(self.stiffness, 6, "stiffness"), _numbers(self.damping, 6, "damping")
        R_A, w_A = s.rotation(a), s.angular_velocity(a)
        arm = s.position(b) - s.position(a)
        d = ca.mtimes(R_A.T, arm)
        d_rate = ca.mtimes(R_A.T, s.velocity(b) - s.velocity(a) - cross(w_A, arm))
        R = ca.mtimes(R_A.T, s.rotation(b))
        w = ca.mtimes(R_A.T, s.angular_velocity(b) - w_A)
        turn = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
        E = ((R[0, 0] + R[1, 1] + R[2, 2]) * ca.SX.eye(3) - R) / 2  # rate of `turn` is E w for dR/dt = skew(w) R
        turn_rate = ca.mtimes(E, w)
        F = -ca.mtimes(R_A, k[:3] * d + c[:3] * d_rate)
        M = -ca.mtimes(R_A, ca.mtimes(E.T, k[3:] * turn + c[3:] * turn_rate))
        return Terms(
            wrenches=[(a, -F, -M - cross(arm, F)), (b, F, M)],
            potential=(ca.dot(k[:3] * d, d) + ca.dot(k[3:] * turn, turn)) / 2,
            dissipated=ca.dot(c[:3] * d_rate, d_rate) + ca.dot(c[3:] * turn_rate, turn_rate),
            measures={
                "displacement": (d, "m", "displacement of the second frame, in axes of the first"),
                "turn": (turn, "rad", "turn of the second frame, in axes of the first"),
            },
        )


@final
@dataclass(frozen=True, eq=False)
class Wrench(Force):
    """Force and moment on a frame, constant or given as functions of the signals `s`; axes "ground" or "body"."""

    place: Body | Frame
    force: Components = field(default=(0.0, 0.0, 0.0), metadata={COMPONENTS: 3})  # N
    moment: Components = field(default=(0.0, 0.0, 0.0), metadata={COMPONENTS: 3})  # N m
    axes: Literal["ground", "body"] = "ground"

    @property
    def places(self) -> tuple[Frame, ...]:
        return (as_frame(self.place),)

    def terms(self, s: Signals) -> Terms:
        (frame,) = self.places
        F, M = (_numbers(v(s) if callable(v) else v, 3, k) for v, k in ((self.force, "force"), (self.moment, "moment")))
        if self.axes not in ("ground", "body"):
            raise ModelError(f"axes={self.axes!r}: components of a wrench are along axes of 'ground' or 'body'.")
        if self.axes == "body":
            F, M = ca.mtimes(s.rotation(frame), F), ca.mtimes(s.rotation(frame), M)
        power = dot(F, s.velocity(frame)) + dot(M, s.angular_velocity(frame))
        return Terms(wrenches=[(frame, F, M)], supplied=power)


@dataclass(frozen=True, eq=False)
class OnCoordinate(Force):
    """Base: what acts on one coordinate."""

    coordinate: Coordinate

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)

    def on(self, full: Callable[[str], str]) -> Force:
        return replace(self, coordinate=full(self.coordinate))


@final
@dataclass(frozen=True, eq=False)
class CoordinateForce(OnCoordinate):
    """Effort on a coordinate, given as a law, as a function of the signals `s` or as a constant (its power then counts
    as supplied).
    """

    law: EffortLaw | Callable[[Signals], Expr] | Expr

    def __post_init__(self) -> None:
        if not isinstance(self.law, EffortLaw | float | int | ca.SX) and not callable(self.law):
            raise ModelError(
                f"CoordinateForce on {self.coordinate!r}: give a law such as tr.Spring(100.0), a function of the "
                f"signals such as lambda s: 2 * tr.sin(s.t), or a number, not {self.law!r}."
            )

    @property
    def element(self) -> str:
        return self.law.element if isinstance(self.law, EffortLaw) else "Se"

    @property
    def elements(self) -> tuple[str, ...]:
        return self.law.elements if isinstance(self.law, EffortLaw) else ("Se",)

    @property
    def acts_on(self) -> str:
        return self.law.acts_on if isinstance(self.law, EffortLaw) else ""

    def terms(self, s: Signals) -> Terms:
        q, u, law = s[self.coordinate], s[self.coordinate + "_rate"], self.law
        if not isinstance(law, EffortLaw):
            effort = law(s) if callable(law) else law
            if effort is None:
                raise ModelError("the function returns None; end it with `return` and an expression.")
            return Terms(efforts=[(self.coordinate, effort)], supplied=effort * u, measures=_effort_measure(effort))
        if isinstance(law, RateTracking):
            law, q = law.placed(q), s[self.coordinate + "_deviation"] if law.uses_coordinate else ca.SX(0)
        effort = law.effort(s.t, q, u)
        return Terms(
            efforts=[(self.coordinate, effort)],
            potential=law.potential(s.t, q),
            dissipated=law.dissipated(s.t, q, u),
            supplied=law.supplied(s.t, q, u),
            measures=_effort_measure(effort),
        )


def _numbers(values: object, n: int, what: str) -> Expr:
    """Column of n expressions from what the user gave."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    column = ca.vertcat(*values) if isinstance(values, Sequence) else values
    if not isinstance(column, ca.SX | ca.DM) or column.numel() != n:
        raise ModelError(f"the {what} has {n} components, got {values!r}.")
    return ca.SX(column)


def _effort_measure(effort: Expr) -> dict[str, tuple[Expr, str, str]]:
    return {"effort": (effort, EFFORT, "effort along the coordinate, on the second body")}


@final
@dataclass(frozen=True, eq=False)
class TorsionSpring(OnCoordinate):
    """Linear spring and damper on an angle of a connection."""

    stiffness: Expr  # N m/rad
    damping: Expr = 0.0  # N m s/rad
    rest: Expr = 0.0  # rad

    @property
    def element(self) -> str:
        return "C"

    @property
    def elements(self) -> tuple[str, ...]:
        return Spring(self.stiffness, self.damping).elements

    @property
    def acts_on(self) -> str:
        return "rad"

    def terms(self, s: Signals) -> Terms:
        return CoordinateForce(self.coordinate, Spring(self.stiffness, self.damping, self.rest)).terms(s)
