"""Cooperrider's bogie vehicle on cones against linear equations that are written here, with NumPy alone."""

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

from trundle import rail

DATA = rail.vehicle_data("cooperrider")
CONE, HEAD, G = 0.1, 0.3, 9.81  # the rail head is a circle of this radius, m


def turn(roll, yaw):
    """Rotation about x by the roll, after one about z by the yaw."""
    c, s, k, z = np.cos(roll), np.sin(roll), np.cos(yaw), np.sin(yaw)
    return np.array([[k, -z, 0], [z, k, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


class Linear:
    """Car, two bogies and four wheelsets, each with y, roll and yaw: 21 freedoms, from energies and contact forces.

    Springs have the axes of the body below them; stiffness is the second derivative of the potential with their loads,
    by differences. A wheel is a cone, a rail a cylinder: their contact is exact, with Hertz's force and Kalker's linear
    creep, and is differentiated at the equilibrium of the speed.
    """

    def __init__(self, geometry, coefficients_follow_load=True):
        side = geometry.side("left")
        self.r, self.tape, self.rail = geometry.radius, side.tape_place, side.rail_origin
        self.follow = coefficients_follow_load
        self.load = G * (DATA["car"]["mass"] + 2 * DATA["bogie"]["mass"] + 4 * DATA["wheelset"]["mass"]) / 8
        self.mass, self.stiffness, self.damping = self._mass(), self._stiffness(), self._damping()

    def bodies(self, q):
        """Place and rotation of car, bogies and wheelsets."""
        half, base = DATA["half_centres"], DATA["bogie"]["half_wheelbase"]
        q = np.reshape(q, (7, 3))
        car = np.array([0, q[0, 0], DATA["car"]["height"]]), turn(*q[0, 1:])
        places = [(half, DATA["bogie"]["height"]), (-half, DATA["bogie"]["height"])]
        places += [(x + ahead, self.r) for x in (half, -half) for ahead in (base, -base)]
        others = [(np.array([x, y, z]), turn(roll, yaw)) for (x, z), (y, roll, yaw) in zip(places, q[1:], strict=True)]
        return car, others[:2], others[2:]

    def springs(self, q):
        """Stiffness, damping, load (N) and displacement of all, in the axes of the body below."""
        car, bogies, axles = self.bodies(q)
        rest_car, rest_bogies, rest_axles = self.bodies(np.zeros(21))
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

    def _mass(self):
        bodies = [DATA["car"], *2 * [DATA["bogie"]], *4 * [DATA["wheelset"]]]
        return np.diag([m for b in bodies for m in (b["mass"], b["inertia"][0], b["inertia"][2])])

    def _stiffness(self):
        def energy(q):
            return sum(np.dot(k["stiffness"], d**2) / 2 - load * d[2] for k, load, d in self.springs(q))

        h, K, E = 1e-4, np.empty((21, 21)), np.eye(21)
        for i, j in np.ndindex(21, 21):
            ways = ((a, c) for a in (1, -1) for c in (1, -1))
            K[i, j] = sum(a * c * energy(h * (a * E[i] + c * E[j])) for a, c in ways) / (4 * h**2)
        return K

    def _damping(self):
        h, E, C = 1e-5, np.eye(21), np.zeros((21, 21))
        ahead = [[d for _, _, d in self.springs(h * e)] for e in E]
        behind = [[d for _, _, d in self.springs(-h * e)] for e in E]
        for n, (data, _, _) in enumerate(self.springs(np.zeros(21))):
            J = np.array([(one[n] - other[n]) / (2 * h) for one, other in zip(ahead, behind, strict=True)]).T
            C += J.T @ np.diag(data["damping"]) @ J
        return C

    def wheel(self, side, place, R, v, w):
        """Force on a wheel (side 1 is the left one), and its moment about the centre of the wheelset."""
        x, outwards, g = np.array([1.0, 0, 0]), side * R[:, 1], np.arctan(CONE)
        level = x - (x @ outwards) * outwards
        c = np.linalg.norm(level)
        down = np.cross(level / c, outwards) * side
        aside = -CONE * outwards[0] / c  # where the normal of the cone has no part along the rail
        radial = aside * level / c - np.sqrt(1 - aside**2) * down * np.sign(down[2])
        normal = -(np.cos(g) * radial + np.sin(g) * outwards)  # on the wheel
        near, along = place + self.tape * outwards + self.r * radial, np.cos(g) * outwards - np.sin(g) * radial
        middle = np.array([0, side * self.rail, -HEAD]) - near  # of the rail head
        across = np.cross(normal, x)
        far = middle @ across / (along @ across)
        at = near + far * along - place
        curvatures = np.cos(g) / (self.r - CONE * far * np.cos(g)), 1 / HEAD
        deep = max(HEAD + middle @ normal, 0.0)
        velocity = v + np.cross(w, at)
        N = rail.hertz(1.0, *curvatures).stiffness * deep**1.5 * (1 - velocity @ normal)
        patch = rail.Patch.hertz(N if self.follow else self.load, *curvatures)
        slip, spin = velocity @ across / v[0], w @ normal / v[0]
        pull = -patch.f11 * (velocity @ x) / v[0]
        F = N * normal + pull * x - (patch.f22 * slip + patch.f23 * spin) * across
        return F, np.cross(at, F) + (patch.f23 * slip - patch.f33 * spin) * normal

    def wheels(self, q, u, V, z, turning):
        """Force and moment of both rails on a wheelset that moves by q = (y, roll, yaw), with rates u."""
        R, ahead = turn(*q[1:]), np.array([np.cos(q[2]), np.sin(q[2]), 0.0])
        w = u[1] * ahead + turning * R[:, 1] + [0, 0, u[2]]
        pair = [self.wheel(side, np.array([0, q[0], z]), R, np.array([V, u[0], 0.0]), w) for side in (1, -1)]
        F, M = np.sum(pair, axis=0)
        return np.array([F[1], M @ ahead, M[2]]), F, M

    def eigenvalues(self, V):
        """1/s, at a speed (m/s)."""
        still = np.zeros(3)

        def unbalanced(s):
            _, F, M = self.wheels(still, still, V, self.r - 1e-4 * s[0], V / self.r * (1 + 1e-4 * s[1]))
            return F[2] / (2 * self.load) - 1, M[1] / self.load

        s = fsolve(unbalanced, (1.0, 0.0), xtol=1e-10)
        at, h = (V, self.r - 1e-4 * s[0], V / self.r * (1 + 1e-4 * s[1])), 1e-7 * np.eye(3)
        K, C = self.stiffness.copy(), self.damping.copy()
        gyro = DATA["wheelset"]["inertia"][1] * V / self.r
        by_place = np.array([self.wheels(e, still, *at)[0] - self.wheels(-e, still, *at)[0] for e in h]).T / 2e-7
        by_rate = np.array([self.wheels(still, e, *at)[0] - self.wheels(still, -e, *at)[0] for e in h]).T / 2e-7
        for i in range(9, 21, 3):
            K[i : i + 3, i : i + 3] -= by_place
            C[i : i + 3, i : i + 3] -= by_rate
            C[i + 1, i + 2] -= gyro
            C[i + 2, i + 1] += gyro
        zero, one = np.zeros((21, 21)), np.eye(21)
        A = np.block([[zero, one], [-np.linalg.solve(self.mass, K), -np.linalg.solve(self.mass, C)]])
        return np.linalg.eigvals(A)

    def critical(self):
        """The speed at which it begins to hunt (m/s), and the frequency there (rad/s)."""
        V = brentq(lambda v: np.max(self.eigenvalues(v).real), 57.0, 66.0)
        values = self.eigenvalues(V)
        return V, abs(values[np.argmax(values.real)].imag)

    def slow_modes(self, V):
        """All that swing with less than 24 Hz."""
        values = self.eigenvalues(V)
        return values[(np.abs(values) < 150.0) & (values.imag > 1.0)]


def between(lower, upper, below, above):
    """Displacement of a point of the upper body in the axes of the lower one; both points coincide at rest."""
    (p, R), (p_upper, R_upper) = lower, upper
    return R.T @ (p_upper + R_upper @ above - p) - below


GEOMETRY = rail.ContactGeometry(rail.Profile.cone(CONE), rail.Profile.arc(HEAD), radius=0.425, back_to_back=1.36)


def away(found, wanted):
    """The largest relative distance of a wanted eigenvalue to the nearest that was found."""
    return max(np.min(np.abs(found - one)) / np.abs(one) for one in wanted)


@pytest.mark.slow
def test_eigenvalues_and_critical_speed_are_those_of_the_linear_equations():
    """All lateral modes up to 24 Hz at two speeds, and the speed at which it begins to hunt.

    At the usual 15 um the soft minimum of the contact table moves both by 1e-3.
    """
    linear = Linear(GEOMETRY)
    vehicle = rail.cooperrider_vehicle(rail.Contact(GEOMETRY, rail.Linear(0.15), eps=5e-6))
    assert linear.load == pytest.approx(9.81 * vehicle.mass / 8)
    locus = rail.critical_speed(vehicle, 50.0, 80.0, 7)
    for speed in (80.0, 120.0):
        wanted = linear.slow_modes(speed)
        assert len(wanted) >= 9
        assert away(locus.at(speed)[1], wanted) < 5e-4, speed
    assert (locus.critical, 2 * np.pi * locus.frequency) == pytest.approx(linear.critical(), rel=5e-4)


def test_creep_coefficients_that_do_not_follow_the_load_move_modes():
    """A wheel under more load has more lateral force by the spin of its contact angle; equations that take Kalker's
    coefficients at the static load, as most do, leave this out.
    """
    whole, usual = Linear(GEOMETRY), Linear(GEOMETRY, coefficients_follow_load=False)
    assert away(usual.eigenvalues(80.0), whole.slow_modes(80.0)) == pytest.approx(0.0172, abs=1e-3)


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
