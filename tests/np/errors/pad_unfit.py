from __future__ import annotations
import numpy as np

N = 100


def f(x: u8[N]):
    return np.pad(x, 1, constant_values=300)
