"""Advice for attributes that a run does not have."""

ELSEWHERE = {
    "to_csv": "run.save('result.csv')",
    "to_dataframe": "run.to_pandas()",
    "to_netcdf": "run.save('result.nc')",
    "t": "run.time",
    **dict.fromkeys("xy", "run['bob.angle'], by the name of the quantity (run.names), or run.to_pandas() for states"),
    "results": "run.dataset, or one quantity, run['bob.angle']",
    "data": "run.dataset, or one quantity, run['bob.angle']",
    **dict.fromkeys(
        ("final", "last", "end"), "run.values('bob.angle')[-1], or run.state() for all coordinates and their rates"
    ),
    "at": "run['bob.angle'].interp(time=0.5)",
    "state": "run['bob.angle'].interp(time=0.5)",
    "view": "run.show()",
    "fft": "times, values = run.time, run.values('bob.angle'), then numpy.fft.rfft(values)",
    "times": "run.time",
    "duration": "run.time[-1] for the time at the end",
    **dict.fromkeys(("success", "succeeded", "converged"), "run.ok"),
    **dict.fromkeys(("status", "message", "reason", "termination"), "run.outcome"),
    **dict.fromkeys(("sol", "interpolate", "interp", "state_at"), "run['bob.angle'].interp(time=0.5)"),
    **dict.fromkeys(("compare", "overlay"), "run.show(compare=other), or plot both, run['bob.angle'].plot()"),
    **dict.fromkeys(
        ("extend", "continue_", "resume", "restart"),
        "system.simulate(5.0, run.state(), t0=run.time[-1]), which begins where it ended",
    ),
    **dict.fromkeys(("keys", "columns", "variables", "quantities"), "run.names"),
    "get": "run['bob.angle'], or run.values('bob.angle')",
    **dict.fromkeys(("to_numpy", "to_array", "array"), "run.values('bob.angle'), an array of numpy"),
    "to_dict": "{name: run.values(name) for name in run.coordinates}",
    "to_excel": "run.to_pandas('bob.angle').to_excel('run.xlsx')",
    **dict.fromkeys(("to_mat", "savemat"), "run.save('run.nc'), which MATLAB reads (ncread)"),
    **dict.fromkeys(("movie", "gif", "video"), "run.save_movie('run.gif')"),
    "animate": "run.show() or run.save_movie('run.gif')",
}
"""What new users look for, and where it is."""
