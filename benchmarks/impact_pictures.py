"""Pictures of collisions with compliant feet.

python -m benchmarks.impact_pictures [--out DIR]
"""

from __future__ import annotations

import argparse
from math import pi
from pathlib import Path

from matplotlib.figure import Figure

from trundle.contact import HuntCrossley
from trundle.contact.normal import NormalLaw
from trundle.walker import BiStiffness, Collision, collide

FOLDER = Path(__file__).parents[1] / "docs" / "impacts"
PAPER = BiStiffness(stiffness=1e3, internal_friction=0.2)  # [Barjau 2022, section 5]


def paper_wheel(slip: float, law: NormalLaw = PAPER) -> Collision:
    """The wheel of the paper's Fig. 22: inertia ratio 0.25, half angle 60 degrees, friction 2.9."""
    return collide(0.25, pi / 3, 2.9, slip, law=law)


def printed_data() -> Figure:
    """With the printed slip of 0.5 m/s the front foot leaves before the back foot comes down."""
    return paper_wheel(0.5).plot(title="slip 0.5 m/s: the back foot stays open")


def described_sequence() -> Figure:
    """With 0.25 m/s the story of the paper happens: jamb, sticking, the back foot strikes while the front expands."""
    return paper_wheel(0.25).plot(title="slip 0.25 m/s: both feet press for a while")


def with_weight() -> Figure:
    """With weight, 1 kg and the printed 0.5 m/s the sequence of the paper happens too, after a light touch."""
    heavy = collide(0.25, pi / 3, 2.9, 0.5, law=PAPER, mass=1.0, gravity=9.81)
    return heavy.plot(title="slip 0.5 m/s with the weight of 1 kg: both feet press for a while")


def hunt_crossley() -> Figure:
    """The same wheel on Hunt-Crossley feet."""
    return paper_wheel(0.25, HuntCrossley(1e4, damping=0.2)).plot(title="slip 0.25 m/s, Hunt-Crossley feet")


PICTURES = (printed_data, described_sequence, with_weight, hunt_crossley)


def main() -> None:
    """Draw all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        path = out / f"{picture.__name__.replace('_', '-')}.png"
        picture().savefig(path, dpi=100)
        print(path)


if __name__ == "__main__":
    main()
