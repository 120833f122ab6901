"""The inner part of Black-Scholes in float16: prices of call options of spot s and strike k, of which
m = log(s / k) is known, over years t, at the rate r and the volatility v.  The normal distribution
is Abramowitz and Stegun's 26.2.17, e**x as in softmax_f16.py."""
from __future__ import annotations
import numpy as np

N = 100
HALVES = [1.0] * 25
for i in range(1, 25):
    HALVES[i] = HALVES[i - 1] / 2
POWERS = np.array(HALVES, dtype=np.float16)


def exp(x):
    x = np.clip(x, -16.0, 0)
    n = np.rint(x * -1.4426950408889634)
    r = (x + n * 0.6875) + n * 0.005647180559945309
    p = r * (1 / 6) + 0.5
    for c in [1.0, 1.0]:
        p = p * r + c
    return p * np.take(POWERS, n.astype(np.int16), mode="clip")


def normal(d):
    k = 1 / (np.abs(d) * 0.2316419 + 1)
    p = k * 1.330274429 - 1.821255978
    for c in [1.781477937, -0.356563782, 0.319381530]:
        p = p * k + c
    tail = p * k * exp(d * d * -0.5) * 0.3989422804
    return np.where(d < 0, tail, 1 - tail)


def black_scholes(s: f16[N], k: f16[N], m: f16[N], t: f16[N], r: f16, v: f16) -> f16[N]:
    t = np.abs(t)
    spread = v * np.sqrt(t)
    d = (m + (r + v * v * np.float16(0.5)) * t) / spread
    call = s * normal(d) - k * exp(t * -r) * normal(d - spread)
    return call
