#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Inputs and results of the examples in this folder, by NumPy, whose operations on float16 and
# float32 are rounded once as those of the machines are:
#   reference.py FOLDER
import math
import sys
import numpy as np

np.seterr(all='ignore')


class Format:
    """The constants that differ between the formats."""

    def __init__(self, name, real, unsigned, signed):
        self.name, self.real, self.unsigned, self.signed = name, real, unsigned, signed

    def __call__(self, x):
        return self.real(x)


F32 = Format('f32', np.float32, np.uint32, np.int32)
F16 = Format('f16', np.float16, np.uint16, np.int16)


def in_pairs(v, axis):
    """Sums of elements 2i and 2i + 1, of these sums, and so on."""
    v = np.moveaxis(v, axis, 0)
    while len(v) > 1:
        odd = v[-1:] if len(v) % 2 else v[:0]
        v = np.concatenate([v[0:len(v) - 1:2] + v[1::2], odd])
    return v[0]


def product(a, b):
    """Blocks of the factors are summed up in their order, then in pairs."""
    (m, k), n = a.shape, b.shape[1]
    blocks = 1
    while 2 * blocks <= k and 2 * blocks * m * n <= 65536:
        blocks *= 2
    sums = []
    for first in range(blocks):
        s = a[:, first, None] * b[None, first, :]
        for f in range(first + blocks, k, blocks):
            s = s + a[:, f, None] * b[None, f, :]
        sums.append(s)
    return in_pairs(np.array(sums), 0)


def nearest(function):
    """Of numbers of the format, by a function of float64, rounded once more: the library's functions of
    f16 give just this, those of f32 nearly always, and for the numbers here."""
    def call(f, x):
        return function(x.astype(np.float64)).astype(f.real)
    return call


exp, log = nearest(np.exp), nearest(np.log)
normal = nearest(np.vectorize(lambda x: math.erfc(-x * math.sqrt(0.5)) / 2))
gelu = nearest(np.vectorize(lambda x: x * math.erfc(-x * math.sqrt(0.5)) / 2))
sigmoid = nearest(lambda x: 1 / (1 + np.exp(-x)))


def axpy(f, random, save):
    a, x, y = f(-1.7), random(300, 4), random(300, 9)
    save(a=a, x=x, y=y, z=a * x + y)


def matmul(f, random, save):
    a, b = random((12, 20), 2), random((20, 9), 2)
    save(a=a, b=b, c=product(a, b))


def softmax(f, random, save):
    x = random((10, 12), 5)
    d = x - np.max(x, axis=1, keepdims=True)
    e = exp(f, d)
    save(x=x, y=e / in_pairs(e, 1)[:, None])


def dense(f, random, save):
    w, x, b = random((14, 30), 1), random(30, 1), random(14, 1)
    save(w=w, x=x, b=b, y=np.maximum(in_pairs(w * x, 1) + b, f(0)))


def black_scholes(f, random, save):
    r, v = f(0.02), f(0.3)
    s, k, t = f(1) + random(200, 0.4), f(1) + random(200, 0.4), f(1.2) + random(200, 1)
    spread = v * np.sqrt(t)
    d = (log(f, s / k) + (r + f(0.5) * v * v) * t) / spread
    call = s * normal(f, d) - k * exp(f, -r * t) * normal(f, d - spread)
    save(r=r, v=v, s=s, k=k, t=t, call=call)


def monte_carlo(f, random, save):
    s, k, t, r, v = f(1), f(1.05), f(0.75), f(0.02), f(0.3)
    z = random(256, 2)
    end = s * exp(f, (r - f(0.5) * v * v) * t + v * np.sqrt(t) * z)
    worth = np.maximum(end - k, f(0)) * exp(f, np.asarray(-r * t))
    save(s=s, k=k, t=t, r=r, v=v, z=z, worth=worth, mean=in_pairs(worth, 0) / f(256))


def logistic(f, random, save):
    x, b = random((20, 16), 2), random(20, 1)
    w = np.broadcast_to(random(16, 1), (20, 16)).copy()
    save(x=x, w=w, b=b, y=sigmoid(f, in_pairs(w * x, 1) + b))


def feed_forward(f, random, save):
    x, w, u = random(16, 2), random((24, 16), 1), random((16, 24), 1)
    d = x - in_pairs(x, 0) * f(0.0625)
    normal = d / np.sqrt(in_pairs(d * d, 0) * f(0.0625) + f(0.001))
    h = gelu(f, in_pairs(w * normal, 1))
    save(x=x, w=w, u=u, y=in_pairs(u * h, 1))


def main():
    for f in F32, F16:
        for number, example in enumerate((axpy, matmul, softmax, dense, black_scholes,
                                             monte_carlo, logistic, feed_forward)):
            generator = np.random.Generator(np.random.MT19937(number))
            name = example.__name__.replace('_', '-')

            def random(shape, size):
                bits = generator.integers(-2**20, 2**20, size=shape)
                return (bits / 2**20 * size).astype(f.real)

            def save(**arrays):
                for key, value in arrays.items():
                    path = '%s/%s-%s-%s.npy' % (sys.argv[1], name, f.name, key)
                    value = np.asarray(value)
                    assert value.dtype == f.real, (example, key, value.dtype)
                    np.save(path, value)

            example(f, random, save)


main()
