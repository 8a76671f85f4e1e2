"""Advice for attributes that vehicles and trips do not have, and for arguments that trips do not take."""

_ON_A_LINE = "a vehicle runs along a line: trip = rail.Trip(vehicle, line, speed), then run = trip.simulate()"
OF_VEHICLE = {
    **dict.fromkeys(("simulate", "run", "build", "system", "model", "linearise"), _ON_A_LINE),
    "critical_speed": "write rail.critical_speed(vehicle)",
}
OF_TRIP = {
    **dict.fromkeys(("run", "solve"), "write run = trip.simulate(), which runs to the end of the line"),
    "build": "it is built when it is first needed; trip.system is the system, trip.model the model",
    **dict.fromkeys(("plot", "show"), "use the run, run = trip.simulate(), then run.plot(...) or run.show()"),
}
OF_ITS_RUNS = dict.fromkeys(("duration", "time", "samples", "method", "rtol"), "it goes to trip.simulate(10.0)")
