from __future__ import annotations
import numpy as np

# layout: x = registers(1)
def f(x: i32[4, 8, 5]) -> i32[4, 5]:
    return x[:, 0] + x[:, 1]
