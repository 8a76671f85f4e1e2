"""Operations of the compiled functions of all example models, which a test compares with operations.yaml.

python tests/examples/operations.py              shows what has changed
python tests/examples/operations.py --write      writes the file anew
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

from trundle import examples
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.kernel import jacobian_tape
from trundle.study.freeze import freeze

FILE = Path(__file__).with_name("operations.yaml")
OTHERS = {  # small examples of each kind: tree, loop, rolling, contact that opens
    "newton_euler": ("ball-in-bowl", "ball-on-step", "dzhanibekov", "fixed-servo-joint", "rolling-disc"),
    "udwadia_kalaba": ("ball-in-bowl", "ball-on-step", "bricard", "four-bar", "rolling-disc", "spatial-slider-crank"),
}
STIFF = ("ball-in-bowl", "chain", "four-bar", "heavy-top", "rolling-disc", "spring-door", "stiff-four-bar")
HEADER = """# Operations of the compiled functions of the example models, written by
#     python tests/examples/operations.py --write
# A test refuses growth by more than 2 %; fewer operations are welcome: write the file anew then.
"""


def cases() -> Iterator[tuple[str, str]]:
    """(example, formalism)."""
    yield from ((name, "kane") for name in examples.names())
    yield from ((name, formalism) for formalism, names in OTHERS.items() for name in names)


def count(name: str, formalism: str) -> dict[str, int]:
    """Operations by function; nothing is compiled."""
    f = Formulation.of(Derivation(freeze(examples.model(name))), formalism)
    found = f.operations()
    if formalism == "kane" and name in STIFF:
        found["jacobian"] = len(jacobian_tape(f.functions.plain_tape).rows)
    return found


@cache
def known() -> dict[str, dict[str, dict[str, int]]]:
    """The numbers on file, by formalism and example."""
    table: dict[str, dict[str, dict[str, int]]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the file anew")
    write = parser.parse_args().write
    found: dict[str, dict[str, dict[str, int]]] = {}
    for name, formalism in cases():
        found.setdefault(formalism, {})[name] = count(name, formalism)
    if write:
        lines = [HEADER.rstrip()]
        for formalism, of in found.items():
            lines.append(f"{formalism}:")
            lines += [
                f"  {name}: {{{', '.join(f'{k}: {v}' for k, v in counts.items())}}}" for name, counts in of.items()
            ]
        FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    before = known()
    for formalism, of in found.items():
        for name, counts in of.items():
            old = before.get(formalism, {}).get(name, {})
            changed = [f"{k} {old.get(k)} -> {v}" for k, v in counts.items() if old.get(k) != v]
            if changed:
                print(f"{name}, {formalism}: {', '.join(changed)}")


if __name__ == "__main__":
    main()
