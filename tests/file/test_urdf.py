"""Robots in URDF against the same robot written by hand; what cannot be read is refused with all faults."""

from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file.urdf import UrdfWarning

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual></link>
  <link name="upper">
    <inertial>
      <origin xyz="0.01 0.02 -0.2" rpy="0.3 -0.2 0.5"/><mass value="2.0"/>
      <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.028" iyz="0.0015" izz="0.01"/>
    </inertial>
    <visual><origin xyz="0 0 -0.2" rpy="0.1 0 0"/><geometry><box size="0.05 0.05 0.4"/></geometry></visual>
    <visual><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.03" length="0.1"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="fore/arm">
    <inertial><origin xyz="0 0 -0.15"/><mass value="1.0"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial>
    <visual><geometry><sphere radius="0.05"/></geometry></visual>
    <visual><geometry><mesh filename="package://robots/hand.dae"/></geometry></visual>
  </link>
  <link name="tool"><inertial><mass value="0.2"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.5" rpy="0.2 0.1 -0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.4" friction="0.1"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="fore/arm"/><origin xyz="0.03 0 -0.4" rpy="0 0 0.7"/><axis xyz="0.6 0.8 0"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="fore/arm"/><child link="tool"/><origin xyz="0 0 -0.3"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/>
  </joint>
  <transmission name="t"/>
</robot>
"""
STATE = {"shoulder.angle": 0.3, "elbow.angle": -0.8, "slide.displacement": 0.1}
RATES = {"shoulder.angle_rate": 0.7, "elbow.angle_rate": 1.1, "slide.displacement_rate": -0.2}


def write(folder: Path, text: str = ARM) -> Path:
    file = folder / "arm.urdf"
    file.write_text(text, encoding="utf-8")
    return file


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()  # about fixed axes


def by_hand() -> tr.Model:
    m = tr.Model("arm by hand")
    R = rpy(0.3, -0.2, 0.5)
    inertia = R @ [[0.03, 0.001, -0.002], [0.001, 0.028, 0.0015], [-0.002, 0.0015, 0.01]] @ R.T
    upper = m.body("upper", 2.0, inertia, com=(0.01, 0.02, -0.2))
    fore = m.body("fore", 1.0, (0.01, 0.01, 0.001), com=(0, 0, -0.15))
    tool = m.body("tool", 0.2, 0.001)
    at = m.ground.frame((0, 0, 0.5), rpy(0.2, 0.1, -0.3))
    m.connect(tr.Revolute("y"), at, upper, name="shoulder", law=tr.Damper(0.4))
    m.connect(tr.Revolute((0.6, 0.8, 0)), upper.frame((0.03, 0, -0.4), rpy(0, 0, 0.7)), fore, name="elbow")
    m.connect(tr.Prismatic("-z"), fore.at(0, 0, -0.3), tool, name="slide")
    return m


def test_the_same_robot_by_hand(tmp_path: Path) -> None:
    with pytest.warns(UrdfWarning) as told:
        robot = tr.load_urdf(write(tmp_path))
    words = str(told[0].message)
    for part in (
        "limits of joints (with limits='watched' runs end there) (2)",
        "friction of joints (1)",
        "collision shapes",
        "<transmission> (1)",
        "meshes",
    ):
        assert part in words
    assert told[0].filename == __file__
    assert sorted(robot.bodies) == ["base", "fore_arm", "ground", "tool", "upper"]
    assert [type(s).__name__ for s in robot.bodies["upper"].shape] == ["Mesh", "Cylinder"]
    assert abs(np.array(robot.bodies["upper"].shape[1].axis) @ (0, 1, 0)) == pytest.approx(1.0)  # turned from z
    system, hand = robot.build(), by_hand().build()
    found, expected = (s.accelerations(STATE | RATES) for s in (system, hand))
    for name in ("shoulder.angle", "elbow.angle", "slide.displacement"):
        value = float(found[f"{name}_acceleration"])
        assert value == pytest.approx(float(expected[f"{name}_acceleration"]), rel=1e-12, abs=1e-12)
        assert abs(value) > 0.1
    assert system.simulate(0.1, STATE, samples=3).energy.drift < 1e-8


def test_torques_of_a_prescribed_motion_are_those_that_cause_it(tmp_path: Path) -> None:
    """Inverse dynamics by servos, then forward dynamics with the torques found."""
    file = write(tmp_path, ARM.replace('damping="0.4" ', ""))
    motions = {"shoulder": lambda t: 0.3 * tr.sin(2 * t), "elbow": lambda t: 0.5 * t**2, "slide": lambda t: 0.1 * t}
    with pytest.warns(UrdfWarning):
        driven = tr.load_urdf(file, laws={name: tr.Servo(motion) for name, motion in motions.items()}).build()
        free = tr.load_urdf(file)
    run = driven.simulate(0.7)
    for name in STATE:
        free.apply(tr.CoordinateForce(name, float(run.values(f"{name}_drive")[-1])))
    state = {key: run.values(key)[-1] for name in STATE for key in (name, f"{name}_rate")}
    found = free.build().accelerations(state)
    exact = {"shoulder.angle": -1.2 * np.sin(1.4), "elbow.angle": 1.0, "slide.displacement": 0.0}
    for name in STATE:
        assert found[f"{name}_acceleration"] == pytest.approx(exact[name], abs=1e-9)


def test_laws_of_joints_go_by_name(tmp_path: Path) -> None:
    file = write(tmp_path)
    with pytest.raises(tr.TrundleError, match=r"no joint in .*arm\.urdf called 'elbo'\. Did you mean 'elbow'"):
        tr.load_urdf(file, laws={"elbo": tr.Damper(0.1)})
    with pytest.raises(FileError, match="laws go by the names of joints"):
        tr.load_urdf(file, laws=tr.Damper(0.1))  # type: ignore[arg-type]
    with pytest.warns(UrdfWarning, match=r"damping of joints with a prescribed motion \(1\)"):
        tr.load_urdf(file, laws={"shoulder": tr.Servo(0.0)})
    with pytest.warns(UrdfWarning):
        lifted = tr.load_urdf(file, laws={"shoulder": tr.Motor(3.0)}).build()
        plain = tr.load_urdf(file)
    plain.apply(tr.CoordinateForce("shoulder.angle", 3.0))
    one, other = (one.accelerations(STATE | RATES)["shoulder.angle_acceleration"] for one in (lifted, plain.build()))
    assert one == pytest.approx(other, rel=1e-12)  # with the damping of the file in both


HINGE = """<robot name="swing"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="1.2"/></joint></robot>"""


@pytest.mark.parametrize(("rate", "end", "limit"), [(-2.0, "lower", -0.5), (5.0, "upper", 1.2)])
def test_watched_limits_end_a_run(rate: float, end: str, limit: float, tmp_path: Path) -> None:
    """Where a joint comes to its limit; the speed there follows from the energy."""
    system = tr.load_urdf(write(tmp_path, HINGE), limits="watched").build()
    run = system.simulate(5.0, {"hinge.angle": 0.3, "hinge.angle_rate": rate})
    assert [event.name for event in run.events] == [f"hinge at its {end} limit"]
    assert run.values("hinge.angle")[-1] == pytest.approx(limit, abs=1e-9)
    moment, weight = 0.1 + 2.0 * 0.5**2, 2.0 * 9.81 * 0.5
    speed = np.sqrt(rate**2 - 2 * weight * (np.cos(0.3) - np.cos(limit)) / moment)
    assert run.values("hinge.angle_rate")[-1] == pytest.approx(np.sign(rate) * speed, rel=1e-8)


def test_a_start_beyond_a_watched_limit_is_refused(tmp_path: Path) -> None:
    system = tr.load_urdf(write(tmp_path, HINGE), limits="watched").build()
    with pytest.raises(tr.errors.SolveError, match=r"hinge at its upper limit: the start lies beyond it, by 0\.3"):
        system.simulate(1.0, {"hinge.angle": 1.5})
    with pytest.warns(UserWarning, match="hinge at its lower limit"):
        batch = system.batch(0.1, {"hinge.angle": [0.0, -0.6, 1.2]})  # the last begins at a limit
    assert [bool(text) for text in batch.messages] == [False, True, False]
    m = tr.Model("pendulum")
    with pytest.raises(tr.errors.ModelError, match="a limit has a direction"):
        m.event("end", lambda s: s["bob.angle"], limit=True)


@pytest.mark.filterwarnings("ignore::trundle.file.urdf.UrdfWarning")
def test_a_free_base_falls(tmp_path: Path) -> None:
    robot = tr.load_urdf(write(tmp_path, ARM.replace('<link name="base">', '<link name="base"><inertial><mass '
        'value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>')), base="free")  # fmt: skip
    system = robot.build()
    assert system.mobility.freedoms == 9
    run = system.simulate(0.2, samples=2)
    masses = {"base": 3.0, "upper": 2.0, "fore_arm": 1.0, "tool": 0.2}
    momentum = sum(mass * run.values(f"{name}.com_velocity")[-1] for name, mass in masses.items())
    np.testing.assert_allclose(momentum / 6.2, (0, 0, -9.81 * 0.2), atol=1e-9)


FAULTS = {
    "not XML": (ARM.replace("</robot>", ""), r"not XML.*line"),
    "another root": ("<model/>", r"begins with <robot"),
    "MJCF": ("<mujoco/>", r"this is MJCF, which is not read.*convert"),
    "entities": ('<!DOCTYPE robot [<!ENTITY a "aaaa">]>\n<robot name="&a;"/>', r"document type.*not read"),
    "macros": (ARM.replace('value="2.0"', 'value="${m}"'), r"macros.*xacro"),
    "an unknown link": (ARM.replace('<child link="tool"/>', '<child link="hand"/>'), r"'slide': its child 'hand'"),
    "an unknown kind": (ARM.replace('"continuous"', '"helical"'), r"'elbow': type 'helical' is not known"),
    "a mimic": (ARM.replace('<axis xyz="0.6', '<mimic joint="shoulder"/><axis xyz="0.6'), r"'elbow': <mimic>"),
    "words for numbers": (ARM.replace('mass value="2.0"', 'mass value="two"'), r"link 'upper': value='two'"),
    "a loop": (ARM.replace('<child link="tool"/>', '<child link="upper"/>'), r"'upper' is the child of 2 joints"),
    "a loop apart": (
        '<robot name="ring"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="one" type="continuous"><parent link="b"/><child link="c"/></joint>'
        '<joint name="two" type="continuous"><parent link="c"/><child link="b"/></joint></robot>',
        r"links 'b', 'c' are not connected to the root 'a'",
    ),
    "an axis of no length": (ARM.replace('xyz="0 0 -1"', 'xyz="0 0 0"'), r"joint 'slide'.*axis"),
    "a negative mass": (ARM.replace('mass value="0.2"', 'mass value="-0.2"'), r"'tool'.*negative"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    text, words = FAULTS[name]
    with pytest.raises(FileError, match=rf"(?s)arm\.urdf: .*{words}"):
        tr.load_urdf(write(tmp_path, text))


def test_all_faults_at_once(tmp_path: Path) -> None:
    text = ARM.replace('mass value="2.0"', 'mass value="two"').replace(
        'izz="0.001"/></inertial></link>', "/></inertial></link>"
    )
    with pytest.raises(FileError) as caught:
        tr.load_urdf(write(tmp_path, text))
    assert str(caught.value).count("\n") >= 1 and "izz=None" in str(caught.value)
    with pytest.raises(FileError, match="'ignored', or 'watched'"):
        tr.load_urdf(write(tmp_path), limits="hard")
    with pytest.raises(FileError, match="leave no way between"):
        tr.load_urdf(write(tmp_path, HINGE.replace("1.2", "-0.7")), limits="watched")
    with pytest.raises(FileError, match="'fixed' to the ground or 'free'"):
        tr.load_urdf(write(tmp_path), base="floating")


@pytest.mark.filterwarnings("ignore::trundle.file.urdf.UrdfWarning")
def test_mujoco_finds_the_same_accelerations(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    found = tr.load_urdf(write(tmp_path)).build().accelerations(STATE | RATES)
    options = '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
    text = ARM.replace('<robot name="arm">', f'<robot name="arm">{options}').replace('friction="0.1"', "")
    text = text.replace('<visual><geometry><mesh filename="package://robots/hand.dae"/></geometry></visual>', "")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    names = zip(("shoulder", "elbow", "slide"), STATE.values(), RATES.values(), strict=True)
    for joint, place, rate in names:
        i = model.joint(joint).id
        data.qpos[model.jnt_qposadr[i]], data.qvel[model.jnt_dofadr[i]] = place, rate
    mujoco.mj_forward(model, data)
    for joint, name in zip(("shoulder", "elbow", "slide"), STATE, strict=True):
        expected = data.qacc[model.jnt_dofadr[model.joint(joint).id]]
        assert float(found[f"{name}_acceleration"]) == pytest.approx(expected, rel=1e-12)
