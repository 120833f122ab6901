from __future__ import annotations
import numpy as np

N = 4


def f(x: u8[N], s: u8):
    a = 3 in x
    b = s in (1, 2)
    c = x is x
    d = 3 in [s, 3]
    return x
