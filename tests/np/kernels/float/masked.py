# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

# Products and sums, in integers, of what a mask chooses of floats: of some, and of none.
N = 20


def kernel(x: f32[N], h: f16[N]) -> (u64, i32, u64, i64):
    small = np.where((x > -3) & (x < 3), x, np.float32(2))
    tiny = np.minimum(np.maximum(h, np.float16(-2)), np.float16(2))
    none = small > 5
    a = small[none].prod(dtype=np.uint64)
    b = small[none].sum(dtype=np.int32)
    c = np.abs(small)[small >= 1].prod(dtype=np.uint64)
    d = tiny[tiny == 2].prod(dtype=np.int64)
    return a, b, c, d
