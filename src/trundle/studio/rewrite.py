"""Changing values in a model file: only the numbers change, comments and layout remain."""

from pathlib import Path
from typing import Final

import yaml

from trundle.errors import FileError
from trundle.file.read import ModelFile, read_model
from trundle.studio.request import Settings
from trundle.typing import Values

INDENT: Final = "  "
REFUSED: Final = (
    "the values cannot be written into this file without changing other contents (a value that is used twice?). "
    "Save the script, which contains them, or edit the file by hand."
)

Edit = tuple[int, int, str]  # from, to, new text


def with_values(text: str, settings: Settings, folder: Path | None = None) -> str:
    """The text of a YAML model with parameters, start values and duration as the settings say.

    The result is read again; FileError if other contents have changed.
    """
    before = read_model(text, "model", settings.parameters, folder)
    root = yaml.compose(text, yaml.SafeLoader)  # as read_model has read it: small enough, and a mapping
    assert isinstance(root, yaml.MappingNode)
    edits: list[Edit] = []
    for name, value in settings.parameters.items():
        node = _at(root, "parameters", name)
        if isinstance(node, yaml.MappingNode):
            node = _at(node, "value")
        if node is None:
            raise FileError(f"the file has no parameter {name!r}.")
        edits.append((node.start_mark.index, node.end_mark.index, repr(value)))
    edits += _entries(text, root, "start", dict(settings.start))
    if before.run.duration != settings.duration:
        edits += _entries(text, root, "run", {"duration": settings.duration})
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    _check(text, settings, before, folder)
    return text


def _at(node: yaml.Node | None, *path: str) -> yaml.Node | None:
    for part in path:
        if not isinstance(node, yaml.MappingNode):
            return None
        node = next((value for key, value in node.value if key.value == part), None)
    return node


def _entries(text: str, root: yaml.MappingNode, section: str, values: Values) -> list[Edit]:
    """Edits that give a section these entries: in place, after the other entries, or in a new section at the end."""
    node = _at(root, section)
    edits, new = [], {}
    for name, value in values.items():
        here = _at(node, name)
        if here is None:
            new[name] = value
        else:
            edits.append((here.start_mark.index, here.end_mark.index, repr(value)))
    if not new:
        return edits
    pairs = [f"{_key(name)}: {value!r}" for name, value in new.items()]
    if not isinstance(node, yaml.MappingNode) or not node.value:
        if node is not None:  # `start:` or `start: {}` without entries
            return [*edits, (node.start_mark.index, node.end_mark.index, f" {{{', '.join(pairs)}}}")]
        lines = "".join(f"{INDENT}{pair}\n" for pair in pairs)
        return [*edits, (len(text), len(text), f"{'' if text.endswith(chr(10)) else chr(10)}\n{section}:\n{lines}")]
    last = node.value[-1][1].end_mark.index
    if node.flow_style:
        return [*edits, (last, last, "".join(f", {pair}" for pair in pairs))]
    first = node.value[0][0].start_mark
    return [*edits, (first.index, first.index, "".join(f"{pair}\n{' ' * first.column}" for pair in pairs))]


def _key(name: str) -> str:
    """A name as a key, in quotes if it has special characters of YAML."""
    plain = all(c.isalnum() or c in "._ -" for c in name) and name[:1].isalpha()
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _check(text: str, settings: Settings, before: ModelFile, folder: Path | None) -> None:
    wanted = {**before.model.start, **{n: tuple(v) if isinstance(v, list) else v for n, v in settings.start.items()}}
    parameters = {name: p.value for name, p in before.model.parameters.items()}
    try:
        after = read_model(text, "model", None, folder)
    except FileError as error:
        raise FileError(REFUSED) from error
    same = {name: p.value for name, p in after.model.parameters.items()} == parameters
    if not same or dict(after.model.start) != wanted or after.run.duration != settings.duration:
        raise FileError(REFUSED)
