from __future__ import annotations
import numpy as np

def against(p: i16[3, 1000], q: i16[3, 1000]) -> i16[1000]:
    turned = q.reshape(1000, 3)
    return p[0] + p[1] * q[2] + turned[:, 0]
