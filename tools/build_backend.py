"""Setuptools with the additional requirements of building a wheel, for which numba compiles the time loops (setup.py).

An editable install does not need them, so they are declared by this hook and not in [build-system].
"""

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

# numba; and what the package imports on the way to its loops.
FOR_LOOPS = ["numba>=0.68", "numpy>=2.0", "scipy>=1.13", "casadi>=3.8"]


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """Requirements of the build environment of a wheel."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *FOR_LOOPS]
