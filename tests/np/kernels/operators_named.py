# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

N = 50


def kernel(x: u8[N], y: i16[N], b: bool[N], f: f32[N]) -> (u8[N], i16[N], bool[N], i16[N], f32[N], i64[N], bool[N]):
    a = np.bitwise_xor(np.left_shift(x, 1), np.right_shift(x, 2))
    a = np.bitwise_or(np.bitwise_and(a, 60), np.bitwise_not(x))
    c = np.logical_and(y > 3, np.logical_not(x))
    c = np.logical_xor(np.logical_or(c, y), np.not_equal(x, 300))
    d = np.select([y < 0, np.less_equal(y, 10)], [-y, y * 2], default=x)
    e = np.add(np.multiply(y, 3), np.subtract(x, np.floor_divide(y, 7)))
    g = np.divide(np.square(f), 3)
    n = np.select([b, y > 2], [1, 2]) + np.mod(y, 5)
    return a, np.select([b], [y], 7) + e, c, d, g, n, np.greater(y, x)
