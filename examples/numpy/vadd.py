"""The sum of two vectors (PrIM: VA)."""
from __future__ import annotations
import numpy as np

N = 4096


def vadd(x: i32[N], y: i32[N]) -> i32[N]:
    z = x + y
    return z
