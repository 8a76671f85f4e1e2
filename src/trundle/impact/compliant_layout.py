"""Places in the arrays that a compiled collision shares with Python."""

# Table of addresses.
M_P, M_MODE, M_COUNT, M_Y, M_Y_NEW, M_K, M_SCRATCH, M_FORCE, M_COEFFICIENTS, M_OUT, M_SIZE = range(11)

# Parameters: inverse mass matrix of (front normal, back normal, tangent), friction, law of the feet, control.
W_FF, W_FB, W_FT, W_BB, W_BT, W_TT, MU, HIGH, LOW, EXPONENT, FACTOR, DAMPER, GRAVITY, STEP, TOLERANCE, END = range(16)
P_SIZE = 16

# State: deformations (positive when pressed in), upward speeds, slip, work taken by feet and friction, impulses.
D_F, D_B, V_F, V_B, V_T, E_F, E_B, E_T, P_F, P_B, P_T = range(11)
N_Y = 11

# Modes: sign of the slip (0 sticks), and one for each foot.
SLIDE, FRONT, BACK = range(3)
OPEN, COMPRESSES, EXPANDS, HELD = range(4)

# Counts; the length of the state is among them so that the compiler does not unroll its loops.
STAGES, WIDTH, LENGTH, CAPACITY, ROWS, STATUS, STEPS, C_SIZE = range(8)
RUNNING, RELEASED, AT_REST, TIME_OVER, FULL, LOST = range(6)

# A row of the record: time, state, forces (front, back, tangent), modes.
R_T, R_Y, R_FORCE, R_MODE = 0, 1, 1 + N_Y, 4 + N_Y
R_SIZE = 7 + N_Y
