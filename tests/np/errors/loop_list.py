from __future__ import annotations
import numpy as np

T = np.array([5, 6, 7, 8, 9], dtype=np.int32)


def f(c: u8[8], z: i32[8]):
    x = z & 3
    L = [x, z]
    w = c & 3 | 2
    while np.any(w > 0):
        L[0] *= 2
        w = w >> 1
    return x, T[np.minimum(x >> 1, 7)]
