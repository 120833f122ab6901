"""The product of two matrices in float32."""
from __future__ import annotations
import numpy as np

M = 12
K = 20
N = 16


def matmul(a: f32[M, K], b: f32[K, N]) -> f32[M, N]:
    c = a @ b
    return c
