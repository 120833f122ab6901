from __future__ import annotations
import numpy as np

# count_nonzero and int() give numbers of Python that are known when the kernel runs.
N = 65


def counts(x: i32[N], y: u8[N]):
    c = np.count_nonzero(x > 0)
    d = N - c
    percent = c * 100 // N
    z = y + c % 50
    k = int(y.max()) - int(y.min())
    return x + c, c > d, percent, z, k, x * (c - d), x == k
