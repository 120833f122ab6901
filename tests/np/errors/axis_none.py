from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N]):
    y = np.stack((x, x), axis=None)
    return np.concatenate((x, x), axis=None)
