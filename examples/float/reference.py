#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Inputs and results of the examples in this folder, by NumPy, whose operations on float16 and
# float32 are rounded once as those of the machines are:
#   reference.py FOLDER
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


def exp(f, x):
    if f is F32:
        rounder, high, low, shift = 12582912.0, 0.693359375, -2.12194440e-4, 23
        series = [1, 1, 0.5, 0.16666667, 0.041666668, 0.008333334]
    else:
        rounder, high, low, shift = 1536.0, 0.6875, 0.0056471806, 10
        series = [1, 1, 0.5, 0.16666667]
    t = x * f(1.4426950408889634) + f(rounder)
    k = t - f(rounder)
    r = x - k * f(high) - k * f(low)
    p = f(series[-1])
    for c in reversed(series[:-1]):
        p = f(c) + r * p
    bits = p.view(f.unsigned) + (t.view(f.unsigned) << f.unsigned(shift))
    return bits.view(f.real)


def log(f, x):
    least, mask, shift, rounder = ((0x3f3504f3, 0x7fffff, 23, 0x4b400000) if f is F32
                                   else (0x39a8, 0x3ff, 10, 0x6600))
    shifted = x.view(f.unsigned) - f.unsigned(least)
    m = ((shifted & f.unsigned(mask)) + f.unsigned(least)).view(f.real)
    e = (f.unsigned(rounder) + (shifted.view(f.signed) >> f.signed(shift)).view(f.unsigned))
    e = e.view(f.real) - f.unsigned(rounder).view(f.real)
    q = (m - f(1)) / (m + f(1))
    w = q * q
    series = (f(1) + w * (f(0.33333334) + w * (f(0.2) + w * f(0.14285715))) if f is F32
              else f(1) + w * f(0.33333334))
    return e * f(0.6931472) + f(2) * q * series


def normal(f, x):
    a = np.abs(x)
    if f is F32:
        z = f(1) / (f(1) + f(0.2316419) * a)
        p = f(1.330274429)
        for c in (-1.821255978, 1.781477937, -0.356563782, 0.31938153):
            p = f(c) + z * p
    else:
        z = f(1) / (f(1) + f(0.33267) * a)
        p = f(0.937298)
        for c in (-0.1201676, 0.4361836):
            p = f(c) + z * p
    p = z * p
    above = f(0.39894228) * exp(f, np.maximum(f(-0.5) * a * a, f(-80 if f is F32 else -9.5))) * p
    return np.where(x < 0, above, f(1) - above)


def axpy(f, random, save):
    a, x, y = f(-1.7), random(300, 4), random(300, 9)
    save(a=a, x=x, y=y, z=a * x + y)


def matmul(f, random, save):
    a, b = random((12, 20), 2), random((20, 9), 2)
    save(a=a, b=b, c=product(a, b))


def softmax(f, random, save):
    x = random((10, 12), 5)
    d = x - np.max(x, axis=1, keepdims=True)
    e = np.where(d < f(-80 if f is F32 else -9.5), f(0), exp(f, d))
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


def main():
    for f in F32, F16:
        for number, example in enumerate((axpy, matmul, softmax, dense, black_scholes)):
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
