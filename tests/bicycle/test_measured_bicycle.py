"""A bicycle of measured parts: its moments have errors of measurement, and its eigenvalues are the canonical
ones all the same.

The numbers are those of two bicycles without riders. The city bicycle "Browser", as published by Moore et al. (2010):
the moments of its rear frame violate the triangle inequality by 2.3 %. The road bicycle "Yellow", to the digits of the
public data of the same authors (BicycleParameters, bicycles/Yellow): those of its fork break it by 1.7 %.
"""

from dataclasses import replace

import numpy as np
import pytest

import trundle as tr
from trundle.bicycle import Part, Parts, Wheel, benchmark_parts, whipple
from trundle.errors import FileError, InertiaWarning, ModelError
from trundle.file import read_model

BROWSER = Parts(
    wheelbase=1.121,
    trail=0.0685808540382,
    tilt=0.399680398707,
    rear_wheel=Wheel(0.340958858855, 3.11, 0.0904106601579, 0.152467620286),
    rear_frame=Part(9.86, 0.275951285677, 0.537842424305, 0.52962890621, 1.3163960125, 0.756786895402, 0.116285607878),
    front_frame=Part(
        3.22, 0.866949640247, 0.748236400835, 0.253379594731, 0.246138810935, 0.0955770796289, 0.0720452391817
    ),
    front_wheel=Wheel(0.34352982332, 2.02, 0.0883819364527, 0.149389340425),
)
YELLOW = Parts(
    wheelbase=1.089,
    trail=0.047,
    tilt=0.301941960595,
    rear_wheel=Wheel(0.341, 2.6, 0.0877, 0.1487),
    rear_frame=Part(3.3, 0.423, 0.603, 0.2240, 0.3879, 0.2160, -0.0182),
    front_frame=Part(2.5, 0.948, 0.788, 0.1452, 0.1200, 0.0292, 0.0194),
    front_wheel=Wheel(0.342, 1.9, 0.0852, 0.1466),
)
MEASURED = {
    "Browser": (BROWSER, r"body 'rear frame': the principal moments 0.480658, 0.80575\d*, 1.3164 kg m\^2 .* by 2.33 %"),
    "Yellow": (YELLOW, r"body 'front frame': the principal moments 0.02\d*, 0.12\d*, 0.148\d* kg m\^2 .* by 1.\d* %"),
}


def canonical(parts: Parts, v: float) -> np.ndarray:
    """Eigenvalues of the linear equations of roll and steer [Meijaard et al. 2007, appendix A], axes with z down."""
    R, B, H, F = parts.rear_wheel, parts.rear_frame, parts.front_frame, parts.front_wheel
    w, c, lam, g = parts.wheelbase, parts.trail, parts.tilt, parts.gravity
    zB, zH, IBxz, IHxz = -B.z, -H.z, -B.Ixz, -H.Ixz
    mT = R.mass + B.mass + H.mass + F.mass
    xT = (B.x * B.mass + H.x * H.mass + w * F.mass) / mT
    zT = (-R.radius * R.mass + zB * B.mass + zH * H.mass - F.radius * F.mass) / mT
    ITxx = R.Ixx + B.Ixx + H.Ixx + F.Ixx
    ITxx += R.mass * R.radius**2 + B.mass * zB**2 + H.mass * zH**2 + F.mass * F.radius**2
    ITxz = IBxz + IHxz - B.mass * B.x * zB - H.mass * H.x * zH + F.mass * w * F.radius
    ITzz = R.Ixx + B.Izz + H.Izz + F.Ixx + B.mass * B.x**2 + H.mass * H.x**2 + F.mass * w**2
    mA = H.mass + F.mass
    xA, zA = (H.x * H.mass + w * F.mass) / mA, (zH * H.mass - F.radius * F.mass) / mA
    IAxx = H.Ixx + F.Ixx + H.mass * (zH - zA) ** 2 + F.mass * (F.radius + zA) ** 2
    IAxz = IHxz - H.mass * (H.x - xA) * (zH - zA) + F.mass * (w - xA) * (F.radius + zA)
    IAzz = H.Izz + F.Ixx + H.mass * (H.x - xA) ** 2 + F.mass * (w - xA) ** 2
    sin, cos = np.sin(lam), np.cos(lam)
    uA = (xA - w - c) * cos - zA * sin
    IAll = mA * uA**2 + IAxx * sin**2 + 2 * IAxz * sin * cos + IAzz * cos**2
    IAlx = -mA * uA * zA + IAxx * sin + IAxz * cos
    IAlz = mA * uA * xA + IAxz * sin + IAzz * cos
    mu, SR, SF = c / w * cos, R.Iyy / R.radius, F.Iyy / F.radius
    ST, SA = SR + SF, mA * uA + mu * mT * xT
    M = np.array([[ITxx, IAlx + mu * ITxz], [0, IAll + 2 * mu * IAlz + mu**2 * ITzz]])
    M[1, 0] = M[0, 1]
    K0 = g * np.array([[mT * zT, -SA], [-SA, -SA * sin]])
    K2 = np.array([[0, (ST - mT * zT) / w * cos], [0, (SA + SF * sin) / w * cos]])
    C = np.array(
        [[0, mu * ST + SF * cos + ITxz / w * cos - mu * mT * zT], [0, IAlz / w * cos + mu * (SA + ITzz / w * cos)]]
    )
    C[1, 0] = -(mu * ST + SF * cos)
    lower = -np.linalg.solve(M, np.hstack([K0 + v**2 * K2, v * C]))
    return np.linalg.eigvals(np.vstack([np.eye(2, 4, 2), lower]))


def check_eigenvalues(system: tr.System, parts: Parts) -> None:
    for speed in (0.5, 2.0, 5.0, 9.0):
        values = system.linearise({"speed": speed}).eigenvalues
        for expected in canonical(parts, speed):
            assert np.min(np.abs(values - expected)) < 1e-9


def test_the_canonical_matrices_are_right():
    expected = (-0.77534188 + 4.46486771j, -0.32286643, -14.07838969)  # printed for the benchmark bicycle at 5 m/s
    for value in expected:
        assert np.min(np.abs(canonical(benchmark_parts(), 5.0) - value)) < 1e-8


@pytest.mark.parametrize("name", MEASURED)
def test_a_measured_bicycle_is_taken_with_a_warning(name):
    parts, words = MEASURED[name]
    with pytest.warns(InertiaWarning, match=words) as told:
        system = whipple(parts).build()
    assert len(told) == 1
    check_eigenvalues(system, parts)


def test_far_off_moments_are_refused_unless_overruled(recwarn):
    worse = replace(BROWSER, rear_frame=replace(BROWSER.rear_frame, Iyy=1.3163960125 * 1.1))
    with pytest.raises(
        ModelError, match=r"body 'rear frame': .* triangle inequality .* by 12.6 %.*check_inertia=False"
    ):
        whipple(worse).build()
    taken = replace(worse, check_inertia=False)
    check_eigenvalues(whipple(taken).build(), taken)
    assert not [w for w in recwarn if w.category is InertiaWarning]


def test_what_makes_the_motion_ill_posed_is_always_refused():
    for inertia in ((-0.1, 1.0, 1.0), ((1.0, 2.0, 0.0), (2.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (float("nan"), 1.0, 1.0)):
        m = tr.Model("m")
        with pytest.raises(ModelError, match=r"body 'b': .*(is negative|not finite)"):
            m.body("b", 1.0, inertia, check_inertia=False)
    m = tr.Model("m")
    m.connect(tr.Revolute("x"), m.ground, m.body("b", 1.0, (0.0, 0.0, 1.0), check_inertia=False))
    with pytest.raises(ModelError, match="has no inertia"):
        m.build()


def test_parameters_and_files():
    m = tr.Model("m")
    size = m.parameter("size", 1.5)
    m.connect(tr.Free(), m.ground, m.body("b", 1.0, (1.0, 1.0, size)))
    system = m.build()
    system.simulate(0.1, parameters={"size": 2.1})  # 5 % off
    with pytest.raises(ModelError, match="triangle inequality"):
        system.simulate(0.1, parameters={"size": 3.0})
    text = "name: a\nbodies: {{b: {{mass: 1, inertia: [1, 1, {}]{}}}}}\n"
    text += "connections: {{f: {{pair: Free, first: ground, second: b}}}}"
    with pytest.raises(FileError, match=r"line 2, bodies.b: .*triangle inequality .* by 50 %"):
        read_model(text.format(3, ""))
    read_model(text.format(3, ", check_inertia: false")).model.build()
    with pytest.warns(InertiaWarning, match="by 5 %"):
        read_model(text.format(2.1, "")).model.build()
