"""All variables of a running integration by name, shared by Python and the compiled loops between two calls.

A `..._kernel` is the address of compiled equations of the model, a `..._part` that of a part of the integrator, called
with the record itself; 0 where the run needs none.
"""

from typing import final

from trundle.kernel.record import Floats, Ints, Record, named_fields


@named_fields
class StepRecord(Record):
    """What a run alone and runs in lanes have in common: sizes, method, tolerances, step control."""

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
    # tolerances; absolute ones may grow with what was met
    rtol: float
    weighted: int  # states that count in the error
    learning: int
    part: float  # of the largest size met
    group: Ints
    bound: Floats
    met: Floats
    atol: Floats
    weight: Floats
    position_tol: float
    velocity_tol: float
    # a typical length (m), speed (m/s) and time (s) of the run, see `study.scales`
    length_scale: float
    speed_scale: float
    time_scale: float
    in_metres: Ints  # which coordinates are
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
    # the equations, and where they are evaluated
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
    # guards: values that keep their sign (see `guards`)
    n_guards: int
    guards_kernel: int
    guard_sign: Floats
    guard_middle: Floats
    guard_probe: Floats
    guard_low: Floats
    guard_high: Floats
    # other common normals of contacts (see `rivals`), in packs of lanes
    n_rivals: int
    rival_lanes: int
    rival_packs: int  # of each contact
    rival_fresh: int  # first looks at normals behind the contact that are left
    rival_away: float  # m, from the contact, below which they are the contact itself
    rival_kernel: Ints
    rival_width: Ints
    rival_first: Ints
    rival_loose: Ints
    rival_seeds: Ints
    rival_reach: Floats
    rival_s: Floats
    rival_rate: Floats  # at which those that are known move, 1/s
    rival_since: Floats  # time of the last Newton step
    rival_value: Floats  # gap above that of the contact then
    rival_slope: Floats  # size of its rate before that, m/s
    rival_held: Ints  # 1: known
    rival_age: Ints
    rival_hit: Ints
    rival_x: Floats
    rival_out: Floats
    rival_work: Floats


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
    driven: int
    stiffness: int  # see `stiffness`
    # counters and flags
    steps: int
    rejected: int
    rhs_calls: int
    jacobians: int
    factorisations: int
    projections: int
    answer: int
    pending: int  # a start or a jump is to be taken up
    written: int
    logged: int
    passages: int
    fresh: int  # the Jacobian is that of the present state
    last_rejected: int
    grid: int
    close: int
    hit: int
    projected: int
    avoided: int
    plastic: int
    last_bounce: float  # s, of the last flight between two landings of a contact
    which: int
    trail: int
    seen: int
    stride: int
    open_event: int
    whole: int  # the step is not cut by the end or by a break
    dense_ready: int
    rival_met: int  # pack and lane
    rival_rest: int  # steps before they are pursued again
    guards_known: int  # 0: not their signs either, 1: not their last values
    guards_rated: int  # 1: their rates are known
    guards_rested: int  # steps since the last look
    guard_before: Floats
    guard_rate: Floats
    guard_bend: Floats  # size of the second derivative lately
    unstable: int  # steps as long as stability allows, and those in a row that are shorter
    stable: int
    unsuited: int  # the other method suits the motion better
    # times and steps
    t: float
    h: float  # proposed next
    step: float  # tried now
    full_step: float  # tried now, before an event cuts it
    full_error: float  # of that step
    t_new: float
    t_stop: float
    t_start: float
    t_end: float  # of this stretch
    t_last: float  # of the run
    t_event: float
    t_break: float
    rival_due: float  # the time of the next look at them at the latest
    guards_seen: float  # the last look, the time between it and the one before, and up to when they may rest
    guards_lapse: float
    guards_until: float
    guards_step: float  # at the last look
    guards_from: float  # up to here they are not looked at
    alarm_since: float  # the step in which a guard is broken, and where it is
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
    rate: float  # the fastest of the motion (1/s), as far as it is known
    least_slip: float  # too small to have a direction, over the speed of the run
    reach: float  # length of the last explicit step, times that rate
    stability: float  # length of an explicit step, times the fastest rate of the motion, beyond which it is unstable
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
    rival_part: int
    stiffness_part: int
    difference_part: int
    # places to work in
    sample: Floats
    jumped: Floats
    quaternions: Ints
    matrix: Floats
    metric: Floats
    pivots: Ints
    sizes: Floats  # of the states in a typical motion, for differences
    impact: Floats
    decision: Ints
    places: Ints
    energy: Floats
    box: Floats
    bounds: Floats
    parts: Floats
    rival_p: Floats
    rival_clock: Floats
    # events: what they are, and their signs and values
    direction: Ints
    kind: Ints
    due: Ints
    sign: Ints
    now: Ints
    fired: Ints
    just: Ints
    turned: Ints
    abrupt: Ints
    unclear: Ints
    given_up: Ints
    leaps: Ints
    lost: Floats
    pole: Floats
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
    """The lanes of one thread, with the lane index last: arrays "of a lane" have one entry for each, `x`, `x_new`, `p`,
    `slope`, `spread`, `scratch`, `atol`, `weight` one row of lanes for each state, `job_...` one for each run.
    """

    lanes: int
    projecting: int
    guarded_kernel: int  # slopes and guards at once; 0 where there is none
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
    taken: Floats  # 1: it has an accepted step
    keep: Ints
    job: Ints
    guard_job: Ints  # whose signs are known
    guard_news: int  # 1: a job is new in its lane
    rival_turn: int  # steps since the first pack of each contact had its turn
    rival_rest: int  # steps before the next turn
    rival_stride: int  # steps between two turns
    rival_news: int  # 1: a job may be new in its lane
    rival_job: Ints  # whose rivals are pursued
    rival_due: Floats  # the time of the next look at the latest
    rival_row: int  # numbers of one run in `rival_start`
    rival_start: Floats  # coordinates and gap in each pack at the start, run by run
    sample: Ints
    rejected: Ints
    # of a guard in a lane: what is known of it, and what is known after this step (see `judge`)
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
