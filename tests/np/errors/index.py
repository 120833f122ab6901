from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N], i: u8[N]):
    return x[i]
