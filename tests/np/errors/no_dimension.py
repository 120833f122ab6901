from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    s = x.sum(dtype=np.int32)
    return x - (s + 1)
