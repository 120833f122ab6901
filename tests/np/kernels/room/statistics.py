"""Mean, variance, deviation, least and greatest of floats and of whole numbers."""
from __future__ import annotations

import numpy as np

N = 63


def statistics(x: f32[N], y: i32[N], b: bool[N]) -> (f32, f32, f32, f32, f32, f64, i32, i32, i64, i64, i64):
    mean = x.mean()
    d = x - mean
    var = (d * d).mean()
    return mean, var, np.sqrt(var), x.min(), x.max(), y.mean(), y.min(), y.max(), y.sum(), np.argmax(y), np.int64(np.count_nonzero(b))
