"""y = a x + y in float16."""
from __future__ import annotations
import numpy as np

N = 1000


def axpy(a: f16, x: f16[N], y: f16[N]) -> f16[N]:
    z = a * x + y
    return z
