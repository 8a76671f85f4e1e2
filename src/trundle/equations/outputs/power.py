"""Powers through all ports of a model, as expressions.

Every number is computed independently, so that the sums at the junctions are a check: efforts of free bonds from
laws and drives, those of held bonds from the reactions; flows of free bonds from the rates of coordinates, those of
held bonds from the motion of the bodies; the powers that bodies receive from these wrenches and the twists of the
bodies; the power of an inertance from the accelerations.
"""

from functools import cached_property
from typing import final

import casadi as ca

from trundle.constraints.closure import Relative, axes_around, connection_frame
from trundle.constraints.row import Role
from trundle.contact.plane import PlaneMap
from trundle.derivative import derivative, derivative_along
from trundle.equations.driving import power_of
from trundle.equations.kernels import Functions
from trundle.equations.outputs.ports import CHAIN, Element, Junction, Measure, Ports, has_friction, is_held
from trundle.equations.outputs.reactions import Wrench, accelerations, drive_efforts, reactions
from trundle.model.body import Body, Frame
from trundle.model.connection import ConnectedPair
from trundle.motion.kane import inertia_wrench
from trundle.pairs.lower import BONDS, ROTATIONS
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
class BondMap:
    """Six bonds of a connection at a point: converts a wrench there to efforts and back, and a relative twist to flows.

    Translations are along `slides`, rotations about `turns`; with a pitch, the rotation about z is a screw.
    """

    def __init__(self, slides: list[Expr], turns: list[Expr], pitch: Expr = None) -> None:
        self.slides, self.turns, self.pitch = slides, turns, 0 if pitch is None else pitch
        a, b, c = turns
        volume = dot(a, cross(b, c))
        self.duals = [cross(b, c) / volume, cross(c, a) / volume, cross(a, b) / volume]

    def flows(self, v: Expr, w: Expr) -> list[Expr]:
        """Rates along and about the axes; power is efforts . flows = F . v + M . w."""
        about = [dot(d, w) for d in self.duals]
        v = v - self.pitch * about[2] * self.turns[2]
        return [*(dot(e, v) for e in self.slides), *about]

    def efforts(self, F: Expr, M: Expr) -> list[Expr]:
        about = [dot(e, M) for e in self.turns]
        about[2] += self.pitch * dot(self.turns[2], F)
        return [*(dot(e, F) for e in self.slides), *about]

    def wrench(self, efforts: list[Expr]) -> Wrench:
        F = sum((x * e for x, e in zip(efforts[:3], self.slides, strict=True)), ca.SX.zeros(3))
        about = [*efforts[3:5], efforts[5] - self.pitch * dot(self.turns[2], F)]
        return F, sum((x * d for x, d in zip(about, self.duals, strict=True)), ca.SX.zeros(3))


def turning_axes(c: ConnectedPair, A: Expr, B: Expr) -> list[Expr]:
    """Actual axes of rx, ry, rz of the joint, from the rotation matrices of its two frames."""
    free = [b for b in c.pair.free if b in ROTATIONS]
    if len(free) == 3 and not any(b in ROTATIONS for b in c.pair.coordinate_bonds.values()):
        return [B[:, i] for i in range(3)]  # a ball joint: its rates are in the axes of the second frame
    axes = [A[:, i] for i in range(3)]
    if len(free) == 2:  # successive rotations: about k of the first frame, then i of the second
        i, j, k = axes_around(free[0])
        axes[i], axes[j] = B[:, i], cross(A[:, k], B[:, i])
    elif len(free) == 3:  # about k of the first frame, last about j of the second, between them about their normal
        k, i, j = (ROTATIONS.index(b) for b in free)
        across = cross(B[:, j], A[:, k]) * (1 if axes_around(free[0])[0] == i else -1)
        axes[i], axes[j] = across / ca.sqrt(dot(across, across)), B[:, j]
    return axes


def _size(vector: Expr) -> Expr:
    return ca.sqrt(dot(vector, vector))


@final
class PowerExpressions:
    """Expressions of the quantities that `ports` lists."""

    def __init__(self, functions: Functions, ports: Ports) -> None:
        self.functions, self.ports = functions, ports
        self.equations = functions.equations

    def of(self, owner: str, what: str) -> Expr:
        return self._all[owner, what]

    @cached_property
    def _all(self) -> dict[Measure, Expr]:
        found = self._bodies()
        for junction in self.ports.junctions:
            found |= self._chain(junction) if junction.is_chain else self._connection(junction)
        rates, nothing = self._energy_rates(), (ca.SX(0), ca.SX(0))
        for element in self.ports.elements:
            found |= self._element(element, *rates.get(element.name, nothing))
        return found

    # -- bodies --------------------------------------------------------------------------------------------------------

    def _bodies(self) -> dict[Measure, Expr]:
        e = self.equations
        found: dict[Measure, Expr] = {}
        for body, at in accelerations(self.functions, list(e.inertias)).items():
            inertia, centre = e.inertias[body], e.motion.frame(Frame(body, body.com))
            F, M, _ = inertia_wrench(inertia, at, ca.SX.zeros(3))
            w = ca.mtimes(centre.R.T, centre.w)
            found[body.name, "inertance_power"] = dot(F, centre.v) + dot(M, centre.w)
            gyroscopic = cross(w, ca.mtimes(inertia.matrix, w))
            moments = _size(ca.mtimes(centre.R.T, M) - gyroscopic) + _size(gyroscopic)
            found[body.name, "apparent_power"] = _size(F) * _size(centre.v) + moments * _size(w)
            found[body.name, "gravity_power"] = inertia.mass * dot(e.gravity, centre.v)
            found[body.name, "kinetic_energy"] = (
                inertia.mass * dot(centre.v, centre.v) + dot(w, ca.mtimes(inertia.matrix, w))
            ) / 2
            found[body.name, "gravity_energy"] = -inertia.mass * dot(e.gravity, centre.p)
        for frame, wrench in self.functions.driving_wrenches.items() if self.ports.frames else ():
            found[frame.name, "source_power"] = power_of(wrench, e.motion.body(frame))
        return found

    def _twist_at(self, body: Body, point: Expr) -> tuple[Expr, Expr]:
        at = self.equations.motion.body(body)
        return at.v + cross(at.w, point - at.p), at.w

    # -- connections ---------------------------------------------------------------------------------------------------

    @cached_property
    def _drives(self) -> dict[str, Expr]:
        return drive_efforts(self.functions)

    @cached_property
    def _chains(self) -> dict[str, Wrench]:
        """Wrenches of laws on the chains of contacts in the tree, on the second bodies at the points of contact."""
        found = {}
        for junction in self.ports.junctions:
            if not junction.is_chain:
                continue
            c = self.equations.model.connections[junction.connection]
            F, M = self._given_reactions[c.name]
            _, multipliers = self.functions.dynamics
            for i, row in enumerate(self.functions.rows):
                if row.owner == c.name and row.role is not Role.DRIVE:
                    F, M = F - multipliers[i] * row.force, M - multipliers[i] * row.moment
            at, point = self._contact_map(c)
            M = M + cross(self.equations.motion.frame(c.second).p - point, F)
            efforts = at.efforts(F, M)
            free = [x if bond not in c.pair.held_bonds else 0 * x for bond, x in zip(BONDS, efforts, strict=True)]
            found[c.name] = at.wrench(free)
        return found

    @cached_property
    def _given_reactions(self) -> dict[str, Wrench]:
        return reactions(self.functions)

    @cached_property
    def _reactions(self) -> dict[str, Wrench]:
        """Reactions without the laws on chains, which act on the second body itself, not through a hub."""
        e, out = self.equations, dict(self._given_reactions)
        for name, (F, M) in self._chains.items():
            c = e.model.connections[name]
            _, point = self._contact_map(c)
            carriers = [(c, 1)]
            if c.wheel is not None:
                both = {c.second.body, c.wheel}
                hub = next(x for x in e.model.connections.values() if set(x.bodies) == both)
                carriers.append((hub, -1 if hub.second.body is c.wheel else 1))
            for carrier, sign in carriers:
                f, n = out[carrier.name]
                arm = point - e.motion.frame(carrier.second).p
                out[carrier.name] = (f - sign * F, n - sign * (M + cross(arm, F)))
        return out

    def _contact_map(self, c: ConnectedPair) -> tuple[BondMap | PlaneMap, Expr]:
        at_contact = self.equations.contact_bonds[c.name]
        contact = at_contact.contact
        if c.out_of_plane and at_contact.at.plane is not None:
            return PlaneMap(contact, at_contact.at.plane), contact.point
        return BondMap(list(contact.axes), list(contact.axes)), contact.point

    def _connection(self, j: Junction) -> dict[Measure, Expr]:
        c = self.equations.model.connections[j.name]
        if c.is_contact:
            bonds, point = self._contact_map(c)
            flow, given = self._contact_bonds(c, bonds, point)
        else:
            A, B = (self.equations.motion.frame(connection_frame(f, c)) for f in (c.first, c.second))
            bonds, point = BondMap([A.R[:, i] for i in range(3)], turning_axes(c, A.R, B.R), c.pair.coupling), B.p
            flow, given = self._joint_bonds(c, bonds, Relative(A, B, {}))
        F, M = self._reactions[c.name]
        held = bonds.efforts(F, M + cross(self.equations.motion.frame(c.second).p - point, F))
        effort = [held[i] if is_held(c, b) else given[i] for i, b in enumerate(BONDS)]
        effort = [x + given[i] if has_friction(c, b) else x for i, (b, x) in enumerate(zip(BONDS, effort, strict=True))]
        found = self._received(j, c.touching, c.first.body, point, bonds.wrench(effort))
        found[j.name, "flow"], found[j.name, "effort"] = ca.vertcat(*flow), ca.vertcat(*effort)
        bond_of = _bonds_with_laws(c)
        for drive in j.drives:
            if c.is_contact:
                i = j.bonds.index(bond_of[drive])
                power = effort[i] * flow[i]
            else:
                power = self._drives.get(drive, ca.SX(0)) * self._rate(drive)
            found[drive, "drive_power"] = power
        return found

    def _received(self, j: Junction, second: Body, first: Body, point: Expr, wrench: Wrench) -> dict[Measure, Expr]:
        """Powers that the two bodies receive from a wrench at a point, which acts on the second."""
        F, M = wrench
        found = {}
        for word, body, sign in (("second", second, 1), ("first", first, -1)):
            v, w = self._twist_at(body, point)
            found[j.name, f"power_to_{word}"] = sign * (dot(F, v) + dot(M, w))
        return found

    def _contact_bonds(self, c: ConnectedPair, bonds: BondMap | PlaneMap, point: Expr) -> tuple[list[Expr], list[Expr]]:
        """Flows, and efforts of laws, at a point of contact."""
        (v_A, w_A), (v_B, w_B) = (self._twist_at(b, point) for b in (c.first.body, c.touching))
        laws = self.equations.contact_efforts.get(c.name, {})
        return bonds.flows(v_B - v_A, w_B - w_A), [ca.SX(laws.get(c.pair.bond_names[b], 0)) for b in BONDS]

    def _joint_bonds(self, c: ConnectedPair, bonds: BondMap, relative: Relative) -> tuple[list[Expr], list[Expr]]:
        """Flows, and efforts of laws and drives, of a lower pair."""
        e = self.equations
        flow, effort = bonds.flows(relative.v, relative.w), [ca.SX(0)] * 6
        for coordinate, bond in c.pair.coordinate_bonds.items():
            name, i = f"{c.name}.{coordinate}", BONDS.index(bond)
            flow[i] = self._rate(name)
            effort[i] = ca.SX(e.coordinate_efforts.get(name, 0)) + self._drives.get(name, 0)
        ball = f"{c.name}.quaternion"
        if ball in e.signals.coordinates:
            flow[3:] = [e.signals.coordinates[ball][1][i] for i in range(3)]
        return flow, effort

    def _rate(self, coordinate: str) -> Expr:
        return self.equations.signals[f"{coordinate}_rate"]

    def _chain(self, j: Junction) -> dict[Measure, Expr]:
        """Laws on the surface coordinates of a contact."""
        c = self.equations.model.connections[j.connection]
        _, point = self._contact_map(c)
        found = self._received(j, c.second.body, c.first.body, point, self._chains[c.name])
        for drive in j.drives:
            found[drive, "drive_power"] = self._drives.get(drive, ca.SX(0)) * self._rate(drive)
        return found

    # -- laws and forces -----------------------------------------------------------------------------------------------

    def _energy_rates(self) -> dict[str, tuple[Expr, Expr]]:
        """Rates of potentials and of other stored energy, by element."""
        e = self.equations
        names = [element.name for element in self.ports.elements if element.name in e.terms]
        V = ca.vertcat(*[ca.SX(v) for n in names for v in (e.terms[n].potential, e.terms[n].stored)])
        rates = derivative_along(V, e.q, e.coordinate_rates()) + derivative(V, e.t) if names else V
        return {n: (rates[2 * i], rates[2 * i + 1]) for i, n in enumerate(names)}

    def _element(self, element: Element, potential_rate: Expr, stored_rate: Expr) -> dict[Measure, Expr]:
        e, name = self.equations, element.name
        if element.is_friction:
            return self._friction(name, element.law_of)
        term = e.terms[name]
        found = {
            (name, "stored"): potential_rate + stored_rate,
            (name, "lost"): ca.SX(term.dissipated) - stored_rate,
            (name, "supplied"): ca.SX(term.supplied),
            (name, "stored_energy"): ca.SX(term.potential) + ca.SX(term.stored),
        }
        given = {key: ca.SX(0) for key in (*element.junctions, *element.bodies)}
        for coordinate, effort in term.efforts:
            owner = e.signals.register.get(coordinate).quantity.owner
            key = owner + CHAIN if e.model.connections[owner].is_contact else owner
            given[key] += effort * self._rate(coordinate)
        for junction in element.junctions if not term.efforts else ():  # a law at a point of contact
            c = e.model.connections[junction]
            bond = _bonds_with_laws(c)[name]
            friction = [n for law in c.friction_laws for n in c.friction_motions(law)] if bond == "normal" else []
            for one in (bond, *friction):  # friction goes with the normal force
                given[junction] += e.contact_efforts[junction].get(one, 0) * e.contact_bonds[junction].at.flow(one)
        for frame, F, M in term.wrenches if element.bodies else ():
            if not frame.body.is_at_rest:
                at = e.motion.frame(frame)
                given[frame.body.name] += dot(F, at.v) + dot(M, at.w)
        return found | {(name, f"power_to_{key}"): power for key, power in given.items()}

    def _friction(self, name: str, contact: str) -> dict[Measure, Expr]:
        """Friction under a rigid normal: all its power is lost."""
        c = self.equations.model.connections[contact]
        at_contact = self.equations.contact_bonds[c.name]
        bonds, point = self._contact_map(c)
        F, M = self._reactions[c.name]
        efforts = bonds.efforts(F, M + cross(self.equations.motion.frame(c.second).p - point, F))
        taken = ca.SX(0)
        for i, bond in enumerate(BONDS):
            if has_friction(c, bond):
                taken += efforts[i] * at_contact.rate(c.pair.bond_names[bond])
        zero = ca.SX(0)
        return {
            (name, "stored"): zero,
            (name, "lost"): -taken,
            (name, "supplied"): zero,
            (name, "stored_energy"): zero,
            (name, f"power_to_{c.name}"): taken,
        }


def _bonds_with_laws(c: ConnectedPair) -> dict[str, str]:
    """Bonds at a point of contact by the names of the laws that act on them."""
    return {f"{c.name}.{bond}": bond for bond in c.bond_laws}
