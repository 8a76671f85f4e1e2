"""Expressions in files: values, names, and positions of errors."""

import math

import casadi as ca
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trundle.errors import FileError
from trundle.file.expression import MAX_LENGTH, MAX_NESTING, parse, tables_known


def number(text, **names):
    return parse(text).evaluate(lambda name: names[name])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        (".5 + 2.", 2.5),
        ("2*pi*f", 6 * math.pi),
        ("m*l^2/12", 1.5),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("1 - 2 - 3", -4.0),
        ("8 / 4 / 2", 1.0),
        ("2*-3", -6.0),
        ("+3 - -3", 6.0),
        ("1 < 2", 1.0),
        ("(2 <= 1) + (1 != 2)", 1.0),
        ("not 1 > 2 and 2 >= 2", 1.0),
        ("0 or 0", 0.0),
        ("1 or 0 and 0", 1.0),
        ("where(f > 2, 10, 20)", 10.0),
        ("max(1, min(5, 3), 2)", 3.0),
        ("atan2(1, -1)", 3 * math.pi / 4),
        ("sqrt(abs(-4)) + step(0)", 3.0),
        ("rpm(30) + kmh(7.2)", math.pi + 2.0),
    ],
)
def test_values_of_expressions(text, value):
    assert number(text, f=3.0, m=2.0, l=3.0) == pytest.approx(value, rel=1e-15)


def test_names_with_dots_spaces_and_dashes():
    text = "crank.angle + `left arm.angle` * 'right-arm'.angle_rate - \"a b\" + pi"
    assert parse(text).names == ("crank.angle", "left arm.angle", "right-arm.angle_rate", "a b")


def test_units_may_be_names_too():
    """Those of parameters and tables, of which existing files have some."""
    assert parse("2*rpm").evaluate({"rpm": 3.0}.__getitem__) == 6.0
    with tables_known(["kmh"]):
        assert parse("kmh(1)").evaluate({"kmh": lambda x: 10 * x}.__getitem__) == 10.0


def test_symbols_give_the_expression_that_python_would_give():
    x, k = ca.SX.sym("x"), ca.SX.sym("k")
    ours = parse("where(x > 0, k*x^2, -k*x) + (x > 1 and x < 2)").evaluate({"x": x, "k": k}.__getitem__)
    theirs = ca.if_else(x > 0, k * x**2, -k * x) + ca.logic_and(x > 1, x < 2)
    assert ca.is_equal(ours, theirs, 10)


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("", 1, "empty"),
        ("2pi", 2, "expected an operator, found 'pi'"),
        ("30deg", 3, "30 degrees are degrees(30)"),
        ("-5 mm", 4, "found 'mm'"),
        ("a b", 3, "expected an operator, found 'b'"),
        ("2*(3+4", 7, "expected ')', found the end"),
        ("3 + * 4", 5, "expected a number, a name or '('"),
        ("sin", 1, "sin is a function"),
        ("sin()", 5, "found ')'"),
        ("sin(1, 2)", 1, "sin takes 1 argument, got 2"),
        ("1 + where(1, 2)", 5, "where takes 3 arguments, got 2"),
        ("min(1)", 1, "min takes 2 or more arguments, got 1"),
        ("2*sine(x)", 3, "did you mean sin"),
        ("1 < 2 < 3", 7, "cannot be chained"),
        ("x = 1", 3, "'=' has no meaning"),
        ("`open", 1, "'`' has no meaning"),
    ],
)
def test_an_error_names_its_position(text, at, words):
    with pytest.raises(FileError) as error:
        parse(text)
    assert f"at character {at}:" in str(error.value)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "x.__class__()",
        "open('/etc/passwd')",
        "eval(1)",
        "lambda: 1",
        "[1 for x in y]",
        "x[0]",
        "{1: 2}",
        "f'{x}'",
        "x if y else z",
        "x; y",
        "x := 3",
        "exec('1')",
    ],
)
def test_nothing_of_python_is_understood(text):
    with pytest.raises(FileError):
        parse(text)


def test_attributes_are_only_names():
    asked = []
    parse("x.__class__ + 1").evaluate(lambda name: asked.append(name) or 0.0)
    assert asked == ["x.__class__"]


@pytest.mark.parametrize("text", ["9^9^9^9^9", "9**9**9**9", "1/0", "(-8)^(1/3)", "0/0", "exp(1e9)", "log(-1)"])
def test_huge_and_undefined_numbers_are_quick_and_not_finite(text):
    assert not math.isfinite(number(text))


@pytest.mark.parametrize(
    "text", ["(" * 500 + "1" + ")" * 500, "-" * 500 + "1", "2^" * 500 + "1", "sin(" * 300 + "1" + ")" * 300]
)
def test_deep_nesting_is_refused(text):
    with pytest.raises(FileError, match=f"more than {MAX_NESTING}"):
        parse(text)


def test_length_is_limited_but_a_long_sum_is_fine():
    assert number("1+" * (MAX_LENGTH // 2 - 1) + "1") == MAX_LENGTH // 2
    with pytest.raises(FileError, match="characters"):
        parse("1+" * MAX_LENGTH + "1")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet="0123456789.eE+-*/^()<>=!,xyz `'\"sincoamp_\n\t;[]{}\\", max_size=60))
def test_any_text_is_read_or_refused_with_a_message(text):
    try:
        parse(text).evaluate(lambda name: 1.0)
    except FileError as error:
        assert "in the expression" in str(error)
