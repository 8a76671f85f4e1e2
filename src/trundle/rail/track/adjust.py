"""Lines whose transition changes with parameters of a run: the terms that are added to the rows of the table and to the
plan.
"""

from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.model.model import Model
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.basis import COUNT, DEGREE
from trundle.rail.track.rows import CANT, CURVATURE, INVERSE, ORIGIN, SLOPE
from trundle.rail.track.transition import CHANGES, Adjustable
from trundle.typing import Array, Expr

PARAMETERS = ("transition_c1", "transition_c2")
BEND, TILT, BEFORE, INSIDE, LENGTH, HEADING, WHOLE = range(7)  # columns of the table after the numbers of a row
SHAPE = slice(7, 7 + DEGREE + 1)  # coefficients of the curvature of the transition in the original line
WIDTH = 7 + DEGREE + 1
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def adjustable(line: Alignment) -> Adjustable | None:
    """The transition of a line that can change."""
    found = [segment for segment in line.segments if isinstance(segment, Adjustable)]
    if len(found) > 1:
        raise ModelError(f"{line.name}: a line has at most one Adjustable transition, this one has {len(found)}.")
    return found[0] if found else None


def columns(line: Alignment) -> Array:
    """Additional columns of the table of rows, for a line with such a transition."""
    changing = adjustable(line)
    assert changing is not None
    if line.pivot != "centre":
        raise ModelError(f"{line.name}: an Adjustable transition turns its cant about the centre of the track.")
    number = line.segments.index(changing)
    owners = np.asarray(line.owners)
    place = int(np.flatnonzero(owners == number)[0])
    if np.any(line.rows[owners == number, SLOPE]):
        raise ModelError(f"{line.name}: an Adjustable transition is level; let the gradient begin elsewhere.")
    row, heading = line.rows[place], line.pose.offsets()[place][0]
    out = np.zeros((len(owners), WIDTH))
    bend = row[CURVATURE][: DEGREE + 1]
    out[place, BEND] = bend.sum() - bend[0]
    out[place, TILT] = 0.0 if changing.ramp else row[CANT][: DEGREE + 1].sum() - row[CANT][0]
    out[place, INSIDE] = 1.0
    out[place + 1 :, BEFORE] = 1.0
    out[:, LENGTH], out[:, HEADING], out[:, SHAPE] = 1.0 / row[INVERSE], heading, bend
    out[:, WHOLE] = out[place, BEND]
    return out


@final
class Adjustment:
    """The parameters of the transition in a model, and their effect on the line."""

    def __init__(self, model: Model, changing: Adjustable) -> None:
        self.usual = (changing.c1, changing.c2)
        for name, value in zip(PARAMETERS, self.usual, strict=True):
            if name not in model.parameters:
                model.parameter(name, value, text="shape of the adjustable transition")

    def change(self, s: Expr) -> Expr:
        """Twelve coefficients that are added to the shape."""
        out = ca.SX.zeros(COUNT)
        for name, usual, part in zip(PARAMETERS, self.usual, CHANGES, strict=True):
            out = out + (s[name] - usual) * ca.DM(part)
        return out

    def numbers(self, s: Expr, row: list[Expr], width: int) -> list[Expr]:
        """Numbers of a row with the parameters of a run; `width` is their number without the columns above."""
        out, extra, change = list(row[:width]), row[width:], self.change(s)
        for channel, size in ((CURVATURE, extra[BEND]), (CANT, extra[TILT])):
            for i in range(DEGREE + 1):
                out[channel.start + i] = out[channel.start + i] + size * change[i]
        return out

    def shift(self, s: Expr, at: Expr, row: list[Expr], width: int) -> Expr:
        """Offset of the plan from that of the original line (m): the integral of the difference of directions, by
        Gauss, from the beginning of the transition to here or to its end.
        """
        extra, change = row[width:], self.change(s)
        x = extra[BEFORE] + extra[INSIDE] * (at - row[ORIGIN]) * row[INVERSE]
        total = ca.SX.zeros(2)
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            y = x * (node + 1) / 2
            powers = [y ** (k + 1) / (k + 1) for k in range(DEGREE + 1)]
            usual = extra[HEADING] + extra[LENGTH] * sum(extra[SHAPE][k] * power for k, power in enumerate(powers))
            turn = extra[LENGTH] * extra[WHOLE] * sum(change[k] * power for k, power in enumerate(powers))
            middle, half = usual + turn / 2, ca.sin(turn / 2)
            total = total + weight * ca.vertcat(-2 * ca.sin(middle) * half, 2 * ca.cos(middle) * half)
        return total * extra[LENGTH] * x / 2
