"""Two dense layers with 8 bits behind the point: a batch of rows times weights, ReLU between."""
from __future__ import annotations
import numpy as np

BATCH = 16
INPUTS = 24
HIDDEN = 32
OUTPUTS = 10


def perceptron(x: i32[BATCH, INPUTS], first: i32[INPUTS, HIDDEN], second: i32[HIDDEN, OUTPUTS]):
    hidden = np.maximum(x @ first >> 8, 0)
    scores = hidden @ second >> 8
    best = np.argmax(scores, axis=1)
    return scores, best
