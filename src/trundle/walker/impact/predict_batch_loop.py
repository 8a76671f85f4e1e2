"""Many impacts in closed form (compiled): a range of cases of arrays that are known by their addresses."""

from math import cos, isfinite, pi, sin

from numba.extending import register_jitable

from trundle.kernel.pointers import float_ptr, int_ptr, part
from trundle.kernel.record import Ints
from trundle.walker.impact import closed_form
from trundle.walker.impact.closed_form import collide

INPUTS = 8  # inertia ratio, half angle, friction, slip, approach, restitution, static friction, energetic or not
STRIDES = INPUTS  # where in the table the steps through the inputs begin: 0 for one number, 1 for an array
FIRST, LAST, FOUND, VALUES = 2 * INPUTS, 2 * INPUTS + 1, 2 * INPUTS + 2, 2 * INPUTS + 3
WIDTH = 9  # numbers for each case
REFUSED = -1
FLAG_BASE = 16  # a result is scenario + FLAG_BASE * flags

for _function in ("slide_rates", "stick_rates", "rise", "lands_while_pressed", "collide"):
    register_jitable(error_model="numpy", fastmath={"contract"})(vars(closed_form)[_function])


@part
def predict_many(table: Ints) -> None:
    lams, betas, mus = float_ptr(table[0]), float_ptr(table[1]), float_ptr(table[2])
    slips, approaches, es = float_ptr(table[3]), float_ptr(table[4]), float_ptr(table[5])
    statics, laws = float_ptr(table[6]), float_ptr(table[7])
    found, values = int_ptr(table[FOUND]), float_ptr(table[VALUES])
    last_beta, s, c = 0.0, 0.0, 1.0
    for i in range(table[FIRST], table[LAST]):
        lam, beta, mu = lams[i * table[STRIDES]], betas[i * table[STRIDES + 1]], mus[i * table[STRIDES + 2]]
        v_t, v_nf = slips[i * table[STRIDES + 3]], approaches[i * table[STRIDES + 4]]
        e, mu_static = es[i * table[STRIDES + 5]], statics[i * table[STRIDES + 6]]
        shape = lam >= 0.0 and isfinite(lam) and beta > 0.0 and beta < 0.5 * pi and mu >= 0.0
        shape = shape and mu <= mu_static and isfinite(mu_static)
        if not (shape and isfinite(v_t) and v_nf < 0.0 and isfinite(v_nf) and e >= 0.0 and e <= 1.0):
            found[i] = REFUSED
            continue
        if beta != last_beta:
            last_beta, s, c = beta, sin(beta), cos(beta)
        code, flags, p1, p2, pc, t1, f1, b1, t2, f2, b2 = collide(
            lam, s, c, mu, v_t, v_nf, e, mu_static, int(laws[i * table[STRIDES + 7]])
        )
        found[i] = code + FLAG_BASE * flags
        k = WIDTH * i
        values[k], values[k + 1], values[k + 2] = p1, p2, pc
        values[k + 3], values[k + 4], values[k + 5] = t1, f1, b1
        values[k + 6], values[k + 7], values[k + 8] = t2, f2, b2
