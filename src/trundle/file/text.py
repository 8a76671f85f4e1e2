"""Text of a file, with limits on its size; only regular files are read."""

from pathlib import Path
from stat import S_ISREG

from trundle.errors import FileError
from trundle.file.tree import MAX_BYTES

EXAMPLE = "An example of that name comes by tr.examples.load({name!r}).model."


def read_text(path: Path, otherwise: str = EXAMPLE) -> str:
    """Content of a text file in UTF-8; FileError when it cannot be read or is too large. `otherwise` says where a model
    of that name may be found, if there is no such file and the name has no ending.
    """
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
        example = "" if path.suffix else " " + otherwise.format(name=path.name)
        raise FileError(f"{path}: cannot be read: {error.strerror or error}.{example}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: this is not a text file in UTF-8 (byte {error.start}).") from error
