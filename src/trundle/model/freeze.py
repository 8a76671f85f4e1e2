"""A deep copy of a model in which every function of the user was evaluated once and is replaced by the resulting
expression.

A system works on such a copy: nothing that happens to the model, its lists and arrays, or to what its functions close
over, reaches it. The copy depends on no code of the user, so it can be pickled.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import NoReturn, TypeVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.efforts import Motor
from trundle.laws.flows import Acceleration, Flow, Servo
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.lookup.table import Table
from trundle.model.body import Body, Frame
from trundle.model.contents import FROZEN
from trundle.model.exact import is_foreign
from trundle.model.force import Force
from trundle.model.frame import MotionPart
from trundle.model.frame_forces import Wrench
from trundle.model.input import Input
from trundle.model.law_probe import LawProbe, MultiplierSignals
from trundle.model.model import Model
from trundle.model.non_ideal import entries
from trundle.model.recorded import Question, Recorded, RecordedEffort, RecordedFlow, RecordedForce
from trundle.model.table import ModelTable
from trundle.typing import Expr, ModelPart, Values

ARGUMENTS: dict[type, str] = {Motor: "tqu", Acceleration: "tqu", Flow: "tq", Servo: "t"}
"""What functions in these laws are called with; all others are functions of the signals."""


SCALARS = str | bytes | bool | int | float
K = TypeVar("K")
V = TypeVar("V")


@final
class Settled(dict[K, V]):
    """A dictionary that cannot be changed."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise ModelError(FROZEN)

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[object, ...]:
        return Settled, (dict(self),)


def frozen(model: Model, relax: Values | None = None) -> Model:
    """The copy that a system works on, with further weights of rows; ModelError if a function cannot be called."""
    if model.is_frozen and not relax:
        return model
    found = _Copier(model, model, settled=True).model({**model.relaxations, **(relax or {})})
    found.freeze()
    return found


def recorded(model: Model) -> Model:
    """A copy that can be changed; its functions are replaced by expressions."""
    from trundle.model.floating import floating

    return _Copier(model, floating(model), settled=False).model(model.relaxations)


@final
class _Copier:
    """Copies part by part; what is shared in the model is shared in the copy."""

    def __init__(self, model: Model, whole: Model, settled: bool) -> None:
        self.source, self.settled = model, settled
        self.probe = LawProbe(whole)
        self.own_classes: set[str] = set()
        self._done: dict[int, tuple[ModelPart, ModelPart]] = {}  # place in memory -> part (so kept alive), copy

    def model(self, relax: Values) -> Model:
        out, source = copy.copy(self.source), self.source
        for name, value in vars(source).items():
            if name not in ("is_frozen", "relaxations", "weight_matrices", "resistances", "own_classes"):
                setattr(out, name, self.copied(value, "a function of the model"))
        forces = {name: force.on(out.resolve) for name, force in out.forces.items() if force is not None}
        out.forces = Settled(forces) if self.settled else forces
        weights = {name: self._asking(f"the weight of {name!r}", weight) for name, weight in relax.items()}
        matrices = {rows: self._matrix(rows, matrix) for rows, matrix in source.weight_matrices.items()}
        efforts = {name: self._asking(f"the resistance along {name!r}", e) for name, e in source.resistances.items()}
        out.relaxations = Settled(weights) if self.settled else weights
        out.weight_matrices = Settled(matrices) if self.settled else matrices
        out.resistances = Settled(efforts) if self.settled else efforts
        out.breaks = tuple(out.breaks) if self.settled else list(out.breaks)
        out.own_classes = tuple(sorted(self.own_classes))
        if self.probe.faults:
            raise ModelError(self.probe.faults)
        return out

    def copied(self, value: object, where: str, owner: object = None) -> ModelPart:
        """A copy of any part; `owner` is the part that a function belongs to."""
        if value is None or isinstance(value, SCALARS | np.generic | type | ca.Function | Table):
            return value
        if isinstance(value, ca.SX | ca.DM):
            return type(value)(value)
        if isinstance(value, list | tuple) and type(value) in (list, tuple):
            return type(value)(self.copied(v, where, owner) for v in value)
        if callable(value) and not isinstance(
            value, Recorded | ModelTable | Input
        ):  # the same one may be called in several ways
            return self._function(value, where, owner)
        if id(value) not in self._done:
            self._done[id(value)] = value, self._new(value, where)
        return self._done[id(value)][1]

    def _new(self, value: object, where: str) -> ModelPart:
        if isinstance(value, np.ndarray):
            array = np.array([self.copied(v, where) for v in value.ravel()] + [None], dtype=object)[:-1]
            array = array.reshape(value.shape) if value.dtype == object else value.copy()
            array.flags.writeable = not self.settled
            return array
        if isinstance(value, Mapping):
            items = {k: self.copied(v, f"{k!r} of {where}") for k, v in value.items()}
            return Settled(items) if self.settled else items
        if is_foreign(value) and isinstance(value, EffortLaw | FlowLaw | Force):
            return self._by_answers(value, where)
        if is_dataclass(value):
            return self._part(value, _own_name(value) or where)
        return copy.deepcopy(value)

    def _part(self, value: ModelPart, where: str) -> ModelPart:
        """A dataclass with copies of its fields, and without what it has derived from them."""
        out = object.__new__(type(value))
        self._done[id(value)] = value, out
        if is_foreign(value):
            self.own_classes.add(type(value).__name__)
        title = type(value).__name__ + (f" {where!r}" if where == _own_name(value) else f" of {where}")
        for field in fields(value):
            object.__setattr__(out, field.name, self.copied(getattr(value, field.name), title, value))
        return out

    def _function(self, function: Callable[..., Expr], where: str, owner: object) -> Recorded | None:
        symbols = {"t": self.probe.t, "q": self.probe.q, "u": self.probe.u}
        arguments: list[Expr] = [symbols[letter] for letter in ARGUMENTS.get(type(owner), "")] or [self.probe.signals]
        size = owner.size if isinstance(owner, MotionPart) else 3 if isinstance(owner, Wrench) else 1
        answers = self.probe.evaluate(f"a function in {where}", lambda: [function(*arguments)], size)
        if not answers:
            return None
        if not str(getattr(function, "__module__", "")).startswith("trundle."):
            named = where.removesuffix(" of a function of the model")
            self.probe.compare(f"a function in {named}", lambda: [function(*arguments)], answers[0], size)
        return self._record(answers[0], arguments)

    def _matrix(self, rows: tuple[str, ...], matrix: object) -> ModelPart:
        """The weight matrix of several rows; a function's answer is the column of its entries."""
        n, where = len(rows), f"the weight matrix of {', '.join(map(repr, rows))}"
        if not callable(matrix):
            return self.copied(matrix, where)
        return self._asking(where, lambda s: entries(matrix(s), n), n**2)

    def _asking(self, where: str, given: object, size: int = 1) -> ModelPart:
        """A number or a function that may depend on multipliers."""
        if not callable(given):
            return self.copied(given, where)
        signals = MultiplierSignals(self.probe.signals, {})
        answers = self.probe.evaluate(where, lambda: [_known(given(signals), self.probe, signals.symbols)], size)
        extra = {row: (Question("multiplier", row), symbol) for row, symbol in signals.symbols.items()}
        return self._record(answers[0], [self.probe.signals], list(extra.values())) if answers else None

    def _by_answers(self, part: EffortLaw | FlowLaw | Force, where: str) -> ModelPart:
        """A user-defined law or force, replaced by the expressions that it returns."""
        name, a = type(part).__name__, self.probe
        if isinstance(part, Force):
            answer = a.evaluate_force(f"the {name} of {where}", lambda: part.terms(a.signals))
            if answer is None:
                return None
            terms = answer.terms
            return RecordedForce(
                name, part.element, self.copied(part.places, where), tuple(part.coordinates),
                tuple(self.copied(frame, where) for frame, _, _ in terms.wrenches), tuple(n for n, _ in terms.efforts),
                terms.listed(),
                self._record(RecordedForce.column(terms), [a.signals]),
                tuple(self.copied(state, where) for state in part.states()),
            )  # fmt: skip
        arguments = t, q, u = [a.t, a.q, a.u]
        if isinstance(part, FlowLaw):
            answers = a.evaluate(f"the {name} of {where}", lambda: [part.motion(t, q, u)])
            return (
                RecordedFlow(name, self._record(answers[0], arguments), part.element, part.level) if answers else None
            )
        answers = a.evaluate(
            f"the {name} of {where}",
            lambda: [
                part.effort(t, q, u), part.potential(t, q), part.dissipated(t, q, u), part.supplied(t, q, u),
                part.deflection_rate(t, q, u),
            ],
        )  # fmt: skip
        if not answers:
            return None
        return RecordedEffort(name, self._record(ca.vertcat(*answers), arguments), part.element, part.only_pushes)

    def _record(self, answer: Expr, arguments: list[Expr], more: list[tuple[Question, Expr]] | None = None) -> Recorded:
        """The expression with the signals that it depends on, in the order in which they appear in it."""
        if arguments[0] is self.probe.signals:
            known = [*self.probe.signals.questions.values(), (Question("signal", "t"), self.probe.t), *(more or [])]
        else:
            known = [(Question("argument", i), symbol) for i, symbol in enumerate(arguments)]
        answer = ca.densify(ca.SX(answer))
        by_symbol = {s.element_hash(): i for i, (_, symbol) in enumerate(known) for s in ca.symvar(symbol)}
        found = [by_symbol.get(s.element_hash()) for s in ca.symvar(answer)]
        used = [known[i] for i in dict.fromkeys(i for i in found if i is not None)]
        questions = tuple(Question(q.kind, self._own(q.of)) for q, _ in used)
        return Recorded(questions, tuple(symbol for _, symbol in used), answer)

    def _own(self, of: object) -> ModelPart:
        return self.copied(of, "a frame") if isinstance(of, Frame | Body) else of


def _known(answer: Expr, probe: LawProbe, multipliers: Mapping[str, Expr]) -> Expr:
    probe.known |= {symbol.element_hash() for symbol in multipliers.values()}
    return answer


def _own_name(part: object) -> str | None:
    """The name of a part, if it has one; a part without is not asked which other name was meant."""
    try:
        found: str = object.__getattribute__(part, "name")
    except AttributeError:
        return None
    return found
