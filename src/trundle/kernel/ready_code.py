"""Object code of the time loops for the most common kind of machine, shipped with their bitcode, so that the first run
need not generate any.

That kind is Linux on x86-64 with AVX2 and FMA: nearly all servers, laptops and hosted notebooks. The code is made for
this class of processors, not for a particular one; other machines generate their own from bitcode.
"""

import lzma
import platform
import sys
from pathlib import Path

from trundle.kernel.loop_sources import PACKAGE
from trundle.kernel.lower import Target

SHIPPED = PACKAGE / "kernel" / "loops"
"""Folder with the bitcode of the loops in an installed package; a source tree does not have it."""
TRIPLE = "x86_64-unknown-linux-gnu"
CPU = "x86-64-v3"
SUFFIX = ".o.xz"
_NEEDED = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
"""Required features of the processor."""


READY = Target(TRIPLE, CPU, ",".join(f"+{name}" for name in ("avx", *_NEEDED)))
"""The kind of machine for which code is shipped."""


def serves(system: str, machine: str, features: str) -> bool:
    """Whether the shipped object code runs on a system (`sys.platform`) and processor with these features."""
    has = features.split(",")
    return system == "linux" and machine.lower() == "x86_64" and all(f"+{name}" in has for name in _NEEDED)


def ready_code(bitcode_file: Path) -> bytes | None:
    """Shipped object code of a bitcode file, if it exists and runs on this machine."""
    from trundle.kernel.jit import host

    file = place(bitcode_file)
    if not file.is_file() or not serves(sys.platform, platform.machine(), host().features):
        return None
    return lzma.decompress(file.read_bytes())


def place(bitcode_file: Path) -> Path:
    """File of the object code, in the folder of the bitcode file and with the same digest in its name."""
    return bitcode_file.with_name(bitcode_file.name.removesuffix(".bc.xz") + SUFFIX)


def make_ready_code(bitcode: bytes) -> bytes:
    """Compressed object code for the shipped kind of machine, from bitcode; works on any machine."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=CPU, opt=3, jit=True)
    module = llvm.parse_bitcode(bitcode)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return lzma.compress(bytes(machine.emit_object(module)))


def make_ready_object(ir: str) -> bytes:
    """Compressed object code for the shipped kind of machine, from IR text."""
    from llvmlite import binding as llvm

    from trundle.kernel.jit import emit_object

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return lzma.compress(emit_object(ir, READY))
