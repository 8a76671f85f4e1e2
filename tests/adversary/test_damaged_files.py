"""A damaged model file is read, or refused with a FileError that names what is wrong; some that are read are run.

`make fuzz` reads 100,000 of them (TRUNDLE_FUZZ gives the count, TRUNDLE_FUZZ_FIRST the first number).
"""

import os
import re

import numpy as np
import pytest
from mutations import mutated

import trundle as tr
from trundle.errors import FileError, TrundleError
from trundle.file import read_model

COUNT = int(os.environ.get("TRUNDLE_FUZZ", "2000"))
FIRST = int(os.environ.get("TRUNDLE_FUZZ_FIRST", "0"))
BLOCKS = 8
RUN_EVERY = 8  # of the files that can be read, which most cannot


@pytest.mark.parametrize("block", range(BLOCKS))
def test_damaged_files_are_read_or_refused_with_a_message(block: int) -> None:
    read, refused, ran = 0, 0, 0
    for i in range(FIRST + block, FIRST + COUNT, BLOCKS):
        text = mutated(np.random.default_rng([i, 2024]))
        try:
            file = read_model(text, "damaged.yaml")
        except FileError as error:
            assert re.match(r"damaged\.yaml", str(error)), (i, str(error))
            assert "casadi" not in str(error).lower() and "traceback" not in str(error).lower(), (i, str(error))
            refused += 1
            continue
        read += 1
        if read % RUN_EVERY:
            continue
        try:
            run = file.model.build().simulate(0.01, samples=2, steps=tr.Steps(most=2000))
        except TrundleError:
            continue
        ran += 1
        if run.ok:
            assert all(np.all(np.isfinite(run.values(name))) for name in run.coordinates), i
    if COUNT >= 2000:
        assert read > 0 and refused > 0 and ran > 0
