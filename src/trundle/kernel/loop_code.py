"""LLVM bitcode of time loops: shipped with the package, or made by numba once for a source tree."""

import atexit
import hashlib
import lzma
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from trundle.errors import KernelError
from trundle.kernel.cache import USER_CACHE
from trundle.kernel.loop_sources import PACKAGE, digest
from trundle.kernel.ready_code import SHIPPED, ready_code
from trundle.messages.preparing import preparing

if TYPE_CHECKING:
    import subprocess


def environment() -> dict[str, str]:
    """Environment of a process that compiles loops: our own settings of numba, independent of the user's.

    Vectors of four doubles; processors with shorter vectors process them in two halves.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    name = "x86-64-v3" if platform.machine().lower() in ("x86_64", "amd64") else "generic"
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), kept.get("PYTHONPATH")]))
    wanted = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    return {**kept, **wanted, "PYTHONPATH": path}


def file_name(part: str, home: str) -> str:
    """File name of the shipped bitcode of a part; it has the digest of the sources, so that the two always match."""
    return f"{home.removeprefix('trundle.')}.{part}.{digest(home)[:20]}.bc.xz"


def ready_loop(part: str, home: str) -> bytes | None:
    """Shipped object code of a part that runs on this machine, or None."""
    return ready_code(SHIPPED / file_name(part, home))


def loop_code(part: str, home: str) -> tuple[str, Callable[[], bytes]]:
    """A name that identifies this bitcode, and a function that returns it: most runs need only the name, under which
    they find machine code.
    """
    file = SHIPPED / file_name(part, home)
    if file.is_file():
        packed = file.read_bytes()
        return f"shipped {file.name} {hashlib.sha256(packed).hexdigest()}", lambda: lzma.decompress(packed)
    key = f"loop {part} {digest(home)} numba {_numba()} of {environment()['NUMBA_CPU_NAME']}"
    return key, lambda: _of_source_tree(part, home, key)


def _of_source_tree(part: str, home: str, key: str) -> bytes:
    code = USER_CACHE.load_object(f"bitcode {key}")
    if code is None:
        if find_spec("numba") is None:
            raise KernelError(
                f"the time loop {part!r} is not in {SHIPPED}, so this is a source tree, where numba compiles the loops "
                "once; and numba is not installed. Install the package with its extra 'dev', or from a wheel."
            )
        with preparing(f"the time loop {part!r} of this source tree with numba, once"):
            code = _made(part, home)
        USER_CACHE.save_object(f"bitcode {key}", code)
    return code


def _made(part: str, home: str) -> bytes:
    process, code = _worker(os.getpid()), b""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(f"{part} {home}\n".encode())
        process.stdin.flush()
        size = process.stdout.read(8)
        code = process.stdout.read(int.from_bytes(size, "little")) if len(size) == 8 else b""
    finally:
        if not code:  # it failed, or we were interrupted: its next reply would be the code of the wrong part
            process.kill()
            _worker.cache_clear()
    if not code:
        raise KernelError(f"numba could not compile the time loop {part!r} of {home}; its output is above.")
    return bytes(code)


@cache
def _worker(process: int) -> "subprocess.Popen[bytes]":
    """The process in which numba compiles for this one (a forked process has its own); it ends with us."""
    import subprocess  # imported here because an installed package does not need it

    worker = subprocess.Popen(
        [sys.executable, "-m", "trundle.kernel.make_loops"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), start_new_session=True,
    )  # fmt: skip
    atexit.register(_end, worker)
    return worker


def _end(worker: "subprocess.Popen[bytes]") -> None:
    with worker:  # waits for it and closes its pipes
        worker.kill()


def _numba() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("numba")
    except PackageNotFoundError:
        return "none"
