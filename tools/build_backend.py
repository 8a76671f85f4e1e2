"""Setuptools, and what it needs beyond that to build a wheel: numba makes the time loops then (see setup.py).

An editable install needs none of it at build time, so it is asked for by this hook and not by [build-system].
"""

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

# numba; and what the package imports on the way to its loops.
FOR_LOOPS = ["numba>=0.68", "numpy>=2.0", "scipy>=1.13", "casadi>=3.8"]


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """What a build environment must hold."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *FOR_LOOPS]
