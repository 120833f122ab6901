from __future__ import annotations
import numpy as np

def laps(x: i32[40, 70], y: i32[2000], s: i32, w: u8[40, 3]):
    acc = np.zeros(70, dtype=np.int32)
    for i in range(40):
        acc += x[i] * np.int32(i) + s
    low = x[0] + 0
    for i in range(39, -1, -1):
        low = np.minimum(low, x[i] - 2 * i)
    z = y + 0
    for i in range(100):
        z[i * 3] = i - 7
        z[1000 + 2 * i:1003 + 2 * i] = y[500 - i:503 - i]
    for i in range(20):
        for j in range(30):
            z[i * 30 + j] += y[j * 20 + i + 3] * np.int32(2) + s
    t = np.zeros((40, 70), dtype=np.int32)
    for i in range(40):
        t[i] = acc + i
        for j in range(40):
            t[j, 3:60:5] += x[i, j]
    u = x.copy()
    for k in range(60):
        u[:, k] += u[::-1, k + 1]
        v = u * 2
        u = v - u + k
    n = 1
    for k in range(18):
        n = n * 2
        acc += n
    for k in range(25):
        q = x[:, k].sum(dtype=np.int32)
        acc = acc ^ q
    r = acc + q
    b = np.zeros((40, 3), dtype=np.uint8)
    for k in range(39):
        b[k] = w[k + 1, 0] + w[-1 - k, 2]
    return acc, low, z, t, u, n + r, b, k + acc
