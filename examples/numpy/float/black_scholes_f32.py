"""The inner part of Black-Scholes in float32: prices of call options of spot s and strike k, of which
m = log(s / k) is known, over years t, at the rate r and the volatility v.  The normal distribution
is Abramowitz and Stegun's 26.2.17."""
from __future__ import annotations
import numpy as np

N = 100


def normal(d):
    k = 1 / (np.abs(d) * 0.2316419 + 1)
    p = k * 1.330274429 - 1.821255978
    for c in [1.781477937, -0.356563782, 0.319381530]:
        p = p * k + c
    tail = p * k * np.exp(d * d * -0.5) * 0.3989422804
    return np.where(d < 0, tail, 1 - tail)


def black_scholes(s: f32[N], k: f32[N], m: f32[N], t: f32[N], r: f32, v: f32) -> f32[N]:
    t = np.abs(t)
    spread = v * np.sqrt(t)
    d = (m + (r + v * v * np.float32(0.5)) * t) / spread
    call = s * normal(d) - k * np.exp(t * -r) * normal(d - spread)
    return call
