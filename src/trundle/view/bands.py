"""Bands under a plot that show the states of contacts: sticking, sliding, open, or striking."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from trundle.view.contact_states import COLOUR_OF_STATE, STATE_NAMES, STRIKES, TOUCHES, states_of, strikes_of
from trundle.view.style import tick_name

if TYPE_CHECKING:
    from trundle.run.run import Run

ORDER = (2, 1, TOUCHES, STRIKES, 0)


def contacts_of(run: "Run") -> list[str]:
    """Contacts whose state is known, in the order of the model."""
    return run.owners("state")


def draw_bands(axes: Axes, run: "Run", contacts: list[str]) -> None:
    """One row for each contact, coloured by its state, with a line at each collision; colours change exactly at
    transitions.
    """
    t = run.time
    changes = [time for _, time in run.events]
    for row, contact in enumerate(contacts):
        state = states_of(run, contact)
        edges = [0, *(np.nonzero(np.diff(state))[0] + 1), len(t)]
        begin = t[0]
        for first, last in pairwise(edges):
            end = t[-1]
            if last < len(t):
                between = [c for c in changes if t[last - 1] <= c <= t[last]]
                end = between[-1] if between else t[last]
            axes.barh(row, end - begin, left=begin, height=0.8, color=COLOUR_OF_STATE[state[first]], linewidth=0)
            begin = end
        axes.vlines(strikes_of(run, contact), row - 0.4, row + 0.4, color=COLOUR_OF_STATE[STRIKES], linewidth=1.6)
    axes.set_yticks(range(len(contacts)), [tick_name(contact) for contact in contacts])
    axes.set_ylim(len(contacts) - 0.5, -0.5)
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    seen = {int(s) for contact in contacts for s in np.unique(states_of(run, contact))}
    seen |= {STRIKES for contact in contacts if strikes_of(run, contact)}
    handles = [Patch(color=COLOUR_OF_STATE[s], label=STATE_NAMES[s]) for s in ORDER if s in seen]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.4)
