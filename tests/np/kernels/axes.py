from __future__ import annotations
import numpy as np
H = 17
W = 23

def axes(x: i32[H, W], u: u8[H, W], b: bool[H, W]):
    c = x.sum(axis=0, dtype=np.int32)
    d = np.sum(u, axis=1, dtype=np.uint16)
    e = x.min(axis=1)
    f = np.max(x)
    g = np.argmin(x, axis=1)
    h = np.argmax(u)
    k = np.count_nonzero(u > 100)
    l = b.any(axis=0)
    m = np.all(b)
    n = x.T
    o = x[2:9, ::-2]
    p = x[:, 3] + x[4, 5]
    q = x - x.max(axis=1, keepdims=True)
    r = np.prod(u, axis=0, dtype=np.uint32)
    s = x[x > 0].sum(dtype=np.int32)
    t = np.concatenate((x[0:3], x[5:6], x), axis=0)
    v = np.stack((x[:, 0], x[:, 1]), axis=1)
    w = np.flip(x, axis=0)
    y = np.roll(x, 5, axis=1)
    z = np.roll(x, -3)
    return c, d, e, f, g, h, k, l, m, n, o, p, q, r, s, t, v, w, y, z
