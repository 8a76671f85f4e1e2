"""Model files damaged at random: as text, and as the tree of their fields."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import trundle.examples

FILES = sorted(Path(trundle.examples.__file__).parent.glob("*.yaml"))
TEXTS = [file.read_text(encoding="utf-8") for file in FILES]

VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 1e308, -1e-308, float("nan"), float("inf"), 10**40, "", " ", "nan", "inf", "1e400",
    "t", "q", "u", "pi", "x", "ground", "1/0", "sqrt(-1)", "log(0)", "2**10000", "9**9**9", "(((((", ")", "sin",
    "sin()", "sin(1,2)", "where(t > 1, 1, 0)", "where(1)", "step(t - 1)", "a.b.c", "bob.angle", "`left", "`a b`.x",
    "__import__('os')", "lambda: 1", "f'{t}'", "1 if t else 0", "t < 1 < 2", "not t", "t == t", "x" * 300,
    "+" * 3000, "\u00e9\u4e2d\U0001f600", "$_{^$", "<script>", "a\tb", "a\nb", [], {}, [[]], [None], [0, 0, 0],
    [1, 2], ["x", "y", "z"], {"": 1}, {"x": None}, {"spring": 1}, {"servo": "t"}, {"motor": "q*u"}, "NoSlip",
    ["NoSlip", "NoSpin"], "locked", "open", {"Torus": {"radius": -1}}, {"body": "ground", "at": [0, 0, 0]},
    {"axis": [0, 0, 0], "angle": 1}, "Revolute", "HigherPair", "Free", "stiff",
]  # fmt: skip
CHARACTERS = list("{}[]:,#&*!|>'\"%@`-+. \n\t0159eEabtxyz_()^/<=\\\x00\x7f\u2028\ufeff")

DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # those of libyaml, where there is one
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def mutated(rng: np.random.Generator) -> str:
    """An example file with one to four changes."""
    text = TEXTS[int(rng.integers(len(TEXTS)))]
    if rng.random() < 0.5:
        tree = copy.deepcopy(_tree(text))
        for _ in range(int(rng.integers(1, 4))):
            tree = _change_tree(tree, rng)
        return str(yaml.dump(tree, Dumper=DUMPER, allow_unicode=True, sort_keys=False))
    for _ in range(int(rng.integers(1, 5))):
        text = _change_text(text, rng)
    return text


@cache
def _tree(text: str) -> Any:
    return yaml.load(text, Loader=LOADER)


def _change_tree(tree: Any, rng: np.random.Generator) -> Any:
    """One field replaced, removed, renamed, doubled or wrapped."""
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    if isinstance(tree, dict | list):
        walk(tree)
    if not places:
        return VALUES[int(rng.integers(len(VALUES)))]
    node, key = places[int(rng.integers(len(places)))]
    other_node, other_key = places[int(rng.integers(len(places)))]
    kind = int(rng.integers(7))
    if kind <= 2:
        node[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    elif kind == 3:
        del node[key]
    elif kind == 4:
        node[key] = copy.deepcopy(other_node[other_key])
    elif kind == 5 and isinstance(node, dict):
        node[str(VALUES[int(rng.integers(len(VALUES)))])] = node.pop(key)
    else:
        node[key] = [node[key]] if rng.random() < 0.5 else {"x": node[key]}
    return tree


def _change_text(text: str, rng: np.random.Generator) -> str:
    """Characters or lines put in, taken out, doubled, exchanged or cut off."""
    lines, kind = text.split("\n"), int(rng.integers(8))
    i, j = (int(rng.integers(len(lines))) for _ in range(2))
    at = int(rng.integers(len(text) + 1))
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        lines.insert(i, lines[j])
    elif kind == 2:
        del lines[i]
    elif kind == 3:
        lines[i] = " " * int(rng.integers(0, 5)) + lines[i].strip()
    elif kind == 4:
        return text[:at] + CHARACTERS[int(rng.integers(len(CHARACTERS)))] + text[at:]
    elif kind == 5:
        return text[:at] + text[at + int(rng.integers(1, 6)) :]
    elif kind == 6:
        value = VALUES[int(rng.integers(len(VALUES)))]
        word = lines[i].split(":")
        lines[i] = ":".join(word[:-1]) + f": {value}"
    else:
        return text[:at]
    return "\n".join(lines)
