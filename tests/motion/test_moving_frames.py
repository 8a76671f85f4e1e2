"""Moving frames: closed forms, contacts on them, methods, and what is refused."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.motion.carried import tumbling, turntable

import trundle as tr
from trundle.errors import ModelError

G = 9.81


def lamp(**course: Any) -> tr.Model:
    m = tr.Model("lamp")
    deck = m.moving_frame("deck", **(course or tumbling(2)))
    body = m.body("lamp", mass=2.0, inertia=(0.03, 0.04, 0.02), com=(0, 0, -1))
    m.connect(tr.Spherical(), deck.at(0, 0, 3), body)
    m.start = {"lamp.angular_rate": (0.1, 0.5, 1)}
    return m


def test_a_frame_that_gives_its_rates_itself_moves_as_one_that_leaves_them_to_the_tape() -> None:
    class Wheel:
        """A point on a circle, one axis along the tangent."""

        def frame_state(self, s: Any) -> Any:
            c, n, w, r = tr.cos(0.7 * s.t), tr.sin(0.7 * s.t), 0.7, 2.0
            R = [[-n, -c, 0], [c, -n, 0], [0, 0, 1]]
            rates = {"v": (r * w, 0, 0), "w": (0, 0, w), "a": (0, r * w**2, 0), "eps": (0, 0, 0)}
            return SimpleNamespace(R=R, p=(r * c, r * n, 0), **rates)

    def position(s: Any) -> Any:
        return 2.0 * tr.cos(0.7 * s.t), 2.0 * tr.sin(0.7 * s.t), 0

    ends = []
    for course in ({"motion": Wheel()}, {"position": position, "rotation": lambda s: ("z", 0.7 * s.t + tr.pi / 2)}):
        run = lamp(**course).build().simulate(2.0, rtol=1e-11)
        assert run.energy.drift < 1e-9
        ends.append(np.concatenate([run.values("lamp.com_position")[-1], run.values("deck.driving_force")[-1]]))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


def test_ways_to_write_a_rotation() -> None:
    """About a fixed axis: as angle, matrix and quaternion."""

    def angle(s: Any) -> Any:
        return 0.4 * tr.sin(1.3 * s.t) + s["lean"]

    def matrix(s: Any) -> Any:
        c, n = tr.cos(angle(s)), tr.sin(angle(s))
        return [[1, 0, 0], [0, c, -n], [0, n, c]]

    ways = (
        lambda s: ("x", angle(s)),
        lambda s: ((2.0, 0, 0), angle(s)),
        matrix,
        lambda s: (tr.cos(angle(s) / 2), tr.sin(angle(s) / 2), 0, 0),
    )
    found = []
    for rotation in ways:
        m = tr.Model("ways")
        m.parameter("lean", 0.1)
        deck = m.moving_frame("deck", rotation=rotation)
        m.connect(tr.Revolute("x"), deck, m.body("b", mass=1, inertia=0.3, com=(0, 0.2, -0.5)))
        run = m.build().simulate(1.0, parameters={"lean": 0.2}, rtol=1e-12)
        found.append([run.values("b.angle")[-1], *run.values("deck.angular_velocity")[-1]])
    np.testing.assert_allclose(found, [found[0]] * 4, atol=1e-9)


def test_a_bead_on_a_turning_rod_runs_out_as_cosh() -> None:
    m = tr.Model("bead", gravity=(0, 0, 0))
    rod = m.moving_frame("rod", rotation=lambda s: ("z", 3.0 * s.t))
    m.connect(tr.Prismatic("x"), rod, m.body("bead", mass=0.2, inertia=1e-3), name="bead")
    run = m.build().simulate(1.0, {"bead.displacement": 0.1}, rtol=1e-12)
    np.testing.assert_allclose(run.values("bead.displacement")[-1], 0.1 * np.cosh(3.0), rtol=1e-10)
    side = run.values("bead.reaction_force")[-1]  # Coriolis force 2 m w x', along the turned y axis
    across = np.array([-np.sin(3.0), np.cos(3.0), 0])
    np.testing.assert_allclose(across @ side, 2 * 0.2 * 3 * 0.3 * np.sinh(3.0), rtol=1e-9)
    spin = 1e-3 * 9 / 2  # the kinetic energy of turning does not change
    work = run.values("energy.kinetic")[-1] - spin - 0.1 * (0.3**2)
    np.testing.assert_allclose(run.values("energy.work_in")[-1], work, rtol=1e-9)


def test_gravity_stays_that_of_the_ground() -> None:
    """A body let go in a frame that falls and tumbles flies a parabola in the ground."""
    m = tr.Model("fall")
    box = m.moving_frame("box", **tumbling(7))
    m.connect(tr.Free(), box, m.body("ball", mass=1, inertia=(0.2, 0.3, 0.4)))
    system = m.build()
    start = {"ball.position": (0.1, 0.2, 0.3), "ball.velocity": (1.0, -0.5, 2.0)}
    run = system.simulate(1.5, start, rtol=1e-12, t0=0.4)
    wanted = np.array([0.1 + 1.5, 0.2 - 0.75, 0.3 + 3.0 - G * 1.5**2 / 2])
    np.testing.assert_allclose(run.values("ball.position")[-1], wanted, atol=1e-9)
    np.testing.assert_allclose(run.values("box.driving_force"), 0, atol=1e-12)


def ball_on_table(position: Any, mu: float, **options: Any) -> tr.Model:
    m = tr.Model("ball on table")
    table = m.moving_frame("table", position=position)
    ball = m.body("ball", mass=1.0, inertia=0.4 * 0.1**2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), table, ball, law=tr.Coulomb(mu), **options)
    return m


@pytest.mark.parametrize(("a", "mu", "wanted"), [(3.0, 0.2, 2 / 7 * 3.0), (9.0, 0.2, 0.2 * G)])
def test_a_ball_on_a_table_that_is_pulled_away(a: float, mu: float, wanted: float) -> None:
    """It rolls with 2/7 of the acceleration of the table, or slides."""
    system = ball_on_table(lambda s: (a * s.t**2 / 2, 0, 0), mu).build()
    for formalism in ("kane", "newton_euler"):
        run = system.simulate(0.5, {"ball.position": (0, 0, 0.1)}, formalism=formalism)
        np.testing.assert_allclose(run.values("ball.velocity")[-1][0], wanted * 0.5, rtol=1e-7)
        assert run.energy.drift < 1e-8
        lost = 0.0 if a < 5 else mu * G * (a - 3.5 * mu * G) * 0.5**2 / 2
        np.testing.assert_allclose(run.values("energy.work_lost")[-1], lost, atol=1e-7)


def test_a_ball_strikes_a_plate_that_rises() -> None:
    """Newton's restitution in the frame of the plate; the plate does work in the collision."""
    system = ball_on_table(lambda s: (0, 0, 0.7 * s.t), 0.0, restitution=tr.Newton(0.6)).build()
    drop, V = 0.5, 0.7
    for formalism in ("kane", "newton_euler"):
        run = system.simulate(0.4, {"ball.position": (0, 0, 0.1 + drop)}, formalism=formalism)
        hit = (-V + np.sqrt(V**2 + 2 * G * drop)) / G
        after = V + 0.6 * (V + G * hit)
        np.testing.assert_allclose(run.values("ball.velocity")[-1][2], after - G * (0.4 - hit), rtol=1e-8)
        assert len(run.events) == 1 and run.energy.drift < 1e-9


def test_other_methods_lanes_and_times() -> None:
    system = lamp().build()
    run = system.simulate(1.0, rtol=1e-10, samples=11)
    stiff = system.simulate(1.0, rtol=1e-8, samples=11, method="stiff")
    np.testing.assert_allclose(stiff.values("lamp.com_position"), run.values("lamp.com_position"), atol=1e-6)
    rates = np.array([0.2, 0.5, 0.9, 1.3])
    batch = system.batch(1.0, {"lamp.angular_rate_y": rates}, rtol=1e-10, samples=3)
    for i, rate in enumerate(rates):
        one = system.simulate(1.0, {"lamp.angular_rate_y": rate}, rtol=1e-10, samples=3)
        np.testing.assert_allclose(batch["lamp.quaternion"].values[i], one.values("lamp.quaternion"), atol=1e-8)


def test_modes_about_the_slant_of_a_pendulum_on_a_turntable() -> None:
    """A conical pendulum seen from its turntable rests there, and swings about its slant: closed forms."""
    m = tr.Model("seat")
    w, length = 4.0, 1.0
    table = m.moving_frame("table", rotation=lambda s: ("z", w * s.t))
    m.connect(tr.Revolute("y"), table, m.body("seat", mass=3.0, com=(0, 0, -length), inertia=0.0), name="seat")
    m.start = {"seat.angle": 0.8}
    system = m.build()
    slant = np.arccos(G / (w**2 * length))
    found = system.equilibrium(t=0.3)
    np.testing.assert_allclose(abs(found["seat.angle"]), slant, rtol=1e-9)
    linear = system.linearise({"seat.angle": slant}, t=0.3)
    np.testing.assert_allclose(max(linear.eigenvalues.imag), w * np.sin(slant), rtol=1e-9)


def test_a_start_is_consistent_at_its_own_time() -> None:
    m = tr.Model("loop")
    deck = m.moving_frame("deck", **turntable())
    arm = m.body("arm", mass=1, inertia=0.1, com=(0.5, 0, 0))
    m.connect(tr.Planar("z"), m.ground, arm, name="arm")
    m.connect(tr.Revolute("z"), deck.at(0.4, 0, -0.0), arm.at(0, 0, 0.1), name="pin")
    system = m.build()
    for t in (0.0, 0.8):
        state = system.start({}, t=t)
        run = system.simulate(0.1, t0=t)
        pin = np.array([0.3, -0.2]) + 0.4 * np.array(
            [np.cos(1.3 * t + 0.2 * np.sin(t)), np.sin(1.3 * t + 0.2 * np.sin(t))]
        )
        np.testing.assert_allclose(run.values("arm.position")[0][:2], pin, atol=1e-12)
        assert state is not None and run.energy.drift < 1e-9


def test_the_key_of_a_model_holds_the_motion_of_its_frames() -> None:
    keys = {lamp(position=lambda s, a=a: (0, 0, tr.sin(a * s.t))).build().spec.key for a in (1.0, 1.0, 1.0 + 1e-15)}
    assert len(keys) == 2


def bad(**course: Any) -> str:
    m = lamp(**course)
    with pytest.raises(ModelError) as error:
        m.build()
    return str(error.value)


def test_an_invalid_rotation() -> None:
    assert "it gives no rotation at t = 0 s: R' R differs" in bad(rotation=np.diag([1.0, 1.0, 2.0]))
    assert "R' R differs from 1 by inf" in bad(rotation=np.array([[1e200, 1e200, 0], [-1e200, 1e200, 0], [0, 0, 1.0]]))
    assert "it mirrors" in bad(rotation=np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(ModelError, match=r"is \(axis, angle in rad\), a 3x3 matrix or a quaternion"):
        lamp(rotation=3.0)


def test_a_motion_that_cannot_be() -> None:
    assert "it uses 'lamp.angular_rate_x'" in bad(position=lambda s: (s["lamp.angular_rate_x"], 0, 0))
    assert "it uses 'lamp.reaction_force'" in bad(position=lambda s: (s["lamp.reaction_force"], 0, 0))
    assert "it uses a position" in bad(position=lambda s: s.position(None))
    assert "not a finite number at the start" in bad(position=lambda s: (1 / s.t, 0, 0))
    assert "two derivatives" in bad(position=lambda s: (s.t**1.5, 0, 0))
    with pytest.raises(ModelError, match=r"three coordinates \(x, y, z\) in m, got \(1, 2\)"):  # where it is given
        lamp().moving_frame("other", position=(1, 2))


def test_frames_that_nobody_uses_or_that_are_joined() -> None:
    m = lamp()
    other = m.moving_frame("other")
    with pytest.raises(ModelError, match="frame 'other' is not used"):
        m.build()
    m.output("height", lambda s: s["lamp.position_z"] - s["other.position_z"])
    m.build()
    m.connect(tr.Revolute("x"), m.bodies["deck"], other, name="both")
    with pytest.raises(ModelError, match="whose motions are both prescribed"):
        m.build()
