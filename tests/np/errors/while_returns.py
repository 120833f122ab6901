from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    while np.any(x > 3):
        return x
    return x
