"""Cache of object code on disk, so that a known model needs neither derivation nor compilation.

Failures of the cache are harmless: what cannot be read is compiled again, what cannot be written is not cached. Its
entries are executed as machine code, so a directory or an entry that another user could have written is not used.
"""

import hashlib
import json
import os
import stat
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import llvmlite

from trundle.kernel.jit import Kernel, Shape, code_options, host, load_kernels
from trundle.messages.warn import warn
from trundle.typing import Settings
from trundle.version import __version__

_MAGIC = b"trundle kernel 2\n"
_DIGEST_SIZE = hashlib.sha256().digest_size
_SHARE = 16  # the directory is scanned again when 1/16 of its limit was written, and is shrunk to 2/16 below the limit
SHAPING = (
    "space", "laws", "pairs", "contact", "model", "graph", "quantities", "motion", "constraints", "linear_algebra",
    "equations", "kernel", "lookup", "symbols", "bicycle", "rail", "walker",
)  # fmt: skip
"""Folders whose code and data (with the files in ALONE) influence kernels; compiled models stay valid if others are
edited.
"""
ALONE = ("math.py", "derivative.py", "quantity.py")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class CacheWarning(UserWarning):
    """The kernel cache could not be used; everything works, but kernels are compiled again."""


@dataclass(frozen=True)
class Bundle:
    """The kernels of a model as object code, with metadata of the caller."""

    code: bytes = field(repr=False)
    shapes: tuple[Shape, ...]
    meta: Settings = field(default_factory=dict)

    def load(self) -> dict[str, Kernel]:
        """Put the kernels into memory."""
        return load_kernels(self.code, self.shapes)


@dataclass(frozen=True)
class ObjectCache:
    """Directory of object code; the least recently used entries are deleted when it grows beyond `limit` bytes.

    Without a directory: TRUNDLE_CACHE_DIR, else the user's cache directory of the platform, looked up at each use.
    """

    directory: Path | None = None
    limit: int = 512 * 2**20
    _reported: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    # Directory -> bytes in it at the last scan, and bytes written since.
    _counted: dict[Path, tuple[int, int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def path(self) -> Path:
        """The directory in use."""
        return user_directory() if self.directory is None else Path(self.directory)

    def load_object(self, ir: str) -> bytes | None:
        """Object code of this IR for this processor, or None."""
        payload = self._read(self._file("object", ir, *_platform()))
        return None if payload is None else bytes(payload)

    def save_object(self, ir: str, code: bytes) -> None:
        """Store the object code of this IR."""
        self._write(self._file("object", ir, *_platform()), code)

    def load_bundle(self, key: str) -> Bundle | None:
        """The bundle stored under this key by this version of Trundle on this processor, or None."""
        file = self._file("bundle", key, *_platform(), _sources())
        payload = self._read(file)
        if payload is None:
            return None
        size = int.from_bytes(payload[:8], "little")
        try:
            head = json.loads(bytes(payload[8 : 8 + size]))
            return Bundle(bytes(payload[8 + size :]), tuple(Shape(**s) for s in head["shapes"]), dict(head["meta"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            self._tell_damaged(file)
            return None

    def save_bundle(self, key: str, bundle: Bundle) -> None:
        """Store a bundle; its meta must be serialisable as JSON."""
        head = json.dumps({"meta": dict(bundle.meta), "shapes": [asdict(s) for s in bundle.shapes]}).encode()
        file = self._file("bundle", key, *_platform(), _sources())
        self._write(file, len(head).to_bytes(8, "little"), head, bundle.code)

    def _file(self, kind: str, *parts: str) -> Path:
        digest = hashlib.sha256(_MAGIC)  # entries of another format are never found
        for part in parts:
            digest.update(len(part).to_bytes(8, "little") + part.encode())
        return self.path / f"{digest.hexdigest()}.{kind}"

    def _read(self, file: Path) -> memoryview | None:
        if not self._is_own(file.parent):
            return None
        try:
            with file.open("rb") as stream:
                if not _is_writable_by_user_only(os.fstat(stream.fileno())):
                    self._tell("has an entry that another user has written or may write", f"{file.name}, made anew")
                    return None
                data = stream.read()
        except FileNotFoundError:
            return None
        except (OSError, MemoryError) as error:
            self._tell("cannot be read", str(error))
            return None
        start = len(_MAGIC) + _DIGEST_SIZE
        payload = memoryview(data)[start:]
        if data[:start] != _MAGIC + _seal(file, payload):
            self._tell_damaged(file)
            return None
        try:
            os.utime(file)  # marks it as recently used
        except OSError:
            return payload
        return payload

    def _write(self, file: Path, *payload: bytes) -> None:
        """Atomic write: to a temporary file, which is then renamed."""
        temporary: str | None = None
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_own(file.parent):
                return
            handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
            with os.fdopen(handle, "wb") as stream:
                stream.write(_MAGIC + _seal(file, *payload))
                stream.writelines(payload)
            os.replace(temporary, file)
            temporary = None
            self._count(file, len(_MAGIC) + _DIGEST_SIZE + sum(map(len, payload)))
        except OSError as error:
            self._tell("cannot be written", str(error))
        finally:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)

    def _is_own(self, directory: Path) -> bool:
        """Whether only this user can write to the directory; with a warning if others can."""
        try:
            status = directory.stat()
        except OSError:  # what is done next reports it
            return True
        if _is_writable_by_user_only(status):
            return True
        why = "other users may write it" if _is_ours(status) else "it belongs to another user"
        self._tell(
            "is not used",
            f"it holds machine code that would be run, and {why}",
            f"Look whose it is; if all in it is yours, `chmod go-w {directory}` lets it be used, else set "
            "TRUNDLE_CACHE_DIR to a directory that only you can write",
        )
        return False

    def _count(self, file: Path, size: int) -> None:
        """Update the size of the directory, without a scan of all files at every write, which would be slow."""
        total, since = self._counted.get(file.parent, (0, self.limit))
        total, since = total + size, since + size
        if total > self.limit or since > self.limit // _SHARE:
            total, since = self._shrink(file), 0
        self._counted[file.parent] = total, since

    def _shrink(self, keep: Path) -> int:
        """Remove the least recently used entries if the limit is exceeded; return the number of bytes left."""
        entries = []
        with os.scandir(keep.parent) as found:
            for entry in found:
                if entry.name.endswith((".object", ".bundle", ".part")):
                    try:
                        status = entry.stat()
                    except FileNotFoundError:  # deleted by another process
                        continue
                    entries.append((status.st_mtime_ns, status.st_size, entry.path))
        total = sum(size for _, size, _ in entries)
        if total <= self.limit:
            return total
        for _, size, path in sorted(entries):
            if total <= self.limit - 2 * self.limit // _SHARE:
                break
            if Path(path) != keep:
                Path(path).unlink(missing_ok=True)
                total -= size
        return total

    def _tell_damaged(self, file: Path) -> None:
        self._tell("has a damaged entry", f"{file.name}, which is made anew")

    def _tell(
        self, what: str, detail: str, remedy: str = "Set TRUNDLE_CACHE_DIR to a directory that can be written"
    ) -> None:
        if what not in self._reported:
            self._reported.add(what)
            warn(
                f"the kernel cache {self.path} {what} ({detail}). Results are not affected, only compile time. "
                f"{remedy}.",
                CacheWarning,
            )


def _seal(file: Path, *payload: bytes | memoryview) -> bytes:
    """Digest of an entry and of its file name, so that a renamed entry is not accepted."""
    digest = hashlib.sha256(file.name.encode())
    for part in payload:
        digest.update(part)
    return digest.digest()


USER_CACHE = ObjectCache()


def _is_ours(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _is_writable_by_user_only(status: os.stat_result) -> bool:
    """Whether only this user can write a file or directory; on Windows, without owner and mode, this is assumed."""
    return not hasattr(os, "geteuid") or (_is_ours(status) and not status.st_mode & _OTHERS_WRITE)


def user_directory() -> Path:
    """TRUNDLE_CACHE_DIR, or else the platform's directory for caches of a user."""
    own = os.environ.get("TRUNDLE_CACHE_DIR")
    if own:
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "trundle" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "trundle"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trundle"


@cache
def _platform() -> tuple[str, ...]:
    target = host()
    options = json.dumps(code_options(target), sort_keys=True)
    return target.triple, options, llvmlite.__version__, __version__


@cache
def _sources() -> str:
    """Digest of the code and data that influence kernels, so that kernels made by older ones are not used."""
    digest = hashlib.sha256()
    for path in _shaping_files(Path(__file__).parents[1]):
        with open(path, "rb") as stream:
            text = stream.read()
        digest.update(f"{len(text)} ".encode() + text)
    return digest.hexdigest()


def _shaping_files(package: Path) -> list[str]:
    """Files of the folders in SHAPING, sorted (scandir takes half the time of rglob, at every start)."""
    found = [str(package / name) for name in ALONE]
    folders = [str(package / name) for name in SHAPING]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".toml")):
                    found.append(entry.path)
                elif entry.is_dir():
                    folders.append(entry.path)
    return sorted(found)
