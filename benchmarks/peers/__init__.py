"""Other multibody codes, run on the same models; each is optional."""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np

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


def disagreement(n: int, seed: int = 0) -> float:
    """Largest relative difference between Pinocchio's and MuJoCo's accelerations of one random state of the chain."""
    pinocchio, mujoco = load("pinocchio"), load("mujoco")
    if pinocchio is None or mujoco is None:
        raise RuntimeError(f"comparing Pinocchio with MuJoCo needs both; {MISSING}")
    random = np.random.default_rng(seed)
    q, u = random.uniform(-1.0, 1.0, n), random.uniform(-1.0, 1.0, n)
    first, second = pinocchio.chain_acceleration(n, q, u), mujoco.chain_acceleration(n, q, u)
    return float(np.abs(first - second).max() / np.abs(first).max())
