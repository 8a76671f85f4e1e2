"""Whether every freedom moves some inertia is checked in random poses; some may lie beyond the range of a table."""

import pytest

import trundle as tr


def carried(beyond: str) -> tr.Model:
    """A body that is free in a frame whose turn is a table of a state of the model."""
    m = tr.Model("carried")
    turn = m.table("turn", tr.Table([10.0, 15.0, 20.0, 30.0], [0.0, 0.2, 0.1, 0.3], beyond=beyond))
    m.state("way", rate=lambda s: 1.0, start=12.0)
    frame = m.moving_frame("frame", position=lambda s: (0, 0, turn(s["way"])), rotation=lambda s: ("y", turn(s["way"])))
    m.connect(tr.Free(), frame, m.body("box", mass=2.0, inertia=(1.0, 2.0, 2.5)))
    return m


@pytest.mark.parametrize("beyond", ["refuse", "hold"])
def test_a_frame_that_exists_for_some_states_only(beyond: str) -> None:
    system = carried(beyond).build()
    assert system.mobility.freedoms == 6


def test_a_freedom_without_inertia_is_still_refused_there() -> None:
    m = carried("refuse")
    m.connect(tr.Revolute("x"), m.bodies["box"], m.body("bead", mass=1.0, inertia=0.0))
    with pytest.raises(tr.errors.ModelError, match="has no inertia"):
        m.build()
