from __future__ import annotations
import numpy as np


def f(x: u8[4]):
    a = [[1], [2]]
    b = a[0]
    b += [3]
    c = [1]
    c += [2]
    d = c
    d += [3]
    return x + len(a[0]) + len(c)
