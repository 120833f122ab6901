# SPDX-License-Identifier: MIT
"""Random expressions of the library's functions, a layered network and an attention layer, each
within the bound that follows from those of docs/float-functions.md, of float64's values.

    function_bounds.py [SEED [COUNT]]

A value is kept three ways: as the device has it, in float64, and how far these are apart at most.
A function moves that distance by as much as it changes within it, and adds its own bound; float
arithmetic adds half a unit in the last place.  MPU_DRAWS=all draws ten times as many."""

import math
import os
import sys
import warnings

import numpy as np

import mpusim
from mpusim import special

F = np.float32
ELEMENTS = 64
# Units in the last place of float32: docs/float-functions.md.
BOUNDS = {"exp": .55, "exp2": .55, "expm1": .75, "log": .65, "log1p": .85, "log2": .65, "log10": .65, "sin": .75, "cos": .75,
          "tanh": .75, "sinh": .75, "cosh": .75, "arctan": .75, "erf": .75, "erfc": .85, "ndtr": .75, "expit": .75}
_erf, _erfc = np.vectorize(math.erf, otypes=[float]), np.vectorize(math.erfc, otypes=[float])
EXACT = {"erf": _erf, "erfc": _erfc, "ndtr": lambda x: _erfc(-x * math.sqrt(.5)) / 2, "expit": lambda x: 1 / (1 + np.exp(-x))}
STEEP = {"sin": 1, "cos": 1}  # those that rise and fall change by no more than this much of the distance
# Where a function has its argument: other values are brought there first.
POSITIVE = ("log", "log2", "log10")
SMALL = ("exp", "exp2", "expm1", "sinh", "cosh")


def unit(value):
    """The unit in the last place of numbers up to |value| in size."""
    return np.spacing(np.maximum(np.abs(value), np.finfo(F).tiny).astype(F)).astype(np.float64)


class Value:
    def __init__(self, device, exact, apart):
        self.device, self.exact, self.apart = device, exact, apart

    def rounded(self, device, exact, apart, bound=.5):
        return Value(device, exact, (apart + bound * unit(np.abs(exact) + apart)) * 1.0001)

    def __add__(self, other):
        return self.rounded(self.device + other.device, self.exact + other.exact, self.apart + other.apart)

    def __sub__(self, other):
        return self.rounded(self.device - other.device, self.exact - other.exact, self.apart + other.apart)

    def __mul__(self, other):
        apart = self.apart * np.abs(other.exact) + other.apart * np.abs(self.exact) + self.apart * other.apart
        return self.rounded(self.device * other.device, self.exact * other.exact, apart)

    def __truediv__(self, other):
        least = np.abs(other.exact) - other.apart
        assert np.all(least > 0)
        exact = self.exact / other.exact
        return self.rounded(self.device / other.device, exact, (self.apart + np.abs(exact) * other.apart) / least)

    def __matmul__(self, other):
        """Sums of n products, in any order: n half units of the sum of the sizes."""
        sizes = (np.abs(self.exact) + self.apart) @ (np.abs(other.exact) + other.apart)
        apart = sizes - np.abs(self.exact) @ np.abs(other.exact) + self.exact.shape[-1] * unit(sizes)
        return Value(self.device @ other.device, self.exact @ other.exact, apart)

    def apply(self, name):
        exact = EXACT.get(name) or getattr(np, name)
        device = getattr(special, name, None) if name in EXACT else getattr(mpusim, name)
        y, x, d = exact(self.exact), self.exact, self.apart
        moved = STEEP[name] * d if name in STEEP else np.maximum(np.abs(exact(x + d) - y), np.abs(exact(x - d) - y))
        return self.rounded(device(self.device), y, moved, BOUNDS[name])

    def check(self, what):
        got = np.asarray(self.device).astype(np.float64)
        over = np.abs(got - self.exact) > self.apart
        if np.any(over) or not np.all(np.isfinite(got)):
            k = np.flatnonzero(over.ravel() | ~np.isfinite(got.ravel()))[0]
            raise SystemExit(f"{what}: {got.ravel()[k]:.9g} is further than {self.apart.ravel()[k]:.3g} from {self.exact.ravel()[k]:.17g}")
        return float(np.max(np.abs(got - self.exact) / self.apart))


def given(array):
    array = np.asarray(array, F)
    return Value(mpusim.asarray(array), array.astype(np.float64), np.zeros(array.shape))


def drawn(r, depth, leaves):
    """An expression and its text; what may grow is brought to -1 .. 1 first, or above 1/4."""
    if depth == 0:
        k = int(r.integers(len(leaves)))
        return leaves[k], "xyz"[k]
    if r.random() < .3:
        (a, s), (b, t) = drawn(r, depth - 1, leaves), drawn(r, depth - 1, leaves)
        op = r.choice(list("+-*"))
        return {"+": a + b, "-": a - b, "*": a * b}[op], f"({s} {op} {t})"
    name = str(r.choice(list(BOUNDS)))
    a, s = drawn(r, depth - 1, leaves)
    if name in SMALL and np.max(np.abs(a.exact) + a.apart) > 8:
        a, s = a.apply("tanh"), f"tanh({s})"
    if name in POSITIVE or name == "log1p":
        if np.min(a.exact - a.apart) < .25:
            a, s = a * a + given(np.full(ELEMENTS, .25)), f"({s} * {s} + 0.25)"
    return a.apply(name), f"{name}({s})"


def expressions(r, count):
    worst = 0
    for n in range(count):
        leaves = [given(r.normal(size=ELEMENTS) * s) for s in (1, 3, .01)]
        value, text = drawn(r, int(r.integers(1, 5)), leaves)
        worst = max(worst, value.check(f"expression {n}, {text}"))
    print(f"{count} expressions: at most {worst:.3f} of the bounds")


def network(r):
    """Three layers, with each of the usual functions between them, and the logistic function."""
    x = given(r.normal(size=(8, 12)))
    for name, rows, columns in (("tanh", 12, 10), ("erf", 10, 6), ("expit", 6, 2)):
        bias = given(np.tile(r.normal(size=columns), (8, 1)))
        x = (x @ given(r.normal(size=(rows, columns)) / math.sqrt(rows)) + bias).apply(name)
    print(f"a network: at most {x.check('network'):.3f} of its bound")


def attention(r):
    """softmax(q k / sqrt(d)) v of six places: rows' sums are products with ones."""
    n, d = 6, 8
    q, k, v = (given(r.normal(size=s)) for s in ((n, d), (d, n), (n, d)))
    e = (q @ k * given(np.full((n, n), 1 / math.sqrt(d)))).apply("exp")
    result = (e / (e @ given(np.ones((n, n))))) @ v
    print(f"attention: at most {result.check('attention'):.3f} of its bound")


def main(args):
    seed = int(args[0]) if args else 1
    count = int(args[1]) if len(args) > 1 else 2000 if os.environ.get("MPU_DRAWS") == "all" else 200
    r = np.random.default_rng(seed)
    with warnings.catch_warnings(), mpusim.device("golden"):
        warnings.simplefilter("ignore")
        expressions(r, count)
        network(r)
        attention(r)


if __name__ == "__main__":
    main(sys.argv[1:])
