from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[2, 3, 4], y: i32[4, 3]):
    return np.dot(x, y)
