"""Softmax of rows in float32.  e**x of x <= 0 is 2**-n e**r, |r| <= ln(2) / 2: a power of two from a
table, and a polynomial of degree 6, whose error is below 2e-7 of the value.  Below -43 it is taken
to be that of -43: beside a greatest value of 1 no sum of a row sees it."""
from __future__ import annotations
import numpy as np

ROWS = 6
COLUMNS = 32
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


def softmax(x: f32[ROWS, COLUMNS]) -> f32[ROWS, COLUMNS]:
    e = exp(x - x.max(axis=1, keepdims=True))
    y = e / e.sum(axis=1, keepdims=True)
    return y
