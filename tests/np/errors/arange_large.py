from __future__ import annotations
import numpy as np


def f(x: i32[8]):
    return np.arange(-2 ** 119, 2 ** 119, dtype=np.int32)
