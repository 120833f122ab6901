# SPDX-License-Identifier: MIT
"""Types and inputs of kernels, as mpu-pycheck has them."""
import importlib.util
import os

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/mpu-pycheck/mpu-pycheck.py")
spec = importlib.util.spec_from_file_location("mpu_pycheck", path)
pycheck = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pycheck)
TYPES = pycheck.TYPES
pycheck.set_promotion("2")


FLOATS = [n for n in TYPES if n[0] == "f"]
INTEGERS = [n for n in TYPES if n[0] in "iu"]


def draw(kind, shape, rng):
    """Of floats all classes, or (mostly) numbers of moderate size."""
    return pycheck.draw(TYPES[kind], shape, rng, tame=kind in FLOATS and rng.random() < .7)
