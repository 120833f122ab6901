from __future__ import annotations
import numpy as np

# layout: imag = lanes
def f(image: i32[4, 8]) -> i32[8]:
    return image[0] + image[1]
