from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    g = lambda n: n + g(n - 1)
    return x + g(3)
