"""Atomic writing of files."""

import os
from pathlib import Path
from secrets import token_hex

from trundle.errors import StoreError


def file_path(given: Path | str) -> Path:
    """The path of a file to be written; one that ends with a slash, which Path drops, is refused as a directory."""
    path = Path(given)
    if str(given).endswith(("/", os.sep)) and not path.is_dir():
        raise StoreError(f"cannot write {given}: this is the name of a directory. Give the name of a file.")
    return path


def check_target(target: Path) -> None:
    """Refuse a path to which nothing can be written."""
    if not target.parent.is_dir():
        raise StoreError(f"cannot write {target}: there is no directory {str(target.parent)!r}. Create it first.")
    if target.is_dir():
        raise StoreError(f"cannot write {target}: this is a directory. Give the name of a file.")


def write_whole(target: Path, content: bytes | memoryview) -> None:
    """Write a temporary file beside the target and move it there: os.replace is atomic within a directory."""
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except PermissionError as error:
        raise StoreError(
            f"cannot write {target}: {error.strerror}. Choose a directory in which you may write."
        ) from error
    except OSError as error:
        raise StoreError(
            f"cannot write {target}: {error}. Look for a full or read-only disk; nothing was left behind."
        ) from error
    finally:
        _remove(part)


def _remove(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:  # the directory went away, and the file with it
        return
