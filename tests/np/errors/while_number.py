from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    n = 0
    while np.any(x > 3):
        x -= 1
        n += 1
    return x
