from __future__ import annotations
import numpy as np

# An `if` on data, and values that are chosen by data.
N = 65


def branches(x: i32[N], a: i32, b: i32):
    y = x.copy()
    if np.any(x > 1000):
        y = y // 2
    else:
        y += 1
    if a < b:
        y = y ^ a
    if not (a < 5 or b > a) and a != 3:
        y -= 7
    low = a if a < b else b
    s = x.sum(dtype=np.int32)
    n = 0 if N > 3 else 1
    while s > 100:
        s = s // 2
    return y, low, s + n, 0 <= a < b
