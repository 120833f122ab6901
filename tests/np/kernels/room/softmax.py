"""Softmax of all elements: in float32, and of whole numbers by shares of 256."""
from __future__ import annotations

import numpy as np

N = 63
HALVES = [1.0] * 64
for i in range(1, 64):
    HALVES[i] = HALVES[i - 1] / 2
POWERS = np.array(HALVES, dtype=np.float32)


def exp(x):
    x = np.clip(x, -43.0, 0)
    n = np.rint(x * -1.4426950408889634)
    r = (x + n * 0.693359375) - n * 2.12194440e-4
    p = r * (1 / 720) + 1 / 120
    for c in [1 / 24, 1 / 6, 0.5, 1.0, 1.0]:
        p = p * r + c
    return p * np.take(POWERS, n.astype(np.int32), mode="clip")


def softmax(x: f32[N], y: i16[N]) -> (f32[N], i32[N]):
    e = exp(x - x.max())
    z = np.maximum(y.astype(np.int32) - y.max() + 1024, 0)
    return e / e.sum(), (z << 8) // ((np.sum(z, dtype=np.int32) >> 8) + 1)
