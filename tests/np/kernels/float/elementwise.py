"""Operators, roundings and classes of float32, and what of them depends on zeros and on NaN."""
from __future__ import annotations
import numpy as np

N = 70


def elementwise(x: f32[N], y: f32[N], s: f32):
    a = (x + y) * s - x / y + 0.1
    b = np.sqrt(np.abs(x)) + -y ** 2
    c = np.floor(x) + np.ceil(y) * np.trunc(x) - np.rint(y * 3)
    d = np.minimum(x, y) + np.maximum(x, 1.5)
    e = np.fmin(x, y) * np.fmax(y, s)
    f = np.sign(x) / np.sign(y)
    g = np.isnan(a) | np.isinf(b) & np.isfinite(c) | np.signbit(np.where(x == x, x, -1))
    h = np.where((x < y) | (x == 0) | (y != y), x, s)
    return a, b, c, d, e, f, g, h, np.clip(x, -1, 2.5), np.copysign(y, np.fmax(x, -3))
