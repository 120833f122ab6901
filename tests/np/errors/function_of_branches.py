from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    g = lambda v: v
    if np.any(x > 3):
        def g(v):
            return v + 1
    return g(x)
