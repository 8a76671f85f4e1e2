"""Constraint rows at a point of contact: the normal, and what ideal rolling holds."""

from collections.abc import Callable
from typing import Any, final

from trundle.equations.constraint import BodyMotion, Row, difference
from trundle.equations.contact import Contact, chain_contact, loop_contact
from trundle.model.body import Body
from trundle.model.connection import Connection
from trundle.pairs.higher import ContactPair
from trundle.space.rotation import cross, dot

AXES = {"slip_x": 0, "slip_y": 1, "normal": 2, "spin": 2}


@final
class Touch:
    """A higher pair in motion: its contact, and the relative motion of the two bodies there."""

    def __init__(self, connection: Connection, contact: Contact, motion: BodyMotion, closes: bool) -> None:
        self.connection, self.contact, self.motion, self.closes = connection, contact, motion, closes

    def material(self, body: Body) -> tuple[Any, Any, Any, Any]:
        """Velocity of the body's material at the point of contact, angular velocity, and their changes along the
        moving point without udot.
        """
        at, c = self.motion.body(body), self.contact
        r = c.point - at.p
        v = at.v + cross(at.w, r)
        a = at.a + cross(at.alpha, r) + cross(at.w, c.point_rate - at.v)
        return v, at.w, a, at.alpha

    def rate(self, name: str) -> Any:
        """Relative velocity along, across or normal to the contact, or spin [Meijaard 2024, Eqs. 24, 25]."""
        first, second = self.material(self.connection.first.body), self.material(self.connection.touching)
        kind = 1 if name == "spin" else 0
        return dot(self.contact.axes[AXES[name]], second[kind] - first[kind])

    def row(self, name: str) -> Row:
        """Constraint that keeps this relative motion at zero."""
        c, connection = self.contact, self.connection
        body = connection.second.body if name == "normal" else connection.touching
        first, second = self.material(connection.first.body), self.material(body)
        kind = 1 if name == "spin" else 0
        e, e_rate = c.axes[AXES[name]], c.axes_rates[AXES[name]]
        moving = difference(self.motion.partials(body, c.point), self.motion.partials(connection.first.body, c.point))
        jacobian = {}
        for i, (angular, linear) in moving.items():
            value = dot(e, angular if name == "spin" else linear)
            if not value.is_zero():
                jacobian[i] = value
        rate = dot(e, second[kind] - first[kind])
        gamma = dot(e, second[kind + 2] - first[kind + 2]) + dot(e_rate, second[kind] - first[kind])
        arm = c.point - self.motion.frame(connection.second).p
        force, moment = (0 * e, e) if name == "spin" else (e, cross(arm, e))
        unit = "rad" if name == "spin" else "m"
        holonomic = name == "normal"
        return Row(
            f"{connection.name}.{name}", c.gap if holonomic else 0 * rate, rate, gamma, jacobian, force, moment, unit,
            holonomic,
        )  # fmt: skip

    def rows(self) -> list[Row]:
        """The normal where the pair closes a loop, then what its laws hold."""
        pair = self.connection.pair
        assert isinstance(pair, ContactPair)
        names = [*(["normal"] if self.closes else []), *(n for n in self.connection.held if n in pair.held)]
        return [self.row(name) for name in names]


def touch_in_tree(
    connection: Connection, motion: BodyMotion, value: Callable[[str], Any], rate: Callable[[str], Any]
) -> Touch:
    """Contact of a higher pair whose chain is part of the tree."""
    pair = connection.pair
    assert isinstance(pair, ContactPair)
    first, second = motion.frame(connection.first), motion.frame(connection.second)
    return Touch(connection, chain_contact(pair, first, second, value, rate), motion, closes=False)


def touch_of_loop(connection: Connection, motion: BodyMotion, followers: Any) -> Touch:
    """Contact of a higher pair that closes a loop."""
    pair = connection.pair
    assert isinstance(pair, ContactPair)
    first, second = motion.frame(connection.first), motion.frame(connection.second)
    return Touch(connection, loop_contact(pair, first, second, followers), motion, closes=True)
