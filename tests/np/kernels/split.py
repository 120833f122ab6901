from __future__ import annotations
import numpy as np

# layouts: pairs = split(4) | split(12) | registers(0)
# layouts: v = split(8) | split(2) | split(4)
# layouts: t = lanes | split(3)

def split(pairs: i16[5, 24], v: i32[64], row: i16[24]):
    pairs[:, 1::2] = 7
    s = pairs.sum(axis=1, dtype=np.int16)
    c = pairs.sum(axis=0, dtype=np.int16)
    t = pairs * 2 - pairs[:, ::-1] + row
    t[2] += row
    pairs[1, 3:7] = 5
    e = v[::8] + v[5::8]
    f = v - v[3]
    g = v.min()
    h = np.argmax(v)
    v[9:50] = v[0:41]
    v += v[::-1]
    i = v.reshape(8, 8)[2] * 3
    j = (f > 0).sum(dtype=np.uint8)
    return s, c, t, e, f, g, h, i, j
