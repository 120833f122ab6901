"""Extremes of all elements, which the host may find, too: results alone, of views, of arrays whose
axis lies in registers, and along axes."""
from __future__ import annotations
import numpy as np

N = 130


def extremes(x: f32[N], y: f16[N], w: f16[40, 3]):
    high = x.max()
    where = np.argmin(y)
    last = np.argmax(y)
    most = np.max(y[3:90])
    few = w.min()
    rows = w.max(axis=1)
    return high, where, last, most, few, rows
