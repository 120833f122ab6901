"""Elements below bounds that are data, and how many there are."""
from __future__ import annotations

import numpy as np

N = 63


def threshold(x: f32[N], y: u8[N], z: i64[N], at: f32, level: u8) -> (f32[N], u8[N], i64[N], i64[N]):
    low = (x.min() + x.max()) / 2
    a = np.where(x > low, x, at)
    b = np.select([y < level, y < 200], [0, y + 1], default=255).astype(np.uint8)
    c = np.where((z > -1000) & (x <= at), np.clip(z, -50, 50), z // 3)
    d = (x > at).astype(np.int32) + (y >= level) * 2 + np.sign(z) * 4
    return a, b, c, d
