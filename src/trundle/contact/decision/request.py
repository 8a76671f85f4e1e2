"""Memory of a decision on the modes of all contacts: what the compiled part `decide_once` reads and writes."""

from typing import final

import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.kernel.memory import address_of
from trundle.typing import Array


@final
class Decision:
    """Arrays of one decision; `table` has their addresses."""

    def __init__(self, contacts: int, data: Array) -> None:
        self.count, self.data = np.array([contacts], np.int64), data
        self.free, self.modes = np.zeros(3 * contacts + 8), np.zeros(numbers.WIDTH * contacts)
        self.memory, self.scales = np.zeros(numbers.decision(contacts)), np.zeros(2)  # speed of the run, shift
        arrays = (self.count, self.data, self.free, self.modes, self.memory, self.scales)
        self.table = np.array([address_of(array) for array in arrays], np.int64)
