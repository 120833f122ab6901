"""Extremes of all elements, which the host may find, too: results alone, read by others, of views,
and of arrays whose axis lies in registers."""
from __future__ import annotations
import numpy as np

N = 130


def extremes(x: f32[N], y: f16[N], z: f64[N], m: f32[10, 13], w: f16[40, 3]):
    low = x.min()
    high = x.max()
    where = np.argmin(y)
    last = np.argmax(y)
    least = np.min(z)
    most = np.max(y[3:90])
    all = m.max()
    turned = np.argmin(m.T)
    few = w.min()
    some = m[m > 0.5].min()
    read = y.min()
    rows = m.max(axis=1)
    kept = w.max(keepdims=True)
    both = np.max(m, axis=(0, 1))
    y2 = np.maximum(y, read)
    return low, high, where, last, least, most, all, turned, few, some, read, rows, kept, both, y2
