# SPDX-License-Identifier: MIT
"""The dot product of dot.cc over NumPy arrays: the same plan."""

import sys

import numpy as np

import mpusim


@mpusim.pipeline
def dot(p, a, b):
    c = p.map(lambda a, b: a * b, a, b)
    return p.reduce(lambda s, c: s + c, c)


a = np.arange(1048576, dtype=np.uint32)
b = a % 7 + 1
p = dot.build(a, b)
total, want = p.execute(), (a * b).sum(dtype=np.uint32)
print(f"{'equal' if total == want else 'differs'}: {total}")
print(p.plan() + p.stats(), end="")
sys.exit(int(total != want))
