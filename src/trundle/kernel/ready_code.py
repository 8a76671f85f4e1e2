"""Object code of the time loops for the usual kind of machine, shipped beside their bitcode: the first run then
generates none.

One kind is shipped: Linux on x86-64 with AVX2 and FMA, which nearly all servers, laptops and notebooks in a browser
are. It is made for the class of processors and not for one of them; any other machine generates its own from bitcode.
"""

import lzma
import platform
import sys
from pathlib import Path

from trundle.kernel.loop_sources import PACKAGE
from trundle.kernel.lower import Target

SHIPPED = PACKAGE / "kernel" / "loops"
"""Folder of an installed package with the bitcode of its loops; a source tree has none."""
TRIPLE = "x86_64-unknown-linux-gnu"
CPU = "x86-64-v3"
SUFFIX = ".o.xz"
_NEEDED = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
"""What a processor of this class has."""


READY = Target(TRIPLE, CPU, ",".join(f"+{name}" for name in ("avx", *_NEEDED)))
"""The kind that is shipped."""


def serves(system: str, machine: str, features: str) -> bool:
    """Whether the shipped object code runs on a system (as `sys.platform` has it) and processor with these features."""
    has = features.split(",")
    return system == "linux" and machine.lower() == "x86_64" and all(f"+{name}" in has for name in _NEEDED)


def ready_code(bitcode_file: Path) -> bytes | None:
    """Object code that belongs to a file of bitcode, if it is there and runs here."""
    from trundle.kernel.jit import host

    file = place(bitcode_file)
    if not file.is_file() or not serves(sys.platform, platform.machine(), host().features):
        return None
    return lzma.decompress(file.read_bytes())


def place(bitcode_file: Path) -> Path:
    """File of the object code, beside that of the bitcode and with the same digest in its name."""
    return bitcode_file.with_name(bitcode_file.name.removesuffix(".bc.xz") + SUFFIX)


def make_ready_code(bitcode: bytes) -> bytes:
    """Object code for the kind that is shipped, on whatever machine this is."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=CPU, opt=3, jit=True)
    module = llvm.parse_bitcode(bitcode)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return lzma.compress(bytes(machine.emit_object(module)))


def make_ready_object(ir: str) -> bytes:
    """The same of IR text for that kind of machine."""
    from llvmlite import binding as llvm

    from trundle.kernel.jit import emit_object

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return lzma.compress(emit_object(ir, READY))
