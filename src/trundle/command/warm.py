"""`trundle warm`: compile in advance what the first runs need."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trundle.file import ModelFile


def warm_loops() -> str:
    """Machine code of all time loops; a sentence on how long it took."""
    from trundle.kernel.cache import USER_CACHE
    from trundle.kernel.compiled import address
    from trundle.kernel.make_loops import all_parts

    began, count = time.perf_counter(), 0
    for part, home in all_parts():
        address(part, home)
        count += 1
    return f"{count} time loops ready in {time.perf_counter() - began:.1f} s, kept in {USER_CACHE.path}"


def warm_model(file: "ModelFile") -> str:
    """Equations and machine code of a model, by the shortest run of it; a sentence on how long it took."""
    began, run = time.perf_counter(), file.run
    file.model.build().simulate((run.duration or 1.0) * 1e-6, method=run.method, rtol=run.rtol, samples=2)
    return f"{file.model.name} ready in {time.perf_counter() - began:.1f} s"
