from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    y = x.copy()
    def g(v):
        y += v
        return y
    return g(x)
