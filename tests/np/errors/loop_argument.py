from __future__ import annotations
import numpy as np

N = 8


def double(a):
    a *= 2


def f(c: u8[N], z: i32[N]):
    x = z & 3
    v = x[1:]
    w = c & 3
    while np.any(w > 0):
        double(x if N > 3 else z)
        w = w >> 1
    return x
