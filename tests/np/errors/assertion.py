from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    assert x.shape == (N + 1,)
    return x
