from __future__ import annotations
import numpy as np

N = 100


def f(x: i8[N, 3], y: i32[3]):
    return x @ y
