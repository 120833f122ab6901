from __future__ import annotations
import numpy as np

N = 100


@jit
def f(x: i32[N]):
    return x
