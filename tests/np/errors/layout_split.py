from __future__ import annotations
import numpy as np

# layout: x = split(3)
def f(x: i32[8]) -> i32[4]:
    return x[::2] + x[1::2]
