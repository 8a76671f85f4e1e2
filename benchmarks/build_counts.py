"""How often the equations are derived, and how long a build takes, on six models; with another checkout too.

python -m benchmarks.build_counts [--before SRC_OF_ANOTHER_CHECKOUT] [--rounds N] [--only MODEL ...]

Every run is a process of its own, and checkouts take turns. Seconds are those of the processor for `m.build()` with an
empty kernel cache, the best of the rounds. Derivations are counted over build, a run, one quantity of a reaction and a
run with the stiff method, as if no kernel had been kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def thrown_ball() -> tuple[Any, str]:
    """A ball that falls on a road with friction and bounces."""
    import trundle as tr

    m = tr.Model("thrown ball")
    ball = m.body("ball", mass=1.0, inertia=0.004)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
    m.connect(pair, m.ground, ball, name="road", law=tr.Coulomb(0.3), restitution=0.5)
    m.start = {"ball.position": (0, 0, 0.3), "ball.velocity": (2.0, 0, 0)}
    return m, "road.normal_force"


def example(name: str, quantity: str, **sizes: int) -> Callable[[], tuple[Any, str]]:
    """A model of the gallery and a quantity that needs a kernel of its own."""

    def make() -> tuple[Any, str]:
        from trundle import examples

        return examples.find(name).make(**sizes).model, quantity

    return make


MODELS: dict[str, Callable[[], tuple[Any, str]]] = {
    "simple pendulum": example("simple-pendulum", "{}.reaction_force"),
    "four-bar": example("four-bar", "{}.reaction_force"),
    "N-four-bar, N = 10": example("n-four-bar", "{}.reaction_force", N=10),
    "benchmark bicycle": example("benchmark-bicycle", "{}.reaction_force"),
    "chain of 20": example("chain", "{}.reaction_force", n=20),
    "thrown ball": thrown_ball,
}


def child(name: str, what: str) -> None:
    """One measurement: seconds of a build, or the number of derivations of all questions."""
    import trundle.equations.derive as module
    import trundle.system  # noqa: F401  # what a build imports is not part of its time
    from trundle.errors import SolveError
    from trundle.kernel.cache import ObjectCache

    m, quantity = MODELS[name]()
    if what == "seconds":
        began = time.process_time()
        m.build()
        print(json.dumps(time.process_time() - began))
        return
    calls, derive = [0], module.derive

    def counted(*arguments: Any) -> Any:
        calls[0] += 1
        return derive(*arguments)

    for loaded in list(sys.modules.values()):
        if getattr(loaded, "derive", None) is derive:
            loaded.derive = counted
    ObjectCache.load_bundle = lambda self, key: None  # type: ignore[method-assign]
    system = m.build()
    counts = [calls[0]]
    run = system.simulate(0.01)
    counts.append(calls[0])
    run[quantity.format(next(iter(m.connections)))]
    counts.append(calls[0])
    try:
        system.simulate(0.01, method="stiff")
        counts.append(calls[0])
    except SolveError:  # contacts that stick or open
        counts.append(-1)
    print(json.dumps(counts))


def measure(src: Path, name: str, what: str, cache: Path) -> Any:
    """Run one measurement in a new process with the package from `src`."""
    environment = {**os.environ, "PYTHONPATH": f"{src}{os.pathsep}{ROOT}", "TRUNDLE_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "benchmarks.build_counts", "--child", name, what]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print a table in Markdown."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--before", type=Path, help="src of another checkout")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", nargs="+", choices=list(MODELS), default=list(MODELS))
    arguments.add_argument("--child", nargs=2, metavar=("MODEL", "WHAT"))
    given = arguments.parse_args()
    if given.child:
        child(*given.child)
        return
    sides = {"before": given.before, "after": ROOT / "src"} if given.before else {"after": ROOT / "src"}
    columns = [f"{what}, {side}" for what in ("derivations", "build") for side in sides]
    print(f"| model | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only:
            counts = {side: measure(src, name, "counts", Path(folder) / side) for side, src in sides.items()}
            seconds: dict[str, list[float]] = {side: [] for side in sides}
            for turn in range(given.rounds):
                for side, src in list(sides.items())[:: 1 if turn % 2 else -1]:
                    with tempfile.TemporaryDirectory() as empty:
                        seconds[side].append(measure(src, name, "seconds", Path(empty) / "cache"))
            cells = [", ".join("-" if n < 0 else str(n) for n in counts[side]) for side in sides]
            cells += [f"{min(seconds[side]):.2f} s" for side in sides]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
