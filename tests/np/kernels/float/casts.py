"""Between floats and integers: each rounded once."""
from __future__ import annotations
import numpy as np

N = 70


def casts(i: i64[N], u: u64[N], j: i32[N], b: bool[N], x: f32[N], h: f16[N], d: f64[N]):
    k = np.clip(np.where(np.isnan(x), 0, x), -100, 100).astype(np.int16)
    m = np.clip(np.where(np.isnan(d), 0, d), 0, 2e9).astype(np.uint32)
    whole = i.astype(np.float32), u.astype(np.float32), j.astype(np.float16), u.astype(np.float64)
    return (k, m, b.astype(np.float16), x.astype(np.bool_), h.astype(np.float64) + d, d.astype(np.float16),
            x.astype(np.float16), d.astype(np.float32), whole[0], whole[1], whole[2], whole[3])
