"""Projection for the stiff method (compiled): the correction is smallest in the metric M + h D + h^2 K.

In the metric of the mass matrix alone a stiff coordinate would be disturbed at every step.
"""

import math

from trundle.integrate.linear import factorise, solve
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, copy, part_of, shifted


@part_of(LoopRecord)
def correct_in_metric(run: LoopRecord) -> None:
    """One Newton step on position and velocity of SAMPLE, into CORRECTED with the residuals before it."""
    pivots = run.pivots
    x, out, b = run.sample, run.corrected, run.scratch
    clock, p, work = run.clock, run.p, run.work
    n_x, n_q, n_u, m, h = run.n_x, run.n_q, run.n_u, run.loop_rows, run.step
    mass = run.metric
    stiffness = shifted(mass, n_u * n_u)
    damping = shifted(stiffness, n_u * n_u)
    jacobian = shifted(damping, n_u * n_u)
    g = shifted(jacobian, m * n_u)
    rate = shifted(g, m)
    kinematics = shifted(rate, m)
    a = shifted(kinematics, n_q * n_u)
    call(run.metric_kernel, clock, x, p, mass, work)

    position, velocity = 0.0, 0.0
    for i in range(m):
        position = max(position, abs(g[i])) + 0.0 * g[i]
        velocity = max(velocity, abs(rate[i])) + 0.0 * rate[i]
    copy(x, out, n_x)
    out[n_x], out[n_x + 1] = position, velocity

    if position >= run.position_tol or velocity >= run.velocity_tol:
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

    quaternions = run.quaternions
    for i in range(run.n_quaternions):
        quaternion = shifted(out, quaternions[i])
        length = math.sqrt(quaternion[0] ** 2 + quaternion[1] ** 2 + quaternion[2] ** 2 + quaternion[3] ** 2)
        for j in range(4):
            quaternion[j] /= length
