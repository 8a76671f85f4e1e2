"""YAML text to plain mappings, lists and values, with the line of every one of them. Nothing is constructed from tags.

Plain scalars follow the YAML 1.2 core: only true, false, null and decimal numbers are more than text (no 010 = 8, no
1:30 = 90, no `on` = true). Size, nesting and the expansion of aliases are limited, so no file can exhaust the machine.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import final

import yaml
from yaml.composer import Composer
from yaml.resolver import Resolver

from trundle.errors import FileError
from trundle.typing import Raw, Untyped

MAX_BYTES = 300_000
MAX_DEPTH = 20
MAX_NODES = 100_000

Path = tuple[str | int, ...]

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WORDS: dict[str, Raw] = {"true": True, "false": False, "null": None, "~": None, "": None}
_KINDS = ("str", "int", "float", "bool", "null", "timestamp", "map", "seq", "merge", "value")
_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in _KINDS)


@final
@dataclass
class Tree:
    """Content of a file and the line of each path in it, counted from 1."""

    content: Raw = None
    lines: dict[Path, int] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Line of the path, or of the nearest part around it that the file has."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class _Limits(Composer):
    """PyYAML's composer with limits on depth and number of nodes."""

    depth = 0
    count = 0

    def compose_node(self, parent: yaml.Node | None, index: Untyped) -> yaml.Node | None:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH or self.count > MAX_NODES:
            mark = self.peek_event().start_mark  # type: ignore[attr-defined]
            problem = f"nested more than {MAX_DEPTH} deep, or more than {MAX_NODES} values"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Composer(_Limits, yaml.SafeLoader):
    """On the parser written in Python: slower, with the better messages."""


def _composed(text: str) -> yaml.Node | None:
    """The nodes of a text, from the parser of libyaml where PyYAML has it; what that refuses goes to the other one."""
    try:
        node: yaml.Node | None = _quick_composer()(text).get_single_node()
        return node
    except (yaml.YAMLError, UnicodeError):
        return _Composer(text).get_single_node()


@cache
def _quick_composer() -> Raw:
    if not yaml.__with_libyaml__:
        return _Composer
    from yaml._yaml import CParser

    class Quick(_Limits, CParser, Resolver):
        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            Composer.__init__(self)
            Resolver.__init__(self)

    return Quick


def read_tree(text: str) -> Tree:
    """Compose the text; FileError when it is not YAML, too large or too deep."""
    if len(text) > MAX_BYTES:
        raise FileError(f"the text has {len(text)} characters, more than {MAX_BYTES}; build large models in Python.")
    try:
        node = _composed(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        problem = error.problem or error.context
        remedy = " Indent lines with spaces, not with tabs." if "\\t" in str(problem) else ""
        raise FileError(f"{where}this is not valid YAML: {problem}.{remedy}") from error
    except yaml.YAMLError as error:
        raise FileError(f"this is not valid YAML: {error}.") from error
    tree = Tree()
    if node is not None:
        tree.content = _Builder(tree).value(node, ())
    return tree


@final
class _Builder:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.count = 0

    def value(self, node: yaml.Node, path: Path) -> Raw:
        line = node.start_mark.line + 1
        self.tree.lines.setdefault(path, line)
        self.count += 1
        if self.count > MAX_NODES or len(path) > MAX_DEPTH:
            raise FileError(f"line {line}: the aliases expand to more than {MAX_NODES} values, or without end.")
        if node.tag not in _TAGS:
            self.tree.faults.append((line, f"the tag {node.tag!r} is not allowed; write plain values"))
            return None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, i)) for i, child in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        return _scalar(node)

    def mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Raw]:
        out: dict[str, Raw] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.tree.faults.append((line, "a key must be a single word or text"))
                continue
            key = key_node.value
            if key in out:
                before = self.tree.lines[(*path, key)]
                self.tree.faults.append((line, f"{key!r} is given twice here, the first time in line {before}"))
                continue
            self.tree.lines[(*path, key)] = line
            out[key] = self.value(value_node, (*path, key))
        return out


def _scalar(node: yaml.ScalarNode) -> Raw:
    text = node.value
    if node.style:  # quoted, or a block of text
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[-+]?\d{1,15}", text) else float(text)
    return text
