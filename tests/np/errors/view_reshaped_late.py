from __future__ import annotations
import numpy as np


def f(x: i32[12]):
    y = np.reshape(x[::-1], (3, 4))[1:]
    x[0] = 1
    return y + 1
