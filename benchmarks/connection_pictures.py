"""Pictures of docs/connections.md.

python -m benchmarks.connection_pictures [--out DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import trundle as tr
from trundle import examples

FOLDER = Path(__file__).parents[1] / "docs" / "connections"
GRAPHS = {
    "pendulum": "fixed-ideal-joint", "benchmark-bicycle": "benchmark-bicycle", "electric-motor": "electric-motor"
}  # fmt: skip
FLOWS = {"energy-of-the-bicycle": "benchmark-bicycle"}


def built(example: str) -> tuple[tr.ModelFile, tr.System]:
    """An example and its system."""
    file = tr.load_file(examples.find(example).path)
    return file, file.model.build()


def compliant_door() -> tr.Model:
    """A constraint with compliance [Kosenko 2022, Fig. 3], and a closer with a motor."""
    m = tr.Model("door with compliant hinge")
    door = m.body("door", mass=30.0, inertia=(10.0, 11.6, 1.6), com=(0.4, 0, 1.0))
    closer = tr.Spring(12.0, 9.0) + tr.Motor(lambda t, q, u: tr.sin(t))
    m.connect(tr.Revolute("z"), m.ground, door, name="hinge", law=closer, compliance=tr.Spring(1e6, 1e3))
    return m


def main() -> None:
    """Draw all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, example in GRAPHS.items():
        print(built(example)[1].graph.save(out / f"{name}.svg"))
    print(compliant_door().build().graph.save(out / "compliance.svg"))
    for name, example in FLOWS.items():
        file, system = built(example)
        system.simulate(float(file.run.duration or 1.0)).power.sankey(path=out / f"{name}.png")
        print(out / f"{name}.png")


if __name__ == "__main__":
    main()
