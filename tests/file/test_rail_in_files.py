"""Joints of the rail folder are available in model files by their name."""

import numpy as np
import pytest

import trundle as tr

TEXT = """
name: guided wheelset
bodies:
  wheelset: {mass: 1000, inertia: [600, 80, 600]}
connections:
  guide: {pair: WheelsetGuide, first: ground, second: wheelset}
"""


def test_the_guide_of_a_wheelset_in_a_file(tmp_path):
    path = tmp_path / "wheelset.yaml"
    path.write_text(TEXT, encoding="utf-8")
    model = tr.load_model(path)
    assert [step.name for step in model.connections["guide"].pair.chain().steps] == [
        "lift",
        "lateral",
        "roll",
        "yaw",
        "pitch",
    ]
    found = model.build().accelerations({"guide.roll": 0.2, "guide.yaw_rate": 0.1})
    assert found["guide.lift_acceleration"] == pytest.approx(-9.81) and np.isfinite(found["guide.yaw_acceleration"])
