from __future__ import annotations
import numpy as np

N = 100


def make(a):
    def g(v):
        return v + a
    return g


def f(x: i32[N]):
    g = make(x)
    return g(x)
