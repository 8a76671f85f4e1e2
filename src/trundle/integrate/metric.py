"""Projection for the stiff method (compiled): the correction is smallest in the metric M + h D + h^2 K.

In the metric of the mass matrix alone, stiff coordinates would be disturbed at every step.
"""

import math

from trundle.integrate.linear import factorise, solve
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, copy, inner, part_of, shifted


@inner
def fill_saddle(run: LoopRecord, a: Pointer) -> None:
    """The matrix [M + h D + h^2 K, J^T; J, 0] by rows."""
    n_u, m, h = run.n_u, run.loop_rows, run.step
    mass, size = run.metric, n_u + m
    stiffness = shifted(mass, n_u * n_u)
    damping = shifted(stiffness, n_u * n_u)
    jacobian = shifted(damping, n_u * n_u)
    for i in range(size * size):
        a[i] = 0.0
    for i in range(n_u):
        for j in range(n_u):
            a[i * size + j] = mass[j * n_u + i] + h * damping[j * n_u + i] + h * h * stiffness[j * n_u + i]
        for j in range(m):
            a[i * size + n_u + j] = jacobian[i * m + j]
            a[(n_u + j) * size + i] = jacobian[i * m + j]


@inner
def scale_quaternions(run: LoopRecord, x: Pointer) -> None:
    """Bring the quaternions of a state to the length 1."""
    for i in range(run.n_quaternions):
        quaternion = shifted(x, run.quaternions[i])
        length = math.sqrt(quaternion[0] ** 2 + quaternion[1] ** 2 + quaternion[2] ** 2 + quaternion[3] ** 2)
        for j in range(4):
            quaternion[j] /= length


@part_of(LoopRecord)
def correct_in_metric(run: LoopRecord) -> None:
    """One Newton step on position and velocity of SAMPLE, into CORRECTED with the residuals before it."""
    pivots = run.pivots
    x, out, b = run.sample, run.corrected, run.scratch
    clock, p, work = run.clock, run.p, run.work
    n_x, n_q, n_u, m = run.n_x, run.n_q, run.n_u, run.loop_rows
    mass = run.metric
    g = shifted(mass, 3 * n_u * n_u + m * n_u)  # after mass, stiffness, damping and Jacobian
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
        fill_saddle(run, a)
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
    scale_quaternions(run, out)
