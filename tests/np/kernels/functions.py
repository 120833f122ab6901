"""Functions in functions, without names, and of the file, which see names of those around them."""
from __future__ import annotations

import numpy as np

N = 70

low = lambda v, least=-40: np.maximum(v, least)


def total(f, x):
    def each(v, n):
        return f(v) * n
    return each(x, 1) + each(x, 2)


def functions(x: i32[N], y: i32[N]) -> (i32[N], i32[N], i32[N], i32[N]):
    s = y[0]
    kept = x.copy()

    def add(v, by=s):
        t = v + by
        return t ^ s

    def count():
        kept[...] = kept + 1
        return kept[1]

    s = s + 1                                     # `add` sees it, and its default is the old one
    parts = [lambda v, k=k: v * k + y for k in range(3)]
    a = add(low(x)) + add(y, 3) + parts[2](x)
    b = total(lambda v: low(v, 0) - s, y)
    for i in range(40):
        b = b + count()
    last = y
    step = lambda v: v + (last >> 1)
    while np.any(a > 100):
        a = np.minimum(step(a) - 90, 100)
        last = np.where(a > 50, x, last)
    return a, b, kept, step(last)
