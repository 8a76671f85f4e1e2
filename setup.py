"""Builds the wheel: the time loops are compiled to LLVM bitcode by numba here, so that its users need no numba.

All the rest is in pyproject.toml.
"""

import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithLoops(build_py):
    """Copies the package, then makes its loops; an editable install makes each when it is first needed instead."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib).resolve() / "trundle" / "kernel" / "loops"
            command = [sys.executable, "-m", "trundle.kernel.make_loops", str(folder)]
            subprocess.run(command, env=_environment(), cwd=ROOT, check=True)


def _environment() -> dict[str, str]:
    sys.path.insert(0, str(ROOT / "src"))
    try:
        from trundle.kernel.make_loops import environment
    finally:
        sys.path.pop(0)
    return environment()


setup(cmdclass={"build_py": BuildWithLoops})
