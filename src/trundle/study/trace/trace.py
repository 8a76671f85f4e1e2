"""Kinematics without time: the poses of a mechanism while one of its coordinates is driven."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative_along
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.run.trace import Column, Finding, Trace, make_dataset, slope_name
from trundle.study.start_state import start_state
from trundle.study.trace.findings import Finder
from trundle.study.trace.locus import Locus
from trundle.study.trace.path import Path, Point, Walker, make_point
from trundle.typing import Settings, Values
from trundle.version import __version__

if TYPE_CHECKING:
    import xarray as xr


CONTACT = {
    "contact_point": ("m", "contact point in the ground"),
    "contact_normal": ("", "outward normal of the first surface at the contact point, ground axes"),
}
BODY = {"position": ("m", "position of the body frame in the ground"), "rotation": ("", "rotation matrix, by columns")}


@final
class TraceOptions(NamedTuple):
    """How a curve of poses is followed."""

    hold: Values | Sequence[str]
    step: float | None
    through_folds: bool
    double_contacts: bool
    limit: int


def trace(
    f: Formulation, coordinate: str, to: float | Sequence[float], start: Values | None,
    parameters: Mapping[str, float] | None, options: TraceOptions,
) -> Trace:  # fmt: skip
    """Follow the curve of poses from the start until the driven coordinate has passed all values of `to`, in order."""
    hold, step = options.hold, options.step
    wanted = _wanted(to)
    if step is not None and not (isinstance(step, float | int | np.number) and np.isfinite(step) and step > 0):
        raise SolveError(f"the step of a trace must be greater than zero, got {step!r}.")
    p = f.parameter_vector(parameters)
    names = [hold] if isinstance(hold, str) else list(hold)
    given = dict(f.resolved(hold)) if isinstance(hold, Mapping) else {}
    locus = Locus(f, coordinate, names, p)
    begin = {**f.resolved(start or {}), **{k: v for k, v in given.items() if v is not None}}
    q = start_state(f, begin, parameters).q
    locus.hold_at(q, given)
    locus.check_held(q, begin)
    path = Walker(locus, q, step or 0.1, options.limit, options.through_folds).walk(wanted)
    finder = Finder(locus, path, options.double_contacts)
    findings = finder.find()
    return _result(locus, path, finder, findings)


def _wanted(to: float | Sequence[float]) -> list[float]:
    fault = f"a trace goes to one or more finite values, a number or a list of numbers, got {to!r}."
    try:
        given = np.atleast_1d(np.asarray(to))
        values = given.astype(float)
    except (TypeError, ValueError) as error:  # words, or lists of different lengths
        raise SolveError(fault) from error
    if given.dtype.kind not in "iufO" or values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)):
        raise SolveError(fault)
    return [float(v) for v in values]


def _result(locus: Locus, path: Path, finder: Finder, findings: Sequence[Finding]) -> Trace:
    outputs = _Outputs(locus)
    f = locus.formulation
    attrs = {
        "title": f.model.name,
        "source": f"Trundle {__version__}",
        "model_fingerprint": f.spec.key,
        "outcome": path.outcome,
    }

    def dataset(points: Sequence[Point], fits: Settings) -> "xr.Dataset":
        driven, columns = outputs(points)
        columns += [
            Column(
                f"{name}.relative_curvature", np.array([[fit.curvature] for fit in values]), "1/m",
                f"smallest relative curvature of the surfaces in contact {name!r}; negative where they interpenetrate",
            )
            for name, values in fits.items()
        ]  # fmt: skip
        return make_dataset(driven, columns, attrs, findings)

    def solve(value: float, near: Values) -> "xr.Dataset":
        a, b = path.points[near["point"]], path.points[near["point"] + 1]
        guess = a.q + (b.q - a.q) * (value - a.value) / (b.value - a.value)
        for name, columns in outputs.places.items():
            guess[columns] = np.atleast_1d(near["dataset"][name].values)
        found = locus.at_value(guess, value)
        if not found.good:
            raise SolveError(
                f"the pose at {locus.coordinate} = {value:g} could not be found; trace to this value instead."
            )
        point = make_point(locus, found.q, a)
        return dataset([point], {n: [fit(point.q, locus.p)] for n, fit in finder.fits.items()}).isel(point=0)

    return Trace(dataset(path.points, finder.fit_values), findings, f, solve)


@final
class _Outputs:
    """All results at a point, with derivatives by the driven coordinate."""

    def __init__(self, locus: Locus) -> None:
        self.locus = locus
        e, f = locus.equations, locus.formulation
        self.columns: list[tuple[str, str, str, int, bool]] = []  # name, unit, sentence, size, angle
        self.places: dict[str, slice] = {}  # coordinates that are unknowns of the curve
        expressions = []

        def add(name: str, unit: str, text: str) -> None:
            value = ca.vec(ca.SX(e.signals[name]))
            expressions.append(value)
            angle = name in e.signals.measured and e.signals.measured[name].is_angle
            self.columns.append((name, unit, text, value.numel(), angle))

        for c in f.layout.coordinates:
            add(c.name, c.unit, _sentence(f, c.name))
            self.places[c.name] = slice(c.i_q, c.i_q + c.n_q)
        for name in e.signals.measured:
            add(name, f.quantity(name).unit, _sentence(f, name))
        first = f.layout.follower_slice.start
        self.places |= {entry.name: slice(i, i + 1) for i, entry in enumerate(f.layout.followers, start=first)}
        for name in e.contact_bonds:
            for quantity, (unit, text) in CONTACT.items():
                add(f"{name}.{quantity}", unit, f"{text}, in contact {name!r}")
        for body in f.model.moving_bodies:
            for quantity, (unit, text) in BODY.items():
                add(f"{body.name}.{quantity}", unit, f"{text}: {body.name}")
        if locus.coordinate not in [column[0] for column in self.columns]:
            add(locus.coordinate, "", f"driven quantity {locus.coordinate}")
        out = ca.vertcat(*expressions)
        direction = ca.SX.sym("direction", e.n_q)
        change = derivative_along(out, e.q, direction)
        self._f = ca.Function("outputs", [e.q, direction, e.p, e.t], [ca.densify(out), ca.densify(change)])

    def __call__(self, points: Sequence[Point]) -> tuple[Column, list[Column]]:
        """The driven coordinate, and all quantities."""
        locus, n = self.locus, len(points)
        q = np.array([point.q for point in points]).T
        along = np.array([point.direction * locus.scale for point in points]).T
        p = np.repeat(locus.p[:, None], n, axis=1)
        values, changes = (v.full().T for v in self._f.map(n)(q, along, p, np.zeros((1, n))))
        slopes = np.array([[point.slope] for point in points])
        with np.errstate(divide="ignore", invalid="ignore"):
            derivatives = changes / slopes  # infinite at a turning point
        columns: list[Column] = []
        at = 0
        units = {name: unit for name, unit, *_ in self.columns}
        per = units[locus.coordinate] or "1"
        driven = Column(locus.coordinate, np.array([[point.value] for point in points]), units[locus.coordinate], "")
        for name, unit, text, size, angle in self.columns:
            block = slice(at, at + size)
            at += size
            if name == locus.coordinate:
                driven = Column(name, driven.values, unit, text)
                continue
            found = np.unwrap(values[:, block], axis=0) if angle else values[:, block]
            columns.append(Column(name, found, unit, text))
            rate = f"{unit}/{per}" if unit != per else ""
            text = f"change per unit of {locus.coordinate}: {text}"
            columns.append(Column(slope_name(name), derivatives[:, block], rate, text, slope_of=name))
        ranks = np.array([[float(point.spectrum.rank)] for point in points])
        smallest = np.array([[point.spectrum.smallest] for point in points])
        kind = "scaled Jacobian of the constraints of position and of what is held"
        columns.append(Column("rank", ranks, "", f"rank of the {kind}"))
        columns.append(Column("smallest_singular_value", smallest, "", f"smallest singular value of the {kind}"))
        return driven, columns


def _sentence(f: Formulation, name: str) -> str:
    return f.quantity(name).text
