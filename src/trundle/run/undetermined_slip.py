"""Warnings where a contact began to slip although its forces are statically indeterminate."""

from collections.abc import Iterator, Mapping

import casadi as ca
import numpy as np

from trundle.constraints.row import Role
from trundle.equations.formulation import Formulation
from trundle.integrate.trajectory import EventLog
from trundle.linear_algebra.kkt import dense
from trundle.typing import Array, TapeFunction

ZERO, PART = 1e-9, 1e-5  # of the largest: singular values, and components of self-equilibrated forces
LAST = 8  # events at the end of a run
AT_REST = 1e-9  # of the speed of the run: slip speed at the start below which a contact is at rest
Start = tuple[float, Array, Array]


def undetermined_slips(f: Formulation, log: EventLog, start: Start | None = None) -> list[str]:
    """A warning about the first contact that slips under statically indeterminate forces, if contacts decide one by
    one: another distribution of the forces might have held it. `start`: time, state and parameters where the run began.
    """
    changes = f.transitions
    slips = {len(f.model.events) + i: c.contact for i, c in enumerate(changes) if c.kind == "slips"}
    if len(slips) < 2 or f.decides_together:
        return []
    for contact, (t, x, p) in _first_slips(f, slips, log, start):
        others = _sharing(f, contact, t, x, p)
        if others:
            return [
                f"Contact {contact!r} began to slip at t = {t:.9g} s. How it shares its forces with "
                f"{', '.join(map(repr, others))} is statically indeterminate, and these contacts are decided one by "
                "one with the smallest forces: together they may hold longer (a table on three such feet slides at "
                "90 % of the true limit). Contacts are decided together that can all open (unilateral=True), or that "
                "all have compliant normals, such as compliance=tr.HuntCrossley(1e6, 1)."
            ]
    return []


def accumulated_slips(f: Formulation, log: EventLog) -> str:
    """A sentence about contacts that are decided one by one, if their stops and slips are the last events of a run."""
    n, changes = len(f.model.events), f.transitions
    own = [changes[i - n] for i in map(int, log.index[-LAST:]) if n <= i < n + len(changes)]
    names = sorted({change.contact for change in own if change.kind in ("slips", "stops")})
    if f.decides_together or not names or sum(change.kind == "stops" for change in changes) < 2:
        return ""
    return (
        f" The last ones are stops and slips of {', '.join(map(repr, names))}. Several contacts of one body that stick "
        "share its friction in a way that is not determined, and these are decided one by one. Contacts are decided "
        "together that can all open (unilateral=True), or that all have compliant normals, such as "
        "compliance=tr.HuntCrossley(1e6, 1); or take smooth friction, law=tr.RegularisedCoulomb(mu)."
    )


def _first_slips(
    f: Formulation, slips: Mapping[int, str], log: EventLog, start: Start | None
) -> Iterator[tuple[str, Start]]:
    """Each contact that begins to slip, once, with the state and the modes in which it still sticks."""
    if start is not None:
        t, x, p = start
        held = p.copy()
        held[[f.parameters.mode(contact, "stick") for contact in slips.values()]] = 1.0
        rates = np.array(f.once(_rows)(t, x[f.states.q], x[f.states.u], held)[1]).ravel()
        speed = p[f.parameters.size_slice][1]
        for contact in slips.values():
            own = [i for i, row in enumerate(f.functions.rows) if row.owner == contact and row.role is Role.TANGENT]
            slides = p[f.parameters.mode(contact, "stick")] == 0.0
            if slides and np.max(np.abs(rates[own]), initial=0.0) < AT_REST * speed:
                yield contact, (t, x, held)
    looked: set[str] = set()
    for i, t, x, p in zip(log.index, log.t, log.x, log.p, strict=True):
        contact = slips.get(int(i), "")
        if contact and contact not in looked:
            looked.add(contact)
            yield contact, (float(t), x, p)


def _sharing(f: Formulation, contact: str, t: float, x: Array, p: Array) -> list[str]:
    """Other connections with which a contact shares self-equilibrated forces."""
    found = f.once(_rows)(t, x[f.states.q], x[f.states.u], p)
    acts, J = np.array(found[0]).ravel() > 0.5, np.array(found[2])
    owners = np.array([row.owner for row in f.functions.rows])[acts]
    J = J[acts] / np.maximum(np.linalg.norm(J[acts], axis=1, keepdims=True), 1e-300)
    U, sizes, _ = np.linalg.svd(J)
    forces = U[:, int(np.sum(sizes > ZERO * np.max(sizes, initial=0.0))) :]
    mine = forces[owners == contact]
    if np.max(np.abs(mine), initial=0.0) < PART:
        return []
    _, _, ways = np.linalg.svd(mine)  # combinations of these forces that act at the contact
    acting = forces @ ways[: np.linalg.matrix_rank(mine, PART)].T
    loaded = np.max(np.abs(acting), axis=1, initial=0.0) > PART
    return sorted({str(name) for name in owners[loaded]} - {contact})


def _rows(f: Formulation) -> TapeFunction:
    """Of every row: whether it is active, its rate, and its Jacobian in units of length per time."""
    functions, e = f.functions, f.functions.equations
    scale = ca.vertcat(*[functions.length if unit == "rad/s" else 1.0 for unit in f.states.units[f.states.u]])
    acts = ca.vertcat(*[1 if row.active is None else row.active for row in functions.rows])
    J = ca.vertcat(*[(dense(row.jacobian, e.n_u) / scale).T for row in functions.rows])
    rates = ca.vertcat(*[row.rate for row in functions.rows])
    return ca.Function("rows", [e.t, e.q, e.u, e.p], [ca.densify(part) for part in (acts, rates, J)])
