"""Prefix sums and sorted lines of floats, and elements that a mask chooses."""
from __future__ import annotations
import numpy as np

N = 45


def order(x: f32[N], y: f16[9, N], z: f64[N]):
    chosen = x[x > 0.5]
    return (np.cumsum(x), np.cumsum(y, axis=0), np.cumsum(y, axis=1), np.sort(x), np.sort(y, axis=1), np.sort(z)[::-1],
            chosen, chosen.max(), z[z < 0].min(), np.roll(x, 3) - x[::-1], np.concatenate((x, x * 2)))
