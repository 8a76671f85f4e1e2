"""Tables in models: runs end where a table does, and invalid uses are refused with a message."""

from typing import Any

import numpy as np
import pytest
from tests.model.table_pendulum import DRIVE, SPRING, TIME, TORQUE, Q, pendulum

import trundle as tr
from trundle.errors import ModelError, UnknownNameError


class TestRefusal:
    def test_the_run_ends_where_the_table_does(self) -> None:
        system = pendulum(spring=tr.Table(Q, TORQUE, beyond="refuse", arguments=["angle (rad)"])).build()
        for method in ("auto", "order5", "stiff"):
            run = system.simulate(10.0, {"bob.angle": 2.5, "bob.angle_rate": 9.0}, method=method)
            assert run.outcome.startswith("TABLE_LEFT") and run.values("bob.angle")[-1] < 3.0 + 1e-11
            assert "argument 'angle (rad)' of table 'spring' leaves its knots, -3 to 3, at 3" in run.outcome
            assert run.trajectory.x_end[0] == pytest.approx(3.0, abs=1e-6)
        batch = system.batch(10.0, {"bob.angle": [0.1, 2.5], "bob.angle_rate": [0.0, 9.0]})
        assert batch.outcomes == ["FINISHED", "TABLE_LEFT"] and "table 'spring'" in batch.messages[1]
        assert system.simulate(1.0, {"bob.angle": 4.0}).outcome.startswith("TABLE_LEFT")
        assert system.simulate(1.0, {"bob.angle": 4.0}, tables={"spring": SPRING}).outcome.startswith("FINISHED")

    def test_the_end_of_the_knots_is_the_end_of_the_run(self) -> None:
        """A table of time may be used up to its last knot."""
        system = pendulum(tr.Table(TIME, DRIVE, beyond="refuse")).build()
        assert system.simulate(10.0).outcome.startswith("FINISHED")
        run = system.simulate(11.0)
        assert run.outcome.startswith("TABLE_LEFT") and run.trajectory.t_end == pytest.approx(10.0, abs=1e-6)

    def test_other_endings_are_not_blamed_on_tables(self) -> None:
        m = pendulum()
        m.apply(tr.CoordinateForce("bob.angle", tr.Motor(lambda t, q, u: tr.sqrt(1 - t))))
        assert m.build().simulate(2.0).outcome.startswith("NOT_FINITE")


class TestWords:
    def test_np_interp_is_refused_and_the_table_named(self) -> None:
        for law in (
            lambda t, q, u: np.interp(t, [0, 1], [0, 1]),
            lambda t, q, u: -np.interp(2 * q + u, [0, 1], [0, 1]),
        ):
            m = tr.Model("m")
            m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1, com=(0, 0, -1)), law=tr.Motor(law))
            with pytest.raises(ModelError, match=r"np.interp cannot look up an expression.*tr.Table\(x, y"):
                m.build()
        import casadi as ca

        assert ca.SX.__array_function__.__name__ != "refuse"
        assert np.interp(0.5, [0, 1], [0, 2]) == 1.0

    def test_names_in_use_are_refused(self) -> None:
        m = pendulum()
        m.parameter("k", 1.0)
        for name, words in (
            ("k", "already a parameter"),
            ("spring", "already a table"),
            ("sin", "name used in expressions"),
        ):
            with pytest.raises(ModelError, match=words):
                m.table(name, SPRING)
        with pytest.raises(ModelError, match="already a table called 'spring'"):
            m.parameter("spring", 1.0)
        with pytest.raises(ModelError, match=r"table 'x' needs a tr\.Table"):
            m.table("x", [1, 2, 3])

    def test_wrong_uses_are_refused(self) -> None:
        m = tr.Model("m")
        curve = m.table("curve", SPRING)
        bob = m.body("bob", mass=1, com=(0, 0, -1))
        m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(lambda t, q, u: curve(q, u)))
        with pytest.raises(ModelError, match=r"table 'curve' takes 1 argument\(s\), got 2"):
            m.build()
        m = tr.Model("m")
        mass = m.table("mass", SPRING)
        with pytest.raises(ModelError, match="table 'mass' cannot be used for masses"):
            m.body("bob", mass=mass(1.0), com=(0, 0, -1))
        m = tr.Model("m")
        m.connect(
            tr.Revolute("y"), m.ground, m.body("bob", mass=1, com=(0, 0, -1)), law=tr.Motor(lambda t, q, u: curve(q))
        )
        with pytest.raises(ModelError, match="'curve' is not a parameter"):
            m.build()

    def test_an_event_cannot_assign_a_table(self) -> None:
        m = pendulum()
        m.event("top", lambda s: s["bob.angle"], 0, {"spring": lambda s: 3.0})
        with pytest.raises(UnknownNameError, match="spring"):
            m.build().simulate(1.0)


def test_energy_of_a_law_that_looks_up_its_potential_is_checked() -> None:
    """A law of the user's own with force and potential from tables; a wrong potential is found out."""
    x = np.linspace(-2, 2, 9)

    class Measured(tr.EffortLaw):
        def __init__(self, force: Any, energy: Any) -> None:
            self.force, self.energy = force, energy

        def effort(self, t: Any, q: Any, u: Any) -> Any:
            return self.force(q)

        def potential(self, t: Any, q: Any) -> Any:
            return self.energy(q)

    for scale, fine in ((0.5, True), (0.6, False)):
        m = tr.Model("m", gravity=(0, 0, 0))
        law = Measured(m.table("force", tr.Table(x, -(x**1))), m.table("energy", tr.Table(x, scale * x**2)))
        m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=law)
        if fine:
            run = m.build().simulate(5.0, {"mass.displacement": 1.0})
            assert run.energy.drift < 1e-9 and run.values("mass.displacement")[-1] == pytest.approx(np.cos(5), abs=1e-8)
        else:
            with pytest.raises(ModelError, match="does not account for its energy"):
                m.build()
