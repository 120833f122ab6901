from __future__ import annotations
import numpy as np

N = 100


def f(x: i32[N]):
    return g(x)


def h(x):
    return g(x)


def g(x):
    return h(x)
