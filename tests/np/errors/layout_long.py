from __future__ import annotations
import numpy as np

# layout: x = registers(1)
def f(x: i32[4, 17]) -> i32[4]:
    return x[:, 0] + x[:, 1]
