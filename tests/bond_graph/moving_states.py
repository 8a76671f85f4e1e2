"""States of models for tests of their graphs."""

import casadi as ca
import numpy as np

import trundle as tr
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.linear_algebra.kkt import dense
from trundle.model.floating import floating
from trundle.model.spec import Spec


def formulation_of(model: tr.Model) -> Formulation:
    return Formulation.of(Derivation(Spec(floating(model))), "kane")


def moving_state(f: Formulation, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """An assembled pose that is not special, and random speeds that all constraints allow."""
    e, rng = f.functions.equations, np.random.default_rng(seed)
    q = np.array(f.mobility.generic if f.has_rows else f.mobility.q)
    own = e.layout.own_slice
    q[own] = [state.start for state in f.model.every_state()]
    if not f.has_rows:
        q[: e.layout.n_placed] += rng.normal(size=e.layout.n_placed, scale=0.3)
        for at in e.layout.quaternions:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    u = rng.normal(size=e.n_u)
    rows = f.functions.acting
    rate = ca.vertcat(ca.SX(0, 1), *[row.rate for row in rows])
    J = ca.vertcat(ca.SX(0, e.n_u), *[dense(row.jacobian, e.n_u).T for row in rows])
    held = ca.Function("held", [e.t, e.q, e.u, e.p], [ca.densify(rate), ca.densify(J)])
    value, jacobian = (np.array(ca.DM(v)) for v in held(0.0, q, u, f.default_parameters))
    return q, u - np.linalg.pinv(jacobian, rcond=1e-9) @ value.ravel()
