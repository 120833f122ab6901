from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N, 2]):
    a = x.min(axis=())
    return x.min(axis=(0, -2))
