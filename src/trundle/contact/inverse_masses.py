"""Inverse masses at contacts that open while all other constraints hold, in any formalism."""

from collections.abc import Iterable

import casadi as ca

from trundle.constraints.row import Row
from trundle.contact.assemblies import assemblies, least_of_sides
from trundle.contact.bonds import ContactBonds
from trundle.contact.collision.layout import LEAST_LOAD
from trundle.contact.interfaces import SolvedEquations
from trundle.contact.modes.expressions import typical_force
from trundle.contact.modes.find import contacts_to_decide
from trundle.linear_algebra.kkt import KKT, KKTRow, Sparse
from trundle.linear_algebra.udwadia_kalaba import Orthogonal, WeightedRow
from trundle.typing import Expr

NO_LOAD = 1e-10  # of the loads that contacts share: less than what makes an event
DIRECTIONS = ("slip_x", "slip_y", "normal")


def is_planar(bonds: ContactBonds) -> bool:
    return "slip_y" in bonds.connection.pair.locked  # a planar pair does not slip across its plane


def is_smooth(bonds: ContactBonds) -> bool:
    """Whether neither friction nor a law acts along its slips."""
    return bonds.connection.friction is None and "slip_x" not in bonds.connection.held


def is_compliant(bonds: ContactBonds) -> bool:
    """Whether the force of the normal is given by a law."""
    return bonds.connection.separates


def contacts_that_take_part(functions: SolvedEquations) -> list[ContactBonds]:
    """Contacts of collisions, or of decisions on all contacts at once."""
    e = functions.equations
    return [e.contact_bonds[c.name] for c in contacts_to_decide(e.model)]


def other_rows(functions: SolvedEquations) -> list[Row]:
    """Rows of all constraints but those that act at contacts that open; the plane of such a contact holds even where it
    is open.
    """
    opening = {bonds.connection.name for bonds in contacts_that_take_part(functions)}
    return [row for row in functions.independent if row.owner not in opening or row.active is None]


def others(functions: SolvedEquations) -> KKT | Orthogonal:
    """All constraints but those of contacts that open."""
    e, rows = functions.equations, other_rows(functions)
    scale = [1 / functions.length if row.unit == "m" else 1.0 for row in rows]
    leaves = e.motion.leaves_first()
    if functions.by_pseudo_inverse:
        held = [
            WeightedRow(r.jacobian, k, 1 if r.active is None else r.active) for r, k in zip(rows, scale, strict=True)
        ]
        return Orthogonal(e.mass, leaves, held)
    joined = [KKTRow(r.jacobian, r.owner, size, r.active) for r, size in zip(rows, scale, strict=True)]
    return KKT(e.mass, joined, leaves, e.shift)


def mean_inverse_masses(functions: SolvedEquations, names: Iterable[str]) -> dict[str, Expr]:
    """Mean inverse mass (1/kg) of each of these contacts along, across and normal to it, of smooth ones normal to it,
    of those with a compliant normal along its slips: with it contacts that share loads are weighted, as in
    `contact.decision.smallest`.
    """
    solver, found = others(functions), {}
    for name in names:
        bonds = functions.equations.contact_bonds[name]
        along = () if is_smooth(bonds) else DIRECTIONS[: 1 if is_planar(bonds) else 2]
        names_of = along if is_compliant(bonds) else (*along, "normal")
        rows = [bonds.row(n, functions.equations.t).jacobian for n in names_of]
        own = [_own(row, solver.solve(row, {})[0]) for row in rows]
        count = sum((value > 0 for value in own), ca.SX(0))
        found[name] = sum(own, ca.SX(0)) / ca.fmax(count, 1)
    return found


def load_ratios(functions: SolvedEquations) -> dict[str, Expr]:
    """Of each contact with a compliant normal: the loads of all that it shares with, over its own. What friction rigid
    bodies leave open, contacts take in proportion to their loads, so that one that loses its load loses its friction.
    """
    e = functions.equations
    found = [bonds.connection for bonds in contacts_that_take_part(functions) if is_compliant(bonds)]
    loads, number = {c: e.contact_efforts[c.name]["normal"] for c in found}, assemblies(e.model) if found else {}
    out = {}
    for c, load in loads.items():
        every = least_of_sides(c, loads, number) + LEAST_LOAD * typical_force(e, c)
        out[c.name] = every / (load + NO_LOAD * every)
    return out


def _own(row: Sparse, change: Sparse) -> Expr:
    return sum((entry * change[k] for k, entry in row.items() if k in change), ca.SX(0))
