"""Extremes of all elements that others read, which the host cannot find, and such of masked ones."""
from __future__ import annotations
import numpy as np

N = 130


def extremes_read(x: f32[N], m: f32[10, 13]):
    low = x.min()
    least = m.min()
    some = m[m > 0.5].min()
    turned = np.argmin(m.T)
    kept = m.max(keepdims=True)
    both = np.max(m, axis=(0, 1))
    y = np.maximum(x[3:20], low)
    return some, turned, kept, both, y, low, least
