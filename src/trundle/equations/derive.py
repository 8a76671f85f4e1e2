"""From model and topology to equations: the residuals, matrices and powers as expressions of (t, q, u, p)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import final

import casadi as ca

from trundle.constraints.closure import closure_rows, difference
from trundle.constraints.drag import Drag, along_coordinate, along_row
from trundle.constraints.flow import BondMotion, flow_row
from trundle.constraints.measure import LawState, Measure
from trundle.constraints.relaxation import relax
from trundle.constraints.row import Place, Role, Row
from trundle.contact.bonds import ContactBonds
from trundle.contact.modes.find import mode_states
from trundle.derivative import derivative, derivative_along
from trundle.equations.outputs.signals import Signals
from trundle.equations.stage import Outline, Stage, placed_rates, rates_of
from trundle.errors import ModelError, TrundleError, UnknownNameError
from trundle.graph.topology import Topology
from trundle.laws.law import FlowLaw
from trundle.linear_algebra.kkt import Sparse
from trundle.model.body import Body, Frame
from trundle.model.connection import ConnectedPair
from trundle.model.force import Terms
from trundle.model.law_probe import MultiplierSignals
from trundle.model.model import Model
from trundle.model.register import Register
from trundle.motion.bias import bias_terms, omitting
from trundle.motion.links import Tree
from trundle.motion.motion import Load, Motion, base_rate
from trundle.motion.roots import FrameRates
from trundle.pairs.higher import ContactPair
from trundle.quantities.known import known_quantities
from trundle.quantities.parameters import ParameterLayout, RunScales
from trundle.quantities.state_layout import StateLayout, lay_out_bodies, lay_out_joints
from trundle.space.inertia import Inertia
from trundle.space.rotation import dot
from trundle.typing import Expr


@final
@dataclass
class Equations:
    """All equations of a model in one formalism. The rows include redundant ones."""

    model: Model
    topology: Topology
    tree: Tree
    formalism: str
    layout: StateLayout  # of q and u
    t: Expr
    q: Expr
    u: Expr
    parameters: ParameterLayout
    p: Expr
    scales: RunScales
    motion: Motion
    inertias: dict[Body, Inertia]
    gravity: Expr
    signals: Signals
    rows: list[Row]
    loads: dict[Body, list[Load]]
    efforts: Expr  # on tree speeds (kane)
    terms: dict[str, Terms]
    coordinate_efforts: dict[str, Expr] = field(default_factory=dict)  # coordinate -> total effort
    contact_bonds: dict[str, ContactBonds] = field(default_factory=dict)  # higher pairs by connection
    contact_efforts: dict[str, dict[str, Expr]] = field(default_factory=dict)  # contact -> bond -> effort of its law
    modes: dict[str, Expr] = field(default_factory=dict)  # symbols of what changes at transitions of contacts
    switched: list[Row] = field(default_factory=list)  # rows that are active in some modes only
    law_states: Sequence[LawState] = ()  # at the end of q: bristles, deviations from prescribed rates, own states
    drags: Sequence[Drag] = ()  # forces of non-ideal constraints
    full_multipliers: dict[str, Expr] = field(default_factory=dict)  # for weights: if all rows were held

    @property
    def shift(self) -> Expr:
        """Relative shift of the multiplier block."""
        return self.scales.shift

    @cached_property
    def nonideal(self) -> Expr:
        """Generalised force of non-ideal constraints; zero if there are none."""
        return sum((drag.push for drag in self.drags), ca.SX.zeros(self.n_u))

    @property
    def n_q(self) -> int:
        return self.layout.n_q

    @property
    def n_u(self) -> int:
        return self.motion.n_u

    def coordinate_rates(self) -> Expr:
        """qdot."""
        return ca.vertcat(placed_rates(self.motion, self.contact_bonds), *[state.rate for state in self.law_states])

    def position_rates(self) -> Expr:
        """qdot as an expression linear in u; the rates of states of laws are zero in it."""
        return ca.vertcat(placed_rates(self.motion, self.contact_bonds), ca.SX.zeros(len(self.law_states)))

    def time_derivative(self, value: Expr, udot: Expr) -> Expr:
        """Time derivative of an expression of time and state."""
        along = derivative_along(value, self.q, self.coordinate_rates()) + derivative_along(value, self.u, udot)
        return along + derivative(value, self.t) if self.model.frames else along

    def corrections(self) -> Expr:
        """Newton step of the followers, and zeros for the states of laws."""
        steps = [bonds.contact.corrections for bonds in self.contact_bonds.values()]
        return ca.densify(ca.vertcat(ca.SX(0, 1), *steps, ca.SX.zeros(len(self.law_states))))

    @cached_property
    def mass(self) -> list[Sparse]:
        """Rows of the mass matrix."""
        return self.motion.mass_matrix(self.inertias)

    @cached_property
    def bias(self) -> Expr:
        """h of  M udot + h = J' lambda."""
        return self.motion.bias(self.inertias, self.gravity, self.loads) - self.efforts

    def generalised_forces(self) -> dict[tuple[str, str], Expr]:
        """The terms whose sum is -h: by (body, kind) for inertia and gravity, by (body, force) for forces and laws, and
        by (coordinate, "effort") for laws on coordinates that are states.
        """
        out: dict[tuple[str, str], Expr] = {}
        for term in bias_terms(self.motion, self.inertias, self.gravity, self.loads):
            key = (term.body.name, term.load.source)
            out[key] = out.get(key, ca.SX.zeros(self.n_u)) + term.generalised(self.motion)
        for name in self.coordinate_efforts:
            if name in self.motion.coordinates:
                along = out[name, "effort"] = ca.SX.zeros(self.n_u)
                along[self.motion.coordinates[name][1]] = self.coordinate_efforts[name]
        return out

    def without(self, omit: Mapping[str, Collection[str]]) -> "Equations":
        """The equations without some kinds of terms of the bias, given by the name of the body."""
        return replace(self, loads=omitting(self.motion, self.inertias, self.gravity, self.loads, omit))

    def kinetic(self) -> Expr:
        """Kinetic energy (J)."""
        total = ca.SX(0)
        for body, inertia in self.inertias.items():
            centre = self.motion.frame(Frame(body, body.com))
            w = ca.mtimes(centre.R.T, centre.w)
            total += (inertia.mass * dot(centre.v, centre.v) + dot(w, ca.mtimes(inertia.matrix, w))) / 2
        return total

    def potential(self) -> Expr:
        """Potential energy of gravity and of all forces (J)."""
        total = ca.SX(0)
        for body, inertia in self.inertias.items():
            total -= inertia.mass * dot(self.gravity, self.motion.frame(Frame(body, body.com)).p)
        return total + sum((ca.SX(term.potential) for term in self.terms.values()), ca.SX(0))

    def dissipated(self) -> Expr:
        """Power lost in all forces (W)."""
        return sum((ca.SX(term.dissipated) for term in self.terms.values()), ca.SX(0))

    def supplied(self) -> Expr:
        """Power supplied by all forces, without servos (W)."""
        return sum((ca.SX(term.supplied) for term in self.terms.values()), ca.SX(0))

    def drive_rates(self, rows: list[Row]) -> dict[int, Expr]:
        """Row index -> rate at which a drive moves its bond, for the power of the drives."""
        return {i: row.driven for i, row in enumerate(rows) if row.driven is not None and not row.driven.is_zero()}


def derive(
    model: Model,
    topology: Topology,
    formalism: str,
    register: Register | None = None,
    layout: StateLayout | None = None,
    turns: Mapping[str, Expr] | None = None,
) -> Equations:
    """Derive the equations of the model in joint ("kane") or absolute ("newton_euler") coordinates; `register` has the
    names of quantities that laws may use, `layout` the order of the states, `turns` whole turns that are added to
    measured angles.
    """
    if register is None:
        register = Register(model.aliases, lambda: known_quantities(model, topology, formalism))
    if layout is None:
        layout = lay_out_joints(model, topology) if formalism == "kane" else lay_out_bodies(model)
    inertias = {b: b.mass_properties() for b in model.free_bodies}
    t = ca.SX.sym("t")
    parameters = ParameterLayout.of(model, mode_states(model))
    p, modes, scales = parameters.symbols(model)
    gravity = ca.SX(ca.vertcat(*model.gravity))
    own = {state.name: ca.SX.sym(state.name) for state in model.every_state()}
    frame_rates = FrameRates(model, t, own)
    roots = frame_rates.roots()
    outline = Outline(model, topology, formalism, layout, register)
    stage = Stage(outline, t, roots, own, None, turns)
    unknown = frame_rates.needed(roots)
    if unknown:
        roots = frame_rates.roots(rates_of(model, stage, unknown, frame_rates))
        stage = Stage(outline, t, roots, own, stage, turns)
    motion, contacts, measured, values, bent, tracking = (
        stage.motion, stage.contacts, stage.measured, stage.values, stage.bent, stage.tracking,
    )  # fmt: skip
    q, u, coordinates = stage.q, stage.motion.u, stage.coordinates
    # Laws of friction are evaluated first: they determine the rates of their own states.
    signals = stage.signals
    full_multipliers: dict[str, Expr] = {}
    contact_bonds = {name: ContactBonds(at, MultiplierSignals(signals, full_multipliers), modes, scales)
               for name, at in contacts.items()}  # fmt: skip
    state_rates = {name: contact_bonds[contact].bristle_rates[i] for name, (contact, i) in bent.items()}
    for name, law in tracking.items():
        placed, deviation, rate = law.acting(signals, name)
        state_rates[f"{name}_deviation"] = placed.deflection_rate(t, deviation, rate)
    state_rates |= _own_rates(model, signals)
    states = [LawState(name, value, state_rates[name]) for name, value in values.items()]
    signals = Signals(model, register, t, motion, coordinates, measured | {s.name: s for s in states}, contacts)
    terms = _collect_terms(model, signals)
    contact_efforts: dict[str, dict[str, Expr]] = {}
    for name, bonds in contact_bonds.items():
        found, contact_efforts[name] = bonds.efforts(t)
        terms |= found
    loads, efforts, by_coordinate = _distribute(model, motion, signals, terms)
    every = _rows(model, stage.closing, motion, signals, t, contact_bonds)
    drags = [drag for bonds in contact_bonds.values() if (drag := bonds.drag(motion.n_u)) is not None]
    for name, effort in model.resistances.items():
        value = ca.SX(effort(MultiplierSignals(signals, full_multipliers)) if callable(effort) else effort)
        drags.append(_resistance(model, name, value, every, contact_bonds, motion, t))
    every = relax(every, model, signals, full_multipliers)
    rows, switched = [r for r in every if r.active is None], [r for r in every if r.active is not None]
    return Equations(
        model, topology, stage.tree, formalism, layout, t, q, u, parameters, p, scales, motion, inertias, gravity,
        signals, rows, loads, efforts, terms, by_coordinate, contact_bonds, contact_efforts, modes, switched, states,
        drags, full_multipliers,
    )  # fmt: skip


def _own_rates(model: Model, signals: Signals) -> dict[str, Expr]:
    """Rates of the states of the model, of its blocks and forces."""
    rates = {}
    for state in model.every_state():
        try:
            rates[state.name] = ca.SX(state.rate(signals))
        except TrundleError as error:
            raise ModelError(f"the rate of state {state.name!r}: {error}") from error
    return rates


def _collect_terms(model: Model, signals: Signals) -> dict[str, Terms]:
    terms = {}
    for name, force in {**model.coordinate_laws(), **model.forces}.items():
        try:
            terms[name] = force.terms(signals)
        except TrundleError as error:
            raise ModelError(f"force {name!r}: {error}") from error
    return terms


def _distribute(
    model: Model, motion: Motion, signals: Signals, terms: dict[str, Terms]
) -> tuple[dict[Body, list[Load]], Expr, dict[str, Expr]]:
    """Loads by body, efforts along speeds, and the total effort by coordinate."""
    loads: dict[Body, list[Load]] = {}
    by_coordinate: dict[str, Expr] = {}
    efforts = ca.SX.zeros(motion.n_u)

    def act(source: str, frame: Frame, point: Expr, F: Expr, M: Expr) -> None:
        if not frame.body.is_at_rest:
            loads.setdefault(frame.body, []).append(Load(source, point, F, M))

    for source, term in terms.items():
        for frame, F, M in term.wrenches:
            act(source, frame, signals.position(frame), F, M)
        for name, effort in term.efforts:
            by_coordinate[name] = by_coordinate.get(name, ca.SX(0)) + effort
            if name in motion.coordinates:
                efforts[motion.coordinates[name][1]] += effort
                continue
            connection = model.connections[signals.register.get(name).quantity.owner]
            measure = signals.measured[name]
            point = signals.position(connection.second)
            act(source, connection.second, point, effort * measure.force, effort * measure.moment)
            act(source, connection.first, point, -effort * measure.force, -effort * measure.moment)
    return loads, efforts, by_coordinate


def _rows(
    model: Model,
    closing: Mapping[str, Sequence[Body]],
    motion: Motion,
    signals: Signals,
    t: Expr,
    contact_bonds: dict[str, ContactBonds],
) -> list[Row]:
    """All rows; `closing` are the connections that are closed by rows, with the bodies around their loops."""
    rows: list[Row] = []
    for connection in model.connections.values():
        if connection.name in contact_bonds:
            rows += contact_bonds[connection.name].rows(t)
        elif connection.name in closing:
            # by_rows: the user wants the rows along the bonds of the joint
            over_ground = not connection.by_rows and any(b.is_at_rest for b in closing[connection.name])
            rows += closure_rows(connection, motion, over_ground)
        for name, law in connection.laws.items():
            if isinstance(law, FlowLaw):
                rows.append(_flow_row(connection, name, law, motion, signals, t))
    return rows


def _resistance(
    model: Model, name: str, effort: Expr, rows: Sequence[Row], contact_bonds: Mapping[str, ContactBonds],
    motion: Motion, t: Expr,
) -> Drag:  # fmt: skip
    """The force of a resistance to a motion: of a row, of a bond at a contact, or of a coordinate."""
    resisted = model.motion_along(name)
    assert resisted is not None  # checked where it was given
    connection, bond = resisted
    found = [row for row in rows if (row.owner, row.bond) == (connection.name, bond) and row.role is not Role.DRIVE]
    if connection.name in contact_bonds and not found:
        pair = connection.pair
        able = (*(pair.held if isinstance(pair, ContactPair) else ()), "normal")
        if bond not in able:
            raise UnknownNameError(name, [f"{connection.name}.{one}" for one in able], "bond of a contact to resist")
        found = [contact_bonds[connection.name].row(bond, t)]
    if found:
        return along_row(connection, found[0], effort, motion.n_u)
    return along_coordinate(connection, bond, effort, motion)


def _flow_row(connection: ConnectedPair, name: str, law: FlowLaw, motion: Motion, signals: Signals, t: Expr) -> Row:
    """The row of a flow law on a coordinate: a state of the tree, or measured."""
    full = f"{connection.name}.{name}"
    place = Place(connection.name, name, Role.DRIVE)
    if full in signals.coordinates:
        value, rate = signals.coordinates[full]
        jacobian = {motion.coordinates[full][1].start: ca.SX(1)}
        return flow_row(place, law, t, BondMotion(value, rate, ca.SX(0), jacobian))
    measure = signals.measured[full]
    if not isinstance(measure, Measure):
        raise ModelError(
            f"the {law.title} on {full!r}: coordinates of a contact can be driven only if the contact is the tree "
            f"joint of its body, and with formalism='kane'. Drive a joint instead."
        )
    point = motion.frame(connection.second).p
    moving = difference(motion.partials(connection.second.body, point), motion.partials(connection.first.body, point))
    jacobian = {i: dot(measure.force, linear) + dot(measure.moment, w) for i, (w, linear) in moving.items()}
    jacobian = {i: entry for i, entry in jacobian.items() if not entry.is_zero()}
    rate = base_rate(motion, connection.bodies, point, measure.force, measure.moment)
    rate += sum((entry * motion.u[i] for i, entry in jacobian.items()), ca.SX(0))
    bias = motion.time_derivative(rate)
    moves = BondMotion(measure.value, rate, bias, jacobian, measure.force, measure.moment, measure.is_angle)
    return flow_row(place, law, t, moves)
