from __future__ import annotations
import numpy as np
H = 5
W = 70


def add(a, b):
    return a + b


def in_place(x: i32[H, W], y: u8[H, W]):
    a = x.sum(axis=0, keepdims=True, dtype=np.int32)
    a += x[1:2]
    b = y.max(keepdims=True)
    b //= b
    c = x.min(axis=1, keepdims=True)
    c[2] = 7
    c[c > 9] -= 1
    d = x.T.reshape(-1)
    d += np.arange(H * W, dtype=np.int32)
    d[3:9] = 4
    e = np.roll(x, 3)
    e *= x
    f = x[:, ::2].ravel()
    f[f < 0] = 1
    x[:, np.newaxis] ^= 1
    x[2] = x[3:4, :]
    x[:] = x[::-1].reshape(1, H, W)
    y[2:4, None, 5] += np.uint8(3)
    n = y & 7
    while np.any(n > 0):
        n = add(n, np.minimum(n, 1) * 255)
    g = [x & 15, y + 0]
    h = g[0]
    g[0] *= 2
    g[1][2] += 1
    for k in range(20):
        g[0] += k
    return a, b, c, d, e, f, n, h, g[1]
