"""The level grid of the ground, and fine pixels averaged into coarse ones (compiled)."""

from math import floor, sqrt

from trundle.kernel.pointers import Pointer, float_ptr, inner, part
from trundle.kernel.record import Ints

WIDTH, HEIGHT, IMAGE, NUMBERS, COARSE, FINE = range(6)
"""Places in the table: sizes of the fine picture, addresses of arrays, fine pixels along a side of a coarse one."""

LINE, SKY, START, RIGHT, UP, BACK, TARGET, LEVEL, SPACING, REACH, SCALE = 0, 3, 6, 9, 12, 15, 18, 21, 22, 23, 24
"""Places among the numbers: colours, the eye and its axes, then single numbers."""


@inner
def _ease(x: float, low: float, high: float) -> float:
    s = min(max((x - low) / (high - low), 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@inner
def _line(x: float, step: float) -> float:
    """Strength of the line at the nearest whole number, where a pixel covers `step`."""
    off = abs(x - floor(x + 0.5)) / (step + 1e-12)
    return (1.0 - _ease(off, 0.0, 1.2)) * (1.0 - _ease(step, 0.2, 0.7))


@inner
def _meet(n: Pointer, x: float, y: float, axis: int) -> float:
    """Where the ray of a pixel intersects the ground (axis 0 or 1), or its length (2); negative: never."""
    ray = n[RIGHT + 2] * x + n[UP + 2] * y - n[BACK + 2]
    far = (n[LEVEL] - n[START + 2]) / ray if ray != 0.0 else -1.0
    if axis == 2:
        return far
    return n[START + axis] + far * (n[RIGHT + axis] * x + n[UP + axis] * y - n[BACK + axis])


@part
def paint_floor(table: Ints) -> None:
    fine, image, n = table[FINE], float_ptr(table[IMAGE]), float_ptr(table[NUMBERS])
    width, height = table[WIDTH] // fine, table[HEIGHT] // fine  # the lines are smooth: coarse pixels are enough
    pixel = fine / n[SCALE]
    for row in range(height):
        y = (0.5 * height - row - 0.5) * pixel
        for column in range(width):
            x = (column + 0.5 - 0.5 * width) * pixel
            if _meet(n, x, y, 2) <= 0.0:
                continue
            u, v = _meet(n, x, y, 0), _meet(n, x, y, 1)
            du = abs(_meet(n, x + pixel, y, 0) - u) + abs(_meet(n, x, y + pixel, 0) - u)
            dv = abs(_meet(n, x + pixel, y, 1) - v) + abs(_meet(n, x, y + pixel, 1) - v)
            strength = 0.0
            for scale, weight in ((1.0, 0.45), (0.2, 0.8)):
                k = scale / n[SPACING]
                strength = max(strength, weight * max(_line(u * k, du * k), _line(v * k, dv * k)))
            away = sqrt((u - n[TARGET]) ** 2 + (v - n[TARGET + 1]) ** 2) / n[REACH]
            share = (1.0 - _ease(away, 0.25, 1.0)) * (0.10 + strength)
            for j in range(3):
                shade = n[SKY + j] + share * (n[LINE + j] - n[SKY + j])
                for a in range(fine):
                    for b in range(fine):
                        image[3 * ((row * fine + a) * table[WIDTH] + column * fine + b) + j] = shade


@part
def average(table: Ints) -> None:
    fine = table[FINE]
    width, height = table[WIDTH] // fine, table[HEIGHT] // fine
    image, coarse = float_ptr(table[IMAGE]), float_ptr(table[COARSE])
    for row in range(height):
        for column in range(width):
            for j in range(3):
                total = 0.0
                for a in range(fine):
                    for b in range(fine):
                        total += image[3 * ((row * fine + a) * table[WIDTH] + column * fine + b) + j]
                coarse[3 * (row * width + column) + j] = total / (fine * fine)
