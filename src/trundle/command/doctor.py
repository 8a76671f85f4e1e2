"""trundle doctor: information about the machine for bug reports."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "firefox")


def report() -> Iterator[tuple[str, str]]:
    """Lines of name and value: versions, processor, cache, browser."""
    from trundle.version import __version__

    yield "trundle", __version__
    yield "python", f"{platform.python_version()} ({sys.executable})"
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield from _processor()
    yield from _cache()
    for name in _dependencies():
        yield name, _version(name)
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    yield "browser", browser or "none found; run.show() prints the address of its page"


def _processor() -> Iterator[tuple[str, str]]:
    import llvmlite.binding as llvm

    from trundle.kernel.jit import host_lanes

    yield "processor", f"{llvm.get_host_cpu_name()}, {os.cpu_count()} cores, {host_lanes()} lanes"


def _cache() -> Iterator[tuple[str, str]]:
    from trundle.kernel.cache import USER_CACHE

    path = USER_CACHE.path
    if not path.is_dir():
        yield "kernel cache", f"{path}, empty: `trundle warm` fills it, or else the first runs do"
        return
    sizes = [file.stat().st_size for file in path.rglob("*") if file.is_file()]
    writable = "" if os.access(path, os.W_OK) else ", NOT WRITABLE: every run compiles anew"
    yield "kernel cache", f"{path}, {len(sizes)} files, {sum(sizes) / 2**20:.0f} MB{writable}"


def _dependencies() -> list[str]:
    """Names of required packages, and of optional ones that are useful in a report."""
    try:
        needed = [text.split(";")[0] for text in requires("trundle") or () if "extra ==" not in text]
    except PackageNotFoundError:
        needed = ["numpy", "scipy", "casadi", "llvmlite", "xarray"]
    names = ["".join(c if c.isalnum() or c in "-_." else " " for c in text).split()[0] for text in needed]
    return [*names, "numba", "distributed", "imageio-ffmpeg", "pythonfmu", "trimesh"]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
