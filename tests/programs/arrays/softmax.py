from __future__ import annotations
import numpy as np

# 2^(-i/8), 16 bits behind the point
ROOT = np.array([65536, 60097, 55109, 50535, 46341, 42495, 38968, 35734], dtype=np.uint64)


def softmax(x: i32[4096]) -> u32[4096]:
    d = ((x.max() - x).astype(np.uint32) >> 12).astype(np.uint64)  # 16 bits behind the point
    t = d * 94548 >> 16                                            # d / ln 2
    f = t & 0x1FFF                                                 # less than 1/8
    p = 65536 - (f * (45423 - (f * 15280 >> 16)) >> 16)            # 2^-f by a parabola
    e = (ROOT[t >> 13 & 7] * p + 32768 >> 16) >> (t >> 16)
    y = ((e << 24) // e.sum()).astype(np.uint32)
    return y
