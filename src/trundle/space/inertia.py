"""Mass properties of a rigid body."""

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Inertia:
    """Mass (kg), mass centre (m, body frame) and inertia matrix about the mass centre (kg m^2, body axes) as
    CasADi expressions.
    """

    mass: Expr
    com: Expr
    matrix: Expr

    @staticmethod
    def of(mass: Expr, inertia: Expr, com: Expr, about: Expr) -> "Inertia":
        """From the user's values: three moments, six numbers (xx, yy, zz, xy, xz, yz) or a 3x3 matrix, about the mass
        centre or another point.
        """
        com_sx = ca.SX(ca.vertcat(*com))
        matrix = inertia_matrix(inertia)
        if about != "com":
            d = com_sx - ca.vertcat(*about)
            matrix = matrix - mass * (ca.dot(d, d) * ca.SX.eye(3) - ca.mtimes(d, d.T))  # parallel axes
        return Inertia(ca.SX(mass), com_sx, matrix)


def inertia_matrix(inertia: Expr) -> Expr:
    """3x3 CasADi matrix of a user's inertia."""
    if isinstance(inertia, ca.SX) and inertia.shape == (3, 3):
        return inertia
    if isinstance(inertia, ca.SX | float | int):
        return ca.SX(inertia) * ca.SX.eye(3)
    if isinstance(inertia, np.ndarray) and inertia.shape == (3, 3):
        return ca.SX(ca.DM(inertia))
    values = list(inertia)
    if len(values) == 3 and all(isinstance(v, list | tuple) and len(v) == 3 for v in values):
        return ca.vertcat(*[ca.horzcat(*[ca.SX(v) for v in row]) for row in values])
    if len(values) not in (3, 6):
        raise ModelError(
            f"inertia {inertia!r}: give three moments, six numbers (xx, yy, zz, xy, xz, yz) or a 3x3 matrix."
        )
    xx, yy, zz, xy, xz, yz = (values + [0.0] * 3)[:6]
    rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    if all(isinstance(v, float | int) for v in values):
        return ca.SX(ca.DM(rows))
    rows = [[ca.SX(v) for v in row] for row in rows]
    return ca.vertcat(*[ca.horzcat(*row) for row in rows])


LARGEST = 1e120  # kg or kg m^2: the product of two must not overflow
LONGEST = 1e60  # m: nor that of its square with others
MEASURED = 0.1  # part by which measured moments may violate the triangle inequality


def inertia_faults(mass: float, matrix: Expr, triangle: bool = True) -> list[str]:
    """Descriptions of unphysical values of mass and inertia about the mass centre; empty if there are none.

    triangle=False omits the check that no principal moment exceeds the sum of the others; the equations do not need it.
    """
    faults = []
    if not np.isfinite(mass) or mass < 0:
        faults.append(f"mass {mass:g} kg is negative or not finite")
    if not np.all(np.isfinite(matrix)):
        return [*faults, "inertia is not finite"]
    if max(mass, float(np.max(np.abs(matrix)))) > LARGEST:
        return [*faults, f"mass or inertia above {LARGEST:g} would overflow in products; use larger units"]
    if np.max(np.abs(matrix - matrix.T)) > 1e-9 * np.max(np.abs(matrix)):
        faults.append("the inertia matrix is not symmetric")
    moments = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    scale = max(float(np.max(np.abs(moments))), 1e-300)
    if moments[0] < -1e-9 * scale:
        faults.append(
            f"a principal moment of inertia about the mass centre is negative ({moments[0]:.6g} kg m^2); check the "
            "numbers, and the point `about` to which they refer"
        )
    elif triangle and triangle_excess(matrix) > MEASURED:
        a, b, c = moments
        faults.append(
            f"the principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2 violate the triangle inequality (none may "
            f"exceed the sum of the other two) by {100 * triangle_excess(matrix):.3g} %: no distribution of mass "
            f"has them. If they are about another point, give about=(x, y, z). check_inertia=False accepts them as "
            f"they are"
        )
    return faults


def triangle_excess(matrix: Expr) -> float:
    """Relative excess of the largest principal moment over the sum of the other two; 0 if there is none."""
    a, b, c = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    if c <= (a + b) * (1 + 1e-6):
        return 0.0
    return float(c / (a + b) - 1) if a + b > 0 else float("inf")
