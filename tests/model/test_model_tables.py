"""Tables in models: against other integrations, in every study, exchanged without compiling, in other processes."""

import copy
import gc
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from tests.model.table_pendulum import DRIVE, OTHER, SPRING, TIME, TORQUE, Q, pendulum

import trundle as tr
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.study.periodic import Section, find_orbit
from trundle.system import System


def by_scipy(push: Any, spring: Any = None) -> Any:
    """The same motion by SciPy, from knot to knot."""
    torque = CubicSpline(Q, TORQUE) if spring is None else spring

    def rates(t: float, y: Any) -> list[Any]:
        return [y[1], (torque(y[0]) + push(t) - 0.1 * y[1] - 9.81 * np.sin(y[0])) / 1.1]

    state = [0.5, 0.0]
    for a, b in pairwise(TIME):
        state = solve_ivp(rates, (a, b), state, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return state


def _to(end: float, knots: Any, push: tr.Table) -> float:
    """Angle at the end by SciPy, from knot to knot."""
    torque, state = CubicSpline(Q, TORQUE), [0.5, 0.0]

    def rates(t: float, y: Any) -> list[Any]:
        pushed = np.interp(t, *(np.asarray(v).ravel() for v in (knots, push(knots))))
        return [y[1], (torque(y[0]) + pushed - 0.1 * y[1] - 9.81 * np.sin(y[0])) / 1.1]

    for a, b in pairwise([*knots[knots < end], end]):
        state = solve_ivp(rates, (a, b), state, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return float(state[0])


@pytest.fixture(scope="module")
def cubic() -> System:
    return pendulum(tr.Table(TIME, DRIVE)).build()


@pytest.fixture(scope="module")
def linear() -> System:
    return pendulum(tr.Table(TIME, DRIVE, "linear")).build()


@pytest.fixture(scope="module")
def plain() -> System:
    return pendulum().build()


class TestMotion:
    def test_smooth_tables(self, cubic: System) -> None:
        expected = by_scipy(CubicSpline(TIME, DRIVE))
        for options in ({}, {"method": "stiff"}, {"method": "order5"}, {"formalism": "newton_euler"}):
            run = cubic.simulate(10.0, rtol=1e-10 if options.get("method") != "order5" else 1e-9, **options)
            assert run.outcome.startswith("FINISHED") and run.energy.drift < 1e-6
            assert [run.values("bob.angle")[-1], run.values("bob.angle_rate")[-1]] == pytest.approx(expected, abs=1e-6)
        torque = CubicSpline(Q, TORQUE)(run.values("bob.angle"))
        assert run.values("torque") == pytest.approx(torque, abs=1e-13)

    def test_steps_end_at_the_kinks_of_time(self, linear: System) -> None:
        expected = by_scipy(lambda t: np.interp(t, TIME, DRIVE))
        run = linear.simulate(10.0, samples="steps", rtol=1e-11)
        assert [run.values("bob.angle")[-1], run.values("bob.angle_rate")[-1]] == pytest.approx(expected, abs=2e-8)
        missed = [np.min(np.abs(run.time - knot)) for knot in TIME]
        assert max(missed) < 1e-12
        stiff = linear.simulate(10.0, method="stiff", rtol=1e-9, samples="steps")
        assert max(np.min(np.abs(stiff.time - knot)) for knot in TIME) < 1e-12

    def test_staircases_jump(self) -> None:
        """A mass pushed by steps: v is a polygon, exactly."""
        m = tr.Model("pushed", gravity=(0, 0, 0))
        push = m.table("push", tr.Table([0, 1, 1.7, 2.2], [1.0, -2.0, 0.5, 0.0], "previous"))
        m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=2.0), law=tr.Motor(lambda t, q, u: push(t)))
        run = m.build().simulate(3.0, samples=[0.5, 1.0, 1.7, 2.2, 3.0])
        v = np.array([0.5, 1.0, 1.0 - 1.4, -0.4 + 0.25, -0.15]) / 2
        assert run.values("mass.displacement_rate") == pytest.approx(v, abs=1e-14)
        assert run.trajectory.counts.rejected == 0

    def test_a_prescribed_motion_from_a_table(self) -> None:
        """The drive needs two derivatives of the table: torque = J x''."""
        t = np.linspace(0, 4, 17)
        spline = CubicSpline(t, np.sin(t))
        m = tr.Model("driven", gravity=(0, 0, 0))
        angle = m.table("angle", tr.Table(t, np.sin(t)))
        wheel = m.body("wheel", inertia=(1, 0.7, 1), mass=1.0)
        m.connect(tr.Revolute("y"), m.ground, wheel, law=tr.Servo(lambda t: angle(t)))
        run = m.build().simulate(4.0, samples=50)
        assert run.values("wheel.angle") == pytest.approx(spline(run.time), abs=1e-12)
        assert run.values("wheel.angle_drive")[1:-1] == pytest.approx(0.7 * spline(run.time, 2)[1:-1], abs=1e-9)

    def test_two_arguments_and_several_outputs_in_forces(self) -> None:
        """A force field on a grid: exact for a field that is a polynomial."""
        x, y = np.linspace(-2, 2, 9), np.linspace(-2, 2, 7)
        field = np.stack([-x[:, None] + 0 * y, -(y**3) + 0 * x[:, None]], axis=-1)
        m = tr.Model("field", gravity=(0, 0, 0))
        force = m.table("force", tr.Table((x, y), field))
        ball = m.body("ball", mass=1.0, inertia=(1, 1, 1))
        m.connect(tr.Free(), m.ground, ball)

        def pull(s: Any) -> Any:
            p = s.position(ball)
            f = force(p[0], p[1])
            return (f[0], f[1], 0)

        m.apply(tr.Wrench(ball, pull))
        run = m.build().simulate(6.0, {"ball.position": (1.0, 1.0, 0)})
        v = solve_ivp(lambda t, z: [z[1], -(z[0] ** 3)], (0, 6), [1, 0], "DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
        assert run.values("ball.position_x")[-1] == pytest.approx(np.cos(6.0), abs=1e-8)
        assert run.values("ball.position_y")[-1] == pytest.approx(v, abs=1e-8)


class TestEverywhere:
    def test_the_motion_of_a_frame(self) -> None:
        """A pendulum on a support that is shaken: 1.1 a'' = -g sin a + x'' cos a, from knot to knot."""
        t = np.linspace(0, 6, 25)
        spline = CubicSpline(t, 0.2 * np.sin(2 * t))
        m = tr.Model("shaken")
        x = m.table("x", tr.Table(t, 0.2 * np.sin(2 * t)))
        deck = m.moving_frame("deck", position=lambda s: (x(s.t), 0, 0))
        m.connect(tr.Revolute("y"), deck, m.body("bob", mass=1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1)))

        def rates(t: float, y: Any) -> list[Any]:
            return [y[1], (-9.81 * np.sin(y[0]) + spline(t, 2) * np.cos(y[0])) / 1.1]

        state, expected = [0.3, 0.0], [0.3]
        for a, b in pairwise(t):
            state = solve_ivp(rates, (a, b), state, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
            expected.append(state[0])
        for formalism in ("kane", "newton_euler"):
            run = m.build(formalism).simulate(6.0, {"bob.angle": 0.3}, samples=25)
            assert run.values("bob.angle") == pytest.approx(expected, abs=1e-9) and run.energy.drift < 1e-8

    def test_the_rate_of_a_state(self) -> None:
        """w' = -w + cos t, the first by a table that is exact."""
        m = tr.Model("filter", gravity=(0, 0, 0))
        decay = m.table("decay", tr.Table([-3, -1, 0, 1, 3], [3, 1, 0, -1, -3.0]))
        m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=tr.Spring(1.0))
        m.state("w", rate=lambda s: decay(s["w"]) + s["mass.displacement"], start=1.0)
        run = m.build().simulate(3.0, {"mass.displacement": 1.0})
        t = run.time
        assert run.values("w") == pytest.approx(0.5 * np.exp(-t) + 0.5 * (np.cos(t) + np.sin(t)), abs=1e-8)

    def test_a_coefficient_of_friction(self) -> None:
        """A ball slides over a lane whose friction changes; its slip falls by 7/2 mu g."""
        x, mu = np.array([0.0, 1, 2, 5]), np.array([0.1, 0.3, 0.2, 0.2])
        m = tr.Model("lane")
        friction = m.table("friction", tr.Table(x, mu, "linear"))
        ball = m.body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
        law = tr.Coulomb(lambda s: friction(s.position(ball)[0]))
        m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball, "lane", law=law)
        run = m.build().simulate(1.0, {"ball.velocity": (2.0, 0, 0)})

        def rates(t: float, y: Any) -> list[float]:
            pull = 9.81 * float(np.interp(y[0], x, mu))
            return [y[1], -pull, -3.5 * pull]

        def slip(t: float, y: Any) -> float:
            return float(y[2])

        slip.terminal = True  # type: ignore[attr-defined]
        end = solve_ivp(rates, (0, 1), [0.0, 2.0, 2.0], "DOP853", events=slip, rtol=1e-11, atol=1e-12).t_events[0][0]
        assert run.events == [("lane stops", pytest.approx(end, abs=1e-8))]

    def test_formalisms_agree(self, plain: System) -> None:
        fine: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}
        kinds = ("newton_euler", "udwadia_kalaba")
        found = [plain.simulate(2.0, formalism=f, **fine).values("bob.angle")[-1] for f in kinds]
        assert found == pytest.approx([plain.simulate(2.0, **fine).values("bob.angle")[-1]] * 2, abs=1e-9)


class TestStudies:
    def test_linearise_and_equilibrium(self, plain: System) -> None:
        spline = CubicSpline(Q, TORQUE)
        rest = plain.equilibrium()
        angle = rest["bob.angle"]
        assert spline(angle) == pytest.approx(9.81 * np.sin(angle), abs=1e-10)
        stiffness = 9.81 * np.cos(angle) - spline(angle, 1)
        values = plain.linearise(rest).eigenvalues
        assert np.sort_complex(values) == pytest.approx(np.sort_complex(np.roots([1.1, 0.1, stiffness])), abs=1e-9)
        other = plain.equilibrium(parameters={"spring": OTHER})["bob.angle"]
        assert float(OTHER(other)) == pytest.approx(9.81 * np.sin(other), abs=1e-10) and other != angle

    def test_accelerations_of_another_table(self, plain: System) -> None:
        found = plain.accelerations({"bob.angle": 0.3}, {"spring": OTHER})["bob.angle_acceleration"]
        assert found == pytest.approx((float(OTHER(0.3)) - 9.81 * np.sin(0.3)) / 1.1, abs=1e-12)

    def test_periodic_motion(self) -> None:
        """The multiplier needs the variation along the orbit: a cubic table of a linear spring is exact."""
        m = tr.Model("oscillator", gravity=(0, 0, 0))
        force = m.table("force", tr.Table([-5, -1, 0, 2, 5], [5, 1, 0, -2, -5.0]))
        law = tr.Motor(lambda t, q, u: (1 - q**2) * u + force(q))
        m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=law)
        m.event("passes", lambda s: s["mass.displacement"], 1)
        orbit = find_orbit(m.build(), Section("passes"), {"mass.displacement_rate": 1.9}, longest=30.0)
        assert orbit.period == pytest.approx(6.6632868593231301896996820305, rel=1e-8)  # van der Pol, mu = 1
        assert np.max(np.abs(orbit.multipliers)) == pytest.approx(8.5967e-4, rel=1e-3)


class TestEvents:
    def test_no_crossing_of_a_jagged_table_is_lost(self) -> None:
        """The angle rises evenly, so every crossing of the spline is known; steps are long."""
        x = np.linspace(0, 1, 60)
        y = np.sin(40 * x) + np.random.default_rng(3).normal(size=60) * 0.3
        for between in ("cubic", "linear", "monotone"):
            m = tr.Model("reader", gravity=(0, 0, 0))
            profile = m.table("profile", tr.Table(x, y, between))
            m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0))
            m.event("crosses", lambda s, profile=profile: profile(s["mass.displacement"]) - 0.2)
            run = m.build().simulate(1.0, {"mass.displacement_rate": 1.0})
            fine = np.linspace(0, 1, 200_001)
            values = m.tables["profile"].table(fine) - 0.2
            expected = fine[np.flatnonzero(np.diff(np.sign(values)) != 0)]
            found = [t for _, t in run.events]
            assert len(found) == len(expected) >= 15
            assert found == pytest.approx(expected, abs=1e-5)
            assert run.trajectory.counts.steps < 80 and not run.warnings[1:]

    def test_a_spike_between_two_knots_is_seen(self) -> None:
        """Up and down within a thousandth of a step."""
        m = tr.Model("reader", gravity=(0, 0, 0))
        spike = m.table("spike", tr.Table([0, 0.5, 0.5001, 0.5002, 1], [0, 0, 1, 0, 0.0], "linear"))
        m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0))
        m.event("up", lambda s: spike(s["mass.displacement"]) - 0.4)
        run = m.build().simulate(1.0, {"mass.displacement_rate": 1.0})
        assert [t for _, t in run.events] == pytest.approx([0.50004, 0.50016], abs=1e-9)


class TestExchange:
    def test_another_table_is_another_model_without_compiling(
        self, plain: System, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain.simulate(0.1)
        expected = pendulum(spring=OTHER).build().simulate(3.0).values("bob.angle")

        def refuse(function: Any) -> Any:
            raise AssertionError("derived again")

        monkeypatch.setattr("trundle.kernel.compile.read_tape", refuse)
        run = plain.simulate(3.0, tables={"spring": OTHER})
        assert np.array_equal(run.values("bob.angle"), expected)
        assert run.tables == {"spring": OTHER}
        usual = plain.simulate(3.0)
        assert not np.array_equal(usual.values("bob.angle"), expected) and usual.tables["spring"] is SPRING

    def test_a_run_keeps_its_tables(self, plain: System) -> None:
        run = plain.simulate(1.0, tables={"spring": tr.Table(Q, 2 * TORQUE)})
        gc.collect()
        assert run.values("torque") == pytest.approx(2 * CubicSpline(Q, TORQUE)(run.values("bob.angle")), abs=1e-12)

    @pytest.mark.parametrize("method", ["auto", "stiff"])
    def test_a_table_for_each_case(self, plain: System, method: str) -> None:
        tables = [tr.Table(Q, k * TORQUE) for k in np.linspace(0.5, 2, 11)]
        batch = plain.batch(2.0, tables={"spring": tables}, samples=3, method=method, rtol=1e-9, atol=1e-11)
        assert batch.settings["way"] == ("one by one" if method == "stiff" else "in lanes")
        gc.collect()
        for i, table in enumerate(tables):
            run = plain.simulate(
                2.0, tables={"spring": table}, samples=3, method="stiff" if method == "stiff" else "order8", rtol=1e-9,
                atol=1e-11,
            )  # fmt: skip
            if method == "stiff":
                assert np.array_equal(batch["torque"].values[i], run.values("torque"))
            assert batch["bob.angle"].values[i] == pytest.approx(run.values("bob.angle"), abs=1e-9)
            assert batch["torque"].values[i] == pytest.approx(run.values("torque"), abs=1e-8)

    def test_kinks_of_time_in_a_batch(self, linear: System) -> None:
        batch = linear.batch(3.0, {"bob.angle": [0.5, 0.7]}, tables={"spring": OTHER}, rtol=1e-10, atol=1e-12)
        run = linear.simulate(3.0, {"bob.angle": 0.7}, tables={"spring": OTHER}, rtol=1e-12, atol=1e-14)
        assert batch.end("bob.angle").values[1] == pytest.approx(run.values("bob.angle")[-1], abs=3e-9)
        assert batch.settings["way"] == "in lanes"

    def test_a_table_of_time_for_each_case_in_lanes(self, linear: System) -> None:
        times = [TIME, TIME[::3], np.array([0.0, 0.71, 0.72, 2.9, 10.0]), np.array([0.0, 10.0])]
        pushes = [tr.Table(t, np.interp(t, TIME, DRIVE), between="linear") for t in times]
        batch = linear.batch(3.0, tables={"push": pushes}, samples=7, rtol=1e-10, atol=1e-12)
        assert batch.settings["way"] == "in lanes"
        for i, (push, t) in enumerate(zip(pushes, times, strict=True)):
            run = linear.simulate(3.0, tables={"push": push}, samples=7, rtol=1e-10, atol=1e-12)
            assert batch["bob.angle"].values[i] == pytest.approx(run.values("bob.angle"), abs=1e-8)
            assert batch.end("bob.angle").values[i] == pytest.approx(_to(3.0, t, push), abs=1e-8)  # knots of the angle

    def test_what_does_not_fit_is_named(self, plain: System) -> None:
        for tables, kind, words in (
            ({"sprig": OTHER}, UnknownNameError, r"no table called .sprig.*spring"),
            ({"spring": 3.0}, ModelError, r"table 'spring' can be replaced by a tr.Table only, got 3.0"),
            ({"spring": tr.Table(Q, TORQUE, "linear")}, ModelError, "cubics and cannot .* straight lines"),
            ({"spring": tr.Table(Q, np.ones((13, 2)))}, ModelError, "one number, cubics and cannot .* 2 outputs"),
            ({"spring": tr.Table((Q, [0, 1]), np.ones((13, 2)))}, ModelError, "2 arguments"),
        ):
            with pytest.raises(kind, match=words):
                plain.simulate(1.0, tables=tables)
            with pytest.raises(kind, match=words):
                plain.batch(1.0, {"bob.angle": [1, 2]}, tables=tables)
        with pytest.raises(ModelError, match="by name"):
            plain.simulate(1.0, tables=[OTHER])
        with pytest.raises(SolveError, match="different lengths"):
            plain.batch(1.0, {"bob.angle": [1, 2]}, tables={"spring": [OTHER]})
        with pytest.raises(UnknownNameError, match="parameter or table"):
            plain.simulate(1.0, parameters={"k": 1.0})


class TestIdentity:
    def test_numbers_of_a_table_are_no_part_of_the_model_key(self, plain: System) -> None:
        other = pendulum(spring=OTHER).build()
        assert other.spec.key == plain.spec.key and other.spec != plain.spec
        assert pendulum().build().spec == plain.spec
        line = pendulum(spring=tr.Table(Q, TORQUE, "linear")).build()
        assert line.spec.key != plain.spec.key

    def test_runs_name_their_tables_and_keep_handles_to_themselves(self, plain: System, tmp_path: Path) -> None:
        run = plain.simulate(1.0, tables={"spring": OTHER})
        assert run.parameters == {} and "spring (" in run.summary()
        handle = repr(OTHER.block.handle)
        run.save(tmp_path / "run.nc")
        back = tr.load(tmp_path / "run.nc")
        assert OTHER.digest in back.dataset.attrs["tables"]
        assert not any(handle in str(value) for value in back.dataset.attrs.values())
        assert OTHER.digest[:12] in back.summary() and np.array_equal(back.values("torque"), run.values("torque"))

    def test_tables_are_pickled_and_copied(self, plain: System, tmp_path: Path) -> None:
        """In another process handles are other numbers, and nothing is compiled for the model again."""
        run = plain.simulate(1.0, tables={"spring": OTHER})
        batch = plain.batch(1.0, {"bob.angle": [0.1, 0.2]}, tables={"spring": [SPRING, OTHER]})
        model = pendulum()
        for back in (pickle.loads(pickle.dumps((plain, run, batch, model))), copy.deepcopy((plain, run, batch, model))):
            assert back[0].spec == plain.spec == back[3].build().spec
            assert np.array_equal(back[1].values("torque"), run.values("torque"))
            assert np.array_equal(back[2].end("torque"), batch.end("torque"))
        (tmp_path / "kept").write_bytes(pickle.dumps((plain, run, batch, model)))
        script = """
import pickle, sys
import trundle.kernel.compile as compilation, trundle as tr
def refuse(function):
    raise AssertionError("derived again")
compilation.read_tape = refuse
others = [tr.Table([0, 1], [5.0, 6.0]) for _ in range(20)]
handles = [table.block.handle for table in others]
system, run, batch, model = pickle.load(open(sys.argv[1], "rb"))
print(run.values("torque")[-1], batch.end("torque").values[1], system.simulate(1.0).values("bob.angle")[-1],
      model.build().simulate(1.0, tables=run.tables).values("bob.angle")[-1])
"""
        run.values("torque"), batch.end("torque")
        expected = [
            run.values("torque")[-1],
            batch.end("torque").values[1],
            plain.simulate(1.0).values("bob.angle")[-1],
        ]
        expected.append(run.values("bob.angle")[-1])
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "kept")], capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        assert [float(word) for word in done.stdout.split()] == expected

    def test_tables_are_described(self, plain: System) -> None:
        words = "Table 'spring': angle (rad) -3 to 3 (13 knots): 1 argument, one number, cubics, torque of the spring"
        assert f"{words}, in N m." in plain.describe()
