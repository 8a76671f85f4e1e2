"""Forces and laws of the user's own in model files: found by their class, written by the types of their fields."""

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import pytest

from trundle.contact.friction import RegularisedCoulomb
from trundle.errors import FileError
from trundle.file import read_model
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.law import EffortLaw
from trundle.model.force import Between, Force, Terms
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class Magnet(Between):
    """Attraction as strength / distance^2."""

    strength: Expr  # N m^2
    reach: float = 1.0

    def terms(self, s: Any) -> Terms:
        a, b = self.places
        d = s.position(b) - s.position(a)
        r2 = ca.dot(d, d)
        pull = self.strength * self.reach * d / r2**1.5
        zero = ca.SX.zeros(3)
        return Terms(wrenches=[(a, pull, zero), (b, -pull, zero)], potential=-self.strength * self.reach / ca.sqrt(r2))


@final
@dataclass(frozen=True, eq=False)
class NotInFiles(Force):
    """Its field cannot be written in a file."""

    anything: list[int]


@final
@dataclass(frozen=True)
class Cubic(EffortLaw):
    """Spring that stiffens with the cube of its deflection."""

    stiffness: Expr  # N/m^3

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return -self.stiffness * q**3

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness * q**4 / 4


@final
@dataclass(frozen=True)
class Tarred(FrictionLaw):
    """Ordinary friction under another name."""

    mu: Expr

    def coefficient(self, s: Any, speed: Expr, rolling: Expr) -> Expr:
        return RegularisedCoulomb(self.mu, 1e-3).coefficient(s, speed, rolling)


HEAD = "name: own\nbodies:\n  ball: {mass: 2.0, inertia: 0.01}\n"


def acceleration(text: str, **start: Any) -> Any:
    system = read_model(HEAD + text).model.build()
    return system.accelerations({"ball.position": (0, 0, 0.5), **start})["ball.acceleration"]


FREE = "connections:\n  float: {pair: Free, first: ground, second: ball}\n"


def test_a_force_of_the_users_own() -> None:
    text = FREE + "forces:\n  pull: {magnet: {first: ground, second: ball, strength: 3}}\n"
    assert acceleration(text) == pytest.approx([0, 0, -9.81 - 3 / 0.25 / 2])


def test_fields_of_own_classes_are_checked() -> None:
    with pytest.raises(FileError, match=r"line 5, forces\.pull\.magnet\.strength: this field is missing"):
        read_model(HEAD + "forces:\n  pull: {magnet: {first: ground, second: ball}}\n")
    with pytest.raises(FileError, match=r"no field called 'strenght' here\. Did you mean 'strength'"):
        read_model(HEAD + "forces:\n  pull: {magnet: {first: ground, second: ball, strenght: 3}}\n")


def test_a_force_that_a_file_cannot_give_is_not_offered() -> None:
    with pytest.raises(FileError, match="no field called 'not_in_files'"):
        read_model(HEAD + "forces:\n  pull: {not_in_files: {anything: [1]}}\n")


def test_a_law_of_the_users_own() -> None:
    text = FREE + "forces:\n  line: {line_force: {first: ground, second: ball, law: {cubic: 16}}}\n"
    assert acceleration(text) == pytest.approx([0, 0, -9.81 - 16 * 0.125 / 2])


def test_a_law_of_friction_of_the_users_own() -> None:
    surfaces = "pair: HigherPair, surfaces: [Plane, Vertex], first: ground, second: ball"
    text = f"connections:\n  road: {{{surfaces}, law: {{Tarred: 0.3}}}}\n"
    found = acceleration(text, **{"ball.position": (0, 0, 0), "ball.velocity": (1.0, 0, 0)})
    assert found == pytest.approx([-0.3 * 9.81, 0, 0], abs=1e-3)
