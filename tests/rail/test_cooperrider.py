"""Cooperrider's bogie vehicle on cones against linear equations that are written here, with NumPy alone."""

import numpy as np
import pytest
from scipy.linalg import eig
from scipy.optimize import brentq

from trundle import rail

DATA = rail.vehicle_data("cooperrider")
CONE, G = 0.1, 9.81


def turn(roll, yaw):
    """Rotation about x by the roll, after one about z by the yaw."""
    c, s, k, z = np.cos(roll), np.sin(roll), np.cos(yaw), np.sin(yaw)
    return np.array([[k, -z, 0], [z, k, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


class Linear:
    """Car, two bogies (y, roll, yaw each) and four wheelsets (y, yaw): 17 freedoms, from energies and creep forces.

    Wheelsets keep both contacts: they roll by `roll` y and rise by `lift` y^2 / 2. Springs have the axes of the body
    below them; stiffness is the second derivative of the potential with their loads, by differences.
    """

    def __init__(self, geometry):
        step = 1e-3
        at = geometry.contact(np.array([-step, 0.0, step]))
        self.r, self.b = DATA["wheelset"]["radius"], float(at.left.lateral[1])
        self.roll = float(at.roll[2] / step)
        self.lift = float(at.lift[2] - 2 * at.lift[1] + at.lift[0]) / step**2
        self.cone = float(at.radius_difference[2] / (2 * step))
        self.load = G * (DATA["car"]["mass"] + 2 * DATA["bogie"]["mass"] + 4 * DATA["wheelset"]["mass"]) / 8
        bent = float(at.left.wheel_curvature[1] + at.left.rail_curvature[1])
        self.patch = rail.Patch.hertz(self.load, float(at.left.rolling_curvature[1]), bent)
        self.mass, self.stiffness, self.damping = self._mass(), self._stiffness(), self._damping()

    def bodies(self, q):
        """Place and rotation of car, bogies and wheelsets."""
        half, base = DATA["half_centres"], DATA["bogie"]["half_wheelbase"]
        car = np.array([0, q[0], DATA["car"]["height"]]), turn(*q[1:3])
        bogies, axles = [], []
        for i, x in enumerate((half, -half)):
            y, roll, yaw = q[3 + 3 * i : 6 + 3 * i]
            bogies.append((np.array([x, y, DATA["bogie"]["height"]]), turn(roll, yaw)))
            for j, ahead in enumerate((base, -base)):
                y, yaw = q[9 + 4 * i + 2 * j : 11 + 4 * i + 2 * j]
                place = np.array([x + ahead, y, self.r + self.lift * y**2 / 2])
                axles.append((place, turn(self.roll * y, yaw)))
        return car, bogies, axles

    def springs(self, q):
        """Stiffness, damping, load (N) and displacement of all, in the axes of the body below."""
        car, bogies, axles = self.bodies(q)
        rest_car, rest_bogies, rest_axles = self.bodies(np.zeros(17))
        above = G * DATA["car"]["mass"] / 2
        for i in (0, 1):
            for name in ("vertical", "lateral", "yaw"):
                for side in (1, -1):
                    at = np.array([rest_bogies[i][0][0], side * DATA[name]["half_width"], DATA[name]["height"]])
                    found = between(bogies[i], car, at - rest_bogies[i][0], at - rest_car[0])
                    yield DATA[name], above / 2 if name == "vertical" else 0.0, found
            for j in (2 * i, 2 * i + 1):
                for side in (1, -1):
                    at = rest_axles[j][0] + [0, side * DATA["primary"]["half_width"], 0]
                    found = between(axles[j], bogies[i], at - rest_axles[j][0], at - rest_bogies[i][0])
                    yield DATA["primary"], (above + G * DATA["bogie"]["mass"]) / 4, found

    def energy(self, q):
        axles = self.bodies(q)[2]
        stored = sum(np.dot(k["stiffness"], d**2) / 2 - load * d[2] for k, load, d in self.springs(q))
        return stored + G * DATA["wheelset"]["mass"] * sum(place[2] for place, _ in axles)

    def _mass(self):
        car, bogie, axle = (DATA[name] for name in ("car", "bogie", "wheelset"))
        upper = [car["mass"], car["inertia"][0], car["inertia"][2]]
        upper += 2 * [bogie["mass"], bogie["inertia"][0], bogie["inertia"][2]]
        return np.diag([*upper, *4 * [axle["mass"] + axle["inertia"][0] * self.roll**2, axle["inertia"][2]]])

    def _stiffness(self):
        h, K, E = 1e-4, np.empty((17, 17)), np.eye(17)
        for i in range(17):
            for j in range(17):
                K[i, j] = sum(a * c * self.energy(h * (a * E[i] + c * E[j])) for a in (1, -1) for c in (1, -1)) / (
                    4 * h**2
                )
        return K

    def _damping(self):
        h, E, C = 1e-5, np.eye(17), np.zeros((17, 17))
        ahead = [[d for _, _, d in self.springs(h * e)] for e in E]
        behind = [[d for _, _, d in self.springs(-h * e)] for e in E]
        for n, (data, _, _) in enumerate(self.springs(np.zeros(17))):
            J = np.array([(one[n] - other[n]) / (2 * h) for one, other in zip(ahead, behind, strict=True)]).T
            C += J.T @ np.diag(data["damping"]) @ J
        return C

    def eigenvalues(self, V):
        """1/s, with Kalker's linear creep of both wheels and the gyroscopic moment of the wheelsets."""
        K, C, p = self.stiffness.copy(), self.damping.copy(), self.patch
        a, spin = 1 + self.r * self.roll, DATA["wheelset"]["inertia"][1] * V / self.r
        for y in range(9, 17, 2):
            yaw = y + 1
            C[y, y] += 2 * p.f22 * a**2 / V
            K[y, yaw] -= 2 * p.f22 * a
            C[y, yaw] += 2 * p.f23 * a / V - self.roll * spin
            C[yaw, y] += self.roll * spin - 2 * p.f23 * a / V
            C[yaw, yaw] += 2 * (p.f11 * self.b**2 + p.f33) / V
            K[yaw, y] += 2 * p.f11 * self.b * self.cone / self.r
            K[yaw, yaw] += 2 * p.f23
        zero, one = np.zeros((17, 17)), np.eye(17)
        A = np.block([[zero, one], [-np.linalg.solve(self.mass, K), -np.linalg.solve(self.mass, C)]])
        return eig(A)[0]


def between(lower, upper, below, above):
    """Displacement of a point of the upper body in the axes of the lower one, where both meet at rest."""
    (p, R), (p_upper, R_upper) = lower, upper
    return R.T @ (p_upper + R_upper @ above - p) - below


GEOMETRY = rail.ContactGeometry(rail.Profile.cone(CONE), rail.Profile.arc(0.3), radius=0.425, back_to_back=1.36)


@pytest.mark.slow
def test_eigenvalues_and_critical_speed_are_those_of_the_linear_equations():
    """All lateral modes up to 24 Hz at two speeds, and the speed at which it begins to hunt."""
    linear = Linear(GEOMETRY)
    vehicle = rail.cooperrider_vehicle(rail.Contact(GEOMETRY, rail.Linear(0.15)))
    assert linear.load == pytest.approx(9.81 * vehicle.mass / 8)
    locus = rail.critical_speed(vehicle, 50.0, 80.0, 31)
    for speed in (80.0, 120.0):
        found, wanted = locus.at(speed)[1], linear.eigenvalues(speed)
        slow = wanted[(np.abs(wanted) < 150.0) & (wanted.imag > 1.0)]
        assert len(slow) >= 9
        for one in slow:
            assert np.min(np.abs(found - one)) < 0.025 * np.abs(one), (speed, one)
    critical = brentq(lambda v: np.max(linear.eigenvalues(v).real), 55.0, 65.0)
    assert locus.critical == pytest.approx(critical, rel=0.02)
    at = np.argmax(linear.eigenvalues(critical).real)
    assert 2 * np.pi * locus.frequency == pytest.approx(abs(linear.eigenvalues(critical)[at].imag), rel=0.02)


@pytest.mark.slow
def test_the_vehicle_on_its_profiles_goes_through_a_curve():
    """S1002 on 60E1: weight and centripetal force in the arc, energy."""
    line = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.1), rail.Arc(600, 300, 0.1)])
    vehicle, v = rail.cooperrider_vehicle(), 25.0
    trip = rail.Trip(vehicle, line, v)
    run = trip.simulate(14.0)
    assert run.ok and run.energy.drift < 1e-8
    tilt = np.arcsin(0.1 / 1.5)
    Q = sum(run.values(f"{wheel.contact}.Q")[-1] for wheel in trip.placed.wheels)
    outwards = sum(
        run.values(f"{wheel.contact}.Y")[-1] * (1 if wheel.side == "left" else -1) for wheel in trip.placed.wheels
    )
    assert pytest.approx(vehicle.mass * (9.81 * np.cos(tilt) + v**2 / 600 * np.sin(tilt)), rel=1e-3) == Q
    across = vehicle.mass * (9.81 * np.sin(tilt) - v**2 / 600 * np.cos(tilt))  # to the left, what rails must give
    assert outwards == pytest.approx(across, abs=0.01 * vehicle.mass)
