from __future__ import annotations
import numpy as np

# layouts: x = registers(2) | registers(0) | split(2) | split(8)
# layouts: m = registers(0) | split(11) | lanes
# layouts: z = registers(0) | split(3) | registers(2)

def unlike(x: u16[4, 6, 8], p: i32[3, 11], k: i32[11]):
    h = x.sum(axis=(0, 1), dtype=np.uint16)
    i = x.T
    j = x[1] + x[:, 2:3, 1:2].reshape(4)[3]
    g = x.reshape(24, 8)[:, 3]
    best = np.argmax(p, axis=0)
    m = np.roll(p, 1, axis=0).copy()
    m -= k
    n = p[0] + p[1] * p[2]
    z = x[:, ::2, :3] * 3
    z[1] = z[2] + 1
    return h, i, j, g, best, m, n, z
