"""The power audit of contacts with friction: junction sums at round-off, and what friction takes is lost."""

from typing import Any

import numpy as np
import pytest

import trundle as tr

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "rigid": (tr.Coulomb(0.2), {}),
    "may open": (tr.Coulomb(0.2), {"unilateral": True}),
    "smooth": (tr.RegularisedCoulomb(0.2, 1e-2), {}),
    "bristles": (tr.LuGre(0.2, 0.15, stiffness=1e3, damping=10.0), {}),
    "elastic": (tr.Coulomb(0.2), {"compliance": tr.Spring(1e6, 1e3)}),
    "resisting": ([tr.Coulomb(0.2), tr.RollingResistance(0.002), tr.SpinFriction(0.01, 0.2)], {}),
}


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
@pytest.mark.parametrize("case", CASES)
def test_junction_sums_and_losses(case: str, formalism: str) -> None:
    law, options = CASES[case]
    m = tr.Model("ball")
    ball = m.body("ball", 6.0, 0.4 * 6.0 * 0.11**2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.11)), m.ground, ball, name="lane", law=law, **options)
    start = {"ball.position": (0, 0, 0.11), "ball.velocity": (5.0, 0, 0), "ball.angular_velocity": (3.0, 0, 8.0)}
    run = m.build(formalism).simulate(0.6, start)  # still sliding
    assert run.power.residual.relative < 1e-10
    assert run.energy.drift < 1e-7
    if case == "bristles":
        return  # they start within less than a sample
    lost = [row.energy for row in run.power.table() if str(row.taker).startswith("losses")]
    assert np.sum(lost) == pytest.approx(run.energy.work_lost[-1], rel=1e-6)
