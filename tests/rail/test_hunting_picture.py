"""The bifurcation diagram draws a branch as stable only where it is so at both ends of a piece."""

import numpy as np

from trundle.rail.analysis.hunting_view import _stretches


def test_one_unstable_point_makes_both_of_its_pieces_unstable() -> None:
    stable = np.array([False, False, True, True, False, True, True])
    found = [(list(range(7))[points], holds) for points, holds in _stretches(stable)]
    assert found == [([0, 1, 2], False), ([2, 3], True), ([3, 4, 5], False), ([5, 6], True)]
    assert [(p, holds) for p, holds in _stretches(np.array([True, True]))] == [(slice(0, 2), True)]
