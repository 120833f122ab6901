"""Shapes of arrays that do not lie in order: a copy where NumPy makes one, else a view."""
from __future__ import annotations
import numpy as np


def reshaped(x: i32[12], z: i32[3, 4]):
    a = z.T.reshape(-1)
    a[0] = 7
    y = x[::2].reshape(2, 3)
    s = y + 1
    x[0] = 3
    return a, s
