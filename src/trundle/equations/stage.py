"""Motion, contacts and signals of a model, before any force or constraint."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, final

import casadi as ca

from trundle.constraints.measure import Followed, LawState, Measure, measured_coordinates
from trundle.contact.bonds import ContactBonds
from trundle.contact.contact_motion import ContactMotion, contact_in_tree, contact_of_loop
from trundle.contact.mesh import mesh_of_loop
from trundle.equations.outputs.signals import Signals
from trundle.errors import ModelError
from trundle.graph.topology import Topology
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.model.register import Register
from trundle.motion.kane import TreeMotion
from trundle.motion.links import Tree, build_tree
from trundle.motion.motion import Motion
from trundle.motion.newton_euler import AbsoluteMotion
from trundle.motion.roots import FrameRates, Roots, time_derivative
from trundle.pairs.higher import ContactPair
from trundle.pairs.mesh import Mesh
from trundle.quantities.state_layout import StateLayout
from trundle.typing import Expr


@final
class Outline(NamedTuple):
    """A model with what follows from it before any expression: its tree, and the names and places of its states."""

    model: Model
    topology: Topology
    formalism: str
    layout: StateLayout
    register: Register


@final
class Stage:
    """Motion, contacts and signals, from the motion of the roots; `like` is an earlier stage with the same symbols,
    `turns` are whole turns that are added to measured angles.
    """

    def __init__(
        self, of: Outline, t: Expr, roots: Roots, own: Mapping[str, Expr], like: "Stage | None" = None,
        turns: Mapping[str, Expr] | None = None,
    ) -> None:  # fmt: skip
        model, topology, formalism, layout, register = of
        self.tree = build_tree(topology, model.roots)
        q, u = ca.SX.sym("q", layout.n_placed), ca.SX.sym("u", layout.n_u)
        if like is not None:
            q, u = like.motion.q, like.motion.u
        self.motion: Motion
        if formalism == "kane":
            self.motion = TreeMotion(self.tree, q, u, roots)
            cut = list(topology.cut)  # in the order of the layout
            ordered = [*(joint.connection for joint in topology.tree), *cut]
            closing: dict[str, tuple[Body, ...]] = {}
        else:
            moving = model.free_bodies
            self.motion = AbsoluteMotion(moving, {b: b.mass_properties() for b in moving}, q, u, roots)
            ordered = cut = list(model.connections.values())
            closing = {c.name: c.bodies for c in ordered}
        self.closing = closing | {loop.name: loop.bodies for loop in topology.loops}
        self.coordinates = {name: (q[at_q], u[at_u]) for name, (at_q, at_u) in self.motion.coordinates.items()}
        at_zero = partial(_at_zero, self.tree, roots)
        self.contacts, self.followers = _contacts(model, self.motion, self.coordinates, cut, t, at_zero, like)
        self.tracking = {f"{c.name}.{n}": law for c in ordered for n, law in c.deviations.items()}
        self.bent = {f"{name}.{bristle}": (name, i) for name, at in self.contacts.items()
                     for i, bristle in enumerate(at.connection.bristles)}  # fmt: skip
        values = {name: self.contacts[contact].bristles[i] for name, (contact, i) in self.bent.items()}
        values |= {f"{name}_deviation": ca.SX.sym(f"{name} deviation") for name in self.tracking}
        self.values = values | dict(own)
        rates = ca.vertcat(placed_rates(self.motion, self.contacts), ca.SX(len(self.values), 1))
        self.q = ca.vertcat(q, *self.followers.values(), *self.values.values())
        change = partial(time_derivative, q=self.q, rates=rates, roots=roots)
        self.measured = _measured(cut, self.motion, self.contacts, change)
        for name, whole in (turns or {}).items():
            self.measured[name] = self.measured[name].turned(whole)
        law_states = {name: LawState(name, value) for name, value in self.values.items()}
        self.signals = Signals(
            model, register, t, self.motion, self.coordinates, self.measured | law_states, self.contacts
        )  # fmt: skip


def rates_of(model: Model, stage: Stage, names: Sequence[str], frames: FrameRates) -> dict[str, Expr]:
    """Rates of the states on which accelerations of frames depend, from the motion of the bodies."""
    found = {state.name: ca.SX(state.rate(stage.signals)) for state in model.every_state() if state.name in names}
    hidden = [stage.values[name] for name in (*stage.bent, *(f"{k}_deviation" for k in stage.tracking))]
    for name, rate in found.items():
        if any(ca.depends_on(rate, symbol) for symbol in (*frames.unknown.values(), *hidden)):
            raise ModelError(
                f"the rate of state {name!r} depends on the acceleration of a frame, or on an internal state of a "
                "contact or spring, and a frame moves with that state: let it depend on positions and velocities."
            )
    return found


def _contacts(
    model: Model,
    motion: Motion,
    coordinates: Mapping[str, tuple[Expr, Expr]],
    cut: Sequence[ConnectedPair],
    t: Expr,
    at_zero: Callable[[], Motion],
    like: "Stage | None" = None,
) -> tuple[dict[str, ContactMotion], dict[str, Expr]]:
    """Contacts of all higher pairs and meshes, and the followers of those that close loops, by contact; `at_zero`
    returns the motion with all joint coordinates zero.
    """
    contacts: dict[str, ContactMotion] = {}
    followers: dict[str, Expr] = {}
    in_tree = [c for c in model.connections.values() if c not in cut]
    for c in (*in_tree, *cut):
        if not isinstance(c.pair, ContactPair):
            continue
        if c in cut:
            symbols = ca.SX.sym(f"{c.name} followers", len(c.pair.followers))
            symbols = followers[c.name] = symbols if like is None else like.followers[c.name]
            if isinstance(c.pair, Mesh):
                contacts[c.name] = mesh_of_loop(model, c, motion, at_zero().frame, t)
            else:
                contacts[c.name] = contact_of_loop(c, motion, symbols)
        else:
            at = {step.name: coordinates[f"{c.name}.{step.name}"] for step in c.pair.coordinates}
            value, rate = (partial(_part, at, i) for i in (0, 1))
            contacts[c.name] = contact_in_tree(c, motion, value, rate)
    return contacts, followers


def _at_zero(tree: Tree, roots: Roots) -> Motion:
    """The motion with all joint coordinates zero."""
    q = ca.SX.zeros(tree.n_q)
    for link in tree.links:
        if link.kind == "ball":
            q[link.i_q] = 1
    return TreeMotion(tree, q, ca.SX.zeros(tree.n_u), roots)


def _measured(
    cut: Sequence[ConnectedPair], motion: Motion, contacts: Mapping[str, ContactMotion], change: Callable[[Expr], Expr]
) -> dict[str, Measure | Followed | LawState]:
    """Coordinates of connections that are not joints of the tree."""
    found: dict[str, Measure | Followed | LawState] = {}
    for c in cut:
        for name, measure in measured_coordinates(c, motion).items():
            found[f"{c.name}.{name}"] = measure
        if c.name in contacts:
            for name, value in contacts[c.name].contact.coordinates.items():
                found[f"{c.name}.{name}"] = Followed(c.name, name, value, change)
            for bond, name in c.out_of_plane.items():
                found[f"{c.name}.{name}"] = contacts[c.name].lean(bond)
    return found


def placed_rates(motion: Motion, contacts: Mapping[str, ContactBonds | ContactMotion]) -> Expr:
    """Rates of the coordinates and followers."""
    return ca.vertcat(motion.coordinate_rates(), *[at.contact.follower_rates for at in contacts.values()])


def _part(table: Mapping[str, tuple[Expr, Expr]], i: int, name: str) -> Expr:
    return table[name][i] if name else ca.SX(0)  # a planar pair does not move out of its plane
