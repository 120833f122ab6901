from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N]):
    c = x & 7
    while np.any(c > 0):
        x = x + c
        c = c >> 1
    x += 1
    return x
