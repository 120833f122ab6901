"""Numbers that are known: Python's operators and functions on integers, floats and bools, on either side of an array."""
from __future__ import annotations

import numpy as np

N = 12
Z = 2.5


def numbers(x: i32[N], z: f32[N], b: bool[N], s: i32):
    n = (3 < 4) - (not 5) + (2.5 > 2) + max(-3, 2) + (-7 // 2) + -7 % 3 + (5 & 6 | 8 ^ 1) + (1 << 3) - (-9 >> 1)
    m = (7 if 1 == 1.0 else 9) - -3 + ~4 + abs(True) + (1 if Z else 0) + (0.0 or 4) + (2 if np.nan else 3) + (5 if 0 < N <= 12 < Z * 5 != 3 else 8) + (1 < 2 > 3)
    u = min(Z, 3) + max(1, 0.5) + min([2, 0.25, 7]) + abs(-Z)
    a = 5 - x, 7 // (x | 1), -7 % (x | 1), 1 << (x & 7), 200 >> (x & 31), 3 & x, 3 == x, 3 > x
    c = u - z, 0.5 / z, np.copysign(1, z), np.fmax(0, z), 0.1 == z, np.minimum(2, x), np.clip(x, -n, n)
    d = np.where(b, True, False), np.where(b, 1, x), np.where(b, z, u), b ^ True, True & b, (s == np.int32(3)) & b
    y = x.copy()
    y //= 3
    y %= 7
    y **= 2
    y <<= 1
    y >>= 2
    y |= 5
    y ^= x
    y &= 1000
    y -= n
    y *= m
    return a + c + d + (y,)
