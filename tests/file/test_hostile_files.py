"""A hostile file can neither run code nor exhaust the machine."""

import os

import pytest

from trundle.errors import FileError
from trundle.file import load_file, read_model
from trundle.file.tree import MAX_BYTES, read_tree


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system ['true']",
        "!!python/name:os.system",
        "!!python/object/new:os._exit [0]",
        "!!python/module:os",
        "!custom {a: 1}",
        "!!binary aGVsbG8=",
        "!!set {a, b}",
    ],
)
def test_tags_are_refused_with_their_line(value):
    with pytest.raises(FileError, match=r"line 2, the tag .* is not allowed"):
        read_model(f"name: a\ngravity: {value}\nbodies: {{}}\n")


def test_an_alias_bomb_is_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    with pytest.raises(FileError, match="aliases expand"):
        read_model("\n".join(lines))


def test_an_alias_that_contains_itself_is_refused():
    with pytest.raises(FileError, match="aliases expand"):
        read_model("name: &a [*a]")


@pytest.mark.parametrize(
    "text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "a:\n" + "".join(" " * i + "- \n" for i in range(300))]
)
def test_deep_nesting_is_refused(text):
    with pytest.raises(FileError):
        read_model(text)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.yaml"
    path.write_text("# " + "x" * (MAX_BYTES + 1), encoding="utf-8")
    with pytest.raises(FileError, match="larger than"):
        load_file(path)
    with pytest.raises(FileError, match="characters"):
        read_model("x" * (MAX_BYTES + 1))


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes by name are those of POSIX")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev", "fifo"])
def test_what_is_no_regular_file_is_refused(device, tmp_path):
    if device == "fifo":
        device = str(tmp_path / "model.yaml")
        os.mkfifo(device)
    with pytest.raises(FileError, match="not a file"):
        load_file(device)


def test_constants_that_double_stay_small():
    steps = "\n".join(f"  c{i}: c{i - 1} + c{i - 1}" for i in range(1, 60))
    model = read_model(
        f"name: a\nparameters: {{c0: 1}}\nconstants:\n{steps}\nbodies: {{b: {{mass: c59, inertia: 1}}}}"
    ).model
    assert model.bodies["b"].mass.n_dep() == 2


def test_a_long_list_of_faults_is_cut():
    bodies = "".join(f"  body{i}: {{mass: unknown{i}, inertia: 1}}\n" for i in range(5000))
    with pytest.raises(FileError) as error:
        read_model(f"name: a\nbodies:\n{bodies}", "long.yaml")
    lines = str(error.value).splitlines()
    assert lines[0] == "long.yaml: at least 100 faults"
    assert lines[-1] == "  ... and 75 more"
    assert len(lines) == 27


def test_merge_keys_and_complex_keys_are_plain_faults():
    with pytest.raises(FileError, match="no field called '<<'"):
        read_model("name: a\nbodies: {}\n<<: {name: b}\n")
    with pytest.raises(FileError, match="a key must be a single word"):
        read_model("name: a\nbodies: {}\n? [1, 2]\n: 3\n")


@pytest.mark.parametrize(
    "text", ["\x00", "a: \x07", "%YAML 9.9\n---\na: 1", "a: b\n---\nc: d", "\t- a", "'", "*nothing"]
)
def test_strange_texts_are_refused_with_a_message(text):
    with pytest.raises(FileError):
        read_model(text)


def test_every_path_has_its_line():
    tree = read_tree("a:\n  b: [1,\n      {c: 2}]\n")
    assert tree.content == {"a": {"b": [1, {"c": 2}]}}
    assert [tree.line(path) for path in (("a",), ("a", "b"), ("a", "b", 1, "c"), ("a", "b", 7, "x"))] == [1, 2, 3, 2]
