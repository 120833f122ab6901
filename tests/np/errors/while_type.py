from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    y = x
    while np.any(y > 3):
        y = y.astype(np.int64)
    return y
