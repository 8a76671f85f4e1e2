"""Codes shared by the compiled loops and Python: return values, kinds of events, ways to continue."""

# status of the compiled loop
(RUNNING, FINISHED, EVENT_STOP, EVENT_RETURN, BUFFER_FULL, STEP_TOO_SMALL, NOT_FINITE, CONSTRAINT, TOO_MANY_STEPS, ZENO,
 TOO_MANY_EVENTS, IMPACT_UNSOLVED, IMPACT_GAINS, FOLD_AHEAD, FOLD_PASSED, ALARM,
 OTHER_NORMAL, UNSUITED) = range(18)  # fmt: skip

# kinds of event
RECORD, STOP, JUMP, RETURN, STRIKE, DECIDE, JAM = range(7)

# how an event function changes its sign if its rate is unbounded (0 if it is bounded)
STEEP, LEAPS, POLE = 1, 2, 3

# what does work at a landing beside its impulses: drives, or laws that hold more than the slips, which only take energy
BY_DRIVES, BY_LAWS = 1, 2

# ways of projection
NO_PROJECTION, BY_KERNEL, BY_METRIC = range(3)

# stiff runs at folds: the stiff method passes them, stops before them, or an explicit method is passing one now
THROUGH, STOP_BEFORE, PASSING = range(3)

# whether a run may switch between its explicit method and a stiff one, and which of the two is in use
ONE_METHOD, BY_EXPLICIT, BY_STIFF = range(3)

# result of the attempted step of a lane
IDLE, ACCEPTED, TOO_LARGE, BROKEN, UNPROJECTED, ALARMED = range(6)

# numbers for each monitored loop: smallest monitor of this passage, its time, increase and value at the end of the step
PASSAGE = 4

MOST_UNDECIDED = 64  # shortest intervals of a search, after which a function counts as indistinguishable from zero
LONGEST_SEARCH = 200  # nested halvings in a search by bounds

AT_ONCE = 1e-14  # of the time: what is no farther apart than this, or than the smallest step, happens at once
OVERDUE = -1e-9  # value below which an event fires although no crossing was seen

STRIDE = 0.15  # longest step of the search for a common normal, relative to its reach
FAR = 3.0  # ratio of the gap of a common normal to its last change, above which it is not close
NORMAL_STEPS = 12  # most steps of a run from one check of its common normals to the next

# for a guard, in a step: change relative to the smallest value that requires a closer check; contribution of the
# curvature, relative to the smallest value, below which a change is even; decay of the curvature between checks
MUCH, EVEN, FADES = 0.5, 0.2, 0.5
