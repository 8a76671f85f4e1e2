"""Check that the chain of a pair agrees with its declared bonds.

Joints of the tree follow the chain; where a pair closes a loop, and in absolute coordinates, its constraint rows follow
from the bonds that it locks. A pair in which the two do not agree would move differently from place to place.
"""

import casadi as ca
import numpy as np

from trundle.pairs.higher import ContactPair
from trundle.pairs.lower import BONDS, ROTATIONS, Pair
from trundle.space.chain import Screw
from trundle.space.rotation import axis_vector
from trundle.typing import Array

CLOSE = 1e-9


def fault_of_own_pair(pair: Pair) -> str | None:
    """Faults of the chain of a user-defined pair; those of this package are covered by tests."""
    if isinstance(pair, ContactPair) or type(pair).__module__.partition(".")[0] == "trundle":
        return None
    return chain_fault(pair)


def chain_fault(pair: Pair) -> str | None:
    """What is wrong with the chain of a pair; None if it agrees with its bonds."""
    fault = _steps_fault(pair) or _motion_fault(pair)
    return f"{type(pair).__name__}: {fault}" if fault else None


def _steps_fault(pair: Pair) -> str | None:
    chain = pair.chain()
    unknown = [b for b in pair.free if b not in BONDS]
    if unknown:
        return f"there is no bond {unknown[0]!r}; the bonds are {', '.join(BONDS)}."
    if chain.n_u != len(pair.free):
        return f"its chain has {chain.n_u} degrees of freedom, but `bonds` lists {len(pair.free)}: {pair.free!r}."
    bonds = list(pair.free)
    for step in chain.steps:
        mine, bonds = bonds[: step.n_u], bonds[step.n_u :]
        if not isinstance(step, Screw):
            continue
        axis = "xyz".find(mine[0][-1])
        along = axis_vector(step.axis)
        if step.slides != (mine[0] not in ROTATIONS) or abs(along[axis] - 1.0) > CLOSE:
            kind = "slides along" if step.slides else "turns about"
            return (
                f"the step {step.name!r} of its chain {kind} {np.round(along, 6).tolist()}, but the bond in its place "
                f"is {mine[0]!r}: `bonds` lists the free motions in the order of the chain."
            )
    return None


def _motion_fault(pair: Pair) -> str | None:
    for seed in range(3):
        R, p = _pose(pair, seed)
        wrong = [b for b, value in _residuals(pair, R, p) if abs(value) > CLOSE]
        if wrong:
            return (
                f"its chain moves along or about {', '.join(wrong)}, which `bonds` = {pair.free!r} does not free. "
                f"Slides come first and go along the axes of the first frame; turns are about axes through its origin, "
                f"and of two turns that about x comes before y, y before z, and z before x. For any other motion "
                f"connect tr.Chain(...) of your screws, m.connect(tr.Chain(...), first, second)."
            )
    return None


def _pose(pair: Pair, seed: int) -> tuple[Array, Array]:
    """The second frame in the first at random coordinates, with random values of symbolic sizes."""
    chain, rng = pair.chain(), np.random.default_rng(seed)
    q: list[float] = []
    for step in chain.steps:
        one = rng.uniform(0.2, 0.9, step.n_q)
        q += list(one if step.n_q == 1 else one / np.linalg.norm(one))
    R, p = (ca.SX(v) for v in chain.pose(ca.SX(ca.DM(q))))
    sizes = ca.symvar(ca.veccat(R, p))
    f = ca.Function("pose", sizes, [ca.densify(R), ca.densify(p)])
    rotation, position = (np.array(ca.DM(v)) for v in f.call(list(map(ca.DM, rng.uniform(0.2, 0.9, len(sizes))))))
    return rotation, position.ravel()


def _residuals(pair: Pair, R: Array, p: Array) -> list[tuple[str, float]]:
    """Residuals of the rows of a loop closure, with their bonds (constraints/closure.py)."""
    locked, pitch = pair.locked, pair.coupling
    held = [(b, float(p[i])) for i, b in enumerate("xyz") if b in locked and not (b == "z" and pitch is not None)]
    turns = [b for b in ROTATIONS if b in locked]
    if len(turns) == 3:
        held += [(b, float(R[(k + 1) % 3, (k + 2) % 3] - R[(k + 2) % 3, (k + 1) % 3])) for k, b in enumerate(turns)]
    elif len(turns) == 2:
        k = next(i for i, b in enumerate(ROTATIONS) if b not in turns)
        held += [(ROTATIONS[(k + n) % 3], float(R[(k + 3 - n) % 3, k])) for n in (1, 2)]
    elif len(turns) == 1:
        k = ROTATIONS.index(turns[0])
        held.append((turns[0], float(R[(k + 1) % 3, (k + 2) % 3])))
    return held
