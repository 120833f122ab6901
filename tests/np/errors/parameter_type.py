from __future__ import annotations
import numpy as np

N = 100


def f(x: int32[N]):
    return x
