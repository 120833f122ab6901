from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N], y: i64[N]):
    return x + y
