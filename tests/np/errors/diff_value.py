from __future__ import annotations
import numpy as np

N = 100


def f(x: i32):
    return np.diff(x)
