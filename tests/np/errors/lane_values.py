from __future__ import annotations
import numpy as np

M = 2 ** 64


def table():
    entries = [0] * 1100
    for i in range(1100):
        entries[i] = (i + 1) * 0x9E3779B97F4A7C15 % M - M // 2
    return np.array(entries, dtype=np.int64)


def f(x: i64[64], i: u16[64]):
    t = table()
    return t[i & 1023] + x
