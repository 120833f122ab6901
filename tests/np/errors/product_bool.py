from __future__ import annotations
import numpy as np

N = 100


def f(x: bool[N, 3], y: bool[3]):
    return x @ y
