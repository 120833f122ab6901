from __future__ import annotations
import numpy as np

N = 8


def f(x: i8[N], y: i16[N]):
    a = y >> 1
    b = a * 2
    while np.any(x > 0):
        b ^= 3
        b = a
        x = x - 1
    return a, b
