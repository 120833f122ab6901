"""Products with host tables and with tables of the file."""
from __future__ import annotations
import numpy as np

M = 5
K = 7
N = 3
T = np.array([[1, -2], [3, 4], [-5, 6]], dtype=np.int32)


def product_table(a: i32[M, K], b: i32[K, N], x: i32[K], y: i32[M], h: host_i32[K, 2],
                  w: host_i32[K], v: host_i32[2, M]):
    h0 = a @ h
    h1 = a @ w
    h2 = v @ a
    h3 = x @ h
    h4 = x @ w
    h5 = w @ b
    h6 = v @ y
    t0 = (a @ b) @ T
    t1 = T @ T[1]
    return h0, h1, h2, h3, h4, h5, h6, t0, t1
