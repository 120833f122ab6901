from __future__ import annotations
import numpy as np


def maxpool(x: i32[128, 128]) -> i32[64, 64]:
    upper = np.maximum(x[::2, ::2], x[::2, 1::2])
    lower = np.maximum(x[1::2, ::2], x[1::2, 1::2])
    y = np.maximum(upper, lower)
    return y
