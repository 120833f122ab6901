from __future__ import annotations
import numpy as np

N = 4


def f(x: u8[N]):
    y = x.copy()
    a = y[0] = 3
    return y
