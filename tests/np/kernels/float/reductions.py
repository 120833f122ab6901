"""Sums by their trees, and extremes."""
from __future__ import annotations
import numpy as np

N = 37
M = 21


def reductions(x: f32[N, 24], h: f16[M, N], c: f64[5, 7, 11]):
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean()
    low, high = h.min(axis=0), h.max()
    return (x.sum(), x.sum(axis=0), x.sum(axis=1), variance, h.mean(), h.sum(axis=1, dtype=np.float32), low, high,
            c.sum(axis=(0, 2)), c.prod(axis=1), np.argmin(h, axis=1), np.argmax(c), (x > 0).any(axis=1),
            np.count_nonzero(h, axis=0), np.max(x, axis=1))
