"""A dense layer in float16: a batch of rows times weights, plus a bias, ReLU."""
from __future__ import annotations
import numpy as np

BATCH = 8
INPUTS = 24
OUTPUTS = 16


def dense(x: f16[BATCH, INPUTS], w: f16[INPUTS, OUTPUTS], bias: f16[OUTPUTS]) -> f16[BATCH, OUTPUTS]:
    y = np.maximum(x @ w + bias, 0)
    return y
