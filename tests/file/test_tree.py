"""The parser of libyaml and the one in Python give the same result; messages are those of the latter."""

from pathlib import Path

import pytest

import trundle.examples as examples
from trundle.errors import FileError
from trundle.file import tree
from trundle.file.tree import Tree, read_tree

TEXTS = {
    "scalars": "a: 1\nb: '1'\nc: \"2\"\nd: |\n  3\ne: 1e-3\nf: yes\ng: ~\nh: 010\ni: >\n  4\n",
    "twice": "a: 1\nb: {c: 2, c: 3}\na: 4\n",
    "alias": "a: &x [1, 2]\nb: *x\n",
    "odd keys": "? [1, 2]\n: 3\n",
    "tag": "a: !!python/name:os.system\n",
    "byte order mark": "\ufeffa: 1\n",
    "nothing": "",
}
REFUSED = ["a: [1", "a: 1\n---\nb: 2\n", "a: b: c\n", "a: \x00\n", "a: \ud800\n", "[" * 30, "a: *x\n"]


def slowly(text: str, monkeypatch: pytest.MonkeyPatch) -> Tree:
    with monkeypatch.context() as patch:
        patch.setattr(tree, "_quick_composer", lambda: tree._Composer)
        return read_tree(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_both_parsers_read_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_tree(text) == slowly(text, monkeypatch)


def test_both_parsers_read_the_same_in_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(Path(examples.FOLDER).glob("*.yaml"))
    assert len(files) > 30
    for file in files[::5]:
        text = file.read_text(encoding="utf-8")
        assert read_tree(text) == slowly(text, monkeypatch), file.name


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_both_parsers_give_the_same_error_messages(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError) as one:
        read_tree(text)
    with pytest.raises(FileError) as other:
        slowly(text, monkeypatch)
    assert str(one.value) == str(other.value)
