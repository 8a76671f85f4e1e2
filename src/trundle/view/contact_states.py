"""What a contact does over time, as numbers that pictures have words for."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from trundle.run.run import Run

TOUCHES: Final = 4  # without friction, or with creep: there is nothing that sticks or slides


def states_of(run: "Run", contact: str) -> Any:
    """States of a contact over time, 0 open, 1 sliding, 2 sticking or rolling, 4 touching."""
    name = f"{contact}.state"
    states = np.rint(run.values(name)).astype(int)
    return states if "sliding" in run.text(name) else np.where(states == 1, TOUCHES, states)
