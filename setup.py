"""Builds the wheel: the time loops are compiled to LLVM bitcode by numba here, so that its users need no numba.

All the rest is in pyproject.toml, but for the README, whose links need whole addresses on an index.
"""

import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tools.index_page import index_page, repository  # noqa: E402


class BuildWithLoops(build_py):
    """Copies the package, then makes its loops; an editable install makes each when it is first needed instead."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            from trundle.kernel.loop_code import environment

            folder = Path(self.build_lib).resolve() / "trundle" / "kernel" / "loops"
            command = [sys.executable, "-m", "trundle.kernel.make_loops", str(folder)]
            # In src, so that the package is found although pip takes what is installed out of the path.
            subprocess.run(command, env=environment(), cwd=ROOT / "src", check=True)


def version() -> str:
    text = (ROOT / "src" / "trundle" / "version.py").read_text(encoding="utf-8")
    return text.partition('__version__ = "')[2].partition('"')[0]


url = repository()
setup(
    cmdclass={"build_py": BuildWithLoops},
    version=version(),
    long_description=index_page(url, version()),
    long_description_content_type="text/markdown",
    project_urls={"Repository": url, "Changelog": f"{url}/blob/main/CHANGELOG.md"} if url else {},
)
