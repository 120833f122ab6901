# SPDX-License-Identifier: MIT
"""What the package is besides the values of its operations (random_arrays.py): machines, profiles,
views, errors with their lines, programs, kernels from functions and from cells, stubs."""

import ast
import contextlib
import gc
import io
import json
import linecache
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import array_api
import mpusim
from mpusim import _lib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def line_of_next():
    return sys._getframe(1).f_lineno + 1


class Machines(unittest.TestCase):
    def test_targets(self):
        self.assertIn("racer", mpusim.targets())
        with self.assertRaisesRegex(mpusim.Usage, "nonesuch"):
            mpusim.device("nonesuch")
        with self.assertRaisesRegex(TypeError, "spills"):
            mpusim.device("racer", spills="never")

    def test_settings(self):
        with mpusim.device("racer", set={"mpus": 2}, check=True, threads=1) as dev:
            x = mpusim.arange(5000, dtype=np.int16)
            self.assertEqual(int((x + 1).max()), 5000)
            self.assertEqual(dev.stats()["target"], "racer")

    def test_who_folds(self):
        """As kernels do where it is not asked for: what ends in one value, on either side."""
        x = np.arange(5000, dtype=np.int32)
        for target, finish, ways in (("mimdram", "auto", (0, 0, 1)), ("mimdram", "device", (1, 0, 0)),
                                     ("racer", "auto", (0, 0, 1)), ("racer", "host", (0, 0, 1))):
            with mpusim.device(target, finish=finish) as dev:
                self.assertEqual(int(mpusim.array(x).max()), 4999)
                self.assertEqual(tuple(dev.stats()["ways"]["fold"].values()), ways, (target, finish))
                square = mpusim.array(np.ones((3, 3), dtype=np.int32))
                self.assertEqual(int(np.asarray(square @ square)[0, 0]), 3)
                at_once = finish == "host"
                self.assertEqual(dev.stats()["ways"]["matmul"]["machine"], int(not at_once))

    def test_cache(self):
        """What a device keeps is in no figure."""
        figures = []
        for most in (None, 1):
            with mpusim.device("racer", device_bytes=most) as dev:
                x = mpusim.arange(64, dtype=np.int16)
                for k in (3, 11, 3, 7, 3):
                    self.assertEqual((x * k).tolist(), [i * k for i in range(64)])
                figures.append(dev.stats())
        self.assertEqual(*figures)

    def test_closed(self):
        dev = mpusim.device("racer")
        x = mpusim.array([1, 2], device=dev)
        dev.close()
        self.assertTrue(dev.closed)
        with self.assertRaisesRegex(mpusim.Usage, "closed"):
            x + 1

    def test_two_devices(self):
        with mpusim.device("racer"):
            x = mpusim.array([1])
        with mpusim.device("mimdram"):
            y = mpusim.array([1])
        with self.assertRaisesRegex(mpusim.Usage, "lie on"):
            x + y
        self.assertEqual((x + y.numpy()).tolist(), [2])

    def test_profile(self):
        with mpusim.device("racer") as dev:
            x = mpusim.arange(1000, dtype=np.int32)
            with dev.profile() as first:
                (x + x).numpy()
            with dev.profile() as second:
                (x * x).numpy()
            for p in (first, second):
                self.assertGreater(p.cycles, 0)
                self.assertGreater(p.micro_ops, 0)
                self.assertGreater(p.energy_fj, 0)
                self.assertGreater(p.time_ps, 0)
                self.assertGreater(p.host_seconds, 0)
                self.assertIn("micro-ops", repr(p))
            self.assertGreater(second.micro_ops, first.micro_ops)
            total = dev.stats()
            self.assertGreaterEqual(total.micro_ops, first.micro_ops + second.micro_ops)
            self.assertIn("total.micro_ops", total.flat())
            page = total.report()
            self.assertTrue(page.startswith("<!DOCTYPE html>") and "Energy by component" in page)
            self.assertIn(f'<data value="{total.micro_ops}" data-path="total.micro_ops">', page)
            self.assertIn("<svg", total._repr_html_())
            self.assertTrue(total.plot("time").startswith("<svg"))
            with self.assertRaisesRegex(mpusim.Usage, "nothing to show"):
                total.plot("speedup")
            dev.reset_stats()
            self.assertEqual(dev.stats().micro_ops, 0)

    def test_labels(self):
        with mpusim.device("mimdram") as dev:
            x = mpusim.arange(1000, dtype=np.int32)
            dev.label("product")
            y = x * x
            with dev.profile() as p:
                dev.label("sum")
                z = y + x
                dev.label(None)
                z.numpy()
            self.assertEqual([l["name"] for l in p.stats["labels"]], ["", "product", "sum"])
            for name in ("time_ps", "energy_fj"):
                self.assertEqual(sum(l[name] for l in dev.stats()["labels"]),
                                 dev.stats()["total"][name])
            of = {l["name"]: l for l in p.stats["labels"]}
            self.assertEqual((of["sum"]["calls"], of["sum"]["operations"]), (1, 1))
            self.assertEqual(of["product"]["time_ps"], 0)
            self.assertGreater(of["sum"]["time_ps"], 0)
            self.assertEqual(of[""]["bytes_out"], 4000)
            for wrong in ("a\nb", "x" * 256, "a\0b"):
                with self.assertRaises(ValueError):
                    dev.label(wrong)
            with self.assertRaises(TypeError):
                dev.label(7)

    def test_nothing_before_it_is_asked_for(self):
        with mpusim.device("racer") as dev:
            x = mpusim.arange(100, dtype=np.int32)
            dev.flush()
            before = dev.stats().micro_ops
            y = x * x + x
            self.assertEqual(json.loads(json.dumps(dev.stats()))["total"]["micro_ops"] >= before,
                             True)
            self.assertEqual(y.tolist(), [i * i + i for i in range(100)])

    def test_temporaries_leave_no_rows(self):
        with mpusim.device("racer") as dev:
            x = mpusim.arange(64, dtype=np.int8)
            for _ in range(20000):
                x = x + 1
            self.assertEqual(int(x[0]), (20000 % 256 + 128) % 256 - 128)
            gc.collect()
            self.assertLessEqual(sum(s["vectors"] for s in dev.stats()["slabs"]), 3)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.dev = mpusim.device("racer")
        self.dev.__enter__()

    def tearDown(self):
        self.dev.__exit__()
        self.dev.close()

    def test_views(self):
        host = np.arange(60, dtype=np.int32).reshape(4, 5, 3)
        x = mpusim.array(host)
        view, wanted = x[1:, ::-2, 1].T, host[1:, ::-2, 1].T
        view[...] = 7
        wanted[...] = 7
        self.assertTrue(np.array_equal(x, host))
        view += 3
        wanted += 3
        x[2] = mpusim.array(np.arange(15, dtype=np.int32).reshape(5, 3))
        host[2] = np.arange(15).reshape(5, 3)
        self.assertTrue(np.array_equal(x, host))
        self.assertTrue(np.array_equal(view, wanted))
        flat = x.reshape(-1)
        flat[10:20] = -1
        self.assertEqual(int((x == -1).sum()), 10)

    def test_what_was_read_stays(self):
        x = mpusim.arange(5, dtype=np.int32)
        y = x + 0
        z = x[1:].copy()
        x[...] = 9
        self.assertEqual(y.tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(z.tolist(), [1, 2, 3, 4])

    def test_repeated_elements_are_not_written(self):
        x = mpusim.broadcast_to(mpusim.array([1, 2, 3]), (2, 3))
        self.assertEqual(x.tolist(), [[1, 2, 3], [1, 2, 3]])
        with self.assertRaisesRegex(ValueError, "repeats"):
            x[0, 0] = 5

    def test_texts(self):
        host = np.arange(6, dtype=np.uint8).reshape(2, 3)
        x = mpusim.array(host)
        self.assertEqual(repr(x), repr(host))
        self.assertEqual(str(x), str(host))
        self.assertIn("<td>5</td>", x._repr_html_())
        self.assertEqual(f"{mpusim.array([1.5], dtype=np.float32)[0]:.2f}", "1.50")

    def test_to_python(self):
        self.assertEqual(int(mpusim.array(5)), 5)
        self.assertEqual(list(range(10))[mpusim.array(3)], 3)
        self.assertTrue(mpusim.array([True]))
        with self.assertRaisesRegex(ValueError, "ambiguous"):
            bool(mpusim.array([1, 2]))
        with self.assertRaises(TypeError):
            hash(mpusim.array(1))
        self.assertEqual(pickle.loads(pickle.dumps(mpusim.array([1, 2]))).tolist(), [1, 2])

    def test_types(self):
        x = mpusim.array([1, 2], dtype=np.int8)
        self.assertEqual((x + 1).dtype, np.int8)
        self.assertEqual((x + 1.5).dtype, np.float64)
        self.assertEqual((x + mpusim.array([1], dtype=np.int16)).dtype, np.int16)
        self.assertEqual((x / 2).dtype, np.float64)
        self.assertEqual(x.sum().dtype, np.int64)
        self.assertEqual(mpusim.array([1.0], dtype=np.float32).mean().dtype, np.float32)
        with self.assertRaises(OverflowError):
            x + 200
        with self.assertRaises(OverflowError):
            x[0] = 200
        with self.assertRaisesRegex(mpusim.Usage, "complex128"):
            mpusim.array([1j])
        with self.assertRaisesRegex(mpusim.Usage, "in place"):
            x += 0.5

    def test_numpy_functions(self):
        x = mpusim.array([3.0, 1.0, 2.0], dtype=np.float32)
        self.assertIsInstance(np.add(x, 1), mpusim.ndarray)
        self.assertEqual(np.sort(x).tolist(), [1, 2, 3])
        self.assertEqual(np.add.reduce(x).item(), 6)
        self.assertEqual(np.add.accumulate(x).tolist(), [3, 4, 6])
        out = np.empty(3, np.float32)
        np.multiply(x, 2, out=out)
        self.assertEqual(out.tolist(), [6, 2, 4])
        with self.assertRaisesRegex(mpusim.Usage, "np.cbrt is not carried out on a device"):
            np.cbrt(x)
        with self.assertRaisesRegex(mpusim.Usage, "np.linalg|inv"):
            np.linalg.inv(x.reshape(1, 3))
        self.assertTrue(np.allclose(np.exp(np.asarray(x)), np.exp([3, 1, 2])))

    def test_powers_of_floats(self):
        """Products, of float16 in float32; kernels have the same bytes."""
        def cube(x: "f32[512]") -> "f32[512]":
            return x ** 3

        halves = np.arange(0, 65536, 32, dtype=np.uint16).view(np.float16)
        rng = np.random.default_rng(5)
        x = rng.integers(0, 2 ** 32, 512, dtype=np.uint32).view(np.float32)
        with mpusim.device("golden"), np.errstate(all="ignore"):
            for n in (0, 1, 2, 3, 6.0, 7):
                ours = (mpusim.array(halves) ** n).numpy()
                self.assertTrue(np.array_equal(ours, halves ** n, equal_nan=True), n)
            y = mpusim.array(x)
            self.assertEqual((y ** 3).numpy().tobytes(), (y * y * y).numpy().tobytes())
            self.assertEqual((y ** 6).numpy().tobytes(), ((y * y) * (y * y * (y * y))).numpy().tobytes())
            kernel = mpusim.compile(cube)(x, target="golden")
            self.assertEqual((y ** 3).numpy().tobytes(), kernel.tobytes())

    def test_powers_of_integers(self):
        """Arrays as exponents, of what stands on either side."""
        exponents = np.array([0, 1, 2, 5, 7, 31, 63], dtype=np.int64)
        bases = np.array([3, -2, 0, 2, 1, -1, 7])
        with mpusim.device("golden"), np.errstate(all="ignore"):
            e, b = mpusim.array(exponents), mpusim.array(bases)
            for base in (2, 3, 0, 1, -1, -2, True, np.int64(10), bases, [1, 2, 3, 4, 5, 6, 7]):
                ours, want = base ** e, base ** exponents
                self.assertEqual((ours.dtype, ours.tolist()), (want.dtype, want.tolist()), base)
            self.assertEqual((b ** e).tolist(), (bases ** exponents).tolist())
            self.assertEqual((b ** exponents).tolist(), (bases ** exponents).tolist())
            self.assertEqual(np.power(2, e).tolist(), (2 ** exponents).tolist())
            small = mpusim.array(exponents.astype(np.uint8))
            self.assertEqual((2 ** small).tolist(), [1, 2, 4, 32, 128, 0, 0])
            self.assertEqual((2 ** small).dtype, np.uint8)
            flags = mpusim.array(np.array([True, False]))
            for made, want in ((flags ** flags, [1, 1]), (True ** flags, [1, 1]), (flags ** True, [1, 0])):
                self.assertEqual((made.dtype, made.tolist()), (np.int8, want))
            root = mpusim.array(np.array([2, 9], dtype=np.int8)) ** 0.5
            self.assertEqual((root.dtype, root.tolist()), (np.float64, [2 ** 0.5, 3]))
            with self.assertRaisesRegex(ValueError, "negative integer powers"):
                2 ** mpusim.array([1, -1])
            with self.assertRaisesRegex(OverflowError, "300 is no number of type uint8"):
                300 ** small
            for wrong in (lambda: 2.0 ** e, lambda: 2 ** mpusim.array([1.5]), lambda: b ** 1.5):
                self.assertRaisesRegex(mpusim.Usage, "exponent", wrong)

    def test_divmod(self):
        x = np.array([7, -7, 0, 5], dtype=np.int16)
        with mpusim.device("golden"), np.errstate(all="ignore"):
            for made, want in ((divmod(mpusim.array(x), 3), divmod(x, np.int16(3))),
                               (divmod(20, mpusim.array(x)), divmod(np.int16(20), x)),
                               (np.divmod(mpusim.array(x), x[::-1]), np.divmod(x, x[::-1]))):
                for ours, numpys in zip(made, want):
                    self.assertEqual((ours.dtype, ours.tolist()), (numpys.dtype, numpys.tolist()))

    def test_products(self):
        rng = np.random.default_rng(3)
        a, b = rng.integers(-9, 9, (7, 5)), rng.integers(-9, 9, (5, 6))
        self.assertTrue(np.array_equal(mpusim.array(a) @ mpusim.array(b), a @ b))
        self.assertTrue(np.array_equal(mpusim.array(a) @ b[:, 0], a @ b[:, 0]))
        self.assertTrue(np.array_equal(a[0] @ mpusim.array(b), a[0] @ b))
        self.assertEqual(int(mpusim.array(a[0]) @ mpusim.array(b[:, 0])), int(a[0] @ b[:, 0]))
        stack = rng.integers(-9, 9, (3, 7, 5))
        self.assertTrue(np.array_equal(mpusim.array(stack) @ mpusim.array(b), stack @ b))

    def test_take(self):
        x = np.arange(10, 70, dtype=np.int16).reshape(6, 10)
        self.assertTrue(np.array_equal(mpusim.array(x)[[5, 0, 1, 1, 3]], x[[5, 0, 1, 1, 3]]))
        self.assertTrue(np.array_equal(np.take(mpusim.array(x), [9, 2], axis=1),
                                       np.take(x, [9, 2], axis=1)))
        index = mpusim.array([[0, -1], [2, 59]])
        self.assertTrue(np.array_equal(mpusim.take(x.reshape(-1), index),
                                       x.reshape(-1)[index.numpy()]))
        with self.assertRaises(IndexError):
            mpusim.take(x.reshape(-1), mpusim.array([60]))

    def test_empty(self):
        x = mpusim.zeros((0, 3), dtype=np.int32)
        self.assertEqual((x + 1).shape, (0, 3))
        self.assertEqual(x.sum().item(), 0)
        self.assertEqual(mpusim.concatenate([x, mpusim.ones((2, 3), dtype=np.int32)]).tolist(),
                         [[1, 1, 1], [1, 1, 1]])

    def test_errors_say_the_line(self):
        dev = mpusim.device("racer", max_cycles=1)
        x = mpusim.array(np.arange(100, dtype=np.int32), device=dev)
        line = line_of_next()
        y = x * x
        with self.assertRaises(mpusim.Stopped) as caught:
            y.numpy()
        self.assertIn(f"test_mpusim.py:{line}", str(caught.exception))

    def test_room(self):
        with mpusim.device("duality-cache", set={"mpus": 1}, spill="never"):
            kept = []
            with self.assertRaises(mpusim.Capacity):
                for _ in range(20):
                    kept.append(mpusim.array(np.zeros(131072, dtype=np.int64)))
                    (kept[-1] + 1).numpy()


    def test_no_room_for_float64(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.yaml")
            pathlib.Path(path).write_text(
                "schema: 1\nname: small\nextends: duality-cache\nsummary: few rows\n"
                "array: { rows: 300 }\nrows:\n  data: { range: 0..299, scratch: 120 }\n")
            with mpusim.device(path):
                with self.assertRaisesRegex(mpusim.Error, "give dtype=np.float32"):
                    mpusim.array([1.5, 2.5])
                x = mpusim.array([1.5, 2.5], dtype=np.float32)
                self.assertEqual((x * 2).tolist(), [3, 5])


class Programs(unittest.TestCase):
    def test_run(self):
        x = np.arange(20, dtype=np.int32)
        for target in ("golden", "racer", "mimdram"):
            r = mpusim.run(ROOT / "examples" / "axpy.ez", target=target, a=3, x=x,
                           y=np.ones(20, dtype=np.int32))
            self.assertTrue(np.array_equal(r.z, 3 * x + 1))
            self.assertEqual(r.stats["provenance"]["target"]["name"] if isinstance(
                r.stats["provenance"]["target"], dict) else target, target)
        self.assertGreater(r.stats.micro_ops, 0)
        with mpusim.device("racer"):
            r = mpusim.run(ROOT / "examples" / "axpy.ez", a=3, x=mpusim.array(x), y=x)
            self.assertTrue(np.array_equal(r["z"], 4 * x))

    def test_errors(self):
        with self.assertRaisesRegex(mpusim.FileProblem, "nonesuch.ez"):
            mpusim.run("nonesuch.ez")
        with self.assertRaisesRegex(mpusim.Usage, "no input 'q'; it has a, x, y"):
            mpusim.run(ROOT / "examples" / "axpy.ez", q=1)
        with self.assertRaisesRegex(mpusim.Rejected, "x\\[0\\] = 1099511627776 does not fit i32"):
            mpusim.run(ROOT / "examples" / "axpy.ez", a=1, x=np.arange(3) + 2**40, y=np.arange(3))
        with self.assertRaisesRegex(mpusim.Rejected, "float64"):
            mpusim.run(ROOT / "examples" / "axpy.ez", a=1, x=np.arange(3) * 0.5, y=np.arange(3))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.ez")
            pathlib.Path(path).write_text("main { compute g { z = 1; } }\n")
            with self.assertRaisesRegex(mpusim.Rejected, r"bad.ez:1:16: error: .*`g`"):
                mpusim.run(path)

    def test_buffers(self):
        text = ("        .size n = 2\n        .buffer out reads: u32[n]\n        .buffer in x: u8[3]\n"
                "        .kernel words pypim(reads: u32[])\n            CROSSBARS 1\n            ROWS 5\n"
                "            INIT1 r2[0..31]\n            READ r2\n            READ r2\n"
                "        .endkernel\nmain:   RECIPE words(reads)\n        HALT\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "words.s")
            pathlib.Path(path).write_text(text)
            p = mpusim.compile(path)
        self.assertEqual(p.variables(), {})
        self.assertEqual(p.buffers(), {"reads": "out", "x": "in"})
        self.assertEqual(p.outputs(), ["reads"])
        r = p.run("pypim", x=[1, 2, 3])
        self.assertEqual(r.reads.tolist(), [0xffffffff] * 2)
        with self.assertRaisesRegex(mpusim.Usage, "no input 'y'; it has x"):
            p.run("pypim", y=1)
        with self.assertRaisesRegex(mpusim.Rejected, "x has a number that uint8 does not have"):
            p.run("pypim", x=[1, 2, 300])

    def test_compile_of_a_file(self):
        sys.path.insert(0, str(ROOT / "examples" / "numpy"))
        try:
            import blur
        finally:
            sys.path.pop(0)
        k = mpusim.compile(blur.blur, H=10, W=12)
        rng = np.random.default_rng(5)
        img = rng.integers(0, 255, (12, 14)).astype(np.uint8)
        weights = np.array([1, 2, 1, 2, 4, 2, 1, 2, 1], dtype=np.uint8)
        blur.H, blur.W = 10, 12
        for target in ("golden", "racer"):
            self.assertTrue(np.array_equal(k(img, weights, target=target),
                                           blur.blur(img, weights)))
        self.assertGreater(k.stats.micro_ops, 0)
        with self.assertRaisesRegex(mpusim.Rejected, "NOPE"):
            mpusim.compile(blur.blur, NOPE=1)

    def test_compile_of_a_cell(self):
        text = ("N = 16\nSCALE = 3\n"
                "def helper(a):\n    return a * np.int32(SCALE)\n"
                "def cell(x: 'i32[N]') -> 'i32[N]':\n    z = helper(x) + x\n    return z\n")
        names = {"np": np}
        linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
        exec(compile(text, "<cell 1>", "exec"), names)
        x = np.arange(16, dtype=np.int32)
        self.assertTrue(np.array_equal(mpusim.compile(names["cell"])(x), names["cell"](x)))
        bad = "def odd(x: 'i32[4]') -> 'i32[4]':\n    return x.frobnicate()\n"
        linecache.cache["<cell 2>"] = (len(bad), None, bad.splitlines(True), "<cell 2>")
        exec(compile(bad, "<cell 2>", "exec"), names)
        with self.assertRaisesRegex(mpusim.Rejected, "frobnicate"):
            mpusim.compile(names["odd"])

    def test_no_source(self):
        names = {}
        exec("def f(x): return x", names)
        with self.assertRaisesRegex(OSError, "no source"):
            mpusim.compile(names["f"])
        with self.assertRaisesRegex(OSError, "no source"):
            mpusim.compile(len)


class PyPIM(unittest.TestCase):
    """mpusim.pypim: the programs of the paper, and where its library is wrong."""

    def test_figure_12(self):
        from mpusim import pypim as pim

        def myFunc(a: pim.Tensor, b: pim.Tensor):
            return a * b + a

        x = pim.zeros(2 ** 20, dtype=pim.float32)
        y = pim.zeros(2 ** 20, dtype=pim.float32)
        x[4], y[4] = 8.0, 0.5
        x[5], y[5] = 20.0, 1.0
        x[8], y[8] = 10.0, 1.0
        z = myFunc(x, y)
        self.assertEqual(str(z[::2].sum()), "32.0")

    def test_appendix_g(self):
        from mpusim import pypim as pim

        x = pim.zeros(8, dtype=pim.float32)
        self.assertEqual(repr(x), "Tensor(shape=(8,), dtype=float32):\n "
                         "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]")
        x[2], x[3], x[4] = 2.5, 1.25, 2.25
        self.assertEqual(repr(x[::2]), "TensorView(shape=(4,), dtype=float32, "
                         "slicing=slice(0, 7, 2)):\n [0.0, 2.5, 2.25, 0.0]")
        self.assertEqual(x[::2].sum(), 4.75)
        self.assertEqual(repr(x[::2].sort()), "Tensor(shape=(4,), dtype=float32):\n "
                         "[0.0, 0.0, 2.25, 2.5]")
        self.assertEqual(x[2], 2.5)  # a sort gives a copy

    def test_where_the_library_is_wrong(self):
        from mpusim import pypim as pim

        a = np.array([5, -5, 2**31 - 1, -2**31, 7, 0], dtype=np.int32)
        b = np.array([3, 3, -1, 1, -2, -2**31], dtype=np.int32)
        x, y = pim.from_numpy(a), pim.from_numpy(b)
        self.assertTrue(np.array_equal(pim.to_numpy(x < y), a < b))
        self.assertTrue(np.array_equal(pim.to_numpy(x >= y), a >= b))
        self.assertTrue(np.array_equal(pim.to_numpy(x % y), a % b))
        self.assertTrue(np.array_equal(pim.to_numpy(x / y), [1, -1, -2**31 + 1, -2**31, -3, 0]))
        self.assertTrue(np.array_equal(pim.to_numpy(x.clone().sort()), np.sort(a)))
        self.assertEqual(x.sum(), int(a.sum(dtype=np.int32)))
        angles = np.linspace(-np.pi, np.pi, 33).astype(np.float32)
        with pim.Profiler(do_print=False) as p:
            cosine, sine = pim.cos_sin(pim.from_numpy(angles))
            error = np.abs(pim.to_numpy(cosine) - np.cos(angles.astype(float)))
        self.assertLess(error.max(), 5e-7)
        self.assertLess(np.abs(pim.to_numpy(sine) - np.sin(angles.astype(float))).max(), 5e-7)
        self.assertGreater(p.getMetrics()["total.micro_ops"], 0)

    def test_names(self):
        """What programs for it use beside its operators."""
        from mpusim import pypim as pim

        x = pim.from_numpy(np.arange(60, dtype=pim.Type.int32))
        view = x[10:50:3][::2]
        self.assertEqual(view.get_slicing(), slice(10, 47, 6))
        self.assertIs(view.get_parent_tensor(), x)
        self.assertEqual((x.nelem, x.dim, x.stride, pim.zeros(3, 4).stride), (60, 1, (1,), (4, 1)))
        self.assertEqual((-view).get_slicing(), slice(10, 47, 6))
        self.assertEqual(x.empty_like(default_value=2.5, dtype=pim.float32)[7], 2.5)
        self.assertEqual(x.ones_like(dtype=pim.bool)[0], True)
        self.assertEqual(list(pim.linspace(0, 1, 4, endpoint=False)), [0, 0.25, 0.5, 0.75])
        self.assertEqual(pim.linspace(0, 8, 5, dtype=pim.int32).dtype, np.int32)
        for n in (1, 2, 7, 60):
            part = x[:n]
            self.assertEqual(part.reduce("__xor__"), int(np.bitwise_xor.reduce(np.arange(n))))
            self.assertEqual(part.reduce("__add__"), n * (n - 1) // 2)
        for kind in (pim.int32, pim.float32):
            a, b = np.array([1, 5, 3, -2], kind), np.array([2, 4, 3, 9], kind)
            for turned in (False, True):
                less, more = pim.compare_and_swap(pim.from_numpy(a), pim.from_numpy(b),
                                                  pim.from_numpy(np.full(4, turned)))
                want = (np.maximum, np.minimum) if turned else (np.minimum, np.maximum)
                self.assertEqual(list(less), want[0](a, b).tolist())
                self.assertEqual(list(more), want[1](a, b).tolist())
        f = pim.from_numpy(np.array([1.5, -0.0, 3e-40], np.float32))
        self.assertTrue(np.array_equal(pim.to_numpy(~f).view(np.uint32),
                                       ~np.array([1.5, -0.0, 3e-40], np.float32).view(np.uint32)))
        self.assertTrue(np.allclose(pim.to_numpy(pim.radians_to_degrees(
            pim.degrees_to_radians(f))), [1.5, 0, 0]))
        for wrong in (lambda: x + pim.ones(60, dtype=pim.float32), lambda: x < x.ones_like(pim.bool),
                      lambda: x.__setitem__(slice(0, 60), pim.ones(60, dtype=pim.float32))):
            with self.assertRaisesRegex(TypeError, "do not go together"):
                wrong()

    def test_metrics(self):
        """The sum has gates, moves and all else; the host's link is beside it.  One element is a put
        and a get of one element, and no program."""
        from mpusim import pypim as pim

        x = pim.from_numpy(np.arange(1000, dtype=np.int32)[::-1].copy())
        pim.resetMetrics()
        self.assertEqual(pim.getMetrics()["total"], (0, 0))
        x[3] = 77
        self.assertEqual(x[3], 77)
        stats = pim.device().stats()
        self.assertEqual((stats["graph"]["runs"], stats["host"]["bytes_in"],
                          stats["host"]["bytes_out"]), (0, 4, 4))
        with pim.Profiler(do_print=False) as p:
            y = x.sort()
        made = p.getMetrics()
        self.assertEqual(made["total"].latency,
                         sum(made[k].latency for k in ("logic", "move", "control")))
        self.assertEqual(made["total"].energy, made["total.energy_fj"])
        self.assertEqual(made["total"].latency, round(made["total.time_ps"] / 3333))
        self.assertGreater(made["move"].latency, made["logic"].latency)
        self.assertEqual(made["host"], (0, 0))  # the machine has sorted
        self.assertTrue(np.array_equal(pim.to_numpy(y), np.sort(pim.to_numpy(x))))
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            pim.printMetrics()
            with pim.Profiler("sums"):
                self.assertEqual(x.sum(), int(pim.to_numpy(x).sum()))
        self.assertRegex(text.getvalue(), r"^Type\tLatency\tEnergy\nlogic\t\d+\t\d+\nmove\t")
        self.assertRegex(text.getvalue(), r"sums: \d+ cycles \(\d+ of gates, \d+ of moves\), .*; "
                                          r"the host put 0 and got \d+ bytes")


class Package(unittest.TestCase):
    def test_bits_of_magnitudes(self):
        """NumPy's bitwise_count is that of |a|."""
        x = np.array([-1, -128, 127, 0, -3], np.int8)
        with mpusim.device("golden"):
            made = np.asarray(mpusim.bitwise_count(mpusim.array(x)))
        self.assertEqual(made.tolist(), [1, 1, 7, 0, 2])

    def test_operations(self):
        """Numbers are the library's; one without an operation says so."""
        self.assertEqual(_lib.op_name(_lib.operation("floor")), b"floor")
        with self.assertRaisesRegex(ImportError, "has no operation 'nothing'"):
            _lib.operation("nothing")

    def test_stubs(self):
        """Every public name has a type, and no other has."""
        path = pathlib.Path(mpusim.__file__).parent / "__init__.pyi"
        named = set()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                named.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                named.add(node.target.id)
            elif isinstance(node, ast.Assign):
                named |= {t.id for t in node.targets}
        public = {n for n, v in vars(mpusim).items()
                  if not n.startswith("_") and not isinstance(v, type(np))}
        self.assertEqual({n for n in named if not n.startswith("_")}, public)

    def test_docstrings(self):
        for name, value in vars(mpusim).items():
            if callable(value) and getattr(value, "__module__", "").startswith("mpusim"):
                self.assertTrue(value.__doc__, name)

    def test_no_numpy_names_that_differ(self):
        """What is named as in NumPy takes NumPy's words for operands."""
        for name in ("sum", "sort", "argmin", "cumsum", "where", "clip", "concatenate"):
            self.assertTrue(callable(getattr(np, name)))
            self.assertTrue(callable(getattr(mpusim, name)))

    def test_guide(self):
        """The programs of docs/python.md run, and print what it says."""
        page = ROOT / "docs" / "python.md"
        blocks = page.read_text().split("```")
        ran = 0
        for i in range(1, len(blocks) - 2, 2):
            if not blocks[i].startswith("python\n") or not blocks[i + 2].startswith("text\n"):
                continue
            done = subprocess.run([sys.executable, "-c", blocks[i][7:]], capture_output=True,
                                  text=True, cwd=ROOT / "examples")
            self.assertEqual(done.stderr, "")
            blocks[i + 2] = "text\n" + done.stdout
            ran += 1
        self.assertEqual(ran, 3)
        self.same_page(page, "```".join(blocks))

    def test_array_api(self):
        """docs/array-api.md says which operations of the standard there are."""
        self.same_page(ROOT / "docs" / "array-api.md", array_api.page(mpusim))

    def same_page(self, page, text):
        if os.environ.get("MPU_WRITE_PAGE"):
            page.write_text(text)
        self.assertEqual(page.read_text(), text, "MPU_WRITE_PAGE=1 test_mpusim.py writes it")


if __name__ == "__main__":
    unittest.main()
