"""Prescribed flows of a model as rows over the twists of its bodies, in numbers.

Every bond that is sealed by a flow gives one row: force . v + moment . w of the second body against the first, at the
point of connection. The rows are taken from the seals and the poses alone, not from the equations of the engine.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.bond_graph.causality import FlowRow, Flows
from trundle.bond_graph.placement import Placement
from trundle.equations.formulation import Formulation
from trundle.laws.law import FlowLaw, Law
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.model.force import Force
from trundle.model.model import Model
from trundle.model.part_check import evaluate
from trundle.model.seal import VARIABLES, Seal
from trundle.pairs.higher import SurfacePair
from trundle.pairs.lower import ROTATIONS, BondPair, Pair
from trundle.typing import Array

Axes = dict[str, tuple[Array, Array]]  # bond -> force and moment that a unit effort puts on the second body
ZERO = np.zeros(3)
CONFLICT = "Rigid bodies leave its effort unknown: "


def find_flows(f: Formulation, seals: Mapping[str, tuple[Seal, ...]]) -> Flows:
    """All prescribed flows at the assembled pose and at poses that are not special.

    Those that the engine takes for redundant come last: of flows that follow from each other it has chosen which to
    keep, and the graph shall choose the same.
    """
    model = f.model
    moving = model.free_bodies
    spent = set(f.mobility.redundant)
    bonds = sorted(_prescribed(f, seals), key=lambda each: not spent.isdisjoint(_row_names(each[1])))
    contacts = _contacts(f, list(dict.fromkeys(c for c, _ in bonds if c.is_contact)))
    centres = {b: evaluate(model, b.mass_properties().com).ravel() for b in moving}
    jacobians = [_jacobian(f, centres, bonds, q, contacts) for q in poses(f)]
    masses = [_mass(f, b) for b in moving]
    depth = {body: i for i, body in enumerate([*model.roots, *(j.child for j in f.topology.tree)])}
    rows = [_row(c, seal, depth) for c, seal in bonds]
    return Flows(tuple(b.name for b in moving), tuple(masses), tuple(rows), tuple(jacobians))


def _prescribed(f: Formulation, seals: Mapping[str, tuple[Seal, ...]]) -> Iterator[tuple[ConnectedPair, Seal]]:
    """Bonds and coordinates that flows seal, joints of the tree from the ground outwards before all others."""
    for c in (*(joint.connection for joint in f.topology.tree), *f.topology.cut):
        chain = (each.seal for each in chain_seals(f.model, c))
        yield from ((c, seal) for seal in (*seals[c.name], *chain) if seal.imposes_flow)


def _row_names(seal: Seal) -> set[str]:
    """Names that the row of a seal may have in the engine."""
    return {seal.name, f"{seal.connection}.{seal.bond}", f"{seal.coordinate} (servo)"}


@final
@dataclass(frozen=True)
class ChainSeal:
    """What seals a coordinate of the chain over two surfaces."""

    seal: Seal
    turns: bool  # the coordinate is an angle

    @property
    def variables(self) -> tuple[str, str]:
        """Names of flow and effort."""
        return VARIABLES["rz" if self.turns else "z"]


def chain_seals(model: Model, c: ConnectedPair) -> list[ChainSeal]:
    """Laws and forces on coordinates of a chain over surfaces: they act between the bodies beside the bonds of the
    contact, and have no bond there.
    """
    if not c.is_contact:
        return []
    turns = {step.name: not (step.n_u == 1 and step.slides) for step in c.pair.coordinates}
    given: list[tuple[str, str, Law | Force]] = [(name, law.title, law) for name, law in c.laws.items()]
    names = {f"{c.name}.{name}": name for name in turns}
    for title, force in model.forces.items():
        acted_on = [names[full] for full in map(model.resolve, force.coordinates) if full in names]
        given += [(name, f"force {title!r}", force) for name in acted_on]
    return [
        ChainSeal(Seal(c.name, "", by, law, coordinate=f"{c.name}.{name}", called=name), turns[name])
        for name, by, law in sorted(given, key=lambda each: list(turns).index(each[0]))
    ]


def _row(c: ConnectedPair, seal: Seal, depth: Mapping[Body, int]) -> FlowRow:
    second = _second(c, seal)
    outer = max(c.first.body, second, key=depth.__getitem__)
    called = seal.called or seal.bond
    spring = f"give compliance={{{called!r}: tr.Spring(...)}}"
    if seal.held:
        remedy = f"{CONFLICT}{spring}, or a pair that leaves {called} free."
    elif isinstance(seal.law, FlowLaw) and seal.law.level == "acceleration":
        remedy = f"{CONFLICT}let an effort law act on {called} instead, or take the {seal.by} away."
    else:
        remedy = f"{CONFLICT}{spring}, or take the {seal.by} away."
    return FlowRow(c.name, called, c.first.body.name, second.name, outer.name, _turns(c, seal), remedy)


def _second(c: ConnectedPair, seal: Seal) -> Body:
    """The body that a bond, or a chain over surfaces, leads to."""
    return c.touching if seal.bond else c.second.body


def _turns(c: ConnectedPair, seal: Seal) -> bool:
    """Whether the flow is a rotation."""
    if seal.bond:
        return seal.bond in ROTATIONS
    return not next(step for step in c.pair.coordinates if step.name == seal.called).slides


def poses(f: Formulation) -> list[Array]:
    """Coordinates of the assembled pose, and of one that is not special."""
    found = f.mobility
    q = np.array(found.q)
    if f.has_rows:
        return [q, np.array(found.generic)]
    return [q, q + np.random.default_rng(11).normal(size=len(q), scale=0.3)]


def _contacts(f: Formulation, connections: list[ConnectedPair]) -> Any:
    """Function of coordinates: points and axes of contacts, by connection."""
    if not connections:
        return lambda q: {}
    rows = f.row_functions if f.has_rows else None
    e = f.joint_functions.equations if rows is None else rows.equations
    found = [e.contact_bonds[c.name].contact for c in connections]
    out = ca.horzcat(*[ca.vertcat(contact.point, *contact.axes) for contact in found])
    contact_values = ca.Function("contacts", [e.t, e.q, e.u, e.p], [ca.densify(out)])

    def at(q: Array) -> dict[str, Array]:
        values = np.array(ca.DM(contact_values(0.0, q, np.zeros(e.n_u), f.default_parameters)))
        return {c.name: column.reshape(4, 3) for c, column in zip(connections, values.T, strict=True)}

    return at


def _jacobian(
    f: Formulation, centres: Mapping[Body, Array], bonds: list[tuple[ConnectedPair, Seal]], q: Array, contacts: Any
) -> Array:
    """Rows over all bodies, each of unit length: velocity of the mass centre over the typical length (ground axes),
    angular velocity (body axes).
    """
    placed, touching = Placement(f.model, f.topology, q), contacts(q)
    place = {b: 6 * i for i, b in enumerate(centres)}
    J = np.zeros((len(bonds), 6 * len(centres)))
    axes: dict[str, tuple[Array, Axes]] = {}
    for i, (c, seal) in enumerate(bonds):
        if c.name not in axes:
            axes[c.name] = _touch_axes(touching[c.name]) if c.is_contact else _pair_axes(c, placed)
            if c.out_of_plane:
                axes[c.name][1].update(_plane_axes(c, placed, axes[c.name][0]))
        point, along = axes[c.name]
        force, moment = along[seal.bond] if seal.bond else _coordinate_axis(c, seal.called, placed, point)
        for body, sign in ((_second(c, seal), 1.0), (c.first.body, -1.0)):
            if not body.is_free:
                continue
            R, p = placed.bodies[body]
            arm, at = point - p - R @ centres[body], place[body]
            J[i, at : at + 3] += sign * f.length * force
            J[i, at + 3 : at + 6] += sign * (R.T @ (moment + _cross(arm, force)))
    return np.asarray(J / np.linalg.norm(J, axis=1, keepdims=True))


def _cross(a: Array, b: Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _touch_axes(contact: Array) -> tuple[Array, Axes]:
    """Bonds at a point of contact."""
    slides = {bond: (contact[1 + i], ZERO) for i, bond in enumerate("xyz")}
    return contact[0], slides | {bond: (ZERO, contact[1 + i]) for i, bond in enumerate(ROTATIONS)}


def _plane_axes(c: ConnectedPair, placed: Placement, point: Array) -> Axes:
    """Bonds that keep a planar pair in its plane, where it may leave that: across the plane at the origin of the body
    beside it, and about axes in the plane that keep the direction of that body's axle.
    """
    assert isinstance(c.pair, SurfacePair)
    frames = [placed.frame(frame) for frame in (c.first, c.second)]
    (P, _), (Q, at) = reversed(frames) if c.pair.second.flat else frames
    side = -1.0 if c.pair.second.flat else 1.0
    x, y, z, axle = side * P[:, 0], P[:, 1], side * P[:, 2], Q[:, 1]
    return {"y": (y, _cross(at - point, y)), "rx": (ZERO, _cross(axle, z)), "rz": (ZERO, _cross(x, axle))}


def _pair_axes(c: ConnectedPair, placed: Placement) -> tuple[Array, Axes]:
    """Bonds of a lower pair at the origin of its second frame."""
    (A, _), (B, point) = (placed.frame(frame, c) for frame in (c.first, c.second))
    along: Axes = {bond: (A[:, i], ZERO) for i, bond in enumerate("xyz")}
    along |= {bond: (ZERO, e) for bond, e in zip(ROTATIONS, _turn_axes(c.pair, A, B), strict=True)}
    if c.pair.coupling is not None:  # the advance beside that of the screw
        along["z"] = (along["z"][0], -placed.number(c.pair.coupling)[0] * along["rz"][1])
    return point, along


def _turn_axes(pair: Pair, A: Array, B: Array) -> list[Array]:
    """Vectors that pick the rates of rx, ry, rz out of the relative angular velocity."""
    free = [ROTATIONS.index(b) for b in pair.free if b in ROTATIONS]
    out = list(A.T)
    if len(free) == 2:  # the first axis on the first body, the second on the second; what is held is normal to both
        i, j = free
        out[j], out[3 - i - j] = B[:, j], _cross(A[:, i], B[:, j])
    elif len(free) == 3 and isinstance(pair, BondPair) and not pair.ball:
        i, j, k = free
        e1, e3 = A[:, i], B[:, k]
        turning = np.column_stack([e1, _cross(e3, e1), e3])
        turning[:, 1] /= np.linalg.norm(turning[:, 1])
        for axis, dual in zip(free, np.linalg.inv(turning), strict=True):
            out[axis] = dual
    return out


def _coordinate_axis(c: ConnectedPair, name: str, placed: Placement, point: Array) -> tuple[Array, Array]:
    """Force and moment per unit effort on a coordinate of a chain over surfaces."""
    columns = placed.columns(c, point)
    at = sum(v.shape[1] for v in list(columns.values())[: list(columns).index(name)])
    dual = np.linalg.pinv(np.hstack(list(columns.values())))[at]
    return dual[:3], dual[3:]


def _mass(f: Formulation, body: Body) -> Array:
    """Mass matrix of a body for velocities over the typical length."""
    inertia = body.mass_properties()
    values = evaluate(f.model, ca.vertcat(inertia.mass, ca.vec(inertia.matrix))).ravel()
    M = np.zeros((6, 6))
    M[:3, :3] = values[0] * f.length**2 * np.eye(3)
    M[3:, 3:] = values[1:].reshape(3, 3)
    return M
