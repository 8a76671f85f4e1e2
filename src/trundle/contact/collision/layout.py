"""Where each number of a collision stands in one flat array, for K contacts.

Velocities and impulses of a contact are three in a row: along, across, normal. What a contact is made of: friction
when it sticks and when it slides, restitution and its law, whether it takes part, the speed below which it does not
bounce, whether it is planar, the numbers of the assemblies that meet there (-1 for one without states), a typical
force, the mass of the lighter assembly, and, where a law gives the force of its normal, the ratio of the loads that it
shares to its own (else 0).
"""

from trundle.laws.collision_codes import COMPLIANT, NEWTON, POISSON, SEQUENTIAL, SIMULTANEOUS, STRONGE, TREATMENTS

__all__ = ["COMPLIANT", "NEWTON", "POISSON", "SEQUENTIAL", "SIMULTANEOUS", "STRONGE", "TREATMENTS"]

MU_STATIC, MU_KINETIC, RESTITUTION, LAW, TOUCHING, REST_SPEED, PLANAR, FIRST, SECOND, FORCE, MASS, GIVEN = range(12)
DATA = 12
SMOOTH = 2.0  # in place of `planar`: nothing acts along the slips of a contact

SOLVED, UNSOLVED, GAINS_ENERGY = range(3)
"""How a collision ends: with impulses, without, or with more energy than before."""


def size(contacts: int, speeds: int) -> int:
    """Length of what the kernel of a model gives: velocities, inverse masses, data, changes of speed per impulse."""
    n = 3 * contacts
    return n + n * n + DATA * contacts + speeds * n


def scratch(contacts: int) -> int:
    """Length of what the collision needs beside it: velocities before and after, impulses, outcome, and then what
    springs, or contacts that collide at once, work with.
    """
    return 22 * contacts + 3


# What is decided for each contact; the names of the modes stand in this order.
CLOSED, STICK, AHEAD_X, AHEAD_Y, SHARE_X, SHARE_Y, SHARE_N, CHOICE, SLIDES_SLOWLY = range(9)
MODES = ("closed", "stick", "ahead_x", "ahead_y", "share_x", "share_y", "share_n", "choice", "slow")
WIDTH = 9

COULD_PRESS, PARTED = 1.0, 2.0
"""What `choice` says where several motions are possible: a contact that presses, and one that could."""


def decision(contacts: int) -> int:
    """Length of the memory that a decision needs: forces, accelerations and matrices of all contacts."""
    n = 3 * contacts
    return 4 * n * n + 22 * n + (9 + 2 * WIDTH) * contacts + 16


NO_DIRECTION = 0.1  # of the speed of a run, times the root of the shift of the multiplier block: a slip too small to
# have a direction
LEAST_LOAD = 0.1  # of the typical force at a contact: added to the loads that it shares, in proportion to which forces
# are negligible
AT_END = 0.1  # of NO_DIRECTION, where sliding ends: there the direction still turns. Where sliding begins that would be
# stiff; and a hundredth is stiff where a body on many contacts passes zero slip
BEGINS, ENDS = 1.0, 2.0  # what a slow slip does
SLOW_SLIP = 30.0  # times that: there the direction is stored for the end of sliding
