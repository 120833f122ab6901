from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    if np.any(x > 3):
        x += 1
    return x
