"""Conversion of numeric states from joint to absolute coordinates."""

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.model.body import Frame
from trundle.quantities.state_layout import StateLayout
from trundle.space.rotation import quaternion_from_rotation
from trundle.typing import Expr


def absolute_state(equations: Equations, layout: StateLayout, q: Expr, u: Expr, p: Expr, t: float) -> tuple[Expr, Expr]:
    """Absolute coordinates and speeds (numbers), in the order of `layout`, from joint coordinates."""
    e = equations
    out = []
    for body in e.inertias:
        c = e.motion.frame(Frame(body, body.com))
        out.append(ca.vertcat(c.p, ca.vec(c.R), c.v, ca.mtimes(c.R.T, c.w)))
    # these are the same in both kinds of coordinates
    following = [e.signals[entry.name] for entry in (*layout.followers, *layout.first_order)]
    f = ca.Function("absolute", [e.t, e.q, e.u, e.p], [ca.vertcat(*out), ca.vertcat(ca.SX(0, 1), *following)])
    motion, surface = (np.array(ca.DM(v)).ravel() for v in f(t, q, u, p))
    coordinates, speeds = [], []
    for row in motion.reshape(-1, 18):
        coordinates += [*row[:3], *quaternion_from_rotation(row[3:12].reshape(3, 3).T)]
        speeds += list(row[12:])
    return np.array([*coordinates, *surface]), np.array(speeds)
