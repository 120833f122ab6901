"""Functions that stand for slices, new axes, margins and joined parts."""
from __future__ import annotations

import numpy as np

N = 65
H = 7
W = 9


def parts(x: i32[N], y: i16[N], w: u8[H, W], b: bool[N], f: f32[H, W]) -> (i32[N + 3, N - 2], i32[2 * N], i32[3, N], i32[N, 3], i32[1, N, 2], u8[H + 3, 2 * W + 1], bool[N - 1], f32[H, W - 1], i32[N - 3], u8[2, H, W + 1]):
    e = np.outer(np.pad(x, (1, 2), constant_values=-7), y[2:])
    g = np.hstack((x, y))
    h = np.vstack((x, y, np.stack((y,))))
    i = np.column_stack([y, x, np.stack([y, y], axis=1)[:, 1]])
    j = np.dstack((x, y))
    k = np.pad(np.hstack((w, w[:, 1:])), ((1, 2), (0, 2)), "constant")
    m = np.diff(b)
    d = np.diff(f, axis=-1) + np.diff(np.pad(f, ((0, 0), (1, 0)))[:, :W])
    n = np.diff(x, n=3)
    z = np.pad(np.stack((w, w + 1)), [(0, 0), (0, 0), (1, 0)], mode="constant", constant_values=9)
    return e, g, h, i, j, k, m, d, n, z
