from __future__ import annotations
import numpy as np

N = 100


def f(x: u8[N]):
    c = np.count_nonzero(x)
    return x + c * 3, c ** 9, c / 2
