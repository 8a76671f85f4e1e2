"""Codes shared by the compiled loops and Python: return values, kinds of events, ways to continue."""

# answers of the compiled loop
(RUNNING, FINISHED, EVENT_STOP, EVENT_RETURN, BUFFER_FULL, STEP_TOO_SMALL, NOT_FINITE, CONSTRAINT, TOO_MANY_STEPS, ZENO,
 TOO_MANY_EVENTS, IMPACT_UNSOLVED, IMPACT_GAINS, FOLD_AHEAD, FOLD_PASSED, ALARM,
 RIVAL, UNSUITED) = range(18)  # fmt: skip

# kinds of event
RECORD, STOP, JUMP, RETURN, STRIKE, DECIDE, JAM = range(7)

# how an event function changes its sign where its rate has no bound (0 where it has one)
STEEP, LEAPS, POLE = 1, 2, 3

# ways of projection
NO_PROJECTION, BY_KERNEL, BY_METRIC = range(3)

# what the stiff method does at folds: go through, stop before (for another method), or the other method goes through
THROUGH, STOP_BEFORE, PASSING = range(3)

# whether a run may change between its explicit method and a stiff one, and which of the two steps now
ONE_METHOD, BY_EXPLICIT, BY_STIFF = range(3)

# what became of the attempted step of a lane
IDLE, ACCEPTED, TOO_LARGE, BROKEN, UNPROJECTED, ALARMED = range(6)

# kept for each loop that is watched: smallest monitor of this passage, its time, rise and value at the step's end
PASSAGE = 4

MOST_UNDECIDED = 64  # of the shortest parts of a search: beyond, a function cannot be distinguished from zero
LONGEST_SEARCH = 200  # halvings that are open at once in a search by bounds

OVERDUE = -1e-9  # value below which an event that nobody saw coming is due

STRIDE = 0.15  # longest move of a common normal that is looked for, of the reach of the search
FAR = 3.0  # gap of a common normal over its last change from which on it is not close
RIVAL_REST = 5  # most steps of a run between two looks at its common normals
LANE_RIVAL_STEPS = 4  # steps from one such look to the next in lanes

# of a guard, in a step: change over the smallest value that asks for a closer look; change that a bend adds over the
# smallest value, below which a change is even; and what is left of a bend from one look to the next
MUCH, EVEN, FADES = 0.5, 0.2, 0.5
