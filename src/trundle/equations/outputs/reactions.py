"""Reactions of all connections from accelerations and multipliers, summed from the leaves of the tree to the ground.

A reaction is the force and moment that the constraint exerts on the second body, at the origin of the second frame, in
ground axes. Efforts of laws and drives along the free bonds are not part of it; springs that replace a constraint are
added by `with_compliance`. Redundant rows carry no force.
"""

import casadi as ca

from trundle.constraints.measure import measured_coordinates
from trundle.constraints.row import Role
from trundle.equations.derive import Equations
from trundle.equations.kernels import Functions
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.motion.kane import inertia_wrench
from trundle.motion.motion import FrameMotion
from trundle.space.rotation import cross
from trundle.typing import Expr

Wrench = tuple[Expr, Expr]  # force, moment


def accelerations(functions: Functions, bodies: list[Body]) -> dict[Body, FrameMotion]:
    """Motion of body frames with the full accelerations."""
    e = functions.equations
    udot, _ = functions.dynamics
    now = {b: e.motion.body(b) for b in bodies}
    rates = ca.vertcat(*[ca.vertcat(r.w, r.v) for r in now.values()])
    change = e.time_derivative(rates, udot)
    return {
        b: FrameMotion(r.R, r.p, r.w, r.v, change[6 * i : 6 * i + 3], change[6 * i + 3 : 6 * i + 6])
        for i, (b, r) in enumerate(now.items())
    }


def reactions(functions: Functions) -> dict[str, Wrench]:
    """(force, moment) by connection."""
    e = functions.equations
    _, multipliers = functions.dynamics
    closing: dict[str, Wrench] = {}
    driving: dict[str, Wrench] = {}  # drives on coordinates that are not states
    for i, row in enumerate(functions.rows):
        wrenches = driving if row.role is Role.DRIVE else closing
        name = row.owner
        F, M = wrenches.get(name, (ca.SX.zeros(3), ca.SX.zeros(3)))
        wrenches[name] = (F + multipliers[i] * row.force, M + multipliers[i] * row.moment)
    for drag in e.drags:
        F, M = closing.get(drag.connection.name, (ca.SX.zeros(3), ca.SX.zeros(3)))
        push, turn = functions.settled(drag.force, drag.moment)
        closing[drag.connection.name] = (F + push, M + turn)
    out = {name: (ca.SX.zeros(3), ca.SX.zeros(3)) for name in e.model.connections}
    in_tree = _tree_reactions(functions, closing, driving) if e.formalism == "kane" else {}
    for c in e.model.connections.values():
        if c.wheel is not None:  # its normal force is in the reaction of the tree, or in the row of its bond
            pressed = in_tree.get(c.name) or (normal(functions, c.name) if e.formalism != "kane" else None)
            if pressed is not None:
                _through_hub(e, c, pressed, in_tree if e.formalism == "kane" else closing)
    for part in (in_tree, closing):  # a rolling contact in the tree contributes to both
        for name, (F, M) in part.items():
            out[name] = (out[name][0] + F, out[name][1] + M)
    return out


def with_compliance(functions: Functions, found: dict[str, Wrench]) -> dict[str, Wrench]:
    """Reactions with the forces of the springs that replace constraints of connections."""
    e, out = functions.equations, dict(found)
    for c in e.model.connections.values():
        names = [name for name, bond in c.pair.coordinate_bonds.items() if bond in c.compliant]
        measures = measured_coordinates(c, e.motion) if names else {}
        for name in names:
            effort, measure = e.coordinate_efforts[f"{c.name}.{name}"], measures[name]
            F, M = out[c.name]
            out[c.name] = (F + effort * measure.force, M + effort * measure.moment)
        for name in yielding_bonds(e, c):
            bonds = e.contact_bonds[c.name]
            force, moment = (e.contact_efforts[c.name][name] * each for each in bonds.at.along(name))
            F, M = out[c.name]
            arm = bonds.contact.point - e.motion.frame(c.second).p
            out[c.name] = (F + force, M + moment + cross(arm, force))
    return out


def yielding_bonds(e: Equations, c: ConnectedPair) -> list[str]:
    """Bonds at a contact whose efforts replace constraints: springs, friction of a compliant normal."""
    if not c.is_contact:
        return []
    names = [c.pair.bond_names[bond] for bond in c.compliant]
    friction = e.contact_bonds[c.name].friction if "normal" in names else {}
    return list(dict.fromkeys([*names, *friction]))


def _tree_reactions(functions: Functions, closing: dict[str, Wrench], driving: dict[str, Wrench]) -> dict[str, Wrench]:
    e = functions.equations
    bodies = list(e.inertias)
    moving = accelerations(functions, bodies)
    needed: dict[Body, Wrench] = {}  # wrench that the tree joint must exert on each body, about the body's origin
    for body in bodies:
        at = moving[body]
        f, n, centre = inertia_wrench(e.inertias[body], at, e.gravity)
        F, M = f, n + cross(centre - at.p, f)
        for _, point, force, moment in e.loads.get(body, ()):
            F, M = F - force, M - moment - cross(point - at.p, force)
        needed[body] = (F, M)
    for name, (F, M) in (*closing.items(), *driving.items()):
        c = e.model.connections[name]
        point = e.motion.frame(c.second).p
        for body, sign in ((c.touching, 1), (c.first.body, -1)):
            if body.is_free:
                f, n = needed[body]
                arm = point - moving[body].p
                needed[body] = (f - sign * F, n - sign * (M + cross(arm, F)))
    out: dict[str, Wrench] = {}
    drives = drive_efforts(functions)
    for joint in reversed(e.topology.tree):
        c = joint.connection
        F, M = needed[joint.child]
        point = e.motion.frame(c.second).p
        if joint.parent.is_free:
            f, n = needed[joint.parent]
            needed[joint.parent] = (f + F, n + M + cross(moving[joint.child].p - moving[joint.parent].p, F))
        M = M + cross(moving[joint.child].p - point, F)
        F, M = (-F, -M) if joint.reverse else (F, M)
        for coordinate, measure in measured_coordinates(c, e.motion).items():
            name = f"{c.name}.{coordinate}"
            effort = e.coordinate_efforts.get(name, 0) + drives.get(name, 0)
            F, M = F - effort * measure.force, M - effort * measure.moment
        out[c.name] = (F, M)
    return out


def normal(functions: Functions, name: str) -> Wrench | None:
    """Wrench of the normal force of a contact that closes a loop."""
    _, multipliers = functions.dynamics
    found = [(multipliers[i] * r.force, multipliers[i] * r.moment) for i, r in enumerate(functions.rows)
             if r.owner == name and r.role is Role.NORMAL]  # fmt: skip
    return found[0] if found else None


def _through_hub(e: Equations, contact: ConnectedPair, pressed: Wrench, out: dict[str, Wrench]) -> None:
    """Add the normal force of a contact described in the frame, which acts on the wheel, to the reaction of the hub."""
    hub = next(c for c in e.model.connections.values() if set(c.bodies) == {contact.second.body, contact.wheel})
    if hub.name not in out:
        return
    F, M = pressed
    M = M + cross(e.motion.frame(contact.second).p - e.motion.frame(hub.second).p, F)
    sign = -1 if hub.second.body is contact.wheel else 1
    f, n = out[hub.name]
    out[hub.name] = (f + sign * F, n + sign * M)


def drive_efforts(functions: Functions) -> dict[str, Expr]:
    """Efforts that the servos exert on the second bodies, by coordinate."""
    _, multipliers = functions.dynamics
    rows = enumerate(functions.rows)
    return {row.place.coordinate: multipliers[i] for i, row in rows if row.role is Role.DRIVE}
