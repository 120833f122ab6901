from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    y = x[x > 3]
    y += 1
    return y
