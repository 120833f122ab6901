from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N]):
    y = x
    c = x & 7
    while np.any(c > 0):
        x += c
        x = y
        c = c >> 1
    return y
