"""Interface of the laws of a contact between surfaces."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from trundle.laws.law import Law
from trundle.laws.signals import Signals
from trundle.typing import Expr

TINY_SPEED = 1e-12  # m/s or rad/s, below which a motion has no direction


@dataclass(frozen=True)
class ContactLaw(Law):
    """A law of a contact: the relative motions at the point of contact that it keeps at zero."""

    held: ClassVar[tuple[str, ...]] = ()  # of "slip_x", "slip_y" (along, across), "spin"

    @property
    def sealed(self) -> tuple[str, ...]:
        """Bonds of the contact that the law seals."""
        return self.held

    @property
    def imposes_flow(self) -> bool:
        return bool(self.held)

    @property
    def element(self) -> str:
        return "FC"


@dataclass(frozen=True)
class FrictionLaw(ContactLaw):
    """Force or moment in proportion to the normal force and against a motion at the contact, the slip unless `sealed`
    names another. Subclasses are final.
    """

    @property
    def sealed(self) -> tuple[str, ...]:
        return ("slip_x", "slip_y")

    @property
    def element(self) -> str:
        return "R"

    @property
    def modes(self) -> tuple[Callable[..., Expr], ...]:
        """Kinds of contact modes (`trundle.contact.modes.mode.Mode`) of the law: its own variables, which change at its
        own events. In its expressions they are `s.mode(name)`.
        """
        return ()

    @property
    def sticks(self) -> bool:
        """Whether the slip can be held at exactly zero."""
        return False

    @property
    def has_bristles(self) -> bool:
        """Whether deflections of the surfaces are states."""
        return False

    @property
    def turns_along(self) -> bool:
        """Whether these deflections turn with the axes of the contact, as the carcass of a tyre does; else they stay
        with the first body.
        """
        return False

    @property
    def may_drive(self) -> bool:
        """Whether the law can give power to the bodies for a while."""
        return self.has_bristles or self.relaxes

    @property
    def relaxes(self) -> bool:
        """Whether the slip is a constraint with a weight between 0 and 1."""
        return False

    @property
    def at_centre(self) -> bool:
        """Whether the friction acts at the mass centre of the second body, and not at the point of contact."""
        return False

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """Friction over normal force at a slip speed and a rolling speed (m/s); a lever (m) at an angular speed where
        the law acts on turns; s are the signals.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.
        speed : expression
            Size of the slip velocity (m/s), or angular speed (rad/s).
        rolling : expression
            Speed at which the point of contact travels (m/s).

        Returns
        -------
        expression
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def resist(
        self, s: Signals, motion: Sequence[Expr], rolling: Expr, bristles: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        """Effort over normal force against each component of the motion, and the rates of the bristles.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.
        motion : sequence of expression
            Components of the slip velocity (m/s) or angular velocity (rad/s).
        rolling : expression
            Speed at which the point of contact travels (m/s).
        bristles : sequence of expression
            States of the law, empty where it has none.

        Returns
        -------
        tuple of two lists of expression
        """
        speed = ca.sqrt(sum((v**2 for v in motion), ca.SX(TINY_SPEED**2)))
        mu = self.coefficient(s, speed, rolling)
        return [mu * v / speed for v in motion], []

    def weighed(self, s: Signals, motion: Sequence[Expr], grip: Sequence[Expr], load: Expr) -> tuple[Expr, list[Expr]]:
        """Weight of the slips where the law relaxes them, and effort over normal force against each; grip is the force
        that would hold each slip and load the normal force then.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.
        motion : sequence of expression
            Components of the slip velocity (m/s).
        grip : sequence of expression
            Force that would hold each slip (N).
        load : expression
            Normal force then (N).

        Returns
        -------
        tuple of expression and list of expression
        """
        raise TypeError(f"{type(self).__name__} relaxes nothing")

    def limit(self, s: Signals) -> Expr:
        """Largest friction over normal force while it sticks.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        expression
        """
        return 0.0
