from __future__ import annotations
import numpy as np


def f(x: i32[4]):
    return np.mean(x)
