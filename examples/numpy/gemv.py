"""A matrix times a vector (PrIM: GEMV)."""
from __future__ import annotations
import numpy as np

N = 128
M = 64


def gemv(a: i32[N, M], x: i32[M]) -> i32[N]:
    y = (a * x).sum(axis=1, dtype=np.int32)
    return y
