from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    n = 0
    for k in range(30):
        if np.all(x < 3):
            break
        x = x >> 1
        n += 1
    return x + n
