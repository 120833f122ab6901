"""Products of floats: arrays in lanes, tables of the file and of the host, vectors."""
from __future__ import annotations
import numpy as np

M = 6
K = 13
N = 5
T = np.array([[0.5, -1.25, 3], [1e-3, 2, 0.1]], dtype=np.float32)


def products(a: f32[M, K], b: f32[K, N], x: f32[K], y: f32[K], w: host_f32[13], v: host_f32[2, 3], c: f32[M, 2],
             h: f16[M, K]):
    return a @ b, a @ x, x @ b, x @ y, a @ w, c @ v, c @ T, T @ b[:3], np.dot(x, y) * x, h @ h.T


