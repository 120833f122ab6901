from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N]):
    c = np.count_nonzero(x)
    return c.astype(np.int32)
