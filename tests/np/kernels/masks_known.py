# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

# Masks and arrays of numbers that are known.
EVEN = np.array([True, False, True, False])


def kernel(x: i16[4], y: i16[3, 4]) -> (i16[4], i64, i16[4], i64[3], bool[4], i32[2]):
    odd = np.array([False, True, False, True])
    r = x.copy()
    r[EVEN] = 0
    r[odd] += x[odd]
    s = x.copy()
    s[EVEN] = -x[EVEN]
    counts = np.array([0, 0, 0])
    for k in range(3):
        counts[k] = np.sum(y[k][EVEN])
    counts += 1
    two = np.array([7, 8], dtype=np.int32)
    two[1] = x[0]
    return r, x[odd].sum(), s, counts, np.select([EVEN], [x > 2], False), two
