"""Records with all variables of a running integration, shared by Python and the compiled loops.

A `..._kernel` is the address of compiled equations of the model, a `..._part` that of a part of the integrator, called
with the record itself; 0 if the run does not need it.
"""

from typing import final

from trundle.kernel.record import Floats, Ints, Record, named_fields


@named_fields
class StepRecord(Record):
    """Variables common to single runs and runs in lanes: sizes, method, tolerances, step control."""

    # sizes of the state, and the method (see `Plan`)
    n_x: int
    n_p: int
    rows: int
    stages: int
    extras: int
    dense_rows: int
    error_rows: int
    end_in_step: int
    coefficients: Floats
    extra_nodes: Floats
    extra_stages: Floats
    dense_weights: Floats
    # tolerances; absolute ones may grow with the largest states so far
    rtol: float
    weighted: int  # number of states that count in the error
    learning: int  # whether absolute tolerances grow
    part: float  # absolute tolerance relative to the largest size of a group
    group: Ints  # group of each state
    bound: Floats  # upper bound of the size of each group
    largest: Floats  # largest size of each group so far
    atol: Floats
    weight: Floats
    position_tol: float
    velocity_tol: float
    # a typical length (m), speed (m/s) and time (s) of the run, see `study.scales`
    length_scale: float
    speed_scale: float
    time_scale: float
    in_metres: Ints  # which coordinates are lengths
    # step control
    h_min: float
    h_max: float
    alpha: float
    beta: float
    safety: float
    shrink: float
    grow: float
    max_steps: int
    budget: int  # steps of one call
    # the equations, and the point at which they are evaluated
    rhs_kernel: int
    project_kernel: int
    clock: Floats
    work: Floats
    x: Floats
    x_new: Floats
    p: Floats
    k: Floats  # slopes of the stages
    dense: Floats
    scratch: Floats
    corrected: Floats
    n_samples: int
    sample_t: Floats
    # guards: values that must keep their sign (see `guards`)
    n_guards: int
    guards_kernel: int
    guard_sign: Floats
    guard_middle: Floats
    guard_probe: Floats
    guard_low: Floats
    guard_high: Floats
    # other common normals of contacts (see `other_normals`), in packs of lanes
    n_normal_packs: int
    normal_lanes: int
    normal_packs: int  # of each contact
    normal_fresh: int  # remaining number of normals behind the contact that are examined
    normal_away: float  # distance (m) from the contact below which a normal is the contact itself
    normal_kernel: Ints
    normal_width: Ints
    normal_first: Ints
    normal_loose: Ints
    normal_seeds: Ints
    normal_reach: Floats
    normal_s: Floats
    normal_rate: Floats  # rates of the coordinates of known normals, 1/s
    normal_since: Floats  # time of the last Newton step
    normal_value: Floats  # gap in excess of that of the contact at that time
    normal_slope: Floats  # absolute rate of the gap before that time, m/s
    normal_held: Ints  # 1: the normal is known
    normal_age: Ints  # Newton steps since the last seed
    normal_hit: Ints  # 1: the normal is reached
    normal_x: Floats
    normal_out: Floats
    normal_work: Floats


@final
@named_fields
class LoopRecord(StepRecord):
    """One run: time, step, events, projection, output buffers."""

    # sizes and options
    n_q: int
    n_u: int
    end_row: int
    stage_scale: int
    n_events: int
    n_monitors: int
    projection: int
    fixed: int
    every_step: int
    max_events: int
    loop_rows: int
    n_quaternions: int
    out_room: int
    event_room: int
    near_room: int
    n_contacts: int
    treatment: int
    watched: int
    n_breaks: int
    given_events: int
    trail_room: int
    folds: int
    passage_end: int
    driven: int  # what does work at landings (see `codes`)
    stiffness: int  # see `stiffness`
    # counters and flags
    steps: int
    rejected: int
    rhs_calls: int
    jacobians: int
    factorisations: int
    projections: int
    status: int  # see `codes`
    pending: int  # 1: the run must be (re)started after a start or a jump
    written: int
    logged: int
    passages: int
    fresh: int  # 1: the Jacobian is that of the present state
    last_rejected: int
    grid: int
    close: int
    hit: int
    projected: int
    avoided: int
    plastic: int
    last_bounce: float  # duration (s) of the last flight between two landings of a contact
    which: int
    trail: int
    seen: int
    stride: int
    open_event: int
    whole: int  # 1: the step is not shortened by the end of the run or a break
    dense_ready: int
    normal_met: int  # pack and lane of the normal that was reached
    normal_rest: int  # steps until the next check of the normals
    guards_known: int  # 0: signs and values are unknown, 1: only the signs are known, 2: both are known
    guards_rated: int  # 1: rates are known
    guards_rested: int  # steps since the last check
    guard_before: Floats
    guard_rate: Floats
    guard_bend: Floats  # recent absolute second derivative
    unstable: int  # number of steps limited by stability; `stable`: of successive shorter ones
    stable: int
    unsuited: int  # 1: the other method suits the motion better
    # times and steps
    t: float
    h: float  # length of the next step
    step: float  # length of the present step
    full_step: float  # the same, before an event shortens it
    full_error: float  # error of the full step
    t_new: float
    t_left: float  # what the steps have come beyond t: the clock has no digits for it late in time
    t_stop: float
    t_start: float
    t_end: float  # end of this call
    t_last: float  # end of the run
    t_event: float
    t_break: float
    normal_due: float  # latest time of the next check of the normals
    guards_seen: float  # time of the last check, interval to the one before, time until which none is needed
    guards_lapse: float
    guards_until: float
    guards_step: float  # length of the step at the last check
    guards_from: float  # up to this time guards are not checked
    alarm_since: float  # interval in which a guard is violated
    alarm_until: float
    h_fixed: float
    error: float
    last_error: float
    singular: float
    limit: float
    root: float
    cleared: float
    energy_before: float
    work_error: float
    work_errors: float
    rate: float  # fastest rate of the motion (1/s), if known
    least_slip: float  # slip speed, relative to that of the run, that is too small to have a direction
    reach: float  # length of the last explicit step, times that rate
    stability: float  # length of an explicit step, times the fastest rate, beyond which it is unstable
    # compiled equations of the model
    events_kernel: int
    jacobian_kernel: int
    metric_kernel: int
    impact_kernel: int
    modes_kernel: int
    enclosure_kernel: int
    round_off_kernel: int
    breaks_kernel: int
    energy_kernel: int
    free_kernel: int
    jump_kernels: Ints
    # parts of the integrator
    step_part: int
    dense_part: int
    project_part: int
    watch_part: int
    correct_part: int
    search_part: int
    bounded_part: int
    signs_part: int
    fire_part: int
    strike_part: int
    break_part: int
    decide_part: int
    decide_once_part: int
    guard_part: int
    normal_part: int
    stiffness_part: int
    difference_part: int
    # work arrays
    sample: Floats
    jumped: Floats
    quaternions: Ints
    matrix: Floats
    metric: Floats
    pivots: Ints
    sizes: Floats  # typical sizes of the states, for finite differences
    impact: Floats
    decision: Ints
    places: Ints
    energy: Floats
    box: Floats
    bounds: Floats
    parts: Floats
    normal_p: Floats
    normal_clock: Floats
    # events
    direction: Ints  # of crossings that fire: -1, 0 (both), 1
    kind: Ints  # see `codes`
    due: Ints  # 1: also fires below zero without a crossing
    sign: Ints  # at the start of the step
    now: Ints  # at the present point of the search
    fired: Ints  # 1: fires at the present time
    just: Ints  # 1: fired at the last event
    turned: Ints  # -1: a pole reversed the sign
    abrupt: Ints  # kind of an abrupt change, see `codes`
    unclear: Ints  # steps in which the function could not be distinguished from zero
    given_up: Ints  # 1: the search treats the function as zero
    leaps: Ints  # number of jumps over zero
    lost: Floats  # time (s) when the function first was NaN
    pole: Floats  # fraction of the step at which there is a pole
    g_start: Floats
    g_before: Floats
    g_left: Floats
    g_right: Floats
    g_probe: Floats
    g_root: Floats
    g_noise: Floats
    # output
    out_t: Floats
    out_x: Floats
    out_events: Ints
    event_index: Ints
    event_t: Floats
    event_x: Floats
    event_p: Floats
    event_work: Floats
    event_lost: Floats
    passage: Floats
    near: Floats
    trail_t: Floats
    trail_x: Floats
    trail_events: Ints


@final
@named_fields
class LaneRecord(StepRecord):
    """The lanes of one thread, with the lane index last: arrays "of a lane" have an entry per lane; `x`, `x_new`, `p`,
    `slope`, `spread`, `scratch`, `atol`, `weight` a row of lanes per state; `job_...` an entry per run.
    """

    lanes: int
    projecting: int
    guarded_kernel: int  # slopes and guards together; 0 if there is none
    judge_kernel: int  # see `judge`
    next_job: int
    last_job: int
    busy: int
    h_first: float
    exponent: float
    # of a lane
    t: Floats
    h: Floats
    error: Floats
    last_error: Floats
    accept: Ints
    taken: Floats  # 1: the lane has an accepted step
    keep: Ints
    job: Ints
    guard_job: Ints  # job whose signs of guards are known
    guard_news: int  # 1: there is a new job in a lane
    normal_turn: int  # steps since the first pack of each contact was processed
    normal_rest: int  # steps until the next pack is processed
    normal_stride: int  # steps between two packs
    normal_news: int  # 1: there may be a new job in a lane
    normal_job: Ints  # job whose normals are tracked
    normal_due: Floats  # latest time of the next check, for each lane of each pack
    normal_soonest: Floats  # the first of these times in each lane
    normal_row: int  # numbers per run in `normal_start`
    normal_start: Floats  # coordinates and gap in each pack at the start, run by run
    sample: Ints
    rejected: Ints
    # state of the guards of a lane, before and after this step (see `judge`)
    guard_known: Floats
    guard_later: Floats
    # of a state in a lane
    slope: Floats
    spread: Floats
    first_atol: Floats
    # of a run
    job_x: Floats
    job_p: Floats
    job_start: Floats
    job_end: Floats
    job_code: Ints
    job_steps: Ints
    job_rejected: Ints
    job_t: Floats
    sample_x: Floats
