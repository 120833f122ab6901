"""y = a x + y in float32."""
from __future__ import annotations
import numpy as np

N = 1000


def axpy(a: f32, x: f32[N], y: f32[N]) -> f32[N]:
    z = a * x + y
    return z
