from __future__ import annotations
import numpy as np
N = 100


def f(x: i32[N]):
    for i in range(10 ** 9):
        x += i
    return x
