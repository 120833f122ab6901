from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    y = np.zeros((2, 3), dtype=np.int32)
    y += x[:2]
    return y
