# SPDX-License-Identifier: MIT
"""mpu-pycheck itself: test_pycheck.py BIN."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

BIN = sys.argv.pop(1)
KERNEL = """from __future__ import annotations
import numpy as np

N = 5
M = N + 1

def scale(x: i16[N], k: i16) -> (i16[N], i16[M]):
    y = x * k
    z = np.zeros(M, dtype=np.int16)
    z[1:] = y
    x += np.int16(1)
    return y, z
"""


def load():
    loader = importlib.machinery.SourceFileLoader("pycheck", BIN + "/mpu-pycheck")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("pycheck", loader))
    loader.exec_module(module)
    return module


class Pycheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def kernel(self, text):
        path = os.path.join(self.folder.name, "kernel.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def run_on(self, text, *words):
        command = [sys.executable, BIN + "/mpu-pycheck", "--target", "golden,racer",
                   self.kernel(text), *words]
        r = subprocess.run(command, capture_output=True, text=True)
        return r.returncode, r.stdout.replace(self.folder.name + "/", ""), r.stderr

    def test_equal(self):
        self.assertEqual(self.run_on(KERNEL)[:2],
                         (0, "kernel.py: golden: equal, 16 elements\n"
                             "kernel.py: racer: equal, 16 elements\n"))
        self.assertEqual(self.run_on(KERNEL, "-q")[:2], (0, ""))

    def test_constants(self):
        self.assertIn("golden: equal, 22 elements", self.run_on(KERNEL, "-DN=7")[1])
        np.save(self.folder.name + "/x.npy", np.arange(9, dtype=np.int16))
        given = "x=" + self.folder.name + "/x.npy"
        self.assertIn("golden: equal, 28 elements", self.run_on(KERNEL, "--in", given)[1])
        code, _, err = self.run_on(KERNEL, "-DN=7", "--in", given)
        self.assertEqual(code, 2)
        self.assertIn("--in x: int16 of shape (9,); the parameter is int16 of shape (7,)", err)

    def test_inputs(self):
        for value in ("iota", "zeros", "random:3", "1,2,3,4,-5"):
            self.assertEqual(self.run_on(KERNEL, "--in", "x=" + value, "--in", "k=-3")[0], 0)
        for value, message in (("x=1,2,x", "--in x=1,2,x"), ("y=1", "has no parameter `y`"),
                               ("x=1,2,3,4,70000", "--in x")):
            code, _, err = self.run_on(KERNEL, "--in", value)
            self.assertEqual(code, 2)
            self.assertIn(message, err)

    def test_floats(self):
        code, out, _ = self.run_floats("(x + 1).sum() / y[0], np.sort(x), np.maximum(x, y), x @ y, np.cumsum(y)")
        self.assertEqual((code, out), (0, "kernel.py: golden: equal, 35 elements\n"))
        for given, code in (("x=random:3", 0), ("x=1.5,-inf,nan,0.1,-0.0,0,3,1e39,2,-1,7", 0), ("x=1.5,0x1", 2)):
            self.assertEqual(self.run_floats("x * y", "--in", given)[0], code)
        self.assertIn("a float out of the range of int8", self.run_floats("(x * 1e6).astype(np.int8)")[2])
        self.assertEqual(self.run_floats("np.rint(x).astype(np.int8)")[0], 0)
        self.assertEqual(self.run_floats("x * S", "-DS=0.25")[0], 0)

    def run_floats(self, result, *words):
        command = [sys.executable, BIN + "/mpu-pycheck", "--target", "golden", self.kernel(
            "from __future__ import annotations\nimport numpy as np\nN = 11\nS = 1.5\n\n"
            f"def f(x: f32[N], y: f32[N]):\n    return {result}\n"), *words]
        r = subprocess.run(command, capture_output=True, text=True)
        return r.returncode, r.stdout.replace(self.folder.name + "/", ""), r.stderr

    def test_float_differences(self):
        tool, one = load(), np.float32
        x = np.array([1, np.nan, 0, 3], dtype=one)
        self.assertIsNone(tool.difference("y", x, -x * np.array([-1, 1, -1, -1], dtype=one)))
        self.assertIn("[2]: 0.0, NumPy has -0.0 (1 of 4", tool.difference("y", x, x * np.array([1, 1, -1, 1], one)))
        self.assertIn("[1]", tool.difference("y", x, np.array([1, 2, 0, 3], dtype=one)))
        floats = tool.Floats()
        # Pairs, then pairs of these, the odd one last.
        terms = np.array([1, 2**-24, 2**-24, 2**-24, 2**-24], dtype=one)
        self.assertEqual(floats.sum(terms), (one(1) + one(2**-23)) + one(2**-24))
        self.assertEqual(floats.cumsum(terms)[2], one(1) + one(2**-23))
        self.assertEqual(str(floats.minimum(np.array([0.0, -0.0, np.nan]), 0)), "[ 0. -0. nan]")
        with self.assertRaises(tool.Failure):
            floats.near("sum", one(1), one(2), 4, one(1))

    def test_refused(self):
        code, _, err = self.run_on(KERNEL.replace("x * k", "x ^ 3.5"))
        self.assertEqual(code, 1)
        self.assertIn("kernel.py:8:", err)
        self.assertEqual(self.run_on(KERNEL, "/no/such/file.py")[0], 3)

    def test_differences(self):
        module = load()
        a = np.arange(6, dtype=np.int32).reshape(2, 3)
        b = a.copy()
        b[1, 2] = 9
        self.assertIsNone(module.difference("y", a, a))
        self.assertEqual(module.difference("y", b, a), "`y` differs at [1, 2]: 9, NumPy has 5 "
                                                       "(1 of 6 elements)")
        self.assertEqual(module.difference("y", a.ravel(), a),
                         "`y` is int32 (6,), NumPy has int32 (2, 3)")
        self.assertEqual(module.difference("y", a.astype(np.int64), a),
                         "`y` is int64 (2, 3), NumPy has int32 (2, 3)")
        self.assertEqual(module.difference("s", np.array(3), 4),
                         "`s` differs: 3, NumPy has 4 (1 of 1 elements)")

    def test_edges(self):
        x = load().draw(np.int8, (20,), np.random.default_rng(0))
        self.assertTrue({-128, 127, 0, 1, -127, 64, 126} <= set(x.tolist()))


if __name__ == "__main__":
    unittest.main()
