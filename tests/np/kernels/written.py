from __future__ import annotations
import numpy as np
N = 200

def written(x: u32[N], i: u8[N], y: i64[N]):
    x[3:7] = 9
    x[10:20] = x[30:40]
    x[::7] += 1
    x[x > 1000] = 5
    h = np.zeros(16, dtype=np.int64)
    for k in range(16):
        h[k] = np.count_nonzero(i % 16 == k)
    g = x[i % 200]
    n = np.zeros(N, dtype=np.uint8)
    v = i.astype(np.uint16)
    while np.any(v > 1):
        v = np.where(v > 1, v >> 1, v)
        n += 1
    a = np.arange(10, dtype=np.int32)
    b = np.arange(50, 0, -3, dtype=np.int16)
    c = x.reshape(20, 10)
    d = c[:, 2:4].copy()
    e = a.reshape(2, 5).T + np.int32(4)
    f = np.take(y, i, mode="clip")
    w = np.take(y, i, mode="wrap")
    z = y.sum()
    return h, g, n, a, b, c, d, e, f, w, z
