from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    if N > 3:
            x += 1
          x += 2
    return x
