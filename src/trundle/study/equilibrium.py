"""Static equilibrium: h(q, 0) = J' lambda and g(q) = 0, by a damped Newton method with derivatives from the tape.
States with rates of their own belong to it: their rates vanish too.

Where that fails or ends in an unstable pose, the system is let go and stopped at every peak of its kinetic energy
until it has settled (dynamic relaxation with kinetic damping), and Newton's method finishes.
"""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.contact.search import ContactSearch
from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import ModelError, SolveError
from trundle.integrate.case import Case
from trundle.integrate.codes import RECORD
from trundle.integrate.integrate import integrate
from trundle.integrate.methods.explicit import DormandPrince5
from trundle.integrate.options import Options, Sampling, Tolerances
from trundle.laws.tracking import RateTracking
from trundle.linear_algebra.kkt import dense
from trundle.model.model import Model
from trundle.study.first_modes import first_modes
from trundle.study.problem import make_problem
from trundle.typing import Array


def find_equilibrium(functions: Functions, q: Array, t: float, p: Array, limit: int = 200) -> Array:
    """The equilibrium that the iteration reaches from q (consistent); SolveError when there is none near."""
    e, m, own = functions.equations, len(functions.rows), functions.layout.own_slice
    _refuse_yielding_rates(e.model)
    P = derivative(e.coordinate_rates(), e.u)
    P[own, :] = 0  # they are unknowns of their own
    J = ca.vertcat(ca.SX(0, e.n_u), *[dense(r.jacobian, e.n_u).T for r in functions.rows])
    lam = ca.SX.sym("lam", m)
    force = e.bias - ca.mtimes(J.T, lam)
    K = ca.mtimes(derivative(force, e.q), P)
    resting = [_at_rest(r) for r in functions.rows]
    g = ca.vertcat(ca.SX(0, 1), *[r.residual if a is None else a for r, a in zip(functions.rows, resting, strict=True)])
    G = ca.vertcat(
        ca.SX(0, e.n_u),
        *[J[i, :] if a is None else ca.mtimes(derivative(a, e.q), P) for i, a in enumerate(resting)],
    )
    k = own.stop - own.start
    z, rates_of_z = (ca.vertcat(ca.SX(0, 1), *ca.vertsplit(v)[own]) for v in (e.q, e.coordinate_rates()))
    rest = ca.vertcat(g, rates_of_z)
    G = ca.vertcat(G, ca.mtimes(derivative(rest[m:], e.q), P))
    Z = derivative(ca.vertcat(force, rest), z)
    f = ca.Function("statics", [e.t, e.q, e.u, e.p, lam], [ca.densify(x) for x in (force, rest, K, J, G, P, Z)])
    u = np.zeros(e.n_u)
    arrange = ContactSearch(e)
    multipliers: Array = np.zeros(m)

    def evaluate(q: Array, multipliers: Array) -> tuple[Array, ...]:
        *found, Z = (np.array(ca.DM(v)) for v in f(t, q, u, p, multipliers))
        return *found, Z.reshape(e.n_u + m + k, k)

    force0, g0, K0, J0, G0, P0, Z0 = evaluate(q, multipliers)
    if m:
        multipliers = np.asarray(np.linalg.lstsq(J0.T, force0.ravel(), rcond=None)[0], dtype=float)
        force0, g0, K0, J0, G0, P0, Z0 = evaluate(q, multipliers)
    scale = max(1.0, float(np.max(np.abs(force0), initial=0.0)))
    sizes_of_rates = np.max(np.abs(np.hstack([g0[m:], G0[m:], Z0[e.n_u + m :]])), axis=1, initial=1.0)
    scales = np.concatenate([np.full(e.n_u, scale), np.ones(m), sizes_of_rates])
    error, damping = _norm(force0, g0, scales), 1e-3
    for _ in range(limit):
        if error < 1e-14:
            break
        A = np.hstack([np.block([[K0, -J0.T], [G0, np.zeros((m + k, m))]]), Z0])
        b = -np.concatenate([force0.ravel(), g0.ravel()])
        sizes = np.linalg.norm(A, axis=0)  # what nothing resists shall not drift by round-off
        ridge = damping * np.diag(np.maximum(sizes, max(1e-7 * float(np.max(sizes, initial=0.0)), 1e-12))) ** 2
        step = np.linalg.solve(A.T @ A + ridge, A.T @ b) if damping > 1e-13 else np.linalg.lstsq(A, b, rcond=1e-13)[0]
        dq = P0 @ step[: e.n_u]
        dq *= min(1.0, 0.5 / max(float(np.max(np.abs(dq), initial=0.0)), 1e-300))
        dq[own] = step[e.n_u + m :]
        trial_q = arrange(t, q + dq, p, search=False)
        trial_multipliers = multipliers + step[e.n_u : e.n_u + m]
        trial = evaluate(trial_q, trial_multipliers)
        new = _norm(trial[0], trial[1], scales)
        if new < error:
            q, multipliers, error = trial_q, trial_multipliers, new
            force0, g0, K0, J0, G0, P0, Z0 = trial
            damping = damping / 10 if damping > 1e-13 else damping
        elif damping > 1e6 or (error < 1e-11 and damping > 1e-3):
            break
        else:
            damping = max(damping, 1e-13) * 10
    if error > 1e-9:
        rates = np.abs(g0.ravel()[m:]) / sizes_of_rates
        if k and np.max(rates) > 0.5 * error:
            worst = int(np.argmax(rates))
            raise SolveError(
                f"no equilibrium was found near the given pose: the state {functions.layout.own[worst].name!r} keeps "
                f"changing, at {float(g0.ravel()[m + worst]):.3g} per second. Start nearer to a pose in which its rate "
                "can vanish, or leave the state out of the model."
            )
        raise SolveError(
            f"no equilibrium was found near the given pose (the forces that are left are {error * scale:.3g}). "
            f"Start nearer to it, or "
            "check that nothing drives the system and that every freedom has a restoring force."
        )
    return q


def _refuse_yielding_rates(model: Model) -> None:
    """A spring behind a prescribed rate is wound up by its history, which statics do not know."""
    for c in model.connections.values():
        for name, law in (*c.laws.items(), *c.bond_laws.items()):
            if isinstance(law, RateTracking) and not law.rests:
                raise ModelError(
                    f"no equilibrium is defined where the rate of {c.name}.{name} is prescribed and yields: how far "
                    "its spring is wound up depends on the motion before. The pose is the same without compliance."
                )


def _at_rest(row: Row) -> Any:
    """What must vanish beside the forces: the rate or acceleration that a law asks for; None for other rows."""
    if row.level == "acceleration":
        return row.gamma
    return row.rate if row.level == "velocity" and row.driven is not None and not row.driven.is_zero() else None


def _norm(force: Array, rest: Array, scales: Array) -> float:
    return float(np.linalg.norm(np.concatenate([force.ravel(), rest.ravel()]) / scales))


def settle(f: Formulation, q: Array, t: float, p: Array, limit: int = 1500) -> Array:
    """The pose in which the system comes to rest when it is stopped again and again; joint coordinates. Contacts
    stick, slide, open and close on the way as in a run.
    """
    base = f.kernels("base")
    energy, rhs = base["energy"], base["rhs"]
    states = f.states
    problem = make_problem(f, stiff=False, returns=False, rtol=1e-6)
    own = len(f.model.events)  # events of the user do nothing here, those of contacts do
    kinds = [RECORD] * own + list(problem.event_kinds[own:])
    problem = replace(problem, event_kinds=kinds, energy=None)  # to stop it again and again keeps no books
    x = states.vector(q)
    p = first_modes(f, t, x, p)
    first = force = _push(rhs, t, x, p, states.u)
    before = 0.0
    for _ in range(limit):
        span = float(np.clip(0.1 / np.sqrt(max(force, 1e-12)), 1e-5, 0.2))
        options = Options(Tolerances(1e-6, 1e-8), Sampling(np.array([t + span])))
        moved = integrate(problem, DormandPrince5(), Case(t, t + span, x, p), options)
        x, p = moved.x_end, moved.p_end
        now = float(energy(t, x, p)[0])
        if now < before:
            x, now = states.vector(x[states.q]), 0.0
            p = first_modes(f, t, x, p)
            force = _push(rhs, t, x, p, states.u)
            if force < 1e-6 * first:
                break
        before = now
    return x[states.q]


def _push(rhs: Any, t: float, x: Array, p: Array, speeds: slice) -> float:
    """Largest acceleration from rest."""
    return float(np.max(np.abs(rhs(t, x, p)[speeds]), initial=0.0))
