"""Where each number of a batch integration lives: the table of addresses of one thread, with the lane index last."""

# T: table of addresses; arrays "per lane" have W entries, "flat" ones n_x * W, "per job" one row for each trajectory
(T_N, T_R, T_ADDRESS, T_COEFFICIENTS, T_EXTRA_NODES, T_EXTRA_STAGES, T_DENSE_WEIGHTS,
 T_T, T_H, T_ERROR, T_LAST_ERROR, T_ACCEPT, T_JOB, T_SAMPLE, T_REJECTED, T_CLOCK, T_SPREAD, T_KEEP, T_ATOL, T_WEIGHT,
 T_X, T_X_NEW, T_P, T_SLOPE, T_K, T_DENSE, T_SCRATCH, T_CORRECTED, T_WORK,
 T_JOB_X, T_JOB_P, T_JOB_START, T_JOB_END, T_JOB_CODE, T_JOB_STEPS, T_JOB_REJECTED, T_JOB_T, T_SAMPLE_T,
 T_SAMPLE_X, T_FIRST_ATOL, T_GROUP, T_BOUND, T_MET) = range(43)  # fmt: skip

# n: sizes, options and the two counters of the thread
(W, N_X, N_P, ROWS, STAGES, EXTRAS, DENSE, END_IN_STEP, ERROR_ROWS, WEIGHTED, PROJECTING, SAMPLES, NEXT_JOB, LAST_JOB,
 BUSY, MAX_STEPS, BUDGET, CORRECTED_ROWS, LEARNING) = range(19)  # fmt: skip
N_SIZE = 19

# r: reals
RTOL, H_MIN, H_MAX, H_FIRST, ALPHA, BETA, SAFETY, SHRINK, GROW, POSITION_TOL, VELOCITY_TOL, EXPONENT, PART = range(13)
R_SIZE = 13

# ACCEPT: what became of the attempted step of a lane
IDLE, ACCEPTED, TOO_LARGE, BROKEN, UNPROJECTED = range(5)
