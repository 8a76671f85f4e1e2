"""Functions and classes of the user, recorded as the expressions that they returned for symbolic arguments.

A built system works with these, so later changes of closures or classes have no effect, and it can be pickled.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import casadi as ca

from trundle.laws.law import EffortLaw, FlowLaw
from trundle.laws.signals import Signals
from trundle.model.body import Frame
from trundle.model.exact import exact, tape
from trundle.model.force import Force, Measure, Terms
from trundle.model.state import State
from trundle.typing import Expr, ModelPart, TapeFunction


@final
@dataclass(frozen=True, eq=False)
class Question:
    """A value that a function has used: an argument by its position, or a signal."""

    kind: str  # "argument", "signal", or a method of the signals: "position", "multiplier", ...
    of: ModelPart  # place of the argument, name of the signal, or frame

    def answer(self, arguments: Sequence[Expr]) -> Expr:
        """The value for the arguments of a call."""
        if self.kind == "argument":
            return arguments[self.of]
        if self.kind == "signal":
            return arguments[0].t if self.of == "t" else arguments[0][self.of]
        return getattr(arguments[0], self.kind)(self.of)


@final
@dataclass(frozen=True, eq=False)
class Recorded:
    """A recorded function: the values that it uses, a symbol for each, and its result in these and parameters."""

    questions: tuple[Question, ...]
    symbols: tuple[Expr, ...]
    answer: Expr

    def __call__(self, *arguments: Expr) -> Expr:
        given = [ca.SX(question.answer(arguments)) for question in self.questions]
        if not given:
            return ca.SX(self.answer)
        return self._function(*given, *self._parameters)

    def __reduce__(self) -> tuple[object, ...]:
        return Recorded, (self.questions, self.symbols, self.answer)  # without the function that was made of them

    def exact(self) -> str:
        """A text that identifies it; a constant is its number."""
        return self._text

    @cached_property
    def _text(self) -> str:
        if not self.questions:
            return exact(self.answer)
        inputs = [*self.symbols, *self._parameters]
        return f"{[(q.kind, exact(q.of)) for q in self.questions]} {tape(inputs, self.answer)}"

    @property
    def _parameters(self) -> list[Expr]:
        known = {s.element_hash() for symbol in self.symbols for s in ca.symvar(symbol)}
        return [s for s in ca.symvar(self.answer) if s.element_hash() not in known]

    @cached_property
    def _function(self) -> TapeFunction:
        return ca.Function("recorded", [*self.symbols, *self._parameters], [self.answer])


@final
@dataclass(frozen=True, eq=False)
class RecordedEffort(EffortLaw):
    """A law of the user's own class: (t, q, u) -> its effort, energies and deflection rate."""

    name: str
    answers: Recorded  # effort, potential, dissipated, supplied, deflection rate
    end: str
    pushes: bool

    @property
    def title(self) -> str:
        return self.name

    @property
    def element(self) -> str:
        return self.end

    @property
    def only_pushes(self) -> bool:
        return self.pushes

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.answers(t, q, u)[0]

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.answers(t, q, 0.0)[1]

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.answers(t, q, u)[2]

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.answers(t, q, u)[3]

    def deflection_rate(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.answers(t, q, u)[4]


@final
@dataclass(frozen=True, eq=False)
class RecordedFlow(FlowLaw):
    """A prescribed motion by the user's own class."""

    name: str
    answers: Recorded
    end: str
    prescribes: str

    @property
    def level(self) -> str:  # type: ignore[override]
        return self.prescribes

    @property
    def title(self) -> str:
        return self.name

    @property
    def element(self) -> str:
        return self.end

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.answers(t, q, u)


@final
@dataclass(frozen=True, eq=False)
class RecordedForce(Force):
    """A force of the user's own class: where it acts, and all numbers of its terms below each other."""

    name: str
    end: str
    at: tuple[Frame, ...]
    on_coordinates: tuple[str, ...]
    wrenches: tuple[Frame, ...]
    efforts: tuple[str, ...]
    measures: tuple[Measure, ...]
    answers: Recorded
    own: tuple[State, ...] = ()

    @property
    def title(self) -> str:
        return self.name

    def states(self) -> Iterator[State]:
        return iter(self.own)

    def on(self, full: Callable[[str], str]) -> Force:
        return replace(
            self, on_coordinates=tuple(map(full, self.on_coordinates)), efforts=tuple(map(full, self.efforts))
        )

    @property
    def element(self) -> str:
        return self.end

    @property
    def places(self) -> tuple[Frame, ...]:
        return self.at

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.on_coordinates

    def terms(self, s: Signals) -> Terms:
        numbers, at = self.answers(s), 0

        def take(size: int) -> Expr:
            nonlocal at
            at += size
            return numbers[at - size : at]

        return Terms(
            wrenches=[(frame, take(3), take(3)) for frame in self.wrenches],
            efforts=[(name, take(1)) for name in self.efforts],
            potential=take(1),
            dissipated=take(1),
            supplied=take(1),
            stored=take(1),
            measures={name: (take(size), unit, text) for name, size, unit, text in self.measures},
        )

    @staticmethod
    def column(terms: Terms) -> Expr:
        """All numbers of the terms below each other, in the order in which they are read."""
        wrenches = [ca.vertcat(ca.SX(F), ca.SX(M)) for _, F, M in terms.wrenches]
        energies = [terms.potential, terms.dissipated, terms.supplied, terms.stored]
        measures = [ca.SX(value) for value, _, _ in terms.measures.values()]
        return ca.SX(ca.vertcat(*wrenches, *[e for _, e in terms.efforts], *energies, *measures))
