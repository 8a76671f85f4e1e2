"""Joints of the user whose chain does not move as their bonds require are refused; those of the package are correct."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

import trundle as tr
import trundle.rail  # joints of its own
from trundle.errors import ModelError
from trundle.pairs import lower_pairs
from trundle.pairs.chain_check import chain_fault
from trundle.pairs.lower import BONDS, AxisPair, BondPair
from trundle.space.chain import SLIDE, Chain, Screw

SLID, SWING, TILT = Screw("x", SLIDE, name="slide"), Screw("z", name="swing"), Screw("y", name="tilt")


def joint(bonds: tuple[str, ...], *steps: Screw) -> AxisPair:
    @dataclass(frozen=True)
    class Hook(AxisPair):
        def chain(self) -> Chain:
            return Chain(*steps)

    Hook.bonds = bonds
    return Hook("z")


def hung(pair: AxisPair) -> tr.Model:
    m = tr.Model("trolley")
    load = m.body("load", mass=3.0, inertia=(0.05, 0.06, 0.02), com=(0, 0, -0.5))
    m.connect(pair, m.ground, load, law={"slide": tr.Spring(200.0)})
    m.start = {"load.slide": 0.05, "load.swing": 0.1, "load.tilt": 0.4}
    return m


def test_chains_of_the_package_move_as_their_bonds_require() -> None:
    for kind in lower_pairs(of_user=False):
        assert chain_fault(kind()) is None
    for count in range(7):
        for free in combinations(BONDS, count):
            assert chain_fault(BondPair(tuple((b, b) for b in free))) is None


def test_a_joint_of_the_user_moves_alike_in_both_formalisms() -> None:
    system = hung(joint(("x", "ry", "rz"), SLID, TILT, SWING)).build()
    ends = [system.simulate(1.0, formalism=f).values("load.com_position")[-1] for f in ("kane", "newton_euler")]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


@pytest.mark.parametrize(
    ("bonds", "steps", "said"),
    [
        (("x", "ry", "rz"), (SLID, SWING, TILT), "the step 'swing' .* turns about .* the bond in its place is 'ry'"),
        (
            ("x", "rz", "ry"),
            (SLID, SWING, TILT),
            "moves along or about rx, .* of two turns that about x",
        ),
        (("rz", "x"), (SWING, SLID), "moves along or about y, .* Slides come first"),
        (("x", "rz"), (SLID,), "has 1 degrees of freedom, but `bonds` lists 2"),
        (("x", "turn"), (SLID, SWING), "there is no bond 'turn'; the bonds are x, y, z"),
        (("rz",), (Screw("z", at=(0.1, 0, 0), name="swing"),), "moves along or about x, y"),
        (("rz",), (Screw("z", pitch=0.2, name="swing"),), "moves along or about z"),
    ],
)
def test_what_is_refused(bonds: tuple[str, ...], steps: tuple[Screw, ...], said: str) -> None:
    """With the second, newton_euler was 0.2 m away from the motion of the tree after 5 s, without a warning."""
    with pytest.raises(ModelError, match=f"connection 'load': Hook: .*{said}"):
        hung(joint(bonds, *steps))
