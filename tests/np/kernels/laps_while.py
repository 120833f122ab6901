from __future__ import annotations
import numpy as np

def step(v, k):
    w = v + k
    return w

def laps_while(x: i32[33], m: i16[17, 40]):
    y = np.abs(x) % np.int32(50) if False else np.abs(x) % 50
    c = np.zeros(33, dtype=np.int32)
    for k in range(20):
        while np.any(y > k):
            y = np.where(y > k, y - 3, y)
            c += 1
        c = step(c, np.int32(k))
    p = [c, c + 1]
    for k in range(17):
        p[0] = p[0] + p[1]
    best = m[0].copy()
    where = np.zeros(40, dtype=np.int16)
    for k in range(1, 17):
        better = m[k] > best
        best = np.where(better, m[k], best)
        where[better] = k
    for k in range(1, 17, 5):
        best = best + m[k]
    a = np.zeros((17, 17), dtype=np.int16)
    for i in range(17):
        for j in range(17):
            a[i, j] = m[j, i] + np.int16(i * 3 - j)
    return y, c, p[0], best, where, a, better
