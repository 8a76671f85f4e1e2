"""Kernels stored on disk under a key of their owner: tapes with their programs, and machine code if generated."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from trundle.errors import KernelError
from trundle.kernel.cache import USER_CACHE, Bundle
from trundle.kernel.compile import compile_tapes
from trundle.kernel.fuse import fuse
from trundle.kernel.jit import Kernel, Shape
from trundle.kernel.program import STEP, Program, program
from trundle.kernel.rows_call import SOLVE
from trundle.kernel.rows_node import load_solver
from trundle.kernel.tape import Tape, buffer_places
from trundle.kernel.tiers import BUSY, BUSY_AGAIN, Threaded, load_threaded
from trundle.typing import Settings, Untyped

_INDEX = np.dtype("<i4")
_NUMBER = np.dtype("<f8")


def load_stored(key: str, owner: str = "") -> dict[str, Kernel] | None:
    """The kernels stored under a key; None if there are none, or if they cannot be used. `owner` appears in messages
    while machine code is generated.
    """
    bundle = USER_CACHE.load_bundle(f"tapes {key}")
    try:
        return None if bundle is None else _load(key, bundle, owner, again=True)
    except (KernelError, RuntimeError, ValueError, KeyError, TypeError, IndexError):
        return None


def store_and_load(key: str, tapes: Mapping[str, Tape], lanes: int = 1, owner: str = "") -> dict[str, Kernel]:
    """Kernels of tapes, which are stored under the key."""
    bundle = _packed(tapes, lanes)
    USER_CACHE.save_bundle(f"tapes {key}", bundle)
    return _load(key, bundle, owner, again=False)


def _load(key: str, bundle: Bundle, owner: str, again: bool) -> dict[str, Kernel]:
    kernels: dict[str, Kernel] = {}
    busy = BUSY_AGAIN if again else BUSY
    threaded: dict[str, Threaded] = {}
    for shape in bundle.shapes:
        own_key, part = f"code {key} {shape.name}", bundle.meta[shape.name]
        if SOLVE in part["names"]:
            load_solver()
        code = USER_CACHE.load_bundle(own_key) if again else None
        if code is not None:
            kernels |= code.load()
            continue
        generate = partial(_machine_code, own_key, shape, bundle.code, part)
        threaded[shape.name] = Threaded(shape, _program(bundle.code, part), generate, busy, owner)
    return kernels | (load_threaded(threaded) if threaded else {})


def _machine_code(key: str, shape: Shape, data: bytes, part: Settings) -> Kernel:
    bundle = compile_tapes({shape.name: _tape(data, part, shape)}, shape.lanes)
    USER_CACHE.save_bundle(key, bundle)
    return bundle.load()[shape.name]


# -- on disk -----------------------------------------------------------------------------------------------------------


def _packed(tapes: Mapping[str, Tape], lanes: int) -> Bundle:
    """All arrays in one sequence of bytes; their offsets are in the meta of the bundle."""
    parts: list[bytes] = []

    def put(values: Untyped, kind: Untyped) -> tuple[int, int]:
        array = np.asarray(values, kind)
        start = sum(map(len, parts))
        parts.extend((array.tobytes(), bytes(-array.nbytes % 8)))
        return start, array.size

    shapes, meta = [], {}
    for name, given in tapes.items():
        tape = fuse(given)
        steps = program(tape)
        meta[name] = {
            "operations": put(tape.rows, _INDEX),
            "constants": put(tape.constants, _NUMBER),
            "outputs": put(tape.outputs, _INDEX),
            "names": steps.names,
            "steps": put(steps.steps, STEP),
            "places": steps.n_places,
        }
        # Enough for the steps, and for machine code, which stores each value at most once.
        work_size = max(steps.n_places, buffer_places(tape, len(tape.rows))[1])
        shapes.append(Shape(name, lanes, tape.n_x, tape.n_p, len(tape.outputs), work_size))
    return Bundle(b"".join(parts), tuple(shapes), meta)


def _array(data: bytes, at: tuple[int, int], kind: Untyped) -> np.ndarray:
    return np.frombuffer(data, kind, at[1], at[0])


def _program(data: bytes, part: Settings) -> Program:
    constants = _array(data, part["constants"], _NUMBER)
    return Program(tuple(part["names"]), _array(data, part["steps"], STEP), constants, part["places"])


def _tape(data: bytes, part: Settings, shape: Shape) -> Tape:
    return Tape(
        shape.name,
        shape.n_x,
        shape.n_p,
        _array(data, part["operations"], _INDEX).reshape(-1, 3).astype(np.int64),
        tuple(_array(data, part["constants"], _NUMBER).tolist()),
        tuple(_array(data, part["outputs"], _INDEX).tolist()),
    )
