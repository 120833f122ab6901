from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    for i in range(3):
        break
    return x
