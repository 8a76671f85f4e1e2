"""The contact of one wheel with its rail as a smooth table over lateral displacement and roll.

The rigid contact point jumps across real profiles. Here every place y across the rail takes part, with the weight
w(y) = exp(-gap(y) / eps): the gap of the table is -eps log of the integral of the weights, angle, place, radius and
curvature are weighted means. So the table is as smooth as one likes, goes to the rigid contact as eps goes to zero, and
the contact angle stays the derivative of the gap: a normal force along it conserves energy.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final
from weakref import WeakValueDictionary

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.kernel import USER_CACHE
from trundle.lookup.table import Table
from trundle.messages.preparing import preparing
from trundle.rail.elementwise import symbolic
from trundle.rail.wheel_rail.geometry import ContactGeometry
from trundle.rail.wheel_rail.hertz import STEEL, Elastic, hertz, refuse
from trundle.rail.wheel_rail.kalker import LEAST_LOAD, Coefficients, Patch, kalker
from trundle.rail.wheel_rail.soft_contact import RailStrip, WheelStrip, soft_contact
from trundle.rail.wheel_rail.wheel_side import Side
from trundle.typing import Array, Expr

EPS = 15e-6  # m: its centroids fit those of Kik and Piotrowski's patches
FLATTEST = 0.5  # 1/m: curvatures of wheel and rail together are taken as not less than this
INNERMOST = -0.058  # m: place on the wheel beyond which, behind the flange's tip, nothing touches
ROWS = 64  # knots of u that are computed together, so that they stay in the cache of the processor
LIFTED = 0.1  # m: gap where there is no wheel above the rail
VERSION = 3  # of this computation; cached tables of other versions are not used
COLUMNS = ("gap", "angle", "place", "radius", "stiffness", "a", "b", *Coefficients._fields)
_tables: WeakValueDictionary[str, Table] = WeakValueDictionary()  # those in use, by all that they depend on


@final
class TableContact(NamedTuple):
    """A look-up in a contact table: numbers, arrays, or expressions of the tape."""

    gap: Expr  # m, along z, against the middle position
    angle: Expr  # rad, positive where the radius falls outwards
    place: Expr  # m, outwards from the rail's origin
    radius: Expr  # m
    stiffness: Expr  # N/m^(3/2): load = stiffness * approach^(3/2)
    a: Expr  # m, semi-axis in the rolling direction under 1 N; it grows with the cube root of the load
    b: Expr  # m, semi-axis across it under 1 N
    C11: Expr
    C22: Expr
    C23: Expr
    C33: Expr

    def patch(self, load: Expr, material: Elastic = STEEL) -> Patch:
        """The patch under a load (N), for creep laws.

        Parameters
        ----------
        load : float, array or expression
            Normal force (N).
        material : Elastic
            Of both bodies.

        Returns
        -------
        Patch
        """
        if symbolic(load, self.a):
            import casadi as ca

            size = ca.power(ca.fmax(load, LEAST_LOAD), 1.0 / 3.0)
        else:
            size = np.cbrt(np.maximum(load, LEAST_LOAD))
        return Patch(self.a * size, self.b * size, Coefficients(*self[-4:]), material.shear_modulus)


@final
@dataclass(frozen=True, eq=False)
class ContactTable:
    """One wheel on its rail over u = y + radius * roll (m, outwards) and roll (rad, positive: this wheel up).

    eps: length of the soft minimum, m. The table is made on first use, or found in the cache under a digest of both
    profiles and all numbers.
    """

    geometry: ContactGeometry
    side: str = "left"
    eps: float = EPS
    reach: float = 12e-3  # of u to both sides, m
    step: float = 5e-5  # of u, m
    most_roll: float = 0.03  # rad
    roll_step: float = 0.002  # rad
    material: Elastic = STEEL

    def __post_init__(self) -> None:
        faults = []
        if not 1e-8 <= self.eps <= 1e-3:
            faults.append(f"ContactTable: eps is {self.eps:g} m; it must lie between 1e-8 and 1e-3 m (15e-6 is usual).")
        for name in ("reach", "step", "most_roll", "roll_step"):
            if not 0.0 < getattr(self, name) < 1.0:
                faults.append(f"ContactTable: {name} must be greater than zero, got {getattr(self, name)!r}.")
        if not faults and (self.reach < 4 * self.step or self.most_roll < 2 * self.roll_step):
            faults.append("ContactTable: reach must hold at least 4 steps, and most_roll 2 roll_steps.")
        if self.side not in ("left", "right"):
            faults.append(f"ContactTable: side must be 'left' or 'right', got {self.side!r}.")
        if faults:
            raise ModelError(faults)

    @property
    def u(self) -> Array:
        """Knots of u, m."""
        n = round(self.reach / self.step)
        return np.asarray(self.step * np.arange(-n, n + 1), dtype=float)

    @property
    def roll(self) -> Array:
        """Knots of the roll, rad."""
        n = round(self.most_roll / self.roll_step)
        return np.asarray(self.roll_step * np.arange(-n, n + 1), dtype=float)

    @cached_property
    def digest(self) -> str:
        """Of everything that the numbers depend on."""
        side = self.geometry.side(self.side)
        numbers = (self.eps, self.reach, self.step, self.most_roll, self.roll_step)
        text = f"{VERSION} {numbers} {side.radius!r} {side.tape_place!r} {side.rail_origin!r} {self.material!r}"
        digest = hashlib.sha256(text.encode())
        for profile in (side.wheel, side.rail):
            for values in profile.heights(np.linspace(profile.start, profile.end, 5001), 0, 1):
                digest.update(np.nan_to_num(values).tobytes())
            digest.update(f"{profile.start!r} {profile.end!r}".encode())
        return digest.hexdigest()

    @cached_property
    def values(self) -> Array:
        """Numbers at the knots: (u, roll, column)."""
        key = f"contact table {self.digest}"
        shape = len(self.u), len(self.roll), len(COLUMNS)
        kept = USER_CACHE.load_object(key)
        if kept is not None and len(kept) == 8 * np.prod(shape):
            return np.frombuffer(kept).reshape(shape)
        side = self.geometry.side(self.side)
        with preparing(f"the contact table of {side.wheel.name} on {side.rail.name}, kept for next time"):
            made = self.compute()
        USER_CACHE.save_object(key, made.tobytes())
        return made

    @cached_property
    def table(self) -> Table:
        """As a table for models: `m.table(name, contact.table)`; `TableContact(*column)` names what comes out. Wheels
        that are alike, such as both of a wheelset, share one.
        """
        side = self.geometry.side(self.side)
        key = f"{self.digest} {side.wheel.name} on {side.rail.name}"
        found = _tables.get(key)
        if found is None:
            found = _tables[key] = Table(
                (self.u, self.roll), self.values, beyond="refuse", arguments=("u", "roll"), outputs=COLUMNS,
                text=f"{side.wheel.name} on {side.rail.name}, eps {1e6 * self.eps:g} um",
            )  # fmt: skip
        return found

    def __call__(self, u: ArrayLike, roll: ArrayLike = 0.0) -> TableContact:
        """The contact at displacements u (m, outwards) and rolls (rad)."""
        for name, given, most in (("u", u, self.u[-1]), ("roll", roll, self.roll[-1])):
            far = np.asarray(given, dtype=float)
            refuse(name, far, np.abs(far) > most, f"; the table ends at {most:g}. Make it wider: reach, most_roll")
        return TableContact(*np.moveaxis(self.table(u, roll), -1, 0))

    # -- made ----------------------------------------------------------------------------------------------------------

    def compute(self) -> Array:
        """Compute the numbers at the knots, without the cache."""
        side = self.geometry.side(self.side)
        n = int(np.floor((side.rail.end - side.rail.start) / self.step))
        y = np.asarray(side.rail.start + self.step * (np.arange(n) + 0.5), dtype=float)
        rail = RailStrip(y, side.rail.height(y) / self.eps, side.rail.curvature(y))
        offset = self._offset(side)
        wheel = self._wheel_strips(side, rail)
        rows = [slice(first, first + ROWS) for first in range(0, len(self.u), ROWS)]
        means = [[soft_contact(rail, wheel.part(k, few)) for few in rows] for k in range(len(self.roll))]
        columns = np.array([np.concatenate(parts, axis=1) for parts in means])  # roll, column, u
        soft = columns[:, 0] - np.log(self.step)
        columns[:, 0] = np.where(np.isfinite(soft), self.eps * soft - offset, LIFTED)
        gap, slope, place, radius, curvature = np.transpose(columns, (1, 2, 0))
        angle = np.arctan(slope)
        ellipse = hertz(1.0, np.cos(angle) / radius, np.maximum(curvature, FLATTEST), self.material)
        coefficients = kalker(ellipse.a / ellipse.b, self.material.poisson, quiet=True)
        found = (gap, angle, place, radius, ellipse.stiffness, ellipse.a, ellipse.b, *coefficients)
        return np.ascontiguousarray(np.stack(found, axis=-1))

    def _offset(self, side: Side) -> float:
        """Offset that makes the gap zero in the middle position: there the soft minimum of a parabola with the
        curvature of the contact is the minimum itself.
        """
        zero = np.zeros(1)
        touch = side.touch(side.minima(zero, zero, zero), zero, zero, zero)
        contact = side.describe(touch, (1,))
        curvature = (contact.wheel_curvature + contact.rail_curvature)[0] / np.cos(contact.angle[0]) ** 3
        width = np.sqrt(2 * np.pi * self.eps / max(curvature, FLATTEST))
        return float(touch.gap[0] - self.eps * np.log(width))

    def _wheel_strips(self, side: Side, rail: RailStrip) -> WheelStrip:
        """The wheel at all rolls and all u, above each place of the rail. Seen from the rail, a wheel that moves by one
        step is the same row of heights, shifted by one place.
        """
        u, roll = self.u, self.roll[:, None]
        first = side.rail_origin + rail.place[0] - (u[-1] - side.radius * roll)
        across = first + self.step * np.arange(len(rail.place) + len(u) - 1)  # from the middle of the wheelset
        s = self._circles_at(side, across, roll)
        inside = (s > max(side.wheel.start, INNERMOST)) & (s < side.wheel.end)
        s = np.where(inside, s, 0.0)
        z, z1 = side.wheel.heights(s, 0, 1)
        R = side.radius - z
        height = np.where(inside, (side.tape_place + s) * np.sin(roll) - R * np.cos(roll), np.inf)
        slope = (np.sin(roll) + z1 * np.cos(roll)) / (np.cos(roll) - z1 * np.sin(roll))
        strips = (height / self.eps, slope, R, np.clip(side.wheel.curvature(s), -1e3, 1e3))
        return WheelStrip(*(sliding_window_view(strip, len(rail.place), axis=1)[:, ::-1] for strip in strips))

    @staticmethod
    def _circles_at(side: Side, across: Array, roll: Array) -> Array:
        """Places on the wheel whose points lie at these distances from the middle of the wheelset: Newton's method."""
        s = across - side.tape_place
        low, high = max(side.wheel.start, INNERMOST), side.wheel.end
        for _ in range(8):
            z, slope = side.wheel.heights(np.clip(s, low, high), 0, 1)
            miss = (side.tape_place + s) * np.cos(roll) + (side.radius - z) * np.sin(roll) - across
            step = miss / (np.cos(roll) - slope * np.sin(roll))
            s = s - step
            if np.max(np.abs(step)) < 1e-14:
                break
        return np.asarray(s)
