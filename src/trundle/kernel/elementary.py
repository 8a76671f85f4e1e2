"""Sine with cosine, exponential and hyperbolic tangent, with the same instructions for any number of lanes.

An argument is reduced by the nearest multiple of pi/2 or ln 2, found by adding a large number that pushes the fraction
out of the significand (no conversion to integers). The multiple is subtracted in parts, each a full double: with fused
products the first subtraction is exact, so that the rest keeps its relative accuracy. The polynomials of sine and
cosine have the degrees and coefficients of the fdlibm kernels (Sun Microsystems, 1993); that of the exponential is its
Taylor series: with |r| < ln(2)/2 the first term left out is below 1e-17.
"""

import math

from trundle.kernel.ir import Block

_HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
_TWO_OVER_PI = 0.6366197723675814
_ROUNDING = 6755399441055744.0  # 1.5 * 2**52
_LARGEST_ANGLE = 2.0**50  # beyond, the quadrant cannot be determined, and the result is NaN

_LN_2 = (0.6931471805599453, 2.3190468138462996e-17)
_LARGEST_EXPONENT, _SMALLEST_EXPONENT = 710.0, -746.0  # the exponential overflows above and is 0 below
_TANH_IS_ONE = 20.0
_EXPONENTIAL = tuple(1 / math.factorial(n) for n in range(2, 14))  # of r^n, without 1 + r

_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sincos(block: Block, angle: str) -> tuple[str, str]:
    """Sine and cosine, each to about one unit in the last place."""
    number, whole = block.number, block.whole
    shifted = block.intrinsic("fma", angle, number(_TWO_OVER_PI), number(_ROUNDING))
    turns = block.emit(f"fsub {block.real} {shifted}, {number(_ROUNDING)}")
    minus_turns = block.emit(f"fneg {block.real} {turns}")
    rest = angle
    for part in _HALF_PI:
        rest = block.intrinsic("fma", minus_turns, number(part), rest)
    in_range = block.compare("olt", block.intrinsic("fabs", angle), number(_LARGEST_ANGLE))
    rest = block.choose(in_range, rest, number(float("nan")))

    square = block.binary("fmul", rest, rest)
    cube = block.binary("fmul", square, rest)
    sine = block.intrinsic("fma", cube, _polynomial(block, square, _SINE), rest)
    # cos = 1 - z/2 + z^2 P(z): the rounding error of 1 - z/2 is added back.
    half = block.emit(f"fmul {block.real} {square}, {number(0.5)}")
    main = block.emit(f"fsub {block.real} {number(1.0)}, {half}")
    lost = block.emit(f"fsub {block.real} {block.emit(f'fsub {block.real} {number(1.0)}, {main}')}, {half}")
    fourth = block.binary("fmul", square, square)
    tail = block.intrinsic("fma", fourth, _polynomial(block, square, _COSINE), lost)
    cosine = block.emit(f"fadd {block.real} {main}, {tail}")

    # Odd quadrants exchange the two; bit 1 of the quadrant is the sign (for the cosine, of the next quadrant).
    quadrant = block.as_bits(shifted)
    odd = block.emit(f"icmp ne {block.integer} {block.bitwise('and', quadrant, whole(1))}, {whole(0)}")
    sine, cosine = block.choose(odd, cosine, sine), block.choose(odd, sine, cosine)
    next_quadrant = block.bitwise("add", quadrant, whole(1))
    return _with_sign(block, sine, quadrant), _with_sign(block, cosine, next_quadrant)


def exponential(block: Block, x: str) -> str:
    """e^x, to about one unit in the last place; also for subnormal results."""
    number = block.number
    x = block.choose(block.compare("ogt", x, number(_LARGEST_EXPONENT)), number(_LARGEST_EXPONENT), x)
    x = block.choose(block.compare("olt", x, number(_SMALLEST_EXPONENT)), number(_SMALLEST_EXPONENT), x)
    power, rest = _reduce_by_ln_2(block, x)
    value = block.emit(f"fadd {block.real} {_exponential_minus_1(block, rest)}, {number(1.0)}")
    # The power of two can exceed the range of doubles where the result does not: it is applied in two halves.
    half = _rounded(block, block.emit(f"fmul {block.real} {power}, {number(0.5)}"))
    other = block.emit(f"fsub {block.real} {power}, {half}")
    scaled = block.emit(f"fmul {block.real} {value}, {_power_of_2(block, half)}")
    return block.emit(f"fmul {block.real} {scaled}, {_power_of_2(block, other)}")


def hyperbolic_tangent(block: Block, x: str) -> str:
    """tanh |x| = -y / (y + 2) with y = e^(-2|x|) - 1, which is accurate for small x."""
    number = block.number
    size = block.intrinsic("fabs", x)
    size = block.choose(block.compare("ogt", size, number(_TANH_IS_ONE)), number(_TANH_IS_ONE), size)
    power, rest = _reduce_by_ln_2(block, block.emit(f"fmul {block.real} {size}, {number(-2.0)}"))
    scale = _power_of_2(block, power)
    constant = block.emit(f"fsub {block.real} {scale}, {number(1.0)}")
    y = block.intrinsic("fma", scale, _exponential_minus_1(block, rest), constant)
    below = block.emit(f"fadd {block.real} {y}, {number(2.0)}")
    return block.intrinsic("copysign", block.emit(f"fdiv {block.real} {y}, {below}"), x)


def _reduce_by_ln_2(block: Block, x: str) -> tuple[str, str]:
    """Integer n and remainder r with x = n ln 2 + r."""
    n = _rounded(block, block.emit(f"fmul {block.real} {x}, {block.number(1 / _LN_2[0])}"))
    minus_n = block.emit(f"fneg {block.real} {n}")
    for part in _LN_2:
        x = block.intrinsic("fma", minus_n, block.number(part), x)
    return n, x


def _exponential_minus_1(block: Block, r: str) -> str:
    square = block.emit(f"fmul {block.real} {r}, {r}")
    return block.intrinsic("fma", square, _polynomial(block, r, _EXPONENTIAL), r)


def _rounded(block: Block, x: str) -> str:
    shifted = block.emit(f"fadd {block.real} {x}, {block.number(_ROUNDING)}")
    return block.emit(f"fsub {block.real} {shifted}, {block.number(_ROUNDING)}")


def _power_of_2(block: Block, n: str) -> str:
    """2^n for an integer n in the exponent range of doubles, by writing the exponent."""
    shifted = block.as_bits(block.emit(f"fadd {block.real} {n}, {block.number(_ROUNDING + 1023)}"))
    return block.as_real(block.bitwise("shl", shifted, block.whole(52)))


def _polynomial(block: Block, z: str, coefficients: tuple[float, ...]) -> str:
    value = block.number(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = block.intrinsic("fma", value, z, block.number(c))
    return value


def _with_sign(block: Block, value: str, quadrant: str) -> str:
    sign = block.bitwise("shl", block.bitwise("and", quadrant, block.whole(2)), block.whole(62))
    return block.as_real(block.bitwise("xor", block.as_bits(value), sign))
