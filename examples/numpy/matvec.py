"""Dense layer with bytes: a table of weights times a vector, widened, then cut to 8 bits."""
from __future__ import annotations
import numpy as np

N = 64
M = 32


def matvec(w: i8[N, M], x: i8[M], shift: i32) -> i8[N]:
    wide = w.astype(np.int32) * x.astype(np.int32)
    total = wide.sum(axis=1, dtype=np.int32) >> shift
    y = np.clip(total, -128, 127).astype(np.int8)
    return y
