"""make wheel-test: the source package, and the wheel made from it, in clean environments outside the repository.

For each Python from 3.11 to 3.13 on this machine: install, `trundle --version` and `trundle doctor`, first runs with an
empty cache and without numba, an example by the command line, then the README, "Getting started" and all tutorials in
empty folders. A Python that is not here is skipped with words.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
FIRST_RUNS = """
import importlib.util, pathlib, time
began = time.process_time()
import trundle as tr
imported = time.process_time()
assert importlib.util.find_spec("numba") is None and "site-packages" in tr.__file__
m = tr.Model("pendulum")
m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
run = m.build().simulate(5.0, {"bob.angle": 1.0})
assert run.ok and run.energy.drift < 1e-8
run.save_movie("swing.gif", fps=2)
swung = time.process_time()
m = tr.Model("ball")
ball = m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.5))
m.connect(pair, m.ground, ball, law=tr.Coulomb(0.3), unilateral=True, restitution=tr.Newton(0.5))
assert m.build().simulate(2.0, {"ball.gap": 1.0, "ball.x_rate": 1.0}).ok
bounced = time.process_time()
parts = (imported - began, swung - imported, bounced - swung)
print("seconds of processor time: import {:.2f}, first pendulum {:.2f}, first collision {:.2f}".format(*parts))
"""


PAGES = """
import pathlib, sys, tempfile
sys.path.append(sys.argv[1])
from page_code import DOCS, run_page
for page in (DOCS.parent / "README.md", DOCS / "getting-started.md", *sorted((DOCS / "tutorials").glob("*.md"))):
    with tempfile.TemporaryDirectory() as folder:
        run_page(page, pathlib.Path(folder))
    print("runs from the wheel:", page.name, file=sys.stderr)
"""


def call(*command: str | Path, cwd: Path, stdout: TextIO | None = None, **more: str) -> None:
    """Run a command in an environment without this repository; `more` are environment variables."""
    own = ("PYTHONPATH", "VIRTUAL_ENV", "TRUNDLE_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in own}
    subprocess.run([str(word) for word in command], cwd=cwd, env={**environment, **more}, check=True, stdout=stdout)


def build(folder: Path) -> Path:
    """A wheel made from the source package of all tracked files."""
    copy = folder / "copy"
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    tools = folder / "tools"
    call(sys.executable, "-m", "venv", tools, cwd=folder)
    call(tools / "bin" / "pip", "install", "-q", "build", cwd=folder)
    with open(os.devnull, "w") as silence:
        call(tools / "bin" / "python", "-m", "build", "--sdist", "-o", folder, copy, cwd=folder, stdout=silence)
    (source,) = folder.glob("*.tar.gz")
    print(f"{source.name}: {source.stat().st_size / 1e6:.1f} MB", flush=True)
    call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def try_wheel(wheel: Path, python: str, folder: Path) -> None:
    """Install and run with one Python."""
    home = folder / f"environment-{Path(python).name}"
    call(python, "-m", "venv", home, cwd=folder)
    call(home / "bin" / "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, cwd=folder)
    call(home / "bin" / "pip", "check", cwd=folder)
    cache = {"TRUNDLE_CACHE_DIR": str(home / "cache")}
    call(home / "bin" / "trundle", "--version", cwd=folder)
    call(home / "bin" / "python", "-c", FIRST_RUNS, cwd=folder, **cache)
    call(home / "bin" / "trundle", "doctor", cwd=folder, **cache)
    call(home / "bin" / "trundle", "run", "four-bar", "--out", home / "out", cwd=folder, **cache)
    with open(os.devnull, "w") as silence:
        call(
            home / "bin" / "python", "-c", PAGES, ROOT / "tools", cwd=folder, stdout=silence, MPLBACKEND="Agg", **cache
        )
    weight = sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / 1e6
    print(f"{python}: works; the environment takes {weight:.0f} MB", flush=True)


def find_python(version: str) -> str | None:
    """A Python of this version that runs: by its name, else among those that pyenv or uv have installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    uv = Path.home() / ".local" / "share" / "uv" / "python"
    name = f"python{version}"
    found = [shutil.which(name), *pyenv.glob(f"{version}.*/bin/{name}"), *uv.glob(f"cpython-{version}.*/bin/{name}")]
    for python in map(str, filter(None, found)):
        # A name may be a shim of a version manager for a Python that is not installed or not active.
        if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def main() -> None:
    """Test all Python versions of this machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        for version in PYTHONS:
            python = find_python(version)
            if python:
                try_wheel(wheel, python, folder)
            else:
                print(f"python{version}: not on this machine, skipped")


if __name__ == "__main__":
    main()
