"""A dense layer in float32: a batch of rows times weights, plus a bias, ReLU."""
from __future__ import annotations
import numpy as np

BATCH = 8
INPUTS = 24
OUTPUTS = 16


def dense(x: f32[BATCH, INPUTS], w: f32[INPUTS, OUTPUTS], bias: f32[OUTPUTS]) -> f32[BATCH, OUTPUTS]:
    y = np.maximum(x @ w + bias, 0)
    return y
