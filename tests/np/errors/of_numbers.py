from __future__ import annotations
import numpy as np

N = 4


def f(x: i16[N]):
    a = np.minimum(3, 5)
    b = np.logical_and(1, 0)
    c = np.frombuffer(b"abc")
    d = np.frombuffer([1, 2], dtype=np.uint8)
    e = np.select([x > 1], [x, x])
    g = np.select([x], [x])
    h = np.zeros(3, dtype="u8")
    return x
