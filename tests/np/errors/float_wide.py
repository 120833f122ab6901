from __future__ import annotations
import numpy as np


def f(x: f64[4], k: i32[4]):
    y = np.exp(x)
    z = np.log(k)
    return y
