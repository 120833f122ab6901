from __future__ import annotations
import numpy as np
N = 130
LUT = np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.uint8)
C = [1, 2, 3]

def helper(a, b):
    return np.maximum(a, b) - np.minimum(a, b)

def elementwise(x: i32[N], y: i32[N], z: u8[N], s: i32):
    a = helper(x, y)
    b = x // y
    c = x % y
    d = np.where(x > y, x, 5)
    e = (x << (y & 31)) >> 3
    f = LUT[z & 7]
    g = x ** 3 + s
    h = -x * C[1] + abs(y)
    m = ~z ^ 0x55
    q = (x > 3) & (y < 7) | (z == 9)
    r = np.clip(x, -100, 100).astype(np.int8)
    t = x[::-1] + y[::1]
    v = np.roll(x, 7)
    w = np.sign(x)
    return a, b, c, d, e, f, g, h, m, q, r, t, v, w
