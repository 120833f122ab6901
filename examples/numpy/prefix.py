"""Running sums, by adding what lies 1, 2, 4 .. elements before."""
from __future__ import annotations
import numpy as np

N = 1000


def prefix(x: i32[N]) -> i32[N]:
    y = x.copy()
    for k in range(20):
        if 2 ** k < N:
            y[2 ** k:] += y[:-2 ** k]
    return y
