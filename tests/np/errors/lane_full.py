from __future__ import annotations
import numpy as np

# layout: a = split(16)
# layout: b = split(16)
def f(a: i64[160], b: i64[160], c: i64[160]) -> i64[160]:
    d = a * b
    e = b - a
    return np.where(d > e, np.where(a > 3, e, b), d) + c
