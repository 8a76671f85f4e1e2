"""Results of a sweep in a Zarr store that grows part by part.

The mark of a part in the group `progress` is set after its numbers were written: a sweep that was stopped or killed
continues with the parts without a mark. Readers such as xarray.open_zarr see the group of results only.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from trundle.errors import StoreError
from trundle.sweeps.question import Column
from trundle.typing import AnyArray, Array, Json, Raw, Settings, Untyped

FORMAT = 1
MESSAGES = 1000  # largest number of stored messages of failed cases
IDENTITY = "trundle_sweep"


@final
@dataclass(frozen=True)
class Layout:
    """Identity of a sweep, by which its store is recognised; differences are named in the message."""

    identity: Settings
    cases: int
    part: int  # cases in one part, the chunk of the arrays

    @property
    def parts(self) -> int:
        return -(-self.cases // self.part)

    def span(self, i: int) -> slice:
        """The cases of a part."""
        return slice(i * self.part, min((i + 1) * self.part, self.cases))

    def size(self, i: int) -> int:
        """Number of cases of a part."""
        span = self.span(i)
        return int(span.stop - span.start)


def part_of(path: Path) -> int | None:
    """Cases of one part in an existing store; None if there is no readable one."""
    import zarr

    try:
        identity: Raw = zarr.open_group(path, mode="r", zarr_format=3).attrs.get(IDENTITY)
        return int(identity["part"])
    except Exception:  # no store of a sweep: opening it gives the message
        return None


@final
class SweepStore:
    """A Zarr store of one sweep; created with the first finished part, or opened if it exists."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path, self.layout = path, layout
        self.root: Untyped = None  # zarr.Group
        if path.exists():
            self._open()

    def _open(self) -> None:
        import zarr

        try:
            root: Untyped = zarr.open_group(self.path, mode="r+", zarr_format=3)
            known = root.attrs.get(IDENTITY)
        except Exception:  # not a store of a sweep
            known = None
        if not isinstance(known, dict) or "finished_layout" not in known:
            raise StoreError(
                f"{self.path} is there already and is not the store of a sweep. Nothing was changed; give another out=."
            )
        mine = self._identity()
        other = [key for key in mine if known.get(key) != mine[key]]
        if other:
            raise StoreError(
                f"{self.path} belongs to another sweep: its {', '.join(other)} differ{'s' * (len(other) == 1)} from "
                "those of this call. Nothing was changed; give another out=, or the same sweep to continue it."
            )
        self.root = root

    def _identity(self) -> Json:
        whole = {**self.layout.identity, "format": FORMAT, "cases in all": self.layout.cases, "part": self.layout.part}
        plain: Json = json.loads(json.dumps(whole))
        return plain

    def missing(self) -> list[int]:
        """Indices of the parts that are not finished."""
        if self.root is None:
            return list(range(self.layout.parts))
        done = np.asarray(self.root["progress/done"][:])
        return [i for i in range(self.layout.parts) if not done[i]]

    def put(self, i: int, columns: Mapping[str, Column], messages: Mapping[int, str], whole: "Frame") -> None:
        """Write a part: its numbers first, then its mark."""
        with _words(self.path):
            if self.root is None:
                self._create(columns, whole)
            root, span = self.root, self.layout.span(i)
            for label, column in columns.items():
                root[label][span] = column.values
            if messages:
                failures = root["progress"]
                kept = dict(failures.attrs.get("messages", {}))
                for place, text in messages.items():
                    if len(kept) < MESSAGES:
                        kept[str(span.start + place)] = text
                failures.attrs["messages"] = kept
            root["progress/done"][i] = 1

    def _create(self, columns: Mapping[str, Column], whole: "Frame") -> None:
        """Create arrays of all variables, still empty; the identity is written last, so that an incomplete layout is
        not taken for a store.
        """
        import zarr

        n, part = self.layout.cases, self.layout.part
        root: Untyped = zarr.create_group(self.path, zarr_format=3)
        coordinates = " ".join(whole.labels)
        for name, values in whole.labels.items():
            _write(root, name, values, ("case", *(f"{name} component",) * (values.ndim - 1)), {})
        if whole.time is not None:
            _write(root, "time", whole.time, ("time",), {"units": "s", "long_name": "time"})
        for label, column in columns.items():
            for axis, names in column.coords:
                if axis not in root:
                    _write(root, axis, np.arange(len(names)), (axis,), {"meanings": list(names)})
            attributes = {"units": column.unit, "long_name": column.text, "coordinates": coordinates}
            if label == "outcome":
                attributes |= whole.flags
            shape = column.values.shape[1:]
            root.create_array(
                label, shape=(n, *shape), chunks=(part, *shape), dtype=column.values.dtype,
                fill_value=column.nothing, dimension_names=("case", *column.dims), attributes=attributes,
            )  # fmt: skip
        progress = root.create_group("progress")
        progress.create_array("done", shape=(self.layout.parts,), chunks=(1,), dtype="int8", fill_value=0)
        root.attrs.update({IDENTITY: {**self._identity(), "finished_layout": True}})
        self.root = root

    def messages(self) -> dict[int, str]:
        """Messages of failed cases, by case."""
        if self.root is None:
            return {}
        return {int(case): text for case, text in self.root["progress"].attrs.get("messages", {}).items()}


@final
@dataclass(frozen=True)
class Frame:
    """Data common to all parts: coordinates of the cases, sample times, names of the outcomes."""

    labels: Settings
    time: Array | None
    flags: Settings


def _write(root: Untyped, name: str, values: AnyArray, dims: tuple[str, ...], attributes: Json) -> None:
    array = np.asarray(values)
    made = root.create_array(
        name, shape=array.shape, chunks=tuple(max(1, n) for n in array.shape), dtype=array.dtype,
        dimension_names=dims, attributes=attributes,
    )  # fmt: skip
    made[...] = array


@contextmanager
def _words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}. Parts that were written are complete; run the same "
            "sweep again to continue."
        ) from error
