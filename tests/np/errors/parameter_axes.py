from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[2, 2, 2, 2]):
    return x
