"""Floats that are written in place, looked up, kept over laps, and stored under masks."""
from __future__ import annotations
import numpy as np

N = 40
T = np.array([0.5, 1.5, -2.25, 1e-3, 7], dtype=np.float32)


# layouts: q = lanes | registers(1)
def newton(x):
    y = np.where(x > 1, x, 1)
    for _ in range(6):
        y = (y + x / y) * 0.5
    return y


def state(x: f32[N], i: u8[N], t: host_f16[4], q: f16[N, 4], s: f64):
    y = newton(np.abs(x))
    y[::2] += 1
    y[y > 3] = 0.25
    y[1:3] = x[:2]
    z = T[i % 5] * y + np.float32(t[2])
    q *= 0.5
    left = np.abs(x) + 1
    laps = np.zeros(N, dtype=np.float32)
    while np.any(left > 1):
        left = np.where(left > 1, left * 0.5, left)
        left = np.where(np.isfinite(left), left, 0)
        laps += 1
    for k in range(20):
        z = z + k
    return T.sum(), T[::-1] * 2, y, z, laps, np.full(3, s), np.arange(7, dtype=np.float16) / 3, q[:, 1] + q[:, 3], np.stack((x, z), axis=1)
