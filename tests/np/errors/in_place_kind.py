from __future__ import annotations
import numpy as np

N = 100


def f(x: u8[N], y: i16[N], z: f32[N]):
    x += y
    y *= z
    x[3:5] -= y[:2]
    x[2] += y[3]
    y[y > 3] += 0.5
    x[:] = y
    return x, y
