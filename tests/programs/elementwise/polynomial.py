from __future__ import annotations
import numpy as np


def polynomial(x: i32[4096], z: i32[4096]) -> i32[4096]:
    a = x.astype(np.int64)
    b = a * a >> 16
    y = ((b * a >> 16) * 21845 >> 16).astype(np.int32) - (a * z.astype(np.int64) >> 16).astype(np.int32)
    return y
