"""The command line warns where eigenvalues mean little, and where an equilibrium hangs under the road."""

import pytest
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app
from trundle.study.lost_contacts import lost_contacts


def told(*arguments):
    result = CliRunner().invoke(app, ["eigen", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_state_that_is_not_steady_is_reported():
    assert "neither an equilibrium nor a steady motion" in told("rolling-disc", "--at-start")
    assert "with 2 values of g between 5 and 10 the state is neither" in told(
        "rolling-disc", "--at-start", "--sweep", "g=5:10:2"
    )


def test_nothing_is_reported_of_an_equilibrium_that_stands():
    for name in ("simple-pendulum", "ball-in-bowl"):
        output = told(name)
        assert "neither an equilibrium" not in output and "would be lost" not in output


def test_a_disc_that_hangs_under_the_road_is_reported():
    assert "the mass centre of 'disc' lies under the plane of 'disc': a real contact would be lost" in told(
        "rolling-disc"
    )
    assert "with g = 5, at the equilibrium" not in told("rolling-disc", "--sweep", "g=5:10:2")
    assert "with 2 values of g between 5 and 10, at the equilibrium the mass centre of 'disc'" in told(
        "rolling-disc", "--sweep", "g=5:10:2"
    )


@pytest.mark.parametrize(
    ("pitch", "lost"), [(0.0, []), (3.141592653589793, ["the normal force of 'ball' is negative"])]
)
def test_a_ball_under_a_ball_pulls(pitch, lost):
    m = tr.Model("two balls")
    ball = m.body("ball", mass=1.0, inertia=0.1)
    m.connect(tr.HigherPair(tr.Sphere(1.0), tr.Sphere(0.2)), m.ground, ball, law=tr.NoSlip())
    assert lost_contacts(m.build().formulation, {"ball.pitch": pitch}) == lost
