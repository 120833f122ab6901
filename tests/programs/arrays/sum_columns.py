from __future__ import annotations
import numpy as np


def sum_columns(x: i32[256, 64]) -> i32[64]:
    y = x.sum(axis=0, dtype=np.int32)
    return y
