"""Where each number of a running integration lives.

Nothing but arrays is kept between two calls of the compiled loop; it knows them by one table of addresses (M_...).
Three of them hold single numbers: `n` sizes and options (int64), `c` counters and flags (int64), `r` reals (float64).
"""

# M: table of addresses of arrays
(M_N, M_C, M_R, M_ADDRESS, M_X, M_P, M_X_NEW, M_K, M_COEFFICIENTS, M_ATOL, M_WEIGHT, M_EXTRA_NODES, M_EXTRA_STAGES,
 M_DENSE_WEIGHTS, M_DENSE, M_SCRATCH, M_SAMPLE, M_CORRECTED, M_QUATERNIONS, M_MATRIX, M_METRIC, M_PIVOTS, M_CLOCK,
 M_WORK, M_SAMPLE_T, M_OUT_T, M_OUT_X, M_FLAGS, M_G, M_JUMPS, M_JUMPED, M_EVENT_INDEX, M_EVENT_T, M_EVENT_X, M_PASSAGE,
 M_NEAR, M_EVENT_P, M_IMPACT, M_BOX, M_BOUNDS, M_PARTS, M_GROUP, M_BOUND, M_MET, M_EVENT_WORK, M_OUT_EVENTS, M_TRAIL_T,
 M_TRAIL_X, M_TRAIL_EVENTS, M_ENERGY, M_EVENT_LOST, M_DECIDE, M_PLACES) = range(53)  # fmt: skip

# n: sizes and options
(N_X, N_P, N_Q, N_U, ROWS, END_ROW, STAGES, EXTRAS, DENSE, END_IN_STEP, STAGE_SCALE, ERROR_ROWS, EVENTS, MONITORS,
 PROJECTION, FIXED, EVERY_STEP, SAMPLES, MAX_STEPS, MAX_EVENTS, LOOP_ROWS, QUATERNIONS, WEIGHTED, OUT_ROOM, EVENT_ROOM,
 NEAR_ROOM, BUDGET, CONTACTS, TREATMENT, WATCHED, BREAKS, LEARNING, GIVEN, TRAIL_ROOM, FOLDS, PASSAGE_END,
 DRIVEN) = range(37)  # fmt: skip
N_SIZE = 37

# c: counters and flags
(STEPS, REJECTED, RHS, JACOBIANS, FACTORISATIONS, PROJECTIONS, ANSWER, STARTED, PENDING, WRITTEN, LOGGED, NEAR, FRESH,
 LAST_REJECTED, GRID, CLOSE, HIT, PROJECTED, AVOIDED, PLASTIC, WHICH, TRAIL, SEEN, STRIDE,
 UNBOOKED) = range(25)  # fmt: skip
C_SIZE = 25

# r: reals
(T, H, T_END, T_START, T_EVENT, STEP, ERROR, LAST_ERROR, H_MIN, H_MAX, H_FIXED, RTOL, ALPHA, BETA, SAFETY, SHRINK, GROW,
 POSITION_TOL, VELOCITY_TOL, SINGULAR, LIMIT, ROOT, CLEARED, T_BREAK, PART, ENERGY_BEFORE, WORK_ERROR,
 WORK_ERRORS) = range(28)  # fmt: skip
R_SIZE = 28

# addresses of compiled functions: kernels of the model, then functions of the integrator
(
    A_RHS,
    A_PROJECT,
    A_EVENTS,
    A_JACOBIAN,
    A_METRIC,
    A_STEP,
    A_DENSE,
    A_BRING,
    A_WATCH,
    A_CORRECT,
    A_SEARCH,
    A_SIGNS,
    A_FIRE,
    A_IMPACT,
    A_MODES,
    A_STRIKE,
    A_ENCLOSURE,
    A_ROUND_OFF,
    A_BOUNDED,
    A_BREAKS,
    A_NEXT_BREAK,
    A_ENERGY,
    A_FREE,
    A_DECIDE,
    A_DECIDE_ONCE,
) = range(25)
A_SIZE = 25

# answers of the compiled loop
(RUNNING, FINISHED, EVENT_STOP, EVENT_RETURN, BUFFER_FULL, STEP_TOO_SMALL, NOT_FINITE, CONSTRAINT, TOO_MANY_STEPS, ZENO,
 TOO_MANY_EVENTS, IMPACT_UNSOLVED, IMPACT_GAINS, FOLD_AHEAD, FOLD_PASSED) = range(15)  # fmt: skip

# kinds of event
RECORD, STOP, JUMP, RETURN, STRIKE, DECIDE = range(6)

# ways of projection
NO_PROJECTION, BY_KERNEL, BY_METRIC = range(3)

# what the stiff method does at folds: go through, stop before (for another method), or the other method goes through
THROUGH, STOP_BEFORE, PASSING = range(3)

# rows of the event arrays: integers (flags) and values (g)
DIRECTION, KIND, SIGN, FIRED, NOW, JUST, DUE, ABRUPT, UNCLEAR = range(9)
FLAG_ROWS = 9
G_START, G_BEFORE, G_LEFT, G_RIGHT, G_PROBE, G_ROOT, G_NOISE = range(7)
G_ROWS = 7

# kept for each loop that is watched: smallest monitor of this passage, its time, rise and value at the step's end
PASSAGE = 4

LONGEST_SEARCH = 200  # halvings that are open at once in a search by bounds

OVERDUE = -1e-9  # value below which an event that nobody saw coming is due
