from __future__ import annotations
import numpy as np


def sum(x: i32[65536]) -> i32:
    s = np.sum(x, dtype=np.int32)
    return s
