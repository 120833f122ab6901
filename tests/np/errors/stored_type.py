from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    x[0] = x[1].astype(np.int64)
