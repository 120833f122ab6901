from __future__ import annotations
import numpy as np

# Defaults of helpers and of the entry; several results.
N: int = 65


def limits(x, low=0, high=100):
    return np.clip(x, low, high), (x < low) | (x > high)


def defaults(x: i16[N], by: i16 = -3, rounds: int = 2, scale=4):
    y, out = limits(x // scale, high=50)
    for _ in range(rounds):
        y = y + by
    return y, out, limits(y, -5)[1]
