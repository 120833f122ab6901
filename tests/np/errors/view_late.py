from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    v = x[1:]
    x += 1
    return v * 2
