"""Dominoes that fall on each other, with faces that have ends: every touch is found."""

import numpy as np

import trundle as tr

HEIGHT, WIDTH = 0.5, 0.1  # m
MASSES = (2.745245, 2.101631, 2.48271)


def three() -> tr.System:
    """Three dominoes on their right edges: the second with its foot on the side of the first, and with its tip at the
    side of the third.
    """
    m = tr.Model("three dominoes")
    line, face = tr.PlanarPair(tr.Line(), tr.Vertex()), tr.PlanarPair(tr.Segment(HEIGHT, depth=WIDTH), tr.Vertex())
    law, row = tr.Coulomb(0.679118), []
    for i, mass in enumerate(MASSES):
        body = m.body(f"d{i}", mass, mass * (HEIGHT**2 + WIDTH**2) / 12)
        m.connect(tr.Planar("y"), m.ground, body, name=f"pose{i}")
        m.connect(line, m.ground, body.at(WIDTH / 2, 0, -HEIGHT / 2), f"floor{i}", law, unilateral=True)
        row.append(body)
    right = row[0].frame((WIDTH / 2, 0, 0), ((0, 1, 0), np.pi / 2))
    left = row[2].frame((-WIDTH / 2, 0, 0), ((0, 1, 0), -np.pi / 2))
    m.connect(face, right, row[1].at(-WIDTH / 2, 0, -HEIGHT / 2), "foot", law, unilateral=True)
    m.connect(face, left, row[1].at(WIDTH / 2, 0, HEIGHT / 2), "tip", law, unilateral=True)
    return m.build()


def test_a_landing_is_found_although_the_step_ends_before_at_another_event() -> None:
    """The tip parts and comes back at once; the step is long, behind the stop of a foot it would leave again."""
    poses = {
        0: (0.2748563688, 0.101923368, 1.3569190605, 0.0001163703, -0.0002668155, 0.0011417436),
        1: (0.7491582691, 0.0936053853, 1.3922481415, 0.0113382853, -0.0125834029, 0.0530619302),
        2: (1.2488496166, 0.1596174145, 1.09168761, 0.0357886353, 0.0318849374, -0.1603853028),
    }
    start = {}
    for i, (x, z, angle, v_x, v_z, rate) in poses.items():
        start |= {f"d{i}.position": (x, 0, z), f"pose{i}.angle": angle}
        start |= {f"d{i}.velocity": (v_x, 0, v_z), f"pose{i}.angle_rate": rate}
    run = three().simulate(0.03, start, samples="steps", steps=tr.Steps(first=0.02))
    assert run.ok and [name for name, _ in run.events][:3] == ["foot lands", "tip parts", "tip lands"]
    assert np.min(run.values("tip.gap")) > -1e-9
