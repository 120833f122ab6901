from __future__ import annotations
import numpy as np


def argmin(x: i32[256, 64]) -> i64[256]:
    y = np.argmin(x, axis=1)
    return y
