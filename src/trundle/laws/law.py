"""Laws: each seals one bond of a connection, by an effort that follows a rule or by a flow that is prescribed. Contact
laws apply at a point of contact. An effort law defines its energies: effort * u = - dV/dt + supplied - dissipated,
which is tested for every law.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.signals import NamedSignals
from trundle.quantity import Quantity
from trundle.typing import Expr, Given, Maker


@dataclass(frozen=True)
class Law:
    """Seal of a bond. Subclasses are final, an EffortLaw, a FlowLaw or a ContactLaw."""

    @property
    def title(self) -> str:
        """Name of the law in messages and tables."""
        return type(self).__name__

    @property
    def element(self) -> str:
        """Element at the end of the bond: FC, EC, R, C, Se or Sf [Kosenko 2022, Fig. 2]."""
        raise TypeError(f"{type(self).__name__} is abstract")

    @property
    def elements(self) -> tuple[str, ...]:
        """All elements that meet at the end of the bond; they have its flow in common."""
        return (self.element,)

    @property
    def imposes_flow(self) -> bool:
        """Whether it prescribes a motion, and the effort results; otherwise it gives the effort."""
        return False

    @property
    def drives(self) -> bool:
        """Whether it prescribes a motion other than rest."""
        return False

    def quantities(self, owner: str, coordinate: str, unit: str) -> Iterator[Quantity]:
        """Quantities of the law on a coordinate (of this unit) of connection `owner`.

        Parameters
        ----------
        owner : str
            Name of the connection.
        coordinate : str
            That the law acts on.
        unit : str
            Of the coordinate, "m" or "rad".

        Returns
        -------
        iterator of Quantity
        """
        return iter(())


def effort_unit(unit: str) -> str:
    """Of the effort along a coordinate with this unit."""
    return "N" if unit == "m" else "N m"


@dataclass(frozen=True)
class EffortLaw(Law):
    """A force or torque along the coordinate as an expression of time t, coordinate q and rate u."""

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        """Force (N) or torque (N m) on the second body, along the coordinate.

        Parameters
        ----------
        t, q, u : expression
            Time (s), the coordinate (m or rad) and its rate.

        Returns
        -------
        expression
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def potential(self, t: Expr, q: Expr) -> Expr:
        """Stored energy (J).

        Parameters
        ----------
        t, q : expression
            Time (s) and the coordinate (m or rad).

        Returns
        -------
        expression
        """
        return 0.0

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        """Power turned into heat (W), never negative.

        Parameters
        ----------
        t, q, u : expression
            Time (s), the coordinate (m or rad) and its rate.

        Returns
        -------
        expression
        """
        return 0.0

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        """Power brought in from outside (W).

        Parameters
        ----------
        t, q, u : expression
            Time (s), the coordinate (m or rad) and its rate.

        Returns
        -------
        expression
        """
        return 0.0

    def deflection_rate(self, t: Expr, q: Expr, u: Expr) -> Expr:
        """Rate of the quantity that the law uses as its coordinate, at the rate u of the bond.

        Parameters
        ----------
        t, q, u : expression
            Time (s), the coordinate (m or rad) and its rate.

        Returns
        -------
        expression
        """
        return u

    def acting(self, s: NamedSignals, coordinate: str) -> tuple["EffortLaw", Expr, Expr]:
        """The law as it acts on a coordinate in the model, with the values that stand for its coordinate and rate.

        Parameters
        ----------
        s : NamedSignals
            Signals of the model.
        coordinate : str
            Its long name.

        Returns
        -------
        tuple of EffortLaw, expression and expression
        """
        return self, s[coordinate], s[f"{coordinate}_rate"]

    def at_contact(self) -> "EffortLaw":
        """The law on a bond of a contact, which has no coordinate of its own."""
        return self

    @property
    def deviates(self) -> bool:
        """Whether it acts on a state of its own, the deviation from a motion, instead of the coordinate."""
        return False

    @property
    def acts_on(self) -> str:
        """Unit of the coordinates it is for, "m" or "rad"; empty where its numbers take either."""
        return ""

    @property
    def only_pushes(self) -> bool:
        """Whether the effort is never negative, so that a contact with this normal law opens by itself."""
        return False

    @property
    def element(self) -> str:
        """The bond graph element that follows from the energies of the law: a source, a store, a resistance, or
        none.
        """
        t, q, u = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")
        if ca.SX(self.effort(t, q, u)).is_zero():
            return "EC"
        if not ca.SX(self.supplied(t, q, u)).is_zero():
            return "Se"
        return "R" if ca.SX(self.potential(t, q)).is_zero() else "C"

    @property
    def elements(self) -> tuple[str, ...]:
        """Elements of the law: C if it stores energy, R if it dissipates, Se if it supplies energy."""
        t, q, u = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")
        parts = {"C": self.potential(t, q), "R": self.dissipated(t, q, u), "Se": self.supplied(t, q, u)}
        return tuple(kind for kind, part in parts.items() if not ca.SX(part).is_zero()) or (self.element,)

    @property
    def uses_coordinate(self) -> bool:
        """Whether the effort depends on the coordinate; else on time and rate alone."""
        t, q, u = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")
        return bool(ca.depends_on(ca.SX(self.effort(t, q, u)), q))

    def quantities(self, owner: str, coordinate: str, unit: str) -> Iterator[Quantity]:
        of, text = f"{owner}.{coordinate}", "effort along the coordinate, on the second body"
        yield Quantity(
            owner, f"{coordinate}_effort", effort_unit(unit), f"{text}: {of}", 1, lambda e: e.measure(of, "effort"),
            "forces",
        )  # fmt: skip

    def __add__(self, other: "EffortLaw") -> "EffortLaw":
        """Both efforts on one bond."""
        return Together((self, other)) if isinstance(other, EffortLaw) else NotImplemented


@final
@dataclass(frozen=True)
class Together(EffortLaw):
    """Several effort laws that act on one bond side by side: tr.Spring(3.0) + tr.Motor(f)."""

    laws: tuple[EffortLaw, ...]

    @property
    def elements(self) -> tuple[str, ...]:
        found = tuple(kind for law in self.laws for kind in law.elements if kind != "EC")
        return found or ("EC",)

    @property
    def acts_on(self) -> str:
        return next((law.acts_on for law in self.laws if law.acts_on), "")

    @property
    def only_pushes(self) -> bool:
        return all(law.only_pushes for law in self.laws)

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return sum(law.effort(t, q, u) for law in self.laws)

    def potential(self, t: Expr, q: Expr) -> Expr:
        return sum(law.potential(t, q) for law in self.laws)

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return sum(law.dissipated(t, q, u) for law in self.laws)

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return sum(law.supplied(t, q, u) for law in self.laws)


def check_numbers(law: str, **given: Given) -> None:
    """Each of the fields is a number or an expression of parameters."""
    for name, one in given.items():
        symbol = isinstance(one, ca.SX | ca.DM) and one.numel() == 1
        if not symbol and (np.ndim(one) != 0 or np.asarray(one).dtype.kind not in "fiu"):
            raise ModelError(f"{law}: {name} is a number or a parameter, got {one!r}.")


def check_function(law: str, given: Given, **arguments: str) -> None:
    """The field is a number, or a function that takes these arguments."""
    if not callable(given):
        check_numbers(law, value=given)
    elif not _takes(given, len(arguments)):
        *most, last = arguments.values()
        words = f"{', '.join(most)} and {last}" if most else f"the {last} alone"
        more = ", even if it uses fewer of them" if most else ""
        raise ModelError(f"{law}: its function takes {words}: write lambda {', '.join(arguments)}: ...{more}.")


def _takes(function: Maker, count: int) -> bool:
    """Whether a function can be called with so many arguments, as far as its signature shows."""
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # no signature
        return True
    return True


@dataclass(frozen=True)
class FlowLaw(Law):
    """A prescribed relative motion; the effort is a reaction, and its power is supplied.

    `level` says what is prescribed: the coordinate itself, its rate, or its acceleration.
    """

    level: ClassVar[str] = "position"

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        """What is prescribed, as an expression of time, coordinate and rate.

        Parameters
        ----------
        t, q, u : expression
            Time (s), the coordinate (m or rad) and its rate.

        Returns
        -------
        expression
            Position, rate or acceleration, as `level` says.
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    @property
    def imposes_flow(self) -> bool:
        return True

    @property
    def drives(self) -> bool:
        return True

    @property
    def element(self) -> str:
        motion = ca.SX(self.motion(ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")))
        return "FC" if motion.is_zero() else "Sf"

    def quantities(self, owner: str, coordinate: str, unit: str) -> Iterator[Quantity]:
        of = f"{owner}.{coordinate}"
        text = f"effort of the drive on {of}"
        yield Quantity(owner, f"{coordinate}_drive", effort_unit(unit), text, 1, lambda e: e.drive(of), "reactions")
