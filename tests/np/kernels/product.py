"""Products of matrices and vectors, among them views and axes of length 1."""
from __future__ import annotations
import numpy as np

M = 5
K = 7
N = 3


def product(a: i32[M, K], b: i32[K, N], x: i32[K], y: i32[M],
            u: u8[4, 4], r: i32[1, 6], c: i32[6, 1], s: i32):
    p0 = a @ b
    p1 = a @ x
    p2 = y @ a
    p3 = x @ a[2]
    p4 = np.dot(a, b)
    p5 = np.matmul(b.T, a.T)
    p6 = a.dot(x)
    p7 = np.dot(x, x[::-1])
    e0 = u @ u
    e1 = r @ c
    e2 = c @ r
    e3 = np.dot(a, s)
    e4 = x[:1] @ x[-1:]
    return p0, p1, p2, p3, p4, p5, p6, p7, e0, e1, e2, e3, e4
