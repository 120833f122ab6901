from __future__ import annotations
import numpy as np

N = 100


class A:
    def f(self):
        return 1


def f(x: i32[N]):
    return x
