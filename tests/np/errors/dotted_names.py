from __future__ import annotations
import numpy as xp


def f(x: f32[4], i: i32[4], u: u8[4], m: bool[4]):
    xp.add.at(x, i, 1)
    a = xp.linalg.norm(x), xp.fft.fft(x), xp.nonzero(m)[0], xp.triu(x)
    u[m] = -u[m]
    return xp.absolute(m), xp.clip(u, i, 3), xp.power(m, m), xp.dot(2, m), u.sum(axis=0, )
