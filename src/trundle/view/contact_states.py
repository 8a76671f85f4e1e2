"""States of a contact over time, as numbers for pictures."""

from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.typing import Integers

if TYPE_CHECKING:
    from trundle.run.run import Run

Colour = tuple[float, float, float]

STATE_NAMES: Final = {0: "open", 1: "slides", 2: "sticks", 3: "strikes", 4: "touches"}
COLOUR_OF_STATE: Final[dict[int, Colour]] = {
    0: (0.8, 0.82, 0.84), 1: (0.9, 0.45, 0.05), 2: (0.0, 0.5, 0.36), 3: (0.62, 0.05, 0.5), 4: (0.34, 0.71, 0.91),
}  # light grey, orange, green, purple, sky blue: distinguishable for colour-blind readers  # fmt: skip
STRIKES: Final = 3
TOUCHES: Final = 4  # without friction, or with creep: there is nothing that sticks or slides


def states_of(run: "Run", contact: str) -> Integers:
    """States of a contact over time, 0 open, 1 sliding, 2 sticking or rolling, 4 touching."""
    name = f"{contact}.state"
    states = np.rint(run.values(name)).astype(int)
    return states if "sliding" in run.text(name) else np.where(states == 1, TOUCHES, states)


def strikes_of(run: "Run", contact: str) -> list[float]:
    """Times of the collisions at a contact (s)."""
    jumps = set(run.jump_times)
    return [event.time for event in run.events if event.time in jumps and event.contact == contact]
