"""How machine code calls the solver for active rows: see `rows_node`.

The solver is compiled when a kernel first needs it. Code reads its address from SOLVER, whose own address is in the
table of the C mathematics library.
"""

import numpy as np

from trundle.kernel.ir import LIBRARY, LIBRARY_TABLE, Block

SOLVE = "solve"
"""Name of the function that calls the solver, and of the operation of a tape."""
BUFFER_OPERATIONS = frozenset(("buffer", "put", SOLVE, "get"))
"""Operations on the buffer of the solver."""
SOLVER = np.zeros(1, np.int64)
"""The address of the solver, as soon as a kernel needs it."""

DEFINITION = f"""
define internal void @{SOLVE}(ptr %numbers, i64 %stride, ptr %scratch) #0 {{
%record = alloca [4 x i64], align 8
%second = getelementptr i64, ptr %record, i64 1
%third = getelementptr i64, ptr %record, i64 2
%fourth = getelementptr i64, ptr %record, i64 3
store ptr %numbers, ptr %record, align 8
store i64 %stride, ptr %second, align 8
store ptr %scratch, ptr %third, align 8
store ptr %scratch, ptr %fourth, align 8
%cell = load ptr, ptr getelementptr (ptr, ptr @{LIBRARY_TABLE}, i64 {len(LIBRARY) + 1}), align 8
%solver = load ptr, ptr %cell, align 8
call void %solver(ptr %record)
ret void
}}
"""


def call_solver(block: Block, numbers: str, scratch: str, scratch_bytes: str) -> None:
    """Call the solver for every lane: the numbers of the lanes are interleaved, their scratch memory is separate."""
    for lane in range(block.lanes):
        own = block.emit(f"getelementptr double, ptr {numbers}, i64 {lane}")
        offset = block.emit(f"mul i64 {scratch_bytes}, {lane}")
        buffer = block.emit(f"getelementptr i8, ptr {scratch}, i64 {offset}")
        block.lines.append(f"call void @{SOLVE}(ptr {own}, i64 {block.lanes}, ptr {buffer})")
