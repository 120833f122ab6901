"""x[mask] as a result: of all, some and no elements, of matrices, masked of computed ones."""
from __future__ import annotations
import numpy as np

N = 70
H = 6
W = 11


def chosen(x: i32[N], m: u8[H, W], b: bool[H, W], one: i64[1]) -> (i32[:n], u8[:n], i32[:n], u8[:n],
                                                                  i32[:n], bool[:n], i64[:n],
                                                                  i32[:n], i64, i16[:n], i32):
    some = x[x > 0]
    wide = m[b]
    none = x[x != x]
    y = m[b]
    twice = y[y > 7]
    odd = (x * x + 1)[::-1][x > 3]
    bits = b[m < 100]
    first = one[one > 0]
    more = some * 2 - some // np.int32(3)
    large = np.count_nonzero(more > 100)
    least = (-y)[y != 0].astype(np.int16) ** 2
    total = some.sum(dtype=np.int32)
    return some, wide, none, twice, odd, bits, first, more, large, least, total
