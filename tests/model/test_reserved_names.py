"""Names with another meaning are refused, and symbols do not pass as numbers."""

import math

import pytest

import trundle as tr
from trundle.errors import FileError, ModelError
from trundle.file import read_model
from trundle.math import RESERVED


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_words_of_expressions_name_nothing(word: str) -> None:
    m = tr.Model("m")
    for declare in (
        lambda: m.parameter(word, 1.0),
        lambda: m.output(word, lambda s: s.t),
        lambda: m.alias(word, "bob.angle"),
    ):
        with pytest.raises(ModelError, match=f"'{word}' cannot be the name of an? .*name used in expressions"):
            declare()
    for section in ("parameters", "constants", "outputs"):
        with pytest.raises(FileError, match=f"{section}.{word}: .*name used in expressions"):
            read_model(f"name: a\n{section}: {{'{word}': 1}}\nbodies: {{b: {{mass: 1, inertia: 1}}}}")


def test_one_name_means_one_thing() -> None:
    m = tr.Model("m")
    m.parameter("k", 1.0)
    m.output("height", lambda s: s.t)
    m.alias("lean", "bob.angle")
    for again in (
        lambda: m.output("k", lambda s: s.t),
        lambda: m.parameter("height", 1.0),
        lambda: m.alias("k", "bob.angle"),
        lambda: m.parameter("lean", 1.0),
    ):
        with pytest.raises(ModelError, match="there is already a"):
            again()
    with pytest.raises(ModelError, match=r"'lean_rate' .* already the short name of 'bob.angle_rate'"):
        m.parameter("lean_rate", 1.0)
    m.parameter("spot_x", 1.0)
    with pytest.raises(ModelError, match=r"'spot_x' would mean 'bob.position' too"):
        m.alias("spot", "bob.position")


@pytest.mark.parametrize("turn", [float, int, math.sin, math.sqrt])
def test_a_parameter_is_no_number(turn) -> None:
    k = tr.Model("m").parameter("k", 2.0)
    with pytest.raises(TypeError, match=r"parameter 'k' is a symbol.*tr\.sin"):
        turn(k)
