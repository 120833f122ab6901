"""A vector times a number, added to another vector."""
from __future__ import annotations
import numpy as np

N = 4096


def axpy(a: i32, x: i32[N], y: i32[N]) -> i32[N]:
    z = a * x + y
    return z
