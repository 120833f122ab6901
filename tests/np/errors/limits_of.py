from __future__ import annotations
import numpy as np

N = 4


def f(x: f32[N], y: bool[N], z: i16[N]):
    a = np.iinfo(x).max
    b = np.iinfo(y)
    c = np.finfo(np.int32).eps
    d = np.iinfo(np.int8).eps
    e = z + np.iinfo(np.int16)
    return x
