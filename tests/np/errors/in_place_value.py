from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N]):
    s = np.where(x[0] > x[1], x[2], x[3])
    t = s
    t += x[4]
    return s, t
