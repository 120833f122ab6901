"""Powers: numbers on either side, exponents that are data, in place and under masks."""
from __future__ import annotations

import numpy as np

N = 24


def powers(e: u8[N], x: i16[N], y: u16[N], s: u8):
    small = x & 15
    a = 2 ** e
    b = (0 ** e) ^ (1 ** e) + (3 ** e) ^ (16 ** (e & 3)) ^ (s ** (e & 7)) - (e ** s)
    c = 2 ** small + (-3 ** small) ^ (-1) ** small
    d = np.where(x > 0, x ** (small & 1), np.power(7, small))
    z = y.copy()
    z **= y & 3
    z[1:] **= 3
    z[z > 100] **= 2
    z += y[::-1] ** (y.max() & np.uint16(7))
    for i in range(20):
        z = z + i ** (y & 1)
    return a, b, c, d, z, 2 ** e[e > 3]
