"""The two functions by which machine code searches tables in memory: see `trundle.lookup.memory`."""

from trundle.kernel.ir import LIBRARY, LIBRARY_TABLE, bits
from trundle.lookup.memory import SLOTS

ROOT, FIND = "root", "find"
"""Names of the functions, and of the operations of a tape that call them."""


def definition(declarations: set[str]) -> str:
    """IR of both functions; the intrinsics that they need are added to the declarations."""
    for name in ("minnum", "maxnum"):
        declarations.add(f"declare double @llvm.{name}.f64(double, double)")
    return _ROOT + _FIND


# Sums and products are not fused here, because the buckets were filled with the same rounding.
_ROOT = f"""
define internal double @{ROOT}(double %handle) #0 {{
%positive = call double @llvm.maxnum.f64(double %handle, double {bits(0.0)})
%bounded = call double @llvm.minnum.f64(double %positive, double {bits(2.0**53)})
%number = fptosi double %bounded to i64
%slot = and i64 %number, {SLOTS - 1}
%directory = load ptr, ptr getelementptr (ptr, ptr @{LIBRARY_TABLE}, i64 {len(LIBRARY)}), align 8
%entry = getelementptr [2 x i64], ptr %directory, i64 %slot
%known = load i64, ptr %entry, align 8
%is_known = icmp eq i64 %known, %number
%at = getelementptr i64, ptr %entry, i64 1
%nowhere = getelementptr i64, ptr %directory, i64 1
%which = select i1 %is_known, ptr %at, ptr %nowhere
%address = load i64, ptr %which, align 8
%result = sitofp i64 %address to double
ret double %result
}}
"""

_FIND = f"""
define internal double @{FIND}(double %x, double %node) #0 {{
entry:
%whole = fptosi double %node to i64
%at = inttoptr i64 %whole to ptr
%at_scale = getelementptr double, ptr %at, i64 1
%at_last = getelementptr double, ptr %at, i64 2
%at_edges = getelementptr ptr, ptr %at, i64 3
%at_starts = getelementptr ptr, ptr %at, i64 4
%at_children = getelementptr i64, ptr %at, i64 5
%at_stride = getelementptr i64, ptr %at, i64 6
%at_nowhere = getelementptr i64, ptr %at, i64 7
%first = load double, ptr %at, align 8
%scale = load double, ptr %at_scale, align 8
%last = load double, ptr %at_last, align 8
%edges = load ptr, ptr %at_edges, align 8
%starts = load ptr, ptr %at_starts, align 8
%children = load i64, ptr %at_children, align 8
%stride = load i64, ptr %at_stride, align 8
%nowhere = load i64, ptr %at_nowhere, align 8
%from = fsub double %x, %first
%scaled = fmul double %from, %scale
%positive = call double @llvm.maxnum.f64(double %scaled, double {bits(0.0)})
%bounded = call double @llvm.minnum.f64(double %positive, double %last)
%bucket = fptosi double %bounded to i64
%at_low = getelementptr i64, ptr %starts, i64 %bucket
%at_high = getelementptr i64, ptr %at_low, i64 1
%low0 = load i64, ptr %at_low, align 8
%high0 = load i64, ptr %at_high, align 8
br label %loop
loop:
%low = phi i64 [%low0, %entry], [%next_low, %halve]
%high = phi i64 [%high0, %entry], [%next_high, %halve]
%more = icmp ult i64 %low, %high
br i1 %more, label %halve, label %done
halve:
%sum = add i64 %low, %high
%sum1 = add i64 %sum, 1
%middle = lshr i64 %sum1, 1
%at_edge = getelementptr double, ptr %edges, i64 %middle
%edge = load double, ptr %at_edge, align 8
%below = fcmp ole double %edge, %x
%less = sub i64 %middle, 1
%next_low = select i1 %below, i64 %middle, i64 %low
%next_high = select i1 %below, i64 %high, i64 %less
br label %loop
done:
%offset = mul i64 %low, %stride
%child = add i64 %children, %offset
%number = fcmp ord double %x, %x
%found = select i1 %number, i64 %child, i64 %nowhere
%result = sitofp i64 %found to double
ret double %result
}}
"""
