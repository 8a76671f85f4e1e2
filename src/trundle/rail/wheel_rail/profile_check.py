"""Points of measured profiles: reading and checks."""

import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import FileError, ModelError
from trundle.space.arrays import read_numbers
from trundle.typing import Array

NARROWEST, WIDEST = 0.02, 0.3  # m: plausible widths of profiles
FACTOR = {"m": 1.0, "mm": 1e-3}
BOTH_COMMAS = re.compile(r"[+-]?\d+,\d+,\s*[+-]?\d+,\d+")


def read_csv(path: Path | str) -> tuple[Array, Array]:
    """Two columns of numbers; lines that do not start with two numbers are comments. Between semicolons, tabs or blanks
    numbers may have decimal commas.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise FileError(f"cannot read the profile {path}: {error.strerror or error}.") from error
    rows = []
    for line in lines:
        pair = _two_numbers(line.strip())
        if pair is not None:
            rows.append(pair)
    if len(rows) < 4:
        raise FileError(
            f"the profile {path} has {len(rows)} lines that start with two numbers; at least 4 points are needed. The "
            "columns are place and height, separated by comma, semicolon or blanks, with decimal points."
        )
    if sum(BOTH_COMMAS.fullmatch(line.strip()) is not None for line in lines) == len(rows):
        raise FileError(
            f"the profile {path} has commas in its numbers and between them, as in {lines[-1].strip()!r}: write "
            "decimal points, or semicolons between the columns."
        )
    s, z = np.array(rows).T
    return s, z


def _two_numbers(line: str) -> tuple[float, float] | None:
    """The numbers with which a line begins; None if there are not two."""
    for columns in (";", r"\t", r"\s+", r"[,;\s]+"):
        words = [w.strip() for w in re.split(columns, line) if w.strip()][:2]
        if not any("." in w for w in words):
            words = [w.replace(",", ".") for w in words]
        try:
            return float(words[0]), float(words[1])
        except (IndexError, ValueError):
            continue
    return None


def read_points(
    name: str, kind: str, s: ArrayLike, z: ArrayLike, unit: str, z_down: bool, trim: bool = False
) -> tuple[Array, Array]:
    """Places that increase, and heights, in m."""
    if unit not in FACTOR:
        raise ModelError(f"profile {name!r}: unit must be 'm' or 'mm', got {unit!r}.")
    places, heights = read_numbers("s", s) * FACTOR[unit], read_numbers("z", z) * FACTOR[unit]
    if places.ndim != 1 or places.shape != heights.shape or len(places) < 4:
        raise ModelError(
            f"profile {name!r}: s and z must be two rows of at least 4 numbers, got shapes {places.shape} and "
            f"{heights.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(places) & np.isfinite(heights)))
    if len(bad):
        raise ModelError(f"profile {name!r}: point {bad[0]} is not finite; leave it out.")
    _check_size(name, places, unit)
    if places[-1] < places[0]:
        places, heights = places[::-1], heights[::-1]
    heights = -heights if z_down else heights
    if trim:
        middle = int(np.argmax(heights) if kind == "rail" else np.argmin(np.abs(places)))
        places, heights = _without_overhang(places, heights, middle)
        _check_size(name, places, unit)
    _check_order(name, places, heights)
    _check_side_up(name, kind, places, heights)
    return places, heights


def _without_overhang(s: Array, z: Array, middle: int) -> tuple[Array, Array]:
    """The points around one of them over which the places increase."""
    back = np.flatnonzero(np.diff(s) <= 0)  # the profile goes back behind these
    first = int(back[back < middle][-1]) + 1 if np.any(back < middle) else 0
    last = int(back[back >= middle][0]) if np.any(back >= middle) else len(s) - 1
    return s[first : last + 1], z[first : last + 1]


def _check_size(name: str, places: Array, unit: str) -> None:
    width = float(np.ptp(places))
    if NARROWEST <= width <= WIDEST:
        return
    other = "mm" if unit == "m" else "m"
    hint = f" Are the points in {other}? Then give unit='{other}'." if (width > WIDEST) == (unit == "m") else ""
    raise ModelError(
        f"profile {name!r} is {width:.4g} m wide; wheels and rails are {NARROWEST:g} to {WIDEST:g} m wide.{hint}"
    )


def _check_order(name: str, s: Array, z: Array) -> None:
    back = np.flatnonzero(np.diff(s) <= 0)
    if not len(back):
        return
    crossing = _first_crossing(s, z)
    if crossing is not None:
        i, j = crossing
        raise ModelError(
            f"profile {name!r} crosses itself: the line between points {i} and {i + 1} (s = {1e3 * s[i]:.4g} mm) meets "
            f"that between {j} and {j + 1}. Are the points in the order along the profile?"
        )
    k = int(back[0])
    raise ModelError(
        f"profile {name!r}: point {k + 1} (s = {1e3 * s[k + 1]:.5g} mm) does not lie beyond point {k} "
        f"({1e3 * s[k]:.5g} mm). Places must increase: sort the points and take out doubles; trim=True cuts off "
        "flange backs and rail sides that overhang."
    )


def _first_crossing(s: Array, z: Array) -> tuple[int, int] | None:
    """Numbers of the first two stretches of the polygon that cross."""
    p = np.stack([s, z], axis=-1)
    a, b = p[:-1], p[1:]

    def side(o: Array, e: Array, q: Array) -> Array:
        return (e[..., 0] - o[..., 0]) * (q[..., 1] - o[..., 1]) - (e[..., 1] - o[..., 1]) * (q[..., 0] - o[..., 0])

    for i in range(len(a) - 2):
        c, d = a[i + 2 :], b[i + 2 :]
        one = side(a[i], b[i], c) * side(a[i], b[i], d)
        other = side(c, d, a[i]) * side(c, d, b[i])
        hit = np.flatnonzero((one < 0) & (other < 0))
        if len(hit):
            return i, i + 2 + int(hit[0])
    return None


def _check_side_up(name: str, kind: str, s: Array, z: Array) -> None:
    """A rail is highest inside its head; a wheel with a flange is lowest there, at negative places."""
    remedy = "Heights go upwards; if they are given downwards, give z_down=True."
    if kind == "rail":
        rim = max(z[0], z[-1])
        if np.max(z) - rim < 0.1 * np.ptp(z) and np.ptp(z) > 2e-3:
            raise ModelError(f"profile {name!r} is lowest in its middle: that is not a rail head. {remedy}")
        return
    flange = np.ptp(z) > 0.015
    deep, high = s[int(np.argmin(z))], s[int(np.argmax(z))]
    if flange and deep > high:
        raise ModelError(
            f"profile {name!r} has its lowest point at s = {1e3 * deep:.4g} mm, outside its highest at "
            f"{1e3 * high:.4g} mm; the flange of a wheel is its lowest part and lies inside, at negative s. {remedy} "
            "Where places go inwards, give inwards=True."
        )
