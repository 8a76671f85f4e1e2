"""Cams: closed curves in the plane of a PlanarPair, touched by a roller, a flat follower or a knife edge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.lookup.table import Table
from trundle.pairs.cam_profile import ArcProfile, PolarProfile
from trundle.pairs.surface import Surface
from trundle.typing import Expr, Given


@final
@dataclass(frozen=True)
class Cam(Surface):
    """A cam about the y axis: `profile` is its radius (m) as a function of the angle (rad) from z towards x, which
    repeats after a turn: `lambda a: 0.03 + 0.005 * tr.cos(a)`, or a table of the model, `m.table(...)`. `Cam.of_arcs`
    and `Cam.tangent` make cams of circular arcs.

    It is the first curve of a PlanarPair; the second one is a Circle (roller), a Line (flat follower) or a Vertex
    (knife edge).
    """

    planar: ClassVar[bool] = True

    profile: Callable[[Expr], Expr] = field(metadata={"variables": ("angle",)})

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.profile, str | Path):
            raise ModelError(
                f"Cam: the profile is a function of the angle; from a file it is a table of the model, radius = "
                f"m.table('radius', tr.Table.from_csv({str(self.profile)!r}, 'angle', 'radius', beyond='repeat')), "
                f"and tr.Cam(radius)."
            )
        if not isinstance(self.profile, ArcProfile | PolarProfile):
            object.__setattr__(self, "profile", _read(self.profile))

    @staticmethod
    def of_arcs(arcs: Sequence[tuple[tuple[float, float], float]]) -> "Cam":
        """A convex cam of arcs ((x, z) of the centre, radius) in m, in the order of increasing angle of the normal,
        from z towards x; neighbours that do not touch are joined by their common tangent.

        Parameters
        ----------
        arcs : sequence of ((x, z), radius)
            Centres and radii (m).

        Returns
        -------
        Cam
        """
        given = tuple(((float(c[0]), float(c[1])), float(r)) for c, r in arcs)
        return Cam(ArcProfile(given))  # type: ignore[arg-type]

    @staticmethod
    def tangent(base: float, nose: float, distance: float) -> "Cam":
        """A tangent cam: base circle and nose circle (radii in m), their centres `distance` (m) apart along z, and
        straight flanks.

        Parameters
        ----------
        base, nose : float
            Radii of the two circles (m).
        distance : float
            Distance of their centres (m).

        Returns
        -------
        Cam
        """
        return Cam.of_arcs([((0.0, 0.0), base), ((0.0, distance), nose)])

    @property
    def shape(self) -> ArcProfile | PolarProfile:
        """The profile."""
        assert isinstance(self.profile, ArcProfile | PolarProfile)
        return self.profile

    @property
    def symbols(self) -> tuple[Expr, ...]:
        return () if isinstance(self.shape, ArcProfile) else tuple(self.shape.symbols)

    @property
    def swept(self) -> bool:
        return False

    @property
    def turns(self) -> bool:
        return False

    @property
    def bulges(self) -> bool:
        """Whether it is convex, as a flat follower requires; True if that depends on parameters or tables."""
        if isinstance(self.shape, ArcProfile) or self.symbols:
            return True
        return bool(np.min(self.shape.curvature()[0]) > 0)

    @property
    def straight(self) -> bool:
        """Whether it has straight pieces."""
        return isinstance(self.shape, ArcProfile) and any(length > 0 for _, length in self.shape.joints)

    def follower_fault(self, curve: Surface) -> str:
        """Why a curve cannot follow it; empty if it can.

        Parameters
        ----------
        curve : Surface
            Of the second body.

        Returns
        -------
        str
        """
        if curve.hollow:
            return "a ring (inside=True) does not follow a cam."
        if curve.flat and not self.bulges:
            return "a flat follower needs a convex cam; this one is not. Use a roller, tr.Circle(radius)."
        if curve.flat and self.straight:
            return "a flat follower would strike where the cam is straight. Use arcs that touch, or a roller."
        return "the flat follower of a cam has no ends; use tr.Line()." if curve.bounded else ""


def _read(profile: Given) -> PolarProfile:
    """The profile as an expression, from a function or a constant radius."""
    if isinstance(profile, Table):
        raise ModelError(
            "Cam: a table of the profile belongs to the model: tr.Cam(m.table('profile', table)), where the table "
            "covers a whole turn and has beyond='repeat'."
        )
    angle = ca.SX.sym("angle")
    remedy = (
        "Cam: the profile is a function of the angle that returns the radius, such as "
        "lambda a: 0.03 + 0.01 * tr.cos(a), with functions of math from trundle"
    )
    try:
        answer = ca.SX(profile(angle) if callable(profile) else profile)
    except (TypeError, NotImplementedError) as error:
        raise ModelError(f"{remedy} ({error}).") from error
    if answer.numel() != 1:
        raise ModelError(f"Cam: the profile must give one number, got {answer.numel()}.")
    found = PolarProfile(angle, answer)
    if all(s.element_hash() == angle.element_hash() for s in ca.symvar(answer)):
        radius = found.curvature()[1]
        if not np.all(np.isfinite(radius)) or np.any(radius <= 0):
            raise ModelError(f"{remedy}. It must be finite and greater than zero everywhere.")
        if abs(radius[0] - radius[-1]) > 1e-9 * np.max(radius):
            raise ModelError(f"{remedy}. It must be the same after a whole turn.")
    return found
