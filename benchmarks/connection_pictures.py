"""Pictures of docs/connections.md.

python -m benchmarks.connection_pictures [--out DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import trundle as tr
from trundle import examples

FOLDER = Path(__file__).parents[1] / "docs" / "connections"
GRAPHS = {"pendulum": "fixed-ideal-joint", "benchmark-bicycle": "benchmark-bicycle"}
FLOWS = {"energy-of-the-bicycle": "benchmark-bicycle"}


def built(example: str) -> tuple[tr.ModelFile, tr.System]:
    """An example and its system."""
    file = tr.load_file(examples.find(example).path)
    return file, file.model.build()


def main() -> None:
    """Draw all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, example in GRAPHS.items():
        print(built(example)[1].graph.save(out / f"{name}.svg"))
    for name, example in FLOWS.items():
        file, system = built(example)
        system.simulate(float(file.run.duration or 1.0)).power.sankey(path=out / f"{name}.png")
        print(out / f"{name}.png")


if __name__ == "__main__":
    main()
