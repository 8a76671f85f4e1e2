"""Text of a file, with limits on its size; only regular files are read."""

from pathlib import Path
from stat import S_ISREG

from trundle.errors import FileError
from trundle.file.tree import MAX_BYTES


def read_text(path: Path) -> str:
    """Content of a text file in UTF-8; FileError if it cannot be read or is too large."""
    try:
        if not S_ISREG(path.stat().st_mode):  # a device or pipe has no end
            raise FileError(f"{path}: cannot be read: it is a directory, device or pipe, not a file.")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)  # the size of files in /proc and of growing files is unknown
        if len(content) > MAX_BYTES:
            raise FileError(f"{path}: the file is larger than {MAX_BYTES} bytes; build large models in Python.")
        return content.decode("utf-8")
    except OSError as error:
        if "\n" in str(path):
            raise FileError(
                "give the path of a file, not its text: write the text to a file such as model.yaml."
            ) from None
        example = "" if path.suffix else f" An example of that name comes by tr.examples.load({path.name!r}).model."
        raise FileError(f"{path}: cannot be read: {error.strerror or error}.{example}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: this is not a text file in UTF-8 (byte {error.start}).") from error
