# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

N = 70


def kernel(x: i16[N], y: i16[N], z: u8[N], w: i32[3, 5]) -> (i16[N], i16[N], u8[N], i32[3, 5]):
    m = x > y
    r = x.copy()
    r[m] = r[m] - y[m]
    r[~m] += y[~m]
    s = y.copy()
    s[x > y] = x[x > y]
    s[x == 3] ^= z[x == 3]
    z[z > 100] = z[z > 100] // 3 + 1
    u = w.copy()
    u[w < 0] = -w[w < 0]
    return r, s, z.copy(), u
