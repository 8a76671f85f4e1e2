"""Projection for the stiff method (compiled): the correction is smallest in the metric M + h D + h^2 K.

In the metric of the mass matrix alone a stiff coordinate would be disturbed at every step.
"""

import math

from trundle.integrate import layout as at
from trundle.integrate.linear import factorise, solve
from trundle.kernel.pointers import Pointer, call, copy, part, reals, shifted, wholes


@part
def correct_in_metric(table: Pointer) -> None:
    """One Newton step on position and velocity of SAMPLE, into CORRECTED with the residuals before it."""
    n, r, pivots = wholes(table[at.M_N]), reals(table[at.M_R]), wholes(table[at.M_PIVOTS])
    x, out, b = reals(table[at.M_SAMPLE]), reals(table[at.M_CORRECTED]), reals(table[at.M_SCRATCH])
    clock, p, work = reals(table[at.M_CLOCK]), reals(table[at.M_P]), reals(table[at.M_WORK])
    n_x, n_q, n_u, m, h = n[at.N_X], n[at.N_Q], n[at.N_U], n[at.LOOP_ROWS], r[at.STEP]
    mass = reals(table[at.M_METRIC])
    stiffness = shifted(mass, n_u * n_u)
    damping = shifted(stiffness, n_u * n_u)
    jacobian = shifted(damping, n_u * n_u)
    g = shifted(jacobian, m * n_u)
    rate = shifted(g, m)
    kinematics = shifted(rate, m)
    a = shifted(kinematics, n_q * n_u)
    call(wholes(table[at.M_ADDRESS])[at.A_METRIC], clock, x, p, mass, work)

    position, velocity = 0.0, 0.0
    for i in range(m):
        position = max(position, abs(g[i])) + 0.0 * g[i]
        velocity = max(velocity, abs(rate[i])) + 0.0 * rate[i]
    copy(x, out, n_x)
    out[n_x], out[n_x + 1] = position, velocity

    if position >= r[at.POSITION_TOL] or velocity >= r[at.VELOCITY_TOL]:
        size = n_u + m
        for i in range(size * size):
            a[i] = 0.0
        for i in range(n_u):
            for j in range(n_u):
                a[i * size + j] = mass[j * n_u + i] + h * damping[j * n_u + i] + h * h * stiffness[j * n_u + i]
            for j in range(m):
                a[i * size + n_u + j] = jacobian[i * m + j]
                a[(n_u + j) * size + i] = jacobian[i * m + j]
        if not factorise(a, pivots, size):
            out[n_x] = math.nan
            return
        for which in range(2):
            for i in range(n_u):
                b[i] = 0.0
            for i in range(m):
                b[n_u + i] = -g[i] if which == 0 else -rate[i]
            solve(a, pivots, size, b)
            if which == 0:
                for j in range(n_u):
                    for i in range(n_q):
                        out[i] += kinematics[j * n_q + i] * b[j]
            else:
                for j in range(n_u):
                    out[n_q + j] += b[j]

    quaternions = wholes(table[at.M_QUATERNIONS])
    for i in range(n[at.QUATERNIONS]):
        quaternion = shifted(out, quaternions[i])
        length = math.sqrt(quaternion[0] ** 2 + quaternion[1] ** 2 + quaternion[2] ** 2 + quaternion[3] ** 2)
        for j in range(4):
            quaternion[j] /= length
