"""The inner part of Black-Scholes in float32: prices of call options of spot s and strike k, of which
m = log(s / k) is known, over years t, at the rate r and the volatility v.  The normal distribution
is Abramowitz and Stegun's 26.2.17, e**x as in softmax_f32.py."""
from __future__ import annotations
import numpy as np

N = 100
HALVES = [1.0] * 64
for i in range(1, 64):
    HALVES[i] = HALVES[i - 1] / 2
POWERS = np.array(HALVES, dtype=np.float32)


def exp(x):
    x = np.clip(x, -43.0, 0)
    n = np.rint(x * -1.4426950408889634)
    r = (x + n * 0.693359375) - n * 2.12194440e-4
    p = r * (1 / 720) + 1 / 120
    for c in [1 / 24, 1 / 6, 0.5, 1.0, 1.0]:
        p = p * r + c
    return p * np.take(POWERS, n.astype(np.int32), mode="clip")


def normal(d):
    k = 1 / (np.abs(d) * 0.2316419 + 1)
    p = k * 1.330274429 - 1.821255978
    for c in [1.781477937, -0.356563782, 0.319381530]:
        p = p * k + c
    tail = p * k * exp(d * d * -0.5) * 0.3989422804
    return np.where(d < 0, tail, 1 - tail)


def black_scholes(s: f32[N], k: f32[N], m: f32[N], t: f32[N], r: f32, v: f32) -> f32[N]:
    t = np.abs(t)
    spread = v * np.sqrt(t)
    d = (m + (r + v * v * np.float32(0.5)) * t) / spread
    call = s * normal(d) - k * exp(t * -r) * normal(d - spread)
    return call
