"""Mass, centre and inertia of a body from its shapes and their density."""

from collections.abc import Sequence
from math import isfinite
from typing import Final

import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.model.shape import Shape
from trundle.real_array import is_number
from trundle.typing import Array

MATERIALS: Final = {
    "aluminium": 2700.0,  # [CEN 2007, 3.2.5]; the element 2.70 g/cm^3 [Haynes 2016, section 4]
    "copper": 8960.0,  # [Haynes 2016, section 4: densities of the elements at 25 degrees Celsius]
    "ice": 917.0,  # [Haynes 2016, section 6: at 0 degrees Celsius]
    "lead": 11300.0,  # [Haynes 2016, section 4]
    "magnesium": 1740.0,  # [Haynes 2016, section 4]
    "steel": 7850.0,  # [CEN 2005, 3.2.2]
    "titanium": 4506.0,  # [Haynes 2016, section 4]
    "water": 997.0,  # [Haynes 2016, section 6: at 25 degrees Celsius]
}
"""Densities, kg/m^3, of what has one: pure metals, structural steel and aluminium, water. Woods, plastics, cast iron
and other alloys differ from piece to piece by more than models forgive: give theirs as `density`. `body.mass_source`
says which density was used.
"""


def density_of(body: str, density: object, material: str | None) -> float:
    """The density (kg/m^3) that a user gave, as a number or by the name of a material."""
    if material is not None and density is not None:
        raise ModelError(f"body {body!r}: give density or material, not both.")
    if material is not None:
        if material not in MATERIALS:
            raise UnknownNameError(str(material), list(MATERIALS), "material", "Of others give density=, in kg/m^3.")
        return MATERIALS[material]
    if not is_number(density) or not isfinite(density) or density <= 0:
        raise ModelError(f"body {body!r}: the density must be a number greater than zero (kg/m^3), got {density!r}.")
    return float(density)


def from_shapes(body: str, shapes: Sequence[Shape], density: float) -> tuple[float, Array, Array]:
    """Mass (kg), centre (m) and inertia about it (kg m^2) of homogeneous shapes, which should not overlap."""
    parts = [shape.volume() for shape in shapes]
    total = sum(part[0] for part in parts)
    if not total > 0:
        raise ModelError(
            f"body {body!r}: a density needs shapes with a volume: Box, Cylinder, Capsule, Sphere, Mesh, a Rod with a "
            "radius or a Disc with a thickness."
        )
    centre = sum((content * at for content, at, _ in parts), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for content, at, moments in parts:  # Huygens and Steiner
        d = at - centre
        inertia += moments + content * (d @ d * np.eye(3) - np.outer(d, d))
    return density * total, centre, density * inertia


def describe_mass(mass: float, centre: Array, inertia: Array, density: float, material: str | None, count: int) -> str:
    """Sentence with the mass properties that follow from the shapes."""
    of = f"{material} ({density:g} kg/m^3)" if material else f"{density:g} kg/m^3"
    moments = ", ".join(f"{v:.6g}" for v in np.diag(inertia))
    place = ", ".join(f"{v:.6g}" for v in centre)
    shapes = "1 shape" if count == 1 else f"{count} shapes"
    return f"{mass:.6g} kg, centre ({place}) m, moments ({moments}) kg m^2, from {shapes} of {of}"
