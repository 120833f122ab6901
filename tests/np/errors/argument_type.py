from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    return g(x)


def g(a: i64[N]):
    return a
