"""trundle sweep: many runs of one model, kept in a Zarr store."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.command.find import read_number
from trundle.errors import FileError, SolveError
from trundle.typing import Option, Untyped

if TYPE_CHECKING:
    from trundle.sweeps.cases import Cases
    from trundle.system import System

WAYS = ("latin", "sobol")


def read_cases(over: Sequence[str], sample: str | None, seed: int) -> "Cases":
    """Cases as typed: k=1:10:100 and mu=0.1,0.2 for a grid; with sample, k=1:10 and e.g. "latin:1000"."""
    from trundle.sweeps.cases import grid, latin_hypercube, sobol

    named = [_split(text) for text in over]
    if sample is None:
        return grid({name: _values(name, values) for name, values in named})
    way, _, count = sample.partition(":")
    if way not in WAYS or not count.strip().isdigit():
        raise FileError(f"--sample {sample!r} is not of the form latin:COUNT or sobol:COUNT, such as latin:1000.")
    ranges = {}
    for name, values in named:
        parts = values.split(":")
        if len(parts) != 2:
            raise FileError(f"--over {name}={values}: with --sample give a range, {name}=least:largest.")
        ranges[name] = (read_number(parts[0]), read_number(parts[1]))
    return (latin_hypercube if way == "latin" else sobol)(int(count), ranges, seed)


def _split(text: str) -> tuple[str, str]:
    name, sign, values = text.partition("=")
    if not sign or not name.strip() or not values.strip():
        raise FileError(f"--over {text!r} is not of the form NAME=FIRST:LAST:COUNT or NAME=VALUE,VALUE,...")
    return name.strip(), values.strip()


def _values(name: str, text: str) -> np.ndarray:
    if ":" not in text:
        return np.array([read_number(part) for part in text.split(",")])
    parts = text.split(":")
    if len(parts) != 3:
        raise FileError(f"--over {name}={text} is not of the form FIRST:LAST:COUNT, such as {name}=0:10:21.")
    first, last, count = (read_number(part) for part in parts)
    if count < 1 or count > 10_000_000 or count != round(count):
        raise FileError(f"--over {name}={text}: the count must be a positive integer.")
    return np.linspace(first, last, round(count))


def run_sweep(
    system: "System", cases: "Cases", duration: float, out: Path, cluster: str | None, **options: Option
) -> list[str]:
    """Run a sweep into a store; return lines of text about the result."""
    from trundle.sweeps import sweep

    found = sweep(system, cases, duration, out=out, client=_client(cluster), **options)
    names = found["outcome"].attrs["flag_meanings"].split()
    codes, counts = np.unique(found["outcome"].values, return_counts=True)
    endings = ", ".join(f"{n} {names[code]}" for code, n in zip(codes, counts, strict=True))
    lines = [f"{len(cases)} cases: {endings}", f"written: {out}"]
    failed = json.loads(found.attrs["messages"])
    lines += [f"  case {case}: {text}" for case, text in list(failed.items())[:3]]
    return [*lines, f"open it with xarray.open_zarr({str(out)!r}, consolidated=False)"]


def _client(address: str | None) -> Untyped:
    if address is None:
        return None
    try:
        from distributed import Client
    except ImportError:
        raise SolveError("--cluster needs Dask: pip install 'trundle[cluster]'.") from None
    try:
        return Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise SolveError(f"--cluster {address}: there is no Dask scheduler ({error}).") from error
