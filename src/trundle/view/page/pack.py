"""Numbers for a page: a JSON header and a sequence of bytes, deflated, in base64."""

import base64
import json
import zlib
from typing import Final

import numpy as np

from trundle.typing import Raw

ALIGN: Final = 8  # bytes at which every array begins
SINGLE: Final = frozenset({"quaternions", "vertices", "normals", "stripes", "vectors"})  # single precision is enough


def pack(value: Raw) -> str:
    """Lists, dicts, texts, numbers and arrays as text that `data.js` reads."""
    arrays: list[bytes] = []
    header = json.dumps(_plain(value, "", arrays), ensure_ascii=False, allow_nan=False).encode()
    body = len(header).to_bytes(8, "little") + header + bytes(-len(header) % ALIGN) + b"".join(arrays)
    return base64.b64encode(zlib.compress(body, 6)).decode()


def unpack(text: str) -> Raw:
    """The inverse of `pack`; arrays are flat."""
    body = zlib.decompress(base64.b64decode(text))
    length = int.from_bytes(body[:8], "little")
    start = 8 + length + (-length % ALIGN)

    def revive(value: Raw) -> Raw:
        if isinstance(value, list):
            return [revive(v) for v in value]
        if isinstance(value, dict):
            if "$" in value:
                kind, offset, count = value["$"]
                return np.frombuffer(body, f"<{kind}", count, start + offset)
            return {name: revive(v) for name, v in value.items()}
        return value

    return revive(json.loads(body[8 : 8 + length]))


def _plain(value: Raw, name: str, arrays: list[bytes]) -> Raw:
    if isinstance(value, dict):
        return {str(k): _plain(v, str(k), arrays) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, name, arrays) for v in value]
    if isinstance(value, np.ndarray) and (value.size > 3 or name in ("states", "t", "y")):
        kind = _kind(name)
        data = np.ascontiguousarray(value, dtype=f"<{kind}").tobytes()
        offset = sum(map(len, arrays))
        arrays.append(data + bytes(-len(data) % ALIGN))
        return {"$": [kind, offset, value.size]}
    if isinstance(value, np.ndarray | np.number | np.bool_):
        return value.tolist()
    return value


def _kind(name: str) -> str:
    if name == "triangles":
        return "u4"
    if name == "states":
        return "u1"
    return "f4" if name in SINGLE else "f8"
