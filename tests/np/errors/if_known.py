from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    n = 1
    if np.any(x > 3):
        n = 2
    return x + n
