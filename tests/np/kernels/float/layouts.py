"""Sums of floats are the same wherever their elements lie."""
from __future__ import annotations
import numpy as np


# layouts: x = lanes | registers(1) | registers(0) | split(3) | split(4) | split(6) | split(2) | split(12)
# layouts: y = lanes | registers(0) | split(5) | split(2)
# layouts: z = lanes | registers(2) | registers(0) | split(2) | split(4)
def layouts(x: f16[7, 12], y: f16[3, 10], z: f16[4, 9, 8]):
    t = (x * 2)[:, 1::2].sum() + x[::-1].sum()
    u = x[:, ::-1].sum(axis=1).sum() * x.prod(axis=1).mean()
    v = (y.sum() + y.sum(axis=0).prod()) / y.sum(axis=1).prod()
    w = z.sum(axis=0).prod() + z.sum(axis=1).prod() + z.sum(axis=2).prod()
    return x.sum(), x.sum(axis=0), x.sum(axis=1), t, u, v, w, z.sum(axis=(0, 2)), z.mean(axis=(1, 2)), z.sum()
