"""Modes of the contacts at the start of a run, and checks that their laws can start."""

from ctypes import CFUNCTYPE, c_void_p

import casadi as ca
import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.contact.decision.request import Decision
from trundle.contact.modes.expressions import typical_force
from trundle.contact.modes.find import contacts_to_decide
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import SolveError
from trundle.graph.topology import Topology
from trundle.integrate.codes import OVERDUE
from trundle.kernel import compiled
from trundle.kernel import evaluate as evaluate_many
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.model.part_check import evaluate
from trundle.motion.links import frame_pose
from trundle.pairs.lower import Free
from trundle.pairs.planar import Line, Segment
from trundle.pairs.surface import Plane
from trundle.quantities.state_layout import StateLayout
from trundle.space.rotation import quaternion_from_rotation
from trundle.study.scales import set_sizes
from trundle.typing import AnyArray, Array, Expr, TapeFunction

NO_LOAD = 1e-9  # of the force that gives the lighter assembly at the contact the typical acceleration of the run
SLIPPING = 1e-6  # of the typical speed of the run
OVERLAP = 1e-7  # of the typical length of the run
PARALLEL = 1e-8  # cosine of the roll of a wheel


def _loaded(model: Model) -> list[ConnectedPair]:
    """Contacts with a rigid normal, closed from the start, whose law divides by the normal force."""
    return [c for c in model.connections.values() if c.relaxes and "z" in c.holds and not c.unilateral]


def _opening(model: Model) -> list[ConnectedPair]:
    """Contacts with a rigid normal that may open."""
    return [c for c in model.connections.values() if c.unilateral]


def contact_values(model: Model, functions: Functions) -> list[Expr]:
    """Values for `check_contacts`, relative to the scales of the run: normal forces, gaps, and slips of sticking
    contacts.
    """
    contact_bonds = [functions.equations.contact_bonds[c.name] for c in _opening(model)]
    e, scales = functions.equations, functions.equations.scales
    return [
        *(functions.multiplier(f"{c.name}.normal") / typical_force(e, c) for c in _loaded(model)),
        *(_distance(functions, bonds.connection, bonds.contact.distance) / scales.length for bonds in contact_bonds),
        *(bonds.slip_if_closed() / scales.speed for bonds in contact_bonds),
    ]


def _distance(functions: Functions, c: ConnectedPair, distance: Expr) -> Expr:
    """A distance; not a number where all points of a rim are equally near."""
    if not c.pair.can_lie_flat:
        return distance
    upright = ca.cos(functions.equations.signals[f"{c.name}.roll"])
    return ca.if_else(upright < PARALLEL, np.nan, distance)


def _contact_kernel(f: Formulation) -> dict[str, TapeFunction]:
    return {"values": f.functions.function("values", *contact_values(f.model, f.functions))}


def check_contacts(f: Formulation, t: float, x: Array, p: Array) -> None:
    """SolveError if a law divides by a normal force that is zero, or where contacts overlap, or slip though they
    stick.
    """
    loaded, opening = _loaded(f.model), _opening(f.model)
    if not loaded and not opening:
        return
    values = np.array(f.kernels("contacts at start", _contact_kernel)["values"](t, x, p))
    for c, load in zip(loaded, values, strict=False):
        if abs(load) < NO_LOAD:
            raise SolveError(
                f"contact {c.name!r}: {type(c.friction).__name__} compares the traction with the normal force, which "
                f"is negligible at the start. Give the model gravity or a load, or use tr.Coulomb, which needs none."
            )
    gaps, slips = np.split(values[len(loaded) :], 2)
    length, speed, _ = p[f.parameters.size_slice]
    for c, gap, slip in zip(opening, gaps, slips, strict=True):
        first, second = c.first.body.name, c.touching.name
        if not np.isfinite(gap):
            raise SolveError(_nowhere(c))
        if gap < -OVERLAP:
            moved = second if c.touching.is_free else first
            raise SolveError(
                f"contact {c.name!r}: {second!r} overlaps {first!r} by {-gap * length:.3g} m at the start. Move them "
                f"apart with start values such as '{moved}.position', or let a compliant normal do it."
                f"{_likely_reason(c)}"
            )
        if slip > SLIPPING:
            raise SolveError(
                f"contact {c.name!r} is closed at the start and its laws constrain {', '.join(c.held)}, but the start "
                f"values move {second!r} there at {slip * speed:.3g} m/s or rad/s. Give consistent velocities, or a "
                f"friction law that can slide, such as tr.Coulomb."
            )


def _likely_reason(c: ConnectedPair) -> str:
    """Why two bodies overlap, other than by their start values: surfaces exchanged, or one facing the wrong way."""
    if not c.touching.is_free:
        return " The first surface belongs to the first body: are the two exchanged?"
    flat = getattr(c.pair, "second", None)
    if isinstance(flat, Plane | Line | Segment):
        return (
            f" The material of a {type(flat).__name__} lies below z = 0 of its frame: if {c.touching.name!r} must lie "
            "above, give that frame half a turn, body.frame((0, 0, 0), ('y', np.pi))."
        )
    return ""


def first_modes(f: Formulation, t: float, x: Array, p: Array) -> Array:
    """Parameters with the modes of the contacts at a state; SolveError if they cannot begin."""
    if f.parameters.modes or _loaded(f.model):
        p = p.copy()
        set_sizes(f, t, x[None, :], p[None, :])
    if not f.parameters.modes:
        check_contacts(f, t, x, p)
        return p
    if f.decides_together:
        found = _decided(f, t, x, p)
    else:
        found = _settled(f, t, x, np.array(f.kernels("events")["start"](t, x, p)))
    if not np.all(np.isfinite(found)):
        _refuse_nowhere(f, t, x, p)
        raise SolveError(
            "at the start friction leaves no unique acceleration (Painleve's paradox): rigid bodies jam, or "
            "several motions are possible. Start in another pose, or make the normal compliant "
            "(compliance=tr.Spring(...))."
        )
    check_contacts(f, t, x, found)
    return found


def modes_together(f: Formulation, t: float, x: Array, p: Array) -> tuple[Array, AnyArray]:
    """Parameters with their modes as `first_modes` finds them, for many states (cases, n_x), and for which of these
    they hold: the others are to be looked at one by one.
    """
    found = p
    if f.parameters.modes or _loaded(f.model):
        found = p = p.copy()
        set_sizes(f, t, x, p)
    if f.parameters.modes:
        if f.decides_together:
            return p, np.zeros(len(p), bool)
        kernels, first = f.kernels("events"), len(f.model.events)
        found = evaluate_many(start := kernels["start"], start, t, x, p, threads=1)
        due = [first + i for i, change in enumerate(f.transitions) if change.due]
        values = evaluate_many(events := kernels["events"], events, t, x, found, threads=1)[:, due]
        fine = np.all(np.isfinite(found), axis=1) & ~(np.min(values, axis=1, initial=np.inf) < OVERDUE)
    else:
        fine = np.ones(len(p), bool)
    loaded, opening = len(_loaded(f.model)), len(_opening(f.model))
    if loaded or opening:
        kernel = f.kernels("contacts at start", _contact_kernel)["values"]
        values = evaluate_many(kernel, kernel, t, x, found, threads=1)
        fine &= np.all(np.abs(values[:, :loaded]) >= NO_LOAD, axis=1)
        fine &= np.all(values[:, loaded : loaded + opening] >= -OVERLAP, axis=1)
        fine &= np.all(values[:, loaded + opening :] <= SLIPPING, axis=1)
    return found, fine


def _refuse_nowhere(f: Formulation, t: float, x: Array, p: Array) -> None:
    """SolveError for contacts that have no point of contact at the start: most often the start was forgotten."""
    opening = _opening(f.model)
    if not opening:
        return
    values = np.array(f.kernels("contacts at start", _contact_kernel)["values"](t, x, p))
    gaps = values[len(_loaded(f.model)) :][: len(opening)]
    for c, gap in zip(opening, gaps, strict=True):
        if not np.isfinite(gap):
            raise SolveError(_nowhere(c))


def _nowhere(c: ConnectedPair) -> str:
    """Message for a contact without a point of contact."""
    first, second = c.first.body.name, c.touching.name
    if c.pair.can_lie_flat:
        return (
            f"contact {c.name!r}: at the start the wheel of {second!r} is parallel to the plane of {first!r}: all "
            f"points of its rim are equally near, none is the point of contact. Tilt it a little at the "
            f"start (1e-6 rad), or give the body a shape that can lie flat, m.body(..., shape=tr.shape.Disc(...)), and "
            f"m.contact(m.ground, body)."
        )
    return (
        f"contact {c.name!r}: at the start the contact point of {second!r} on {first!r} is undetermined: the "
        f"centres of both surfaces coincide, as happens when no start position is given. Give one, such as "
        f"{{'{second}.position': (0, 0, -0.4)}}, in which they touch or are apart."
    )


def places_of_modes(f: Formulation) -> list[int]:
    """Where the modes of all contacts of decisions stand among the parameters, in the order of `impact.numbers`; -1 for
    one that a contact does not have.
    """
    return [f.parameters.mode(c.name, kind) for c in contacts_to_decide(f.model) for kind in numbers.MODES]


def _decided(f: Formulation, t: float, x: Array, p: Array) -> Array:
    """Modes of all contacts at once, by the code of the time loop."""
    kernels, contacts = f.kernels("events"), len(contacts_to_decide(f.model))
    places = np.array(places_of_modes(f))
    found = p.copy()
    found[[f.parameters.mode(m.contact, m.state) for m in f.parameters.modes if m.state == "closed"]] = 0.0
    decision = Decision(contacts, np.array(kernels["impact"](t, x, found)))
    decision.free[: 3 * contacts] = kernels["free"](t, x, found)
    decision.scales[:] = found[f.parameters.size_slice][1], found[f.parameters.shift]
    CFUNCTYPE(None, c_void_p)(compiled.address("decide_once"))(decision.table.ctypes.data)
    found[places[places >= 0]] = decision.modes[places >= 0]
    first = len(f.model.events)
    jams = [first + i for i, change in enumerate(f.transitions) if change.kind == "jams"]
    values = np.array(kernels["events"](t, x, found))[jams]
    if np.any(~(values > 0)):
        found[:] = np.nan
    return found


def _settled(f: Formulation, t: float, x: Array, p: Array) -> Array:
    """Modes after all transitions that are due: contacts at rest that pull have opened, those beyond their cone
    slide.
    """
    kernels, first = f.kernels("events"), len(f.model.events)
    due = [first + i for i, change in enumerate(f.transitions) if change.due]
    for _ in range(2 * len(due)):
        values = np.array(kernels["events"](t, x, p))[due]
        if not values.size or not np.min(values) < OVERDUE:
            break
        jumped = np.array(kernels[f"jump{due[int(np.argmin(values))]}"](t, x, p))
        p = jumped[len(x) :]
    return p


def at_contacts(model: Model, topology: Topology, layout: StateLayout, q: Array) -> Array:
    """The pose with free bodies moved to where their loose contact with the ground touches at zero coordinates."""
    q, places = q.copy(), {c.name: c.i_q for c in layout.coordinates}
    for joint in topology.tree:
        free = joint.connection
        if not isinstance(free.pair, Free) or not joint.parent.is_at_rest or joint.reverse:
            continue
        found = [c for c in topology.parallel if c.is_contact and c.bodies == (joint.parent, joint.child)]
        if found:
            c = found[0]
            first, second = (frame_pose(c.first), frame_pose(c.second))
            pose = frame_pose(free.first).inverse() @ first @ c.pair.zero_pose() @ second.inverse()
            pose = pose @ frame_pose(free.second)
            at, turn = places[f"{free.name}.x"], places[f"{free.name}.quaternion"]
            q[at : at + 3] = np.ravel(evaluate(model, pose.p))
            q[turn : turn + 4] = quaternion_from_rotation(pose.R)
    return q
