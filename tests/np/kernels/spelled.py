# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

N = 40
A = B = 3
S = A; T = S + 1


def turned(x: np.ndarray, n: int, mode=None) -> np.ndarray:
    y: np.ndarray = (x << n) | (x >> (8 - n))
    if mode is not None and mode in ("up", "down"):
        y = y + 1 if mode == "up" else y - 1
    return y


def kernel(x: u8[N], e: u8[N]) -> tuple[u8[N], i64[N], f64[N], u8, i64[N]]:
    lo = hi = x[0]
    for v in (x.min(), x.max()):
        lo = np.minimum(lo, v); hi = np.maximum(hi, v)
    y = turned(turned(x, 3), 1, "up")
    for k in range(6):
        if k in (1, T) or k not in range(5):
            y = y ^ k
    count = np.zeros(N, dtype=int)
    for edge in [10, 100, B, 200]: count += x >= edge
    empty = np.empty_like(count)
    empty[:] = x
    real = np.empty(N, dtype=float); real[:] = e
    return y, count + empty, real, hi - lo, np.where(x > e, np.iinfo(np.int16).max, 0)
