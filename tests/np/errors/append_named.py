from __future__ import annotations
import numpy as np

N = 4


def grow(l):
    l.append(1)


def f(x: u8[N]):
    a = [1, 2]
    b = a
    b.append(3)
    grow(b)
    a.pop()
    x.append(3)
    return x + a[0]
