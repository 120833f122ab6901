from __future__ import annotations
import numpy as np

# Slices without an element: stored, concatenated, computed with, reduced.
N = 65


def empty(x: i32[N], m: u8[N]):
    y = x.copy()
    y[N:] = x[N:] + 1
    y[5:2] = m[5:2]
    none = x[:0]
    tail = np.concatenate((none, x[3:], none[1:]))
    sums = none.sum() + np.prod(x[N:] * m[7:7]) + len(none)
    truths = np.stack((np.all(none > 0), np.any(none > 0)))
    pad = np.zeros((0, 2), dtype=np.int32).sum(axis=0)
    return y, tail, sums, truths, pad, np.cumsum(none).sum(), np.where(none > 1, none, m[:0]).astype(np.float32).sum()
