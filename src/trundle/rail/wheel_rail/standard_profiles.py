"""Profiles of the standards: wheel S1002 and rail 60E1."""

from dataclasses import replace

from trundle.data_file import read_data
from trundle.rail.wheel_rail.profile import MM, Profile
from trundle.rail.wheel_rail.profile_piece import Arc, Line, Piece, Polynomial, tangent_arcs
from trundle.typing import Raw


def S1002() -> Profile:
    """Wheel profile S1002 of EN 13715, from the flange back (-70 mm) to 60 mm."""
    pieces: list[Piece] = []
    for part in _data("s1002")["pieces"]:
        start, end = (MM * v for v in part["range"])
        if "arc" in part:
            z, radius, minus_y = part["arc"]
            pieces.append(Arc(start, end, (-MM * minus_y, -MM * z), MM * radius, -part["half"]))
        else:
            pieces.append(Polynomial(start, end, tuple(-c for c in part["polynomial"]), MM))
    return Profile("S1002", "wheel", tuple(pieces))


def Rail60E1(inclination: float = 1 / 40) -> Profile:
    """Rail head 60E1 (UIC 60) of EN 13674-1, leaning inwards by `inclination`.

    Parameters
    ----------
    inclination : float
        Inwards, such as 1/40.

    Returns
    -------
    Profile
    """
    data = _data("60e1")
    radii, ends = tuple(MM * r for r in data["radii"]), tuple(MM * w for w in data["half_widths"])
    right = tangent_arcs(radii, ends, data["side_slope"], MM * data["side_height"])
    left = [_mirror(p) for p in reversed(right)]
    top = Arc(left[-1].start, right[0].end, (0.0, -radii[0]), radii[0], 1)
    whole = Profile("60E1", "rail", (*left[:-1], top, *right[1:]))
    return whole.inclined(inclination)


def _mirror(piece: Piece) -> Piece:
    if isinstance(piece, Arc):
        return replace(piece, start=-piece.end, end=-piece.start, centre=(-piece.centre[0], piece.centre[1]))
    assert isinstance(piece, Line)
    return Line(-piece.end, -piece.start, (-piece.point[0], piece.point[1]), -piece.slope)


def _data(name: str) -> Raw:
    return read_data(f"rail/data/{name}.toml")
