"""Other multibody codes, run on the same models; each is optional."""

from __future__ import annotations

import importlib
from types import ModuleType

NAMES = ("pinocchio", "mujoco", "exudyn")
MISSING = "not installed: pip install 'trundle[peers]'"


def load(name: str, part: str = "") -> ModuleType | None:
    """The module that drives one peer, or None (and one line on the terminal) where the peer is not installed.

    What does not belong to the chain and the four-bar has a module of its own: load("exudyn", "bicycle").
    """
    if name not in NAMES:
        raise ValueError(f"no peer is called {name!r}; choose from {', '.join(NAMES)}")
    try:
        return importlib.import_module(f"{__name__}.{name}_{part}")
    except ModuleNotFoundError as fault:
        if fault.name is not None and fault.name.startswith("benchmarks"):
            raise
        print(f"{name}: {MISSING}")
        return None
