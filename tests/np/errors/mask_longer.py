from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N], b: bool[N]):
    y = x[b]
    return y[b]
