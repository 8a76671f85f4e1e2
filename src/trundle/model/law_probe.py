"""Laws, forces, outputs and events are evaluated once with symbols in place of the motion; faulty results are reported.

The resulting expressions are part of the digest of the model, so faults are found before any equations are derived.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from math import isfinite
from threading import RLock
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError, TrundleError
from trundle.laws.signals import Signals
from trundle.messages.warn import users_line, users_returns
from trundle.model.body import as_frame
from trundle.model.exact import exact, tape
from trundle.model.force import Terms
from trundle.model.model import Model
from trundle.model.recorded import Question
from trundle.model.register import Register, given_signal, is_signal, model_register
from trundle.symbols.instructions import SHORT, instructions
from trundle.typing import Expr, Given, TapeFunction

HINT = (
    "It is called once, with symbols in place of numbers: use tr.sin, tr.where, tr.max, ... in place of functions of "
    "math, of `if` and of max"
)
ARGUMENTS = (
    "Functions of the model are called with its signals, lambda s: s['bob.angle']; those of laws on a joint with time, "
    "coordinate and rate, lambda t, q, u: ..."
)
SIGNALS = "Quantities of the model are signals by name, s['bob.angle']; time is s.t"
ALL = "the signals as a whole"
OWN = "Correct the function"
_CASADI = ("casadi", "CasADi", "overloaded function")  # in messages that name what users do not see
HOOK = "__array_function__"  # by which NumPy asks an expression to do what one of its functions does
_asking = RLock()


@final
class LawProbe:
    """Calls functions of the user with symbols and collects the faults of their results."""

    def __init__(self, model: Model) -> None:
        self.t, self.q, self.u = (ca.SX.sym(n) for n in "tqu")
        self.signals = SymbolicSignals(model, self.t)
        self.faults: list[str] = []
        symbols = [self.t, self.q, self.u, *model.parameter_symbols()]
        self.known = {s.element_hash() for s in symbols}
        self.tables = {t.symbol.element_hash(): t.table for t in model.tables.values()}

    def evaluate(
        self, where: str, question: Callable[[], Iterable[Given]], size: int = 1, checked: bool = True
    ) -> list[Expr]:
        """Results as expressions of `size` components; empty if the function or a result is faulty. `checked`: whether
        their symbols and constants are looked at.
        """
        try:
            with no_interpolation():
                answers = [_expression(answer, size) for answer in question()]
                if checked:
                    self._check(ca.veccat(ca.SX(0, 1), *answers))
        except TrundleError as error:
            self.faults.append(f"{where}: {error}{_at(error) or _returned(question, size)}")
        except Exception as error:  # a function of the user may raise anything
            reason = str(error).strip().splitlines()
            text = _plain(str(error)) if reason and any(w in reason[0] for w in _CASADI) else (reason or [""])[0]
            text = text.replace("'SX' object", "an expression").replace("type 'SX'", "an expression")
            if isinstance(error, TypeError) and "positional argument" in text:
                self.faults.append(f"{where} takes another number of arguments than it is given ({text}). {ARGUMENTS}")
                return []
            wrong = isinstance(error, AttributeError | TypeError) and ("Signals'" in text or ALL in text)
            hint = SIGNALS if wrong else OWN if isinstance(error, NameError | ZeroDivisionError | ImportError) else HINT
            cause, place = f"{type(error).__name__}: {text}", _at(error) or _returned(question, size)
            self.faults.append(f"{where} cannot be written as an expression ({cause}). {hint}.{place}")
        else:
            return answers
        return []

    def compare(self, where: str, question: Callable[[], Iterable[Given]], first: Expr, size: int) -> bool:
        """A fault if a function returns another expression when it is called again; returns whether it does."""
        changed = [second for second in self.evaluate(where, question, size) if not _equal(first, second)]
        if changed:
            self.faults.append(
                f"{where} returns a different expression each time it is called. It is called once, so that a random "
                "number or a time of the clock would be the same during the whole run. Make such values before "
                "the run: a table over time, noise = m.table('noise', tr.Table(times, values)), here noise(s.t), "
                f"or an input, m.input('noise').{_returned(question, size)}"
            )
        return bool(changed)

    def evaluate_force(self, where: str, question: Callable[[], Terms]) -> "ForceAnswer | None":
        """The contributions of a force; None if it is faulty.

        Their expressions share most operations, so symbols and constants are looked at once for all of them. If one is
        wrong, it is looked for again in those that act and count as energy: measures may have some.
        """
        found: list[Terms] = []
        before = len(self.faults)

        def scalars() -> list[Expr]:
            found.append(question())
            terms = found[-1]
            energies = [terms.potential, terms.dissipated, terms.supplied, terms.stored]
            return [*energies, *[effort for _, effort in terms.efforts]]

        def evaluate(checked: bool) -> None:
            self.evaluate(where, scalars, checked=checked)
            if len(self.faults) == before:
                self.evaluate(where, lambda: [v for _, F, M in found[-1].wrenches for v in (F, M)], 3, checked)

        evaluate(checked=False)
        if len(self.faults) > before:
            return None
        answer = ForceAnswer.of(found[-1])
        if self._unknown(answer.symbols) or not answer.is_finite():
            evaluate(checked=True)
        return answer if len(self.faults) == before else None

    def is_sound(self, answers: Expr) -> bool:
        """Whether all symbols are known and all constants finite."""
        return not self._unknown(ca.symvar(answers)) and finite_constants(answers)

    def _check(self, answers: Expr) -> None:
        """Check the symbols and constants of all results."""
        unknown = self._unknown(ca.symvar(answers))
        if unknown:
            raise ModelError(
                f"the symbol {unknown[0]!r} is not a parameter of this model; declare it with m.parameter."
            )
        if not finite_constants(answers):
            raise ModelError(
                "the result contains a constant that is not a finite number. Functions of the module math turn a "
                "symbol into nan. "
                f"{HINT}."
            )

    def _unknown(self, symbols: Sequence[Expr]) -> list[str]:
        """Names of symbols that are neither parameters nor signals."""
        known = self.known | self.signals.known
        return [s.name() for s in symbols if s.element_hash() not in known]


def _equal(first: Expr, second: Expr) -> bool:
    """Whether two expressions are made of the same operations."""
    symbols = ca.symvar(first)
    if [s.element_hash() for s in symbols] != [s.element_hash() for s in ca.symvar(second)]:
        return False
    return tape(symbols, first) == tape(symbols, second)


def _at(error: Exception) -> str:
    line = users_line(error)
    return f" ({line})" if line else ""


def _returned(question: Callable[[], Iterable[Given]], size: int) -> str:
    """The line at which a function of the user returned an invalid value; empty if unknown."""
    faulty: Given = None
    with users_returns() as returned, suppress(Exception), no_interpolation():
        for faulty in question():
            _expression(faulty, size)
    exact = [one for one in returned if one.value is faulty]
    if not exact and len({one.code for one in returned}) > 1:
        return ""
    return f" ({(exact or returned)[-1].line})" if returned else ""


def _expression(value: Given, size: int) -> Expr:
    if isinstance(value, list | tuple | np.ndarray):
        value = ca.vertcat(*value)
    if value is None:
        raise ModelError("the function returns None; end it with `return` and an expression.")
    if isinstance(value, bool | np.bool_):
        raise ModelError(f"the function returns {value}, a truth value; write a number, or tr.where(condition, 1, 0).")
    try:
        answer = ca.SX(value)
    except NotImplementedError:
        raise ModelError(f"{value!r} is neither a number nor an expression.") from None
    if answer.numel() != size:
        wanted = "one number" if size == 1 else f"{size} numbers"
        one = " Components are s['bob.position_z'], or v[2] of a vector v." if size == 1 else ""
        raise ModelError(f"{wanted} expected, got {answer.numel()}.{one}")
    return answer


@contextmanager
def no_interpolation() -> Iterator[None]:
    """np.interp of an expression is refused meanwhile: CasADi makes a chain of comparisons of it, one for each knot.

    Other functions of NumPy give what CasADi's own give, without CasADi's notice on how that came to be.
    """

    def refuse(expression: Expr, function: object, types: object, args: tuple[Expr, ...], *rest: object) -> Expr:
        if function is np.interp:
            raise ModelError(
                "np.interp cannot look up an expression. Declare a table, curve = m.table('curve', tr.Table(x, y, "
                "between='linear')), and call it here: curve(s['...'])."
            )
        if function in (np.any, np.all) and isinstance(args[0], ca.SX):
            args = (args[0] != 0, *args[1:])  # CasADi compares with 1
        return usual(expression, function, types, args, *rest)

    with _asking:
        usual = ca.SX.__array_function__
        setattr(ca.SX, HOOK, refuse)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", r"\s*casadi: a numpy function", FutureWarning)
                yield
        finally:
            setattr(ca.SX, HOOK, usual)


def finite_constants(expression: Expr) -> bool:
    """True when every constant in the expression is finite."""
    if expression.is_constant():
        return bool(np.all(np.isfinite(np.array(ca.DM(expression)))))
    return _finite(ca.Function("f", ca.symvar(expression), [expression]))


def _finite(f: TapeFunction) -> bool:
    if f.n_instructions() > SHORT:
        steps = instructions(f)
        return bool(np.all(np.isfinite(steps.numbers[steps.rows[:, 0] == ca.OP_CONST])))
    kind, number = f.instruction_id, f.instruction_constant
    return all(isfinite(number(k)) for k in range(f.n_instructions()) if kind(k) == ca.OP_CONST)


@final
class ForceAnswer(NamedTuple):
    """What a force contributes, and the function from symbols to all its expressions, one after the other."""

    terms: Terms
    sizes: list[int]
    symbols: list[Expr]
    function: TapeFunction

    @classmethod
    def of(cls, terms: Terms) -> "ForceAnswer":
        """Of contributions whose sizes are right."""
        columns = terms.expressions()
        every = ca.veccat(ca.SX(0, 1), *columns)
        symbols = ca.symvar(every)
        return cls(terms, [column.numel() for column in columns], symbols, ca.Function("f", symbols, [every]))

    def is_finite(self) -> bool:
        """Whether all constants are."""
        return _finite(self.function)


def _plain(text: str) -> str:
    """A message of CasADi without the reference to its sources."""
    if "truth value" in text:
        return "a symbol is neither true nor false"
    if "not iterable" in text:
        return "a vector of symbols cannot be looped over; write v[0] + v[1] + v[2]"
    if "overloaded function" in text:
        return "a list of what are neither numbers nor expressions of one size"
    if "to_int not defined" in text:
        return "a symbol is not an integer; tr.floor rounds down"
    return text.strip().splitlines()[-1].strip()


@final
class SymbolicSignals:
    """Signals that are symbols, named after the quantity requested."""

    def __init__(self, model: Model, t: Expr) -> None:
        self.model, self.t = model, t
        self.questions: dict[str, tuple[Question, Expr]] = {}  # signals used by the function, and their symbols
        self.known: set[int] = set()

    def __repr__(self) -> str:
        return ALL

    @cached_property
    def _register(self) -> Register:
        return model_register(self.model)

    def _symbol(self, name: str, question: Question, size: int, columns: int = 1) -> Expr:
        if name not in self.questions:
            symbol = ca.SX.sym(name, size, columns)
            self.questions[name] = question, symbol
            self.known |= {s.element_hash() for s in ca.symvar(symbol)}
        return self.questions[name][1]

    def _motion(self, kind: str, place: Given, columns: int = 1) -> Expr:
        frame = as_frame(place)
        if self.model.bodies.get(frame.body.name) is not frame.body:
            raise ModelError(
                f"the {kind} of body {frame.body.name!r} is requested, but this body belongs to another model."
            )
        return self._symbol(f"{kind} {exact(frame)}", Question(kind, frame), 3, columns)

    def __getitem__(self, name: str) -> Expr:
        given = given_signal(self.model, name, self.t)
        if given is not None:
            return given
        if name == "time":
            raise ModelError("there is no quantity called 'time': the time is s.t, or s['t'].")
        part = self._register.get(name, is_signal)
        return self._symbol(part.name, Question("signal", part.name), part.size)

    def position(self, place: object) -> Expr:
        return self._motion("position", place)

    def velocity(self, place: object) -> Expr:
        return self._motion("velocity", place)

    def angular_velocity(self, place: object) -> Expr:
        return self._motion("angular_velocity", place)

    def rotation(self, place: object) -> Expr:
        return self._motion("rotation", place, 3)

    def rate(self, state: str) -> Expr:
        """Rate of a state, on which the motion of a frame may depend."""
        return self._symbol(f"rate of {state}", Question("rate", state), 1)

    def mode(self, name: str) -> Expr:
        """A number of a contact mode."""
        return self._symbol(f"mode {name}", Question("mode", name), 1)


@final
class MultiplierSignals:
    """Signals for weights of constraints: also the multipliers that rows would have if all constraints were ideal."""

    def __init__(self, signals: Signals, symbols: dict[str, Expr]) -> None:
        self.signals, self.symbols = signals, symbols

    def __getitem__(self, name: str) -> Expr:
        return self.signals[name]

    def __getattr__(self, name: str) -> Expr:
        return getattr(self.signals, name)

    def multiplier(self, row: str) -> Expr:
        """Force or moment of the constraint "connection.bond" on the second body."""
        if row not in self.symbols:
            self.symbols[row] = ca.SX.sym(f"multiplier of {row}")
        return self.symbols[row]
