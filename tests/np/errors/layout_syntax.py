from __future__ import annotations
import numpy as np

# layout: x = rows
def f(x: i32[4, 8]) -> i32[8]:
    return x[0] + x[1]
