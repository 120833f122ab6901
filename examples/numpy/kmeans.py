"""The nearest of four centres, for each of N points in a plane."""
from __future__ import annotations
import numpy as np

N = 1000
K = 4


def kmeans(x: i32[N], y: i32[N], cx: host_i32[K], cy: host_i32[K]) -> u8[N]:
    best = np.zeros(N, dtype=np.uint8)
    least = distance(x, y, cx[0], cy[0])
    for k in range(1, K):
        d = distance(x, y, cx[k], cy[k])
        nearer = d < least
        best = np.where(nearer, np.uint8(k), best)
        least = np.minimum(d, least)
    return best


def distance(x, y, cx, cy):
    return (x - cx) ** 2 + (y - cy) ** 2
