from __future__ import annotations
import numpy as np

# layout: y = split(4)
def f(x: i32[8]) -> i32[8]:
    y = np.roll(x, 3)
    return x + y
