"""Reductions in a row are one fold; some are results alone, others are read or written, too."""
from __future__ import annotations
import numpy as np

N = 130


def totals(x: i32[N], y: i32[N], m: u8[10, 13], w: i16[N]):
    low = x.min()
    high = y.max()
    sum = (x - low).sum(dtype=np.int32)
    where = np.argmin(y)
    last = np.argmax(w)
    some = np.any(m > 250)
    all = np.all(m < 250)
    count = np.count_nonzero(x > y)
    wide = np.sum(w, dtype=np.int64)
    cut = np.sum(x, dtype=np.int16)
    product = np.prod(w, dtype=np.int32)
    rows = m.sum(axis=1, dtype=np.uint16)
    most = m.max(axis=1)
    columns = m.min(axis=0)
    before = x.sum(dtype=np.int32)
    x[3:9] = 7
    y += before
    kept = y.sum(keepdims=True, dtype=np.int32)
    counts = [0, 0, 0]
    for i in range(3):
        counts[i] = (m == i).sum(dtype=np.int32)
    histogram = np.stack(counts)
    bits = count
    z = np.abs(y)
    while np.any(z > 0):
        z = z >> 5
        high = np.maximum(high, z.max()) - z.min()
        low += z.sum(dtype=np.int32)
    return (low, high, sum, where, last, some, all, count, wide, cut, product, rows, most, columns, kept,
            histogram, bits)
