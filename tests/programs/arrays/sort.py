from __future__ import annotations
import numpy as np


def sort(x: i32[1024]) -> i32[1024]:
    y = np.sort(x)
    return y
