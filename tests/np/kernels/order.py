"""Prefix sums and sorted lines along every axis, of few elements, of bool, and of all elements."""
from __future__ import annotations
import numpy as np

N = 65
H = 9
W = 20


def order(x: i32[N], m: u8[H, W], b: bool[H, W], c: i16[2, 3, 5], one: i64[1], s: i64):
    a0 = np.cumsum(x, dtype=np.int32)
    a1 = x.astype(np.int8).cumsum(dtype=np.int64)
    a2 = np.cumsum(m, axis=0, dtype=np.uint16)
    a3 = m.cumsum(1, dtype=np.uint8)
    a4 = np.cumsum(b, axis=-1, dtype=np.int32)
    a5 = np.cumsum(c, axis=1, dtype=np.int64)
    a6 = np.cumsum(c.T, dtype=np.int32)
    a7 = np.cumsum(one)
    a8 = np.cumsum(s)
    a9 = np.cumsum(x.astype(np.int64), dtype=np.int16)
    s0 = np.sort(x)
    s1 = np.sort(m)
    s2 = np.sort(m, axis=0)
    s3 = np.sort(b)
    s4 = np.sort(c, axis=1)
    s5 = np.sort(m.T, axis=None)
    s6 = np.sort(one)
    s7 = np.sort(x[::-2])
    return a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, s0, s1, s2, s3, s4, s5, s6, s7
