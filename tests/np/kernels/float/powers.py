"""Powers of floats by numbers: products, of float16 in float32; a root."""
from __future__ import annotations

import numpy as np

N = 40


def powers(h: f16[N], x: f32[N]):
    y = x.copy()
    y **= 3
    z = np.where(x > 1, x ** 7, x ** 0.5)
    z[z < 3] **= 6
    return h ** 3, h ** 5.0, h ** 0, h ** 1, h ** 2, y, z, np.power(x, 4), x[x > 0] ** 3
