"""Data of a collision at a pose: velocities, inverse masses and parameters of the contacts that open. All other
constraints stay active during the collision; their impulses are included in the inverse masses.
"""

import casadi as ca

from trundle.contact.assemblies import assemblies, lighter_mass
from trundle.contact.bonds import ContactBonds
from trundle.contact.collision import layout as numbers
from trundle.contact.interfaces import SolvedEquations
from trundle.contact.inverse_masses import (
    DIRECTIONS,
    contacts_that_take_part,
    is_compliant,
    is_planar,
    is_smooth,
    load_ratios,
    mean_inverse_masses,
    other_rows,
    others,
)
from trundle.laws.friction_law import TINY_SPEED
from trundle.linear_algebra.kkt import Sparse, dense, sparse
from trundle.typing import Expr

TOUCHING = 1e-9  # of the length of the run: gap of contacts that touch
REST_SPEED = 1e-8  # of the speed of the run: an approach that does not bounce, unless the law says otherwise
HOLDING = 1e30  # coefficient of friction where a law holds the slip


def impact_values(functions: SolvedEquations) -> list[Expr]:
    """Velocities, inverse masses (by columns), data by contact, and changes of the speeds per unit impulse."""
    e = functions.equations
    contact_bonds = contacts_that_take_part(functions)
    columns: list[Sparse] = []
    rates: list[Expr] = []
    for bonds in contact_bonds:
        for name in DIRECTIONS:
            if (name == "slip_y" and is_planar(bonds)) or (name == "normal" and is_compliant(bonds)):
                columns.append({})
                rates.append(ca.SX(0))
                continue
            row = bonds.row(name, e.t)
            columns.append(row.jacobian)
            rates.append(row.rate)
    solver = others(functions)
    changes = [solver.solve(column, {})[0] if column else {} for column in columns]
    inverse = [sum((entry * change[k] for k, entry in column.items() if k in change), ca.SX(0))
               for change in changes for column in columns]  # fmt: skip
    apart = _given_apart(functions)
    for i, bonds in enumerate(contact_bonds):
        if is_compliant(bonds):
            inverse[(3 * i + 2) * (len(columns) + 1)] = apart[bonds.connection.name]
    ratios = load_ratios(functions)
    data = [v for bonds in contact_bonds for v in _data(bonds, functions, ratios.get(bonds.connection.name, ca.SX(0)))]
    return [*rates, *inverse, *data, *(dense(change, e.n_u) for change in changes)]


def _given_apart(functions: SolvedEquations) -> dict[str, Expr]:
    """Inverse masses of normals whose forces are given: nothing else acts on these, and such a force is that of its law
    where it has no acceleration. They are the means of those along the slips, by which such contacts are weighted.
    """
    e = functions.equations
    names = [bonds.connection.name for bonds in contacts_that_take_part(functions) if is_compliant(bonds)]
    number = assemblies(e.model) if names else {}
    found = {}
    for name, mean in mean_inverse_masses(functions, names).items():
        mass = lighter_mass(e.contact_bonds[name].connection, number, e.inertias)
        found[name] = ca.if_else(mean > 0, mean, 1 / mass)
    return found


def free_accelerations(functions: SolvedEquations) -> list[Expr]:
    """Accelerations along, across and normal to these contacts, if none of them had a force or friction."""
    e = functions.equations
    rows, apart = other_rows(functions), _given_apart(functions)
    bias = _without_friction(functions) if apart else e.bias
    udot = others(functions).solve(sparse(-bias), {i: -row.gamma for i, row in enumerate(rows)})[0]
    out = []
    for bonds in contacts_that_take_part(functions):
        c = bonds.connection
        for name in DIRECTIONS:
            if name == "normal" and c.name in apart:
                out.append(-apart[c.name] * e.contact_efforts[c.name]["normal"])
                continue
            if name == "slip_y" and is_planar(bonds):
                out.append(ca.SX(0))
                continue
            row = bonds.row(name, e.t)
            out.append(row.gamma + sum((v * udot[k] for k, v in row.jacobian.items() if k in udot), ca.SX(0)))
    return out


def _without_friction(functions: SolvedEquations) -> Expr:
    """The bias with contacts that stick, whose friction is a constraint and no force."""
    e = functions.equations
    p = ca.SX(e.p)
    for bonds in contacts_that_take_part(functions):
        p[e.parameters.mode(bonds.connection.name, "stick")] = 1
    return ca.Function("bias", [e.t, e.q, e.u, e.p], [e.bias])(e.t, e.q, e.u, p)


def _data(bonds: ContactBonds, functions: SolvedEquations, ratio: Expr) -> list[Expr]:
    """Data of one contact, in the order of `numbers`; `ratio` as in `load_ratios`, or 0."""
    c, e = bonds.connection, functions.equations
    scales = e.scales
    static, kinetic = _friction(bonds)
    gap, touching = bonds.contact.gap, TOUCHING * scales.length
    closed = ca.fmax(bonds.modes["closed"], gap < touching)
    if is_compliant(bonds):
        approach = bonds.rate("normal") - TOUCHING * scales.speed * (gap <= 0)
        closed = ca.if_else(ca.fabs(gap) < touching, approach < 0, gap < 0)
    if bonds.contact.past_ends is not None:
        closed = ca.logic_and(closed, bonds.contact.past_ends < -touching)
    law = c.restitution
    rest_speed = REST_SPEED * scales.speed if law.rest_speed is None else law.rest_speed
    number = assemblies(e.model)
    first, second = (number.get(body, -1) for body in (c.first.body, c.touching))
    mass = lighter_mass(c, number, e.inertias)
    planar, force = numbers.SMOOTH if is_smooth(bonds) else int(is_planar(bonds)), scales.acceleration * mass
    place = [planar, first, second, force, mass, ratio]
    return [static, kinetic, law.e, law.code, closed, rest_speed, *place]


def _friction(bonds: ContactBonds) -> tuple[Expr, Expr]:
    """Coefficients while the contact sticks and slides; smooth laws have that of their slip."""
    c, s = bonds.connection, bonds.signals
    if "slip_x" in c.held:
        return HOLDING, HOLDING
    if c.friction is None:
        return 0.0, 0.0
    rolling = s[f"{c.name}.forward_velocity"]
    if c.friction.sticks:
        return c.friction.limit(s), c.friction.coefficient(s, ca.SX(0), rolling)
    speed = ca.sqrt(sum((bonds.rate(name) ** 2 for name in c.sliding), ca.SX(TINY_SPEED**2)))
    mu = c.friction.coefficient(s, speed, rolling)
    return mu, mu


def contacts_that_open(functions: SolvedEquations) -> int:
    """How many contacts take part in collisions."""
    return len(contacts_that_take_part(functions))
