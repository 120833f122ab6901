from __future__ import annotations
import numpy as np


def f(x: f32[4], k: i32[4], y: f16[4]):
    a = x ** 1.5, x ** -1, x ** 2.5e20
    b = x ** x, 2 ** x, x ** k, np.power(x, 0.5)
    y **= 300
    return a, b
