"""Where the rigid wheels of a wheelset touch the rails, over lateral displacement, roll and yaw.

The rails are straight cylinders along x. A wheel's surface of revolution touches one only where its normal has no x
component: on each circle of the wheel one such point, together its trace. The lowest gap between trace and rail,
measured along z, is where the wheel touches; roll is found so that both wheels do.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import AssemblyError, ModelError
from trundle.messages.preparing import preparing
from trundle.rail.wheel_rail.conicity import Method, check_amplitude, equivalent_conicity
from trundle.rail.wheel_rail.profile import Profile
from trundle.rail.wheel_rail.wheel_side import COARSE, NEXT, LowestGap, Side, WheelContact
from trundle.space.arrays import read_numbers, read_together
from trundle.typing import Array, Expr, Index, Maker, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = {"left": 1.0, "right": -1.0}
HIGHEST, STEEPEST = 0.01, 0.5  # m, and slope of a wheel at its running circle: more is not wear


@final
@dataclass(frozen=True, eq=False)
class WheelsetContact:
    """Contacts of both wheels at lateral displacements (m, positive to the left), rolls (positive: left wheel up), yaws
    (positive to the left) and lifts of the wheelset's centre above that in the middle position.
    """

    lateral: Array
    roll: Array
    yaw: Array
    lift: Array
    left: WheelContact
    right: WheelContact

    @property
    def radius_difference(self) -> Array:
        """Rolling radius of the left wheel minus that of the right, m."""
        return self.left.radius - self.right.radius


@final
@dataclass(frozen=True, eq=False)
class ContactGeometry:
    """A pair of equal wheels on a track. Lengths in m; `right_wheel` and `right_rail` only where they differ.

    Parameters
    ----------
    wheel, rail : Profile
        Of both sides.
    gauge : float
        In m.
    gauge_depth : float
        Below the top of the rail, where the gauge is measured (m).
    back_to_back : float
        Distance of the flange backs (m).
    tape_place : float
        Of the running circle from the flange back (m).
    radius : float
        Of the running circle (m).
    right_wheel, right_rail : Profile, optional
        Where they differ.
    radius_offset : float
        Left running circle's radius minus the right's (m).
    """

    wheel: Profile
    rail: Profile
    gauge: float = 1.435
    gauge_depth: float = 0.014
    back_to_back: float = 1.360
    tape_place: float = 0.070
    radius: float = 0.46
    right_wheel: Profile | None = None
    right_rail: Profile | None = None
    radius_offset: float = 0.0

    def __post_init__(self) -> None:
        faults = []
        for what in ("gauge", "back_to_back", "radius"):
            if not 0.0 < getattr(self, what) < np.inf:
                faults.append(f"ContactGeometry: {what} must be greater than zero, got {getattr(self, what)!r} m.")
        if not faults and self.gauge > 10.0:
            faults.append(f"ContactGeometry: a gauge of {self.gauge:g} m; is it given in mm? Lengths are in m.")
        for what, kind in (("wheel", "wheel"), ("rail", "rail"), ("right_wheel", "wheel"), ("right_rail", "rail")):
            profile = getattr(self, what)
            if profile is not None and (not isinstance(profile, Profile) or profile.kind != kind):
                shown = profile.name if isinstance(profile, Profile) else profile
                faults.append(f"ContactGeometry: {what} must be a Profile of kind {kind!r}, got {shown!r}.")
        if not faults:
            faults += [_origin_fault(wheel) for wheel in (self.wheel, self.right_wheel) if wheel]
            faults += [rail.face_fault(self.gauge_depth) for rail in (self.rail, self.right_rail) if rail]
            faults = [f"ContactGeometry: {fault}" for fault in faults if fault]
        if faults:
            raise ModelError(faults)

    # -- sides ---------------------------------------------------------------------------------------------------------

    @property
    def alike(self) -> bool:
        """Whether both sides are mirror images."""
        return not (self.right_wheel or self.right_rail or self.radius_offset)

    @property
    def tape_distance(self) -> float:
        """Between the running circles of both wheels, m."""
        return self.back_to_back + 2 * self.tape_place

    def side(self, name: str) -> "Side":
        """One wheel on its rail, in coordinates that go outwards.

        Parameters
        ----------
        name : {"left", "right"}
            Which one.

        Returns
        -------
        Side
        """
        return self._sides[name == "right"]

    @cached_property
    def _sides(self) -> tuple["Side", "Side"]:
        return self._side("left"), self._side("right")

    def _side(self, name: str) -> "Side":
        other = name == "right"
        wheel = self.right_wheel if other and self.right_wheel else self.wheel
        rail = self.right_rail if other and self.right_rail else self.rail
        radius = self.radius + (-0.5 if other else 0.5) * self.radius_offset
        return Side(
            name, wheel, rail, radius, self.tape_distance / 2, self.gauge / 2 - rail.gauge_face(self.gauge_depth)
        )

    # -- contact -------------------------------------------------------------------------------------------------------

    def contact(self, lateral: ArrayLike, yaw: ArrayLike = 0.0) -> WheelsetContact:
        """Both wheels on their rails, at one displacement and yaw or at arrays of them.

        Parameters
        ----------
        lateral : float or array
            Displacement to the left (m).
        yaw : float or array
            Of the wheelset (rad).

        Returns
        -------
        WheelsetContact
        """
        y, psi = read_together({"lateral": lateral, "yaw": yaw})
        shape, y, psi = y.shape, y.ravel(), psi.ravel()
        sides = self._sides
        roll = np.zeros_like(y)

        def both(ask: Maker, poses: Index = slice(None)) -> Value:
            """Evaluate for the left wheel, and mirrored for the right one."""
            return [
                ask(side, k, *(sign * v[poses] for v in (y, roll, psi)))
                for k, (side, sign) in enumerate(zip(sides, (1, -1), strict=True))
            ]

        open_ = np.arange(len(y))
        for _ in range(8):  # by the coarse points
            one, other = both(lambda side, k, *pose: side.coarse(*pose), open_)
            step = (one.gap - other.gap) / (one.arm + other.arm)
            roll[open_] -= step
            open_ = open_[np.abs(step) >= 1e-5]
            if not len(open_):
                break
        minima, reach = both(lambda side, k, *pose: side.minima(*pose)), COARSE

        def touch(side: Side, k: int, *pose: Array) -> LowestGap:
            return side.touch(minima[k], *pose, reach=reach)

        for _ in range(6):  # on the profiles
            one, other = both(touch)
            step = (one.gap - other.gap) / (one.arm + other.arm)
            if np.max(np.abs(step)) < 1e-10:
                break
            roll = roll - step
            minima, reach = [one.minima, other.minima], NEXT
        lift = -0.5 * (one.gap + other.gap) - self._rest_height
        contacts = [side.describe(found, shape) for side, found in zip(sides, (one, other), strict=True)]
        y, roll, psi, lift = (v.reshape(shape) for v in (y, roll, psi, lift))
        return WheelsetContact(y, roll, psi, lift, *contacts)

    def radius_difference(self, lateral: ArrayLike) -> Array:
        """Rolling radius of the left wheel minus that of the right (m) at lateral displacements (m).

        Parameters
        ----------
        lateral : float or array
            Displacement to the left (m).

        Returns
        -------
        array
        """
        return self.contact(lateral).radius_difference

    def conicity(self, amplitude: ArrayLike, method: Method = "integration", step: float = 1e-4) -> Expr:
        """Equivalent conicity for amplitudes of the lateral motion (m), from displacements every `step` m.

        Parameters
        ----------
        amplitude : float or array
            Of the lateral motion (m).
        method : {"integration", "regression", "harmonic"}
            How it is evaluated.
        step : float
            Between displacements (m).

        Returns
        -------
        float or array
        """
        amplitudes = read_numbers("amplitude", amplitude)
        check_amplitude(amplitudes)
        y, dr = self._curve(float(np.max(amplitudes)), step)
        return equivalent_conicity(y, dr, amplitude, method)

    def _curve(self, amplitude: float, step: float) -> tuple[Array, Array]:
        if not 0.0 < amplitude < 0.05:
            raise ModelError(f"conicity: an amplitude of {amplitude:g} m; it must lie above 0 and below 50 mm, in m.")
        n = int(np.ceil((amplitude + 1e-3) / step))
        if not self.alike:  # the wheelset runs off centre, and the curve must reach that much further
            far = np.linspace(-0.012, 0.012, 49)
            rest = far[int(np.argmin(np.abs(self.radius_difference(far))))]
            n += int(np.ceil(abs(rest) / step))
        y = np.asarray(step * np.arange(-n, n + 1), dtype=float)
        if not self.alike:
            return y, self.radius_difference(y)
        half = self.radius_difference(y[n:])  # both sides are alike
        return y, np.concatenate([-half[:0:-1], half])

    def flange_contact(self, side: str = "left", most: float = 0.03) -> float:
        """Lateral displacement (m, towards that side) at which tread and flange touch at once; the contact goes to
        angles above 0.5 rad there.

        Parameters
        ----------
        side : {"left", "right"}
            Towards which it moves.
        most : float
            Largest displacement that is searched (m).

        Returns
        -------
        float
        """
        sign, y = SIDES[side], np.linspace(0.0, most, 301)
        for _ in range(4):
            found = getattr(self.contact(sign * y), side)
            on_flange = found.angle > 0.5
            if not np.any(on_flange):
                raise AssemblyError(
                    f"the {side} wheel {self.wheel.name!r} does not come to its flange within {1e3 * most:g} mm."
                )
            i = int(np.argmax(on_flange))
            if i == 0:
                return float(sign * y[0])
            y = np.linspace(y[i - 1], y[i], 101)
        return float(sign * y[i])

    @cached_property
    def _rest_height(self) -> float:
        left, right = self._sides
        zero = np.zeros(1)
        gaps = [side.touch(side.minima(zero, zero, zero), zero, zero, zero).gap[0] for side in (left, right)]
        return float(-0.5 * sum(gaps))

    @preparing("the picture")
    def plot(self, path: Path | str | None = None, amplitude: float = 0.008) -> "Figure":
        """Contact points joined by lines, rolling-radius difference, contact angle and conicity, as a figure.

        Parameters
        ----------
        path : str or Path, optional
            File to write.
        amplitude : float
            Largest displacement shown (m).

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.wheel_rail.contact_view import plot_contact

        return plot_contact(self, path, amplitude)


def _origin_fault(wheel: Profile) -> str:
    """Why the running circle cannot lie at the origin of a wheel; empty if it can."""
    height, slope = (float(v) for v in wheel.heights(0.0, 0, 1))
    if abs(height) <= HIGHEST and abs(slope) <= STEEPEST:
        return ""
    found = f"is {1e3 * height:.3g} mm high there" if abs(height) > HIGHEST else f"has a slope of {slope:.3g} there"
    found = found if np.isfinite(height) else "has no point there"
    return (
        f"s = 0 of the wheel {wheel.name!r} must be its running circle, tape_place from the flange back, at the height "
        f"0, where its radius is `radius`; it {found}. Shift its points."
    )
