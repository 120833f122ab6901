from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N], a: i32):
    return x * (a + 1)
