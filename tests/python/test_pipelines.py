# SPDX-License-Identifier: MIT
"""Pipelines over NumPy arrays: each pattern against NumPy, functions of random arithmetic against
NumPy on the same elements, text in C, what is refused with its line, and shares of the host."""

import os
import random
import unittest
import warnings

import numpy as np

import mpusim

WAYS = ({"target": "upmem", "dpus": 3, "set": {"dpu.run_tasklets": 11}}, {"target": "golden"})
HERE = os.path.basename(__file__)


def ways(test):
    def each(self):
        for words in WAYS:
            with self.subTest(words["target"]):
                test(self, words)
    each.__name__ = test.__name__
    return each


class Patterns(unittest.TestCase):
    def setUp(self):
        self.x = (np.arange(1237, dtype=np.int32) * 7919) % 199 - 90

    @ways
    def test_map_and_reduce(self, words):
        @mpusim.pipeline(**words)
        def run(p, x, y):
            k = p.scalar(np.array([3, -1], np.int32))
            s, d = p.map(lambda x, y, k: (x * k[0] + y, x - y), x, y, k)
            h = p.reduce(bins, d, into=np.ones(16, np.uint16))
            return {"s": s, "d": p.reduce(lambda a, d: np.minimum(a, d), d, into=np.int32(5)), "h": h}

        def bins(h, d):
            h[d & 15] += 1

        y = self.x[::-1]
        out = run(self.x, y)
        np.testing.assert_array_equal(out["s"], self.x * 3 + y)
        self.assertEqual(out["d"], (self.x - y).min())
        np.testing.assert_array_equal(out["h"], 1 + np.bincount((self.x - y) & 15, minlength=16))
        self.assertEqual(out["h"].dtype, np.uint16)

    @ways
    def test_filters_windows_and_groups(self, words):
        x = self.x[:1236]

        @mpusim.pipeline(**words)
        def run(p, x):
            odd = p.filter(lambda v: v % 2 == 1, x)
            w = p.window(lambda x: x[0] - 2 * x[-1], x, overlap=2, tail=[5, 6])
            g = p.group(lambda x: sum(x), x, group=4)
            both = p.window(lambda x: x[0] + x[4], x, overlap=1, group=4)
            last = p.filter(lambda x: x[0] != x[1], x, overlap=1, tail=[1000])
            rising = p.filter(lambda x: x[0] < x[3], x, group=4)
            return odd, w, g, both, last, rising

        odd, w, g, both, last, rising = run(x)
        np.testing.assert_array_equal(odd, x[x % 2 == 1])
        np.testing.assert_array_equal(w, x - 2 * np.append(x[2:], [5, 6]))
        np.testing.assert_array_equal(g, x.reshape(-1, 4).sum(1, dtype=np.int32))
        np.testing.assert_array_equal(both, x[::4] + np.append(x[4::4], 0))
        np.testing.assert_array_equal(last, x[x != np.append(x[1:], 1000)])
        rows = x.reshape(-1, 4)
        np.testing.assert_array_equal(rising, rows[rows[:, 0] < rows[:, 3]].ravel())

    @ways
    def test_text_and_combine(self, words):
        @mpusim.pipeline(**words)
        def run(p, x):
            y = p.map("[](int64_t *y, int *x) { *y = (int64_t)*x << 33; }", x, dtype=np.int64)
            return y, p.reduce("(int *r, int *x) { if (*x < r[0]) r[0] = *x; r[1] = max(r[1], *x); }",
                               x, into=np.array([7, -7], np.int32),
                               combine="[](int *r, int *o) { r[0] = min(r[0], o[0]);"
                                       " r[1] = max(r[1], o[1]); }")

        @mpusim.pipeline(**words)
        def ordered(p, x):
            # A hash and the power of what comes behind; parts are put together in order.
            def gather(r, v):
                r[0] = r[0] * 31 + v
                r[1] = r[1] * 31

            def combine(r, o):
                r[0] = r[0] * o[1] + o[0]
                r[1] = r[1] * o[1]
            # What changes nothing is (0, 1), which is no one constant: r[1] is the power less 1.
            return p.reduce(lambda r, v: step(r, v), x, into=np.array([0, 0], np.uint32),
                            combine=lambda r, o: join(r, o))

        def step(r, v):
            r[0] = r[0] * 31 + v
            r[1] = (r[1] + 1) * 31 - 1

        def join(r, o):
            r[0] = r[0] * (o[1] + 1) + o[0]
            r[1] = (r[1] + 1) * (o[1] + 1) - 1

        y, ends = run(self.x)
        np.testing.assert_array_equal(y, self.x.astype(np.int64) << 33)
        np.testing.assert_array_equal(ends, [min(self.x.min(), 7), max(self.x.max(), -7)])
        h, power = 0, 1
        for v in (self.x % 100).tolist():
            h, power = (h * 31 + v) % 2**32, power * 31 % 2**32
        np.testing.assert_array_equal(ordered((self.x % 100).astype(np.uint32)), [h, power - 1])

    def test_full_and_length(self):
        p = mpusim.Pipeline(full=True, **WAYS[0])
        kept = p.filter(lambda v: v > 0, self.x)
        total = p.reduce(lambda s, v: s + v, kept)
        y = p.map(lambda v, s: v * 2 + s, kept, p.scalar(3))
        p.fetch(y, total)
        self.assertIsNone(p.execute())
        want = self.x[self.x > 0]
        np.testing.assert_array_equal(y.numpy(), want * 2 + 3)
        self.assertEqual(len(y), len(want))
        self.assertEqual(total.numpy(), want.sum())
        self.assertEqual(p.figure("parts"), 2)
        self.assertIn("transfer in:", p.stats())
        self.assertIn("part 2: 1 launch", p.plan())
        self.assertIn("filter (in mpu_a0 as v", p.program())

    def test_lengths(self):
        for n in (0, 1, 7):
            x = np.arange(n, dtype=np.uint8)
            @mpusim.pipeline(**WAYS[0])
            def run(p, x):
                return p.map(lambda x: x + 1, x), p.filter(lambda x: x > 3, x), \
                    p.reduce(lambda s, x: s + x, x, dtype=np.int64)
            y, kept, s = run(x)
            np.testing.assert_array_equal(y, x + 1)
            np.testing.assert_array_equal(kept, x[x > 3])
            self.assertEqual(s, x.sum())

    def test_share(self):
        @mpusim.pipeline(dpus=2, set={"host.element_ps": 400000}, cpu_share="auto")
        def run(p, x):
            return p.map(lambda x: x ^ 1, x)

        totals = {}
        for share in ("auto", 0, 600, len(self.x)):
            run._words["cpu_share"] = share
            p = run.build(self.x)
            np.testing.assert_array_equal(p.execute(), self.x ^ 1)
            totals[share] = p.figure("total"), p.figure("cpu_elements")
        self.assertEqual(min(totals.values())[0], totals["auto"][0], totals)
        self.assertGreaterEqual(totals[600][1], 600)
        with self.assertRaisesRegex(mpusim.Usage, "a number of elements, or 'auto'"):
            mpusim.Pipeline(cpu_share="most")

    def test_arrays_that_others_hold(self):
        # An array that its owner lets go of, one that is no plain one, one that is used twice.
        def build():
            wide = np.arange(40, dtype=np.int64)
            p = mpusim.Pipeline(**WAYS[0])
            return p, p.map(lambda a, b, c: a + b * c, wide[::2] + 0, wide[::2], wide[1::2] - 1)
        p, y = build()
        p.fetch(y)
        _ = [np.full(20, 7, np.int64) for _ in range(50)]
        p.execute()
        x = np.arange(0, 40, 2)
        np.testing.assert_array_equal(y.numpy(), x + x * x)
        np.testing.assert_array_equal(np.asarray(y), x + x * x)


RANDOM_WAYS = ({"target": "golden"}, {"target": "upmem", "dpus": 3, "mram_bytes": 1000},
               {"target": "upmem", "dpus": 64}, {"target": "upmem", "dpus": 2, "cpu_share": 20},
               {"target": "upmem", "dpus": 2, "no_fuse": True, "cpu_share": "auto"})
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64]


def draw(seed, depth, names):
    """An expression of Python as text, which NumPy and a stage evaluate alike."""
    if depth == 0 or seed.random() < 0.15:
        return seed.choice(names + [str(seed.randrange(0, 90))])
    a, b, c = (draw(seed, depth - 1, names) for _ in range(3))
    n = seed.choice(names)  # so that not all of it is constants
    return seed.choice([
        f"({a} + {n})", f"({n} - {a})", f"({a} * {n})", f"({n} & {a})", f"({a} | {n})",
        f"({n} ^ {a})", f"(~{n} + {a})", f"(-{n})", f"abs({n})", f"({n} << {seed.randrange(7)})",
        f"({n} >> {seed.randrange(7)})", f"({n} // (({a} & {n}) | 1))", f"({n} % 13)",
        f"np.minimum({a}, {n})", f"np.maximum({n}, {b})", f"np.where({a} < {n}, {n}, {c})",
        f"np.where(({n} == {a}) | ~({b} >= {n}), {n} + {c}, {n})", f"{n}.astype(np.int32)",
        f"({n} ** 2)"])


class Traces(unittest.TestCase):
    def test_random_functions(self):
        seed = random.Random(45)
        done = 0
        while done < 25:
            types = [seed.choice(INTEGERS) for _ in range(2)]
            x, y = (np.array([seed.randrange(np.iinfo(t).min, np.iinfo(t).max + 1)
                              for _ in range(61)] + [0, np.iinfo(t).min, np.iinfo(t).max], t)
                    for t in types)
            text = draw(seed, 4, ["x", "y"])
            function = eval(f"lambda x, y: {text}", {"np": np, "abs": abs})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    want = np.broadcast_to(function(x, y), x.shape)
                except OverflowError:
                    continue
            p = mpusim.Pipeline(**seed.choice(RANDOM_WAYS))
            try:
                got = p.map(function, x, y)
            except mpusim.Rejected as e:
                if "is no" in str(e) and "the constant" in str(e):
                    continue
                raise
            if got.dtype != want.dtype:
                # NumPy before 2 looks at the values of constants.
                self.assertLess(int(np.__version__.split(".")[0]), 2, text)
                continue
            # What comes behind works on what the function makes.
            kept = p.filter(lambda v: (v & 3) != 1, got)
            total = p.reduce(lambda s, v: s ^ v, got)
            most = p.reduce(lambda s, v: np.maximum(s, v), kept, into=want.dtype.type(0))
            p.fetch(got, kept, total, most)
            p.execute()
            with self.subTest(text, types=types):
                np.testing.assert_array_equal(got.numpy(), want)
                left = want[(want & 3) != 1]
                np.testing.assert_array_equal(kept.numpy(), left)
                self.assertEqual(total.numpy(), np.bitwise_xor.reduce(want))
                self.assertEqual(most.numpy(), max([0] + left.tolist()))
            done += 1

    def test_floats(self):
        x = np.linspace(-5, 5, 101, dtype=np.float32)
        n = np.arange(101, dtype=np.int16) - 50

        @mpusim.pipeline(target="golden")
        def run(p, x, n):
            return (p.map(lambda x: np.sqrt(abs(x)) / 3 - 0.1, x), p.map(lambda n: n / 4, n),
                    p.map(lambda x, n: np.where(x > n, x, -x) * 2, x, n),
                    p.map(lambda x: np.minimum(x, 1e-3), x),
                    p.reduce(lambda m, x: np.maximum(m, x), x, into=np.float32(-1)))
        out = run(x, n)
        np.testing.assert_allclose(out[0], np.sqrt(abs(x)) / np.float32(3) - np.float32(0.1), 1e-6)
        np.testing.assert_array_equal(out[1], n / 4)
        np.testing.assert_array_equal(out[2], np.where(x > n, x, -x) * 2)
        np.testing.assert_array_equal(out[3], np.minimum(x, np.float32(1e-3)))
        self.assertEqual(out[4], 5)
        self.assertEqual([a.dtype for a in out[:4]],
                         [np.float32, np.float64, np.float32, np.float32])

    def test_names_loops_and_depth(self):
        factor, table = 3, np.array([5, 7], np.int32)

        @mpusim.pipeline(target="golden")
        def run(p, x):
            def loops(int, v_1):
                for k in range(40):
                    int = int * table[k % 2] + v_1 * factor
                    v_1 = v_1 + int * int
                return int - v_1
            return p.map(loops, x, x)

        x = np.arange(100, dtype=np.int32)
        a, b = x.copy(), x.copy()
        for k in range(40):
            a = a * table[k % 2] + b * factor
            b = b + a * a
        np.testing.assert_array_equal(run(x), a - b)

    def test_order_of_an_accumulator(self):
        # What was read before an entry changes is what it was then.
        def swap(h, x):
            first = h[0]
            h[0] = h[1] + x
            h[1] = first

        p = mpusim.Pipeline(target="golden")
        r = p.reduce(swap, np.arange(9), into=np.array([1, 100]),
                     combine="[](int64_t *a, int64_t *b) { a[0] += b[0]; a[1] += b[1]; }")
        p.fetch(r)
        p.execute()
        h = [1, 100]
        for x in range(9):
            h = [h[1] + x, h[0]]
        self.assertEqual(r.numpy().tolist(), h)


class Refusals(unittest.TestCase):
    """Each ends in an exception with file, line and what to do."""

    def refused(self, text, build, kind=mpusim.Rejected):
        with self.assertRaises(kind) as caught:
            p = mpusim.Pipeline(**WAYS[0])
            build(p)
        self.assertIn(text, str(caught.exception))
        self.assertRegex(str(caught.exception), rf"{HERE}:\d+")

    def test_stages(self):
        x, y = np.arange(1000, dtype=np.int32), np.arange(99, dtype=np.int32)
        same = lambda v: v  # noqa: E731
        for text, build in (
                ("argument 3 has 99 elements, and the pipeline 1000",
                 lambda p: p.map(lambda a, b: a + b, x, y)),
                ("is what a filter has kept",
                 lambda p: p.map(same, p.filter(lambda v: v > 0, x))),
                ("use PipelineFull", lambda p: p.map(same, p.filter(lambda v: v > 0, x))),
                ("the result of a reduce",
                 lambda p: p.map(same, p.reduce(lambda s, v: s + v, x))),
                ("groups of 3 do not divide 1000 elements",
                 lambda p: p.group(lambda v: v[0], x, group=3)),
                ("which have room for 65536",
                 lambda p: p.map(lambda v, s: v + s[0], x, p.scalar(np.zeros(70000, np.int32)))),
                ("a window needs an overlap", lambda p: p.window(lambda v: v, x, overlap=0)),
                ("an overlap of 1001 is too long",
                 lambda p: p.window(lambda v: v[0], x, overlap=1001)),
                ("2 elements for an overlap of 1",
                 lambda p: p.window(lambda v: v[0], x, overlap=1, tail=[1, 2])),
                ("a tail has numbers that are none of type int32",
                 lambda p: p.window(lambda v: v[1], x, overlap=1, tail=[1.5])),
                ("argument 3 is the array that argument 2 is: name it once",
                 lambda p: p.map("(int *y, int *x, int *w) { *y = *x + *w; }", x, x)),
                ("captures variables", lambda p: p.map("[&](int *y, int *x) { *y = k; }", x)),
                ("has 1 parameter, and gets 2", lambda p: p.map("(int *y) { *y = 1; }", x)),
                ("does not take 1 argument", lambda p: p.map(lambda a, b: a, x)),
                ("made by a stage of another pipeline",
                 lambda p: p.map(same, mpusim.Pipeline(**WAYS[0]).map(same, x))),
                ("elements of type complex128", lambda p: p.map(same, x * 1j)),
                ("elements of type <U1", lambda p: p.map(same, np.array(["a"]))),
                ("elements of type >i4", lambda p: p.map(same, x.astype(">i4"))),
                ("elements of type >i4", lambda p: p.map(lambda a, k: a + k, x,
                                                         p.scalar(np.array(5, ">i4")))),
                ("has 2 dimensions: a pipeline works on arrays of one",
                 lambda p: p.map(same, x.reshape(10, 100))),
                ("needs an array to work on", lambda p: p.map(same, p.scalar(1))),
                ("dtype has 2 types, and the function returns 1",
                 lambda p: p.map(same, x, dtype=[np.int8, np.int8])),
                ("combine",
                 lambda p: p.reduce(lambda s, v: s * 31 + v, x))):
            with self.subTest(text):
                self.refused(text, build)

    def test_functions(self):
        x, outside = np.arange(8, dtype=np.int32), np.arange(8, dtype=np.int32)

        def branches(v):
            if v > 3:
                return v
            return -v

        def changes(h, v):
            h[v & 3] += 1
            return v

        for text, function in (
                ("use np.where(condition, a, b)", branches),
                ("use np.where(condition, a, b)", lambda v: max(v, 3)),
                ("how often a loop goes on", lambda v: sum(k for k in range(v))),
                ("uses an array from outside", lambda v: v + outside),
                ("np.sin is not carried out in a stage", lambda v: np.sin(v)),
                ("np.clip is not carried out", lambda v: np.clip(v, 0, 3)),
                ("'sum' of a number is not carried out", lambda v: v.sum()),
                ("a str is nothing", lambda v: v + "a"),
                ("the function returns nothing", lambda v: None),
                ("the constant 2147483648 is no int32", lambda v: v + 2**31),
                ("'-' of two truth values", lambda v: (v > 0) - (v < 0)),
                ("a power has a constant", lambda v: 2 ** v),
                ("floats have no bits", lambda v: ~v.astype(np.float32)),
                ("only integers are divided so", lambda v: v / 2 // 3)):
            with self.subTest(text):
                self.refused(text, lambda p: p.map(function, x))
        self.refused("elements 0 to 1 here, and no [2]",
                     lambda p: p.window(lambda v: v[0] + v[2], x, overlap=1))
        self.refused("is an input",
                     lambda p: p.window(lambda v: v.__setitem__(0, 1), x, overlap=1))
        self.refused("changes it, as in h[k] += 1",
                     lambda p: p.reduce(changes, x, into=np.zeros(4, int)))
        self.refused("has int8, and gets int32: convert it",
                     lambda p: p.reduce(lambda s, v: s + v, x, dtype=np.int8))

    def test_order_of_calls(self):
        x = np.arange(10)

        def twice(p):
            p.fetch(p.map(lambda v: v, x))
            p.execute()
            p.execute()

        def later(p):
            p.fetch(p.map(lambda v: v, x))
            p.execute()
            p.map(lambda v: v, x)

        def unfetched(p):
            y = p.map(lambda v: v, x)
            p.fetch(p.map(lambda v: v, x))
            p.execute()
            y.numpy()

        self.refused("fetch what map, filter", lambda p: p.fetch(x), mpusim.Usage)
        self.refused("the pipeline has no stage: add one", lambda p: p.execute(), mpusim.Usage)
        self.refused("was not executed yet", lambda p: p.map(lambda v: v, x).numpy(), mpusim.Usage)
        self.refused("was not fetched", unfetched, mpusim.Usage)
        self.refused("is no array yet", lambda p: p.map(lambda v: v, x) + 1, mpusim.Usage)
        for text, build in (("was executed before: make a new one", twice),
                            ("a stage needs a new one", later),
                            ("there are no figures", lambda p: (p.map(lambda v: v, x), p.stats())),
                            ("there is no figure 'total'",
                             lambda p: (p.map(lambda v: v, x), p.figure("total"))),
                            ("has no part 3", lambda p: (p.map(lambda v: v, x), p.program(3)))):
            with self.assertRaisesRegex(mpusim.Usage, text):
                build(mpusim.Pipeline(**WAYS[0]))
        with self.assertRaisesRegex(mpusim.Usage, "upmen"):
            mpusim.Pipeline(target="upmen")


if __name__ == "__main__":
    unittest.main()
