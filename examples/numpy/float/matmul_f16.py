"""The product of two matrices in float16."""
from __future__ import annotations
import numpy as np

M = 12
K = 20
N = 16


def matmul(a: f16[M, K], b: f16[K, N]) -> f16[M, N]:
    c = a @ b
    return c
