"""Why a call failed: arguments that do not fit the signature, or a value that its annotation does not allow."""

import inspect
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from numbers import Number
from opcode import opmap
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from numpy.typing import ArrayLike

from trundle.messages.warn import HOME
from trundle.real_array import has_truth_values
from trundle.typing import Given, Maker, Settings, Untyped

_LONG = 60
_ABSTRACT = {"dict": "Mapping", "list": "Sequence", "tuple": "Sequence"}  # names of types in annotations
UNADVISED = "_unadvised"  # attribute of an AttributeError: there is no advice for the missing name
_REVOLUTE, _PRISMATIC = "a hinge is a tr.Revolute('y')", "a slider is a tr.Prismatic('x')"
_SYMBOLS = "parameters belong to a model, k = m.parameter('k', 20.0, 'N/m'); coordinates come with the joints"
_BODY = "bodies belong to a model, bob = m.body('bob', mass=1.0)"
_DEGREES = "30 degrees in radians are tr.degrees(30)"
_LENGTHS = "everything is in SI units, lengths in m: 5 mm are 0.005"
_PULLS = "tr.LineForce(first, second, tr.Motor(lambda t, q, u: -tr.max(1e4 * (q - 1.0), 0.0)))"
_CURVE = "a function through points is a table, curve = m.table('curve', tr.Table(x, y)), called in a law, curve(q)"
_COMMAND = "it is a command, `trundle {}`, in a terminal"
OF_TRUNDLE = {
    "Hinge": _REVOLUTE,
    **dict.fromkeys(("PinJoint", "RevoluteJoint"), _REVOLUTE),
    "Slider": _PRISMATIC,
    "PrismaticJoint": _PRISMATIC,
    "BallJoint": "a ball joint is a tr.Spherical()",
    "Weld": "two bodies are joined for good by tr.Fixed()",
    "Joint": "each kind of joint has its name: tr.Revolute('y'), tr.Prismatic('x'), tr.Spherical(), tr.Fixed(), ...",
    "Ground": "every model has one, m.ground",
    "World": "every model has its ground, m.ground",
    "ReferenceFrame": "frames belong to bodies, bob.at(0, 0, -1) or bob.frame((0, 0, -1), ('y', 0.3))",
    "Point": "points belong to bodies, bob.at(0, 0, -1)",
    "RigidBody": _BODY,
    "Particle": _BODY,
    "symbols": _SYMBOLS,
    "dynamicsymbols": _SYMBOLS,
    "KanesMethod": "m.build() derives the equations (by Kane's method unless another formalism is given)",
    "Friction": "friction of a contact is its law, law=tr.Coulomb(0.3); in a joint, law=tr.Damper(0.1) or your own "
    "tr.Motor(lambda t, q, u: ...)",
    "deg2rad": _DEGREES,
    "radians": _DEGREES,
    "rad": _DEGREES,
    "deg": _DEGREES,
    "plot": "a run is plotted, run.plot('bob.angle')",
    "animate": "a run is animated, run.show() or run.save_html('run.html')",
    "Simulation": "build the model, system = m.build(), and call system.simulate(5.0)",
    "solve": "build the model, system = m.build(), and call system.simulate(5.0)",
    **dict.fromkeys(("mm", "cm", "inch"), _LENGTHS),
    **dict.fromkeys(("g", "gravity"), "gravity belongs to the model: m.gravity is (0, 0, -9.81) unless it is given"),
    **dict.fromkeys(
        ("Torque", "Moment"),
        "a torque in a joint is tr.CoordinateForce('bob.angle', 1.0), on a body tr.Wrench(bob, moment=(0, 0, 1))",
    ),
    "Wheel": "a wheel is a body with a contact, m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.3)), m.ground, "
    "wheel, law=tr.NoSlip()); parts of vehicles are tr.bicycle.Wheel and tr.rail.Wheelset",
    "Road": "a level road is a tr.Plane() of the ground; heights over the distance are a table, "
    "m.table('road', tr.Table(x, z)), for the law of a tyre",
    **dict.fromkeys(("Rope", "Cable", "String"), f"what pulls only is {_PULLS}"),
    "Pulley": "a belt over two pulleys is a tr.Belt(first_radius, second_radius)",
    **dict.fromkeys(("Rack", "Pinion"), "a rack with its pinion is a tr.RackAndPinion(radius)"),
    "UniversalJoint": "a universal joint is a tr.Universal('x')",
    "Pacejka": "the magic formula is tr.MagicTyre",
    **dict.fromkeys(("Spline", "CubicSpline", "interp", "interp1d", "Curve", "Lookup"), _CURVE),
    "clip": "write tr.min(tr.max(x, low), high)",
    "heaviside": "write tr.step(x), which is 0 for x < 0 and 1 otherwise",
    **dict.fromkeys(("if_else", "cond", "select"), "write tr.where(condition, first, second)"),
    **dict.fromkeys(("pow", "power"), "write x**2"),
    "norm": "write np.linalg.norm(s['bob.velocity']), of numbers and of signals",
    **dict.fromkeys(("minimize", "minimise"), "write tr.optimise(objective, {'k': (0.1, 1.0)})"),
    **dict.fromkeys(
        ("LQR", "lqr"),
        "the matrices are those of space = system.linearise().state_space(), for "
        "scipy.linalg.solve_continuous_are(space.A, space.B, Q, R)",
    ),
    **{name: _COMMAND.format(name) for name in ("warm", "doctor", "studio", "bench", "view")},
    **dict.fromkeys(("AxisPair", "LowerPair"), "for a joint of your own, from trundle.pairs.lower import AxisPair"),
    "SLIDE": "the pitch of a screw that slides, from trundle.space.chain import SLIDE",
    "FrictionLaw": "for a friction law of your own, from trundle.laws.friction_law import FrictionLaw",
    "find_orbit": "periodic motions are found by it, from trundle.study.periodic import find_orbit",
    "array": "vectors are lists, or arrays of numpy, np.array([1.0, 2.0])",
    "Gravity": "gravity belongs to the model, tr.Model('m', gravity=(0, 0, -9.81))",
    "Contact": "contacts are connections: m.contact(m.ground, box) of shapes, "
    "m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball) of surfaces",
    "simulate": "build the model, system = m.build(), and call system.simulate(5.0)",
    "Box": "a body has shapes, shape=tr.shape.Box((0.2, 0.2, 0.1)), and m.contact(m.ground, box) lets it touch",
    "inertia": "a density gives mass and inertia of a shape, m.body('b', shape=tr.shape.Box((1, 1, 1)), density=1000)",
    "Force": "a force and a moment on a body are a tr.Wrench, one along a line between two points is a tr.LineForce",
    "impact": "impacts of a rimless wheel are in tr.walker: tr.walker.predict, tr.walker.PercussionPlane",
    "load_mjcf": "models in MJCF are not read; write the joints with m.connect, or a model file for tr.load_model",
}
"""What to use in place of names that `trundle` does not have."""
WORDS = {
    **dict.fromkeys(("k", "spring", "spring_constant", "c_spring"), ("stiffness",)),
    **dict.fromkeys(("c", "d", "damper", "viscosity"), ("damping",)),
    **dict.fromkeys(("rest", "rest_length", "l0", "L0", "free_length", "natural_length"), ("length", "rest")),
    **dict.fromkeys(("torque", "M", "T"), ("moment",)),
    **dict.fromkeys(("F", "f"), ("force",)),
    **dict.fromkeys(("body", "point", "frame"), ("place",)),
    **dict.fromkeys(("I", "J", "Ixx", "moi"), ("inertia",)),
    **dict.fromkeys(("m", "weight"), ("mass",)),
    **dict.fromkeys(("cog", "center", "centre", "center_of_mass", "cm"), ("com",)),
    **dict.fromkeys(("r", "R", "diameter", "d"), ("radius",)),
    **dict.fromkeys(("gap", "play", "backlash", "lash"), ("clearance",)),
    **dict.fromkeys(("P", "Kp", "p"), ("kp",)),
    **dict.fromkeys(("Ki", "i"), ("ki",)),
    **dict.fromkeys(("Kd", "D"), ("kd",)),
    **dict.fromkeys(("n", "N", "legs"), ("spokes",)),
    **dict.fromkeys(("figsize", "size"), ("width",)),
    **dict.fromkeys(("kind", "interpolation", "interp"), ("between",)),
    **dict.fromkeys(("extrapolate", "extrapolation", "fill_value", "outside"), ("beyond",)),
    **dict.fromkeys(("save", "file", "filename", "fname", "savefig", "out"), ("path",)),
}
"""Other words for arguments, with those that they are called here; the first of them that a function takes is meant."""


def is_own_error(error: BaseException) -> bool:
    """Whether the error was raised by a `raise` statement of this package, so that its message is complete. False if
    code of this package used an attribute that an object does not have: then the user gave a wrong object.
    """
    last, before = error.__traceback__, None
    while last is not None and last.tb_next is not None:
        last, before = last.tb_next, last
    if last is None or not last.tb_frame.f_code.co_filename.startswith(HOME):
        return False
    if before and before.tb_frame.f_code.co_filename.startswith(HOME) and getattr(error, UNADVISED, False):
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


@lru_cache(maxsize=256)  # a call with a truth value that is allowed, such as tr.where(t < 1, 0, 1), is not an error
def _signature(function: Maker) -> inspect.Signature:
    return inspect.signature(function)


@dataclass(frozen=True)
class Call:
    """A call that failed: the function, its name for users, the number of its first arguments that users do not write
    (self), the given arguments, and a text that says how to write them.
    """

    function: Maker
    what: str
    first: int
    args: tuple[Given, ...]
    named: Settings
    values: str = ""

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters that users write."""
        found = list(_signature(self.function).parameters.values())
        return {p.name: p for p in found[self.first :]}

    @property
    def given(self) -> tuple[Given, ...]:
        return self.args[self.first :]

    def unfit(self, error: BaseException, advice: Mapping[str, str]) -> str:
        """What is wrong with the arguments of a call that failed before the function was entered; otherwise empty."""
        if not isinstance(error, TypeError) or self._entered(error):
            return ""
        fault = next(self._faults(advice), "")
        return " ".join(filter(None, (fault, self._takes(), self._meaning()))) if fault else ""

    def wrong_value(self) -> str:
        """The first argument whose value does not fit its annotation; empty if all fit."""
        bound = _signature(self.function).bind_partial(*self.args, **self.named).arguments
        for name, parameter in self.parameters.items():
            hint = _hint(parameter.annotation, self.function)
            if name not in bound or parameter.kind is parameter.VAR_KEYWORD:
                continue
            given = bound[name] if parameter.kind is parameter.VAR_POSITIONAL else (bound[name],)
            wrong = [value for value in given if not fits(value, hint)]
            if wrong:
                expected = self._described(name) or _words(hint)
                remedy = f" {self.values[0].upper()}{self.values[1:]}." if self.values else ""
                return f"{self.what}: {name} cannot be {_short(wrong[0])}. It takes {expected}.{remedy}"
        return ""

    def truth_value(self) -> str:
        """The first argument with a truth value in place of a number; empty if there is none."""
        try:
            bound = _signature(self.function).bind(*self.args, **self.named).arguments
        except TypeError:
            return ""  # the call itself raises
        for name, parameter in self.parameters.items():
            if name in bound and has_truth_values((bound[name],)) and not _takes_truth_values(parameter):
                expected = self._described(name) or _words(_hint(parameter.annotation, self.function))
                return f"{self.what}: {name} cannot have truth values, got {_short(bound[name])}. It takes {expected}."
        return ""

    def _entered(self, error: BaseException) -> bool:
        code, step = inspect.unwrap(self.function).__code__, error.__traceback__
        while step is not None:
            if step.tb_frame.f_code is code:
                return True
            step = step.tb_next
        return False

    def _faults(self, advice: Mapping[str, str]) -> Iterator[str]:
        kinds = [p.kind for p in self.parameters.values()]
        others = inspect.Parameter.VAR_KEYWORD in kinds
        by_place = [n for n, p in self.parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        by_name = [n for n, p in self.parameters.items() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
        hint = f": {self.values}" if self.values else ""
        for name in self.named:
            if name not in by_name and not others:
                meant = [word for word in WORDS.get(name, ()) if word in by_name]
                near = meant[:1] or get_close_matches(name, by_name, n=2)
                otherwise = f"did you mean {' or '.join(near)}?" if near else advice.get("*", self.values)
                remedy = advice.get(name, otherwise)
                text = f"{self.what} has no argument {name!r}{': ' if remedy else ''}{remedy}"
                yield text if remedy.endswith("?") else f"{text}."
        count = len(self.given)
        if count > len(by_place) and inspect.Parameter.VAR_POSITIONAL not in kinds:
            values = "1 value" if count == 1 else f"{count} values"
            yield f"{self.what} was given {values} without a name{hint}."
        twice = [name for name in by_place[:count] if name in self.named]
        if twice:
            yield f"{self.what} was given {twice[0]} twice, by its place and by its name{hint}."
        needed = [
            n for n in self.parameters if self._is_needed(n) and n not in by_place[:count] and n not in self.named
        ]
        if needed:
            yield f"{self.what} needs {' and '.join(needed)}{hint}."

    def _is_needed(self, name: str) -> bool:
        parameter = self.parameters[name]
        several = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        return parameter.default is parameter.empty and not several

    def _takes(self) -> str:
        plain = [p.replace(annotation=inspect.Parameter.empty) for p in self.parameters.values()]
        others = any(p.kind is p.VAR_KEYWORD for p in plain)
        names = ", ".join(str(p) for p in plain if p.kind is not p.VAR_KEYWORD)
        return f"It takes {' and '.join(filter(None, (names, 'options' * others))) or 'none'}."

    def _meaning(self) -> str:
        """The first sentence of the docstring of the function, or of the class that it constructs."""
        name = inspect.unwrap(self.function).__name__
        of: Given = {"__init__": type(self.args[0]), "__new__": self.args[0]}[name] if name[0] == "_" else self.function
        text = " ".join((inspect.getdoc(of) or "").partition("\n\n")[0].split())
        return f"{_first_sentence(text)}."

    def _described(self, name: str) -> str:
        """The description of an argument in the docstring: its type and its first sentence."""
        makes = inspect.unwrap(self.function).__name__ == "__init__"  # described by the docstring of the class
        text = (inspect.getdoc(type(self.args[0])) if makes else self.function.__doc__) or ""
        lines = inspect.cleandoc(text).split("\n")
        for i, line in enumerate(lines):
            names, colon, kind = line.partition(" : ")
            if colon and name in [n.strip().lstrip("*") for n in names.split(",")]:
                text = " ".join(t.strip() for t in lines[i + 1 : i + 4] if t.startswith("    "))
                sentence = _first_sentence(text)
                return f"{kind.removesuffix(', optional')}: {sentence}" if sentence else kind
        return ""


def _first_sentence(text: str) -> str:
    """The first sentence without its full stop. A full stop before a number or a small letter, as in "Ch. 4", belongs
    to an abbreviation.
    """
    return re.split(r"\.\s+(?=[^\s\da-z])", text, maxsplit=1)[0].rstrip(".")


def _takes_truth_values(parameter: inspect.Parameter) -> bool:
    """Whether an argument may be or contain True and False."""
    if isinstance(parameter.default, bool) or parameter.kind is parameter.VAR_KEYWORD:
        return True
    return "bool" in str(parameter.annotation) or parameter.name == "settings"  # of a run: options of any kind


def fits(value: object, hint: Untyped) -> bool:
    """Whether a value is of the type that an annotation names; True if that cannot be decided."""
    if get_origin(hint) is Annotated:
        return fits(value, get_args(hint)[0])
    if hint == ArrayLike:
        return isinstance(value, Number) or _is_listed(value)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str | Number | None) and value in inner
    if hint in (float, int, complex):
        return isinstance(value, Number) or _is_expression(value)
    if isinstance(hint, str):  # names of classes that cannot be resolved here
        name = type(value).__name__.removesuffix("Type")
        return type(value).__module__ != "builtins" or name in hint or _ABSTRACT.get(name, name) in hint
    kind = NoneType if hint is None else origin or hint
    if not isinstance(kind, type) or kind in (object, Given):
        return True
    if vars(kind).get("_is_protocol", False):
        return {name for name in dir(kind) if not name.startswith("_")} <= set(dir(value))
    if isinstance(value, str):  # no argument is meant to be a sequence of letters
        return kind is str or issubclass(kind, os.PathLike)
    if kind is not str and issubclass(kind, Collection):
        return isinstance(value, kind) or (_is_listed(value) and not issubclass(kind, Mapping))
    return isinstance(value, kind) or (callable(value) and origin is Callable)


def _is_expression(value: object) -> bool:
    return type(value).__module__.partition(".")[0] in ("numpy", "casadi", "trundle")


def _is_listed(value: object) -> bool:
    if type(value).__module__.partition(".")[0] in ("numpy", "xarray", "pandas"):
        return True
    return isinstance(value, Sequence) and not isinstance(value, str)


def _hint(annotation: Untyped, function: Maker) -> Untyped:
    """The annotation; one in quotes is evaluated in the module of the function, if its names are known there."""
    if not isinstance(annotation, str):
        return object if annotation is inspect.Parameter.empty else annotation
    try:
        return eval(annotation, inspect.unwrap(function).__globals__)
    except NameError:
        return annotation  # it names something that is imported for type checkers only


def _words(hint: Untyped) -> str:
    """An annotation as text: 'float or None'."""
    if hint == ArrayLike:
        return "numbers"
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(_words(one) for one in get_args(hint))
    if hint in (None, NoneType):
        return "None"
    if isinstance(hint, str):
        return hint
    if hint is Given:
        return "numbers or expressions"
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).rpartition("abc.")[2]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < _LONG else f"{text[: _LONG - 3]}..."
