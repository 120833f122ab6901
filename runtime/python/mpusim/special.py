# SPDX-License-Identifier: MIT
"""Functions of scipy.special, of float16 and float32: of float16 the nearest number, of float32
within the bounds of docs/float-functions.md."""

from . import _array as A
from ._elementwise import _at_least_float, _function, _small

__all__ = ["erf", "erfc", "expit", "ndtr"]

erf = _function("erf", "f", _small(A.ERF), dtype_of=_at_least_float, doc="the error function")
erfc = _function("erfc", "f", _small(A.ERFC), dtype_of=_at_least_float, doc="1 - erf(a)")
ndtr = _function("ndtr", "f", _small(A.NDTR), dtype_of=_at_least_float,
                 doc="the normal distribution up to a")
expit = _function("expit", "f", _small(A.SIGMOID), dtype_of=_at_least_float,
                  doc="1 / (1 + e**-a)")
