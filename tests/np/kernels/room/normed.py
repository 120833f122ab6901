"""All elements with mean 0 and variance 1; nearest neighbours of one of them."""
from __future__ import annotations

import numpy as np

N = 63


def normed(x: f32[N], y: i32[N], q: i32) -> (f32[N], i64, i64):
    d = x - x.mean()
    var = (d * d).mean()
    near = abs(y.astype(np.int64) - q)
    first = near.argmin()
    second = np.where(np.arange(N, dtype=np.int64) == first, 0x7fffffffffffffff, near).argmin()
    return d / np.sqrt(var + 0.00001), first, second
