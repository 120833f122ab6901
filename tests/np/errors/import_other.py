import numpy as np
import scipy
from math import sqrt


def f(x: i32[3]):
    return x
