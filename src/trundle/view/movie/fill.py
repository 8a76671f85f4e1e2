"""Triangles into an image with a depth buffer (compiled)."""

from math import ceil, floor

from trundle.kernel.pointers import float_ptr, int_ptr, part
from trundle.kernel.record import Ints
from trundle.view.movie.fill_modes import SHADOW, SOLID

PLACES, SHADES, TRIANGLES, COUNT, WIDTH, HEIGHT, NEARNESS, IMAGE, MASK, MODE, OPACITY = range(11)
"""Indices in the table: addresses of arrays, and numbers."""


@part
def fill_triangles(table: Ints) -> None:
    places, shades, triangles = float_ptr(table[PLACES]), float_ptr(table[SHADES]), int_ptr(table[TRIANGLES])
    nearness, image, mask = float_ptr(table[NEARNESS]), float_ptr(table[IMAGE]), float_ptr(table[MASK])
    width, height, mode, opacity = table[WIDTH], table[HEIGHT], table[MODE], float_ptr(table[OPACITY])[0]
    for k in range(table[COUNT]):
        a, b, c = triangles[3 * k], triangles[3 * k + 1], triangles[3 * k + 2]
        xa, ya, za = places[3 * a], places[3 * a + 1], places[3 * a + 2]
        xb, yb, zb = places[3 * b], places[3 * b + 1], places[3 * b + 2]
        xc, yc, zc = places[3 * c], places[3 * c + 1], places[3 * c + 2]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if not (area > 1e-9 or area < -1e-9) or za <= 0.0 or zb <= 0.0 or zc <= 0.0:
            continue
        left, right = max(floor(min(xa, xb, xc)), 0), min(ceil(max(xa, xb, xc)), width - 1)
        low, high = max(floor(min(ya, yb, yc)), 0), min(ceil(max(ya, yb, yc)), height - 1)
        du, dv = (yb - yc) / area, (yc - ya) / area  # shares of the corners change evenly along a row
        dw = -du - dv
        for y in range(low, high + 1):
            u0 = (xb * (yc - y) - xc * (yb - y)) / area
            v0 = (xc * (ya - y) - xa * (yc - y)) / area
            first, last = float(left), float(right)
            for share, slope in ((u0, du), (v0, dv), (1.0 - u0 - v0, dw)):
                if slope > 0.0:
                    first = max(first, -share / slope)
                elif slope < 0.0:
                    last = min(last, -share / slope)
                elif share < 0.0:
                    last = -1.0
            for x in range(ceil(first), floor(last) + 1):
                u, v = u0 + du * x, v0 + dv * x
                w = 1.0 - u - v
                i = y * width + x
                near = u * za + v * zb + w * zc
                if mode == SHADOW:
                    if mask[i] == 0.0:
                        mask[i] = 1.0
                        for j in range(3):
                            image[3 * i + j] *= opacity
                    continue
                if near <= nearness[i]:
                    continue
                if mode == SOLID:
                    nearness[i] = near
                for j in range(3):
                    shade = u * shades[3 * a + j] + v * shades[3 * b + j] + w * shades[3 * c + j]
                    image[3 * i + j] += opacity * (shade - image[3 * i + j])
