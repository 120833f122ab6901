from __future__ import annotations
import numpy as np


def f(x: i32[12]):
    y = x[2:8].reshape(2, 3)
    y[0] = 1
    return y
