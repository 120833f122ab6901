from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    r = np.random.default_rng(1)
    return x
