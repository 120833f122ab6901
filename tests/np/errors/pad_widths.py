from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[4, 4]):
    return np.pad(x, ((1, 2), (3, 4), (5, 6)))
