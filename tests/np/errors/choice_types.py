from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N], a: i32, b: u8):
    return x + (a if a > 3 else b)
