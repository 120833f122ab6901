# SPDX-License-Identifier: MIT
"""Arrays beside NumPy's, where random programs (random_arrays.py) seldom come: what shares its
elements with what, what an index names, comparisons with numbers of any size, functions by both of
their names, shapes that there are not, and threads."""

import concurrent.futures
import gc
import operator
import os
import threading
import unittest
import warnings

import numpy as np

import array_api
import mpusim


class OnGolden(unittest.TestCase):
    """On the golden machine, which is the fastest."""

    def setUp(self):
        self.dev = mpusim.device("golden")
        self.dev.__enter__()

    def tearDown(self):
        self.dev.__exit__()
        self.dev.close()

    def same(self, got, want, what):
        got, want = np.asarray(got), np.asarray(want)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape), what)
        self.assertTrue(np.array_equal(got, want, equal_nan=want.dtype.kind == "f"),
                        f"{what}: {got} is not {want}")

    def both(self, what, on_device, on_host):
        """The values of two functions, or of the exceptions the class, None where there is one."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = on_host()
            except (IndexError, ValueError, TypeError, OverflowError) as e:
                kind = next(k for k in (IndexError, ValueError, TypeError, OverflowError)
                            if isinstance(e, k))
                with self.assertRaises(kind, msg=f"{what}: NumPy says {e}"):
                    on_device()
                return None, None
            return on_device(), want


# Expressions of an array a; m: numpy or mpusim.
OF_ALL = """
    a  a[...]  a[()]  a[None]  a[None, ...]  a[..., None]  a.T  a.reshape(-1)  a.ravel()  a.flatten()
    a.copy()  m.copy(a)  a.view()  a.view(np.uint32)  a.squeeze()  m.squeeze(a)  m.ravel(a)
    a.transpose()  m.transpose(a)  m.reshape(a,-1)  m.expand_dims(a,0)  m.expand_dims(a,-1)
    a.astype('i4')  a.astype('i4',copy=False)  a.astype('i8',copy=False)  a+0  +a  -a  abs(a)  m.abs(a)
    m.flip(a)  m.roll(a,0)  m.roll(a,1)  m.repeat(a,1)  m.repeat(a,2)  m.tile(a,1)  m.tile(a,2)
    m.where(True,a,a)  m.where(a==a,a,a)  m.broadcast_to(a,a.shape)  m.broadcast_to(a,(2,)+a.shape)
    m.broadcast_arrays(a,a)[0]  m.zeros_like(a)  m.full_like(a,1)  m.clip(a,None,1000)  m.positive(a)
    m.minimum(a,a)  m.add(a,0)  m.bitwise_or(a,a)  a.clip(0,1000)  m.asarray(a)  m.array(a)
    m.array(a,copy=False)  m.sum(a)  m.max(a)  a.min()  m.take(a,0)  m.take(a,[0])  a.take([0,0])
    a[True]  a[np.True_]  a[a==a]  a[a>2]  a[np.array(True)]  a[False]
"""
OF_DIMS = """
    a[0]  a[-1]  a[1:]  a[1:2]  a[:]  a[::2]  a[::-1]  a[0:0]  a[[0]]  a[[0,1]]  a[[1,0]]  a[[0,0]]  a[[]]
    a[[[0,1],[1,0]]]  a[np.array([0,1])]  a[np.array(0)]  a[np.int64(0)]  a[0,...]  a[...,0]  a[None,0]
    a[0:1,...]  a[1:][0]  a[::2][::-1]  a[:,None]  a[1:].reshape(-1)  a[::2].reshape(-1)  a[::-1].reshape(-1)
    a[::-1].ravel()  a[1:].ravel()  a[::2].ravel()  a[:].flatten()  a[1:].copy()  a[1:].view(np.uint32)
    m.take(a,[0,1],axis=0)  m.take(a,[1,0],axis=0)  m.take(a,range(2),axis=0)  m.take(a,0,axis=0)
    m.roll(a,0,0)  m.roll(a,a.shape[0],0)  m.roll(a,1,0)  m.repeat(a,1,0)  m.repeat(a,[1]*a.shape[0],0)
    m.flip(a,0)  m.moveaxis(a,0,0)  m.moveaxis(a,0,-1)  m.swapaxes(a,0,-1)  m.concatenate((a,))
    m.concatenate((a,a))  m.stack((a,))  m.sort(a)  m.cumsum(a,0)  a[[True]*a.shape[0]]
    a[[False]*a.shape[0]]  m.sum(a,axis=0)  m.max(a,0)  m.tile(a,(1,1))  m.vstack((a,))  m.hstack((a,))
    m.hstack((a,a))  m.vstack((a,a))  m.diff(a)  m.diff(a,2)  m.diff(a,0)  m.pad(a,1)  m.pad(a,(0,2),constant_values=3)
    m.meshgrid(a.ravel(),a.ravel())[0]  m.meshgrid(a.ravel(),a.ravel())[1]  m.meshgrid(a.ravel())[0]
    m.meshgrid(a.ravel(),a.ravel(),copy=False)[0]  m.meshgrid(a.ravel(),a.ravel(),sparse=True)[0]
    m.meshgrid(a.ravel(),copy=False)[0]  list(a)[1]  m.broadcast_to(a,a.shape)[0:1]  a[0][...]
"""
OF_TWO = """
    a[0,0]  a[0,0,...]  a[0,0,None]  a[0,:]  a[:,0]  a[:,1:]  a[1,1:]  a[:,[0]]  a[:,[0,1]]  a[[0,1],[0,1]]  a[[0],:]
    a[0,[0,1]]  a[1:,[0,1]]  a[[0,1],1:]  a[(0,1)]  a[:,::-1]  a[::-1,::-1]  a[:,::2].T  a.T[0]  a.T.reshape(-1)
    a.T.ravel()  a.T.copy()  a.T.T  a[:,:2].reshape(-1)  a[:1].reshape(-1)  a[:,:1].reshape(-1)
    m.take(a,[0,1],axis=1)  m.take(a,[1],axis=-1)  m.repeat(a,1,1)  m.roll(a,0,(0,1))  m.flip(a,(0,1))
    m.triu(a)  m.tril(a)  m.triu(a,-9)  m.broadcast_to(a[:,:1],a.shape)  m.broadcast_arrays(a,a[:1])[1]
    m.broadcast_arrays(a,a[:1])[0]  m.squeeze(a[:1])  m.squeeze(a[:1],0)  a[:,None,:]  a[...,0:1]
    m.dstack((a,a))  m.column_stack((a,a))  m.diff(a,axis=0)  m.pad(a,((1,0),(0,2)),"constant")  m.pad(a,[(1,)])  m.dstack((a[0],a[1]))  m.column_stack((a[0],a[1],a.T[:,:1].T[0]))
    m.matmul(a,a.T)  m.expand_dims(a,1).swapaxes(0,1)  a.swapaxes(0,1)  m.sort(a,0)  a[:,True]  a[:,0,True]
    a[[True,False]+[True]*(a.shape[0]-2)]  a[:,np.arange(a.shape[1])<2]  a[np.arange(a.shape[0])<1,0]
    a[0,np.array(1)]  a[np.array(0),1:]  a[np.int64(1),1:]  a.mT  m.transpose(a,(1,0))
""".replace("  a.mT", "")  # NumPy 2's


class Sharing(OnGolden):
    """Writing through the result of an expression changes what it changes in NumPy."""

    def try_one(self, text, host):
        code = compile(text, text, "eval")
        device = mpusim.array(host)

        def of(m, a):
            return eval(code, {"m": m, "np": np, "a": a, "range": range, "list": list})

        r, wanted = self.both(text, lambda: of(mpusim, device), lambda: of(np, host))
        if r is None:
            return 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of broadcast_arrays
            self.write_both(text, device, host, r, wanted)
        return 1

    def write_both(self, text, device, host, r, wanted):
        if isinstance(wanted, np.ndarray) and not wanted.flags.writeable:
            with self.assertRaisesRegex(ValueError, "read-only", msg=text):
                r[...] = 99
        elif not isinstance(wanted, np.ndarray) or wanted.strides == () or \
                not any(s == 0 and e > 1 for s, e in zip(wanted.strides, wanted.shape)):
            shared = isinstance(wanted, np.ndarray) and np.shares_memory(wanted, host)
            before = host.copy()
            r[...] = 99
            if isinstance(wanted, np.ndarray):
                wanted[...] = 99
            self.assertEqual(not np.array_equal(device, before), shared and wanted.size > 0, text)
            self.same(device, host, text)
            if isinstance(wanted, np.ndarray):
                device[...] = 55
                host[...] = 55
                self.same(r, wanted, text)

    def test_expressions(self):
        tried = 0
        for shape, texts in (((), OF_ALL), ((6,), OF_ALL + OF_DIMS), ((4, 3), OF_ALL + OF_DIMS + OF_TWO),
                             ((1, 4), OF_TWO), ((2, 3, 2), OF_DIMS)):
            for text in texts.split("  "):
                if text.strip():
                    host = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
                    tried += self.try_one(text.strip(), host)
        self.assertGreater(tried, 400)

    def test_names_of_the_standard(self):
        """Those that not every NumPy has."""
        a = mpusim.array(np.arange(6, dtype=np.int32).reshape(2, 3))
        for made, shared in ((mpusim.permute_dims(a, (1, 0)), True), (mpusim.unstack(a)[1], True),
                             (mpusim.matrix_transpose(a), True), (a.mT, True),
                             (mpusim.concat((a,)), False), (mpusim.astype(a, np.int32), False)):
            before = a.numpy()
            made[...] = made + 1
            self.assertEqual(not np.array_equal(a, before), shared)

    def test_exchange(self):
        a = mpusim.array(np.arange(1, 5, dtype=np.int32))
        t = a[0]
        a[0] = a[3]
        a[3] = t
        self.assertEqual(a.tolist(), [4, 2, 3, 1])
        a[0], a[1] = a[1], a[0]
        self.assertEqual(a.tolist(), [2, 4, 3, 1])
        a[[0, 1]] = a[[1, 0]]
        self.assertEqual(a.tolist(), [4, 2, 3, 1])
        b = mpusim.array(np.arange(6, dtype=np.int32).reshape(2, 3))
        row = b[0]  # a view
        b[0] = b[1]
        b[1] = row
        self.assertEqual(b.tolist(), [[3, 4, 5], [3, 4, 5]])

    def test_read_only(self):
        """Whoever writes to a repeated element is told, however it is reached."""
        a = mpusim.broadcast_to(mpusim.array([1, 2, 3]), (2, 3))
        b = mpusim.array([1, 2, 3])
        for write in (lambda: a.__setitem__(0, 1), lambda: a[0].fill(1), lambda: a.T.__iadd__(1),
                      lambda: a.view().sort(), lambda: mpusim.add(a, 1, out=a),
                      lambda: np.add(a, 1, out=a), lambda: a.__setitem__([0], 1),
                      lambda: a.__setitem__(a > 1, 1),
                      lambda: mpusim.broadcast_to(b, (3,)).__setitem__(0, 1)):
            with self.assertRaisesRegex(ValueError, "read-only"):
                write()


FULL = slice(None)
INDICES = [
    True, False, np.True_, np.False_, np.array(True), np.array(False), None, Ellipsis, (), 0, -1, 3, 4,
    -5, 2**70, np.int8(1), np.uint64(1), np.array(1), np.array(-1, np.int8), np.array(1, np.uint64), 1.0,
    np.float64(1), np.array(1.0), "a", b"a", 1j, [], [[]], (0, []), [0], [0, 3], [3, 0], [-1, -4], [0, 4],
    [0, -5], [[0, 1], [2, 3]], [True, False, True, False], [True, False], [True] * 5, [[True]], [False] * 4,
    [0.9, 1.7], [0.0], ["a"], [None], [True, 1], [np.True_, np.False_, np.True_, np.True_], range(2),
    (0, 1), ((0, 1),), ((0, 1), (1, 0)), ([0, 1], [1, 0]), ([0, 1], 1), (1, [0, 1]), ([0], [0, 1]),
    ([0, 1], [0, 1, 2]), (FULL, [0, 1]), ([0, 1], FULL), (slice(1, 3), [1, 0]), (FULL, 0), (0, FULL),
    (0, 0), (0, 0, 0), (0, 0, 0, 0), (FULL, FULL, FULL), (None, 0), (0, None), (None, [0, 1]),
    (Ellipsis, 0), (0, Ellipsis), (Ellipsis, Ellipsis), (Ellipsis, [0, 1]), ([0, 1], Ellipsis), (True, 0),
    (0, True), (False, 0), (True, FULL), (True, [0, 1]), (True, None), (None, True), (Ellipsis, True),
    (True, True), (True, False), ([True, False, True, False], 0), (0, [True, False, True]),
    ([True, False, True, False], [0, 1]), ([True, False, True, False], [True, True, False]),
    ([True, False, True, False], FULL), slice(None, None, 0), slice(1, None, -2), slice(3, 1), slice(0, 0),
    slice(-9, 9), slice(1.0, 2), slice("a"), np.array([0, 3]), np.array([1, 1, 1]),
    np.array([0, 3], np.uint64), np.array([2**63], np.uint64), np.array([0, -1], np.int8),
    np.array([0.0, 1.0]), np.array([], np.intp), np.array([]), np.array([], bool), np.ones(4, bool),
    np.zeros(4, bool), np.ones((4, 3), bool), np.eye(4, 3, dtype=bool), np.ones((3, 4), bool),
    np.ones((4, 1), bool), np.array([[0], [1]]), (np.array([[0], [1]]), np.array([0, 1])),
    (np.array([0, 1]), None, np.array([1, 2])), (slice(0, 2), None, [0, 1]), [slice(0, 1)], {}, {0},
    (np.array(1), FULL), (FULL, np.array(1)), (np.int64(0), FULL), [[0, 1], [True, False]],
]


def moved(index):
    """The index with its arrays on the device."""
    if isinstance(index, tuple):
        return tuple(moved(part) for part in index)
    return mpusim.array(index) if isinstance(index, np.ndarray) and index.size else index


class Indices(OnGolden):
    def arrays(self):
        for shape in ((4,), (4, 3), (), (4, 3, 2)):
            yield np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)

    def test_read(self):
        for host in self.arrays():
            device = mpusim.array(host)
            for index in INDICES:
                for on_device in (index, moved(index)):
                    what = f"{host.shape}[{index!r}]"
                    if on_device is not index and isinstance(index, np.ndarray) and index.shape == ():
                        continue  # numbers of the device stand for NumPy's scalars
                    r, wanted = self.both(what, lambda: device[on_device], lambda: host[index])
                    if r is not None:
                        self.same(r, wanted, what)

    def test_write(self):
        for host in self.arrays():
            for index in INDICES:
                for value in (99, "same", [1, 2], np.array([[7]]), np.ones(5)):
                    what = f"{host.shape}[{index!r}] = {value!r}"
                    h = host.copy()
                    if isinstance(value, str):
                        try:
                            value = h[index] * 2 + 1
                        except (IndexError, ValueError, TypeError):
                            continue
                    device = mpusim.array(host)
                    # An array of the device for each array of the host, for some of the values.
                    named = moved(index) if isinstance(value, int) else index
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        try:
                            h[index] = value
                        except (IndexError, ValueError, TypeError):
                            with self.assertRaises((IndexError, ValueError, TypeError), msg=what):
                                device[named] = value
                        else:
                            device[named] = value
                    self.same(device, h, what)

    def test_single_elements(self):
        """Put and read one at a time: no program runs, and other views see what is written."""
        with mpusim.device("racer") as device:
            x = mpusim.asarray(np.arange(1000, dtype=np.int32))
            waits, part, other = x + 1, x[10:20], x.copy()
            np.asarray(waits)
            x[12] = 99  # `other` has the same elements until now
            device.flush()
            before = device.stats().flat()["graph.runs"]
            for i in range(50):
                x[i] = 7 * i
                self.assertEqual(int(x[i]), 7 * i)
                self.assertTrue(x[i] == 7 * i)
            matrix = x.reshape(10, 100)
            matrix[1, 2] = -1
            x.view(np.uint32)[0] = 2**31
            self.assertEqual((int(x[102]), int(x[0]), int(part[2])), (-1, -2**31, 84))
            self.assertEqual(device.stats().flat()["graph.runs"], before)
            self.assertEqual((int(other[12]), int(waits[12])), (12, 13))
            waits = x + 5
            x[3] = 0
            self.assertEqual((int(waits[3]), int(x[3])), (26, 0))

    def test_numbers_that_do_not_fit(self):
        x = mpusim.array(np.zeros(4, np.uint8))
        for index in (0, FULL, [0, 1], [True, False, True, False], x == 0):
            for value in (300, -1, [300, 1], 2**70):
                with self.assertRaises((OverflowError, TypeError), msg=f"[{index}] = {value}"):
                    x[index] = value
        with self.assertRaises(OverflowError):
            mpusim.full(3, 300, dtype=np.uint8)
        with self.assertRaises(TypeError):
            x[0] = 1j
        self.assertEqual(x.tolist(), [0, 0, 0, 0])

    def test_take(self):
        host = np.arange(12, dtype=np.int16).reshape(4, 3)
        device = mpusim.array(host)
        for args in (([0, 1],), (np.array([1.0]),), ([],), ([True],), (0,), ([13],), ([-13],), ([0, 3], 0), ([3], 1),
                     ([5], None, None, "wrap"), ([99, -99], None, None, "clip"), ([0], 5), ([0], None, None, "x")):
            words = dict(zip(("axis", "out", "mode"), args[1:]))
            words.pop("out", None)
            r, wanted = self.both(f"take {args}", lambda: mpusim.take(device, args[0], **words),
                                  lambda: np.take(host, args[0], **words))
            if r is not None:
                self.same(r, wanted, f"take {args}")


NUMBERS = [-2**70, -2**63 - 1, -2**63, -2**31 - 1, -32769, -129, -128, -1, 0, 1, 100, 127, 128, 255, 256, 300,
           32768, 65536, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70]
COMPARISONS = {"equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
               "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge}


class Comparisons(OnGolden):
    def test_numbers_of_any_size(self):
        waiting = []
        for kind in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64".split():
            dtype = np.dtype(kind)
            low, high = (0, 1) if kind == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            host = np.array([low, 0, 1, high], dtype=dtype)
            values = [int(v) for v in host]
            device = mpusim.array(host)
            for number in NUMBERS:
                for name, op in COMPARISONS.items():
                    for what, made, want in (
                            ("x {} k", op(device, number), [op(v, number) for v in values]),
                            ("k {} x", op(number, device), [op(number, v) for v in values]),
                            ("np k {} x", getattr(np, name)(number, device),
                             [op(number, v) for v in values])):
                        waiting.append((f"{kind} {number} {what.format(name)}", made, want))
        self.dev.flush()
        for what, made, want in waiting:
            self.assertEqual(made.dtype, np.bool_, what)
            self.assertEqual(made.tolist(), want, what)

    def test_signs(self):
        """Numbers of 64 bits with and without a sign, which have no type together."""
        u = np.array([0, 1, 2**53 + 1, 2**63, 2**64 - 1], np.uint64)
        s = np.array([0, -1, 2**53, -2**63, 2**63 - 1], np.int64)
        small = np.array([0, -1, 1, -128, 127], np.int8)
        for left, right in ((u, s), (s, u), (u, small), (small, u), (u[:, None], s), (u, np.int64(-1)),
                            (np.int64(5), u)):
            a = mpusim.array(left) if np.ndim(left) else left
            b = mpusim.array(right) if np.ndim(right) else right
            for name, op in COMPARISONS.items():
                wanted = op(np.asarray(left).astype(object), np.asarray(right).astype(object))
                self.same(getattr(np, name)(a, b), wanted.astype(bool), f"{name} {left} {right}")

    def test_what_stays_an_error(self):
        x = mpusim.array(np.arange(4, dtype=np.uint8))
        for f in (lambda: x + 300, lambda: 300 + x, lambda: x * -1, lambda: -1 - x, lambda: x & 256,
                  lambda: 300 // x, lambda: mpusim.minimum(x, 300), lambda: mpusim.where(x > 1, x, 300)):
            with self.assertRaises(OverflowError):
                f()
        out = mpusim.zeros(4, dtype=bool)
        mpusim.less(x, 300, out=out)
        self.assertEqual(out.tolist(), [True] * 4)
        self.assertEqual(mpusim.less(mpusim.zeros((0, 2), dtype=np.uint8), 300).shape, (0, 2))

    def test_clip(self):
        """A bound that no element can pass bounds nothing, as in NumPy 2."""
        x = mpusim.array(np.array([0, 5, 255], np.uint8))
        for low, high, want in ((-5, 300, [0, 5, 255]), (2, 300, [2, 5, 255]), (-1, 7, [0, 5, 7]),
                                (None, 2**70, [0, 5, 255])):
            self.assertEqual(mpusim.clip(x, low, high).tolist(), want)
        for low, high in ((300, None), (None, -1)):
            with self.assertRaises(OverflowError):
                mpusim.clip(x, low, high)


A2 = np.array([[1, -2, 3], [4, 5, -6]], np.int32)
F2 = np.array([[1.5, -2.5, 0.0], [4.0, np.inf, -0.0]], np.float32)
B1 = np.array([True, False, True])
# Operands of the functions of docs/array-api.md; all others take one array of integers.
OPERANDS = {
    "arange": (5,), "asarray": (A2,), "empty": (3,), "eye": (3,), "full": ((2, 2), 7), "linspace": (0, 1, 5),
    "ones": ((2, 3),), "zeros": ((2, 3),), "full_like": (A2, 7), "meshgrid": (A2[0], A2[1]), "astype": (A2, np.int64),
    "broadcast_arrays": (A2, A2[:1]), "broadcast_to": (A2, (2, 2, 3)), "can_cast": (np.int8, np.int16),
    "finfo": (np.float32,), "iinfo": (np.int8,), "result_type": (A2, F2), "ceil": (F2,), "floor": (F2,),
    "clip": (A2, -2, 3), "copysign": (F2, -F2), "divide": (F2, np.abs(F2) + 1), "isfinite": (F2,), "isinf": (F2,),
    "isnan": (F2,), "round": (F2,), "signbit": (F2,), "sqrt": (np.abs(F2),), "trunc": (F2,),
    "bitwise_left_shift": (A2, A2 & 3), "bitwise_right_shift": (A2, A2 & 3), "pow": (A2, 2), "take": (A2, [1, 0], 1),
    "matmul": (A2, A2.T.copy()), "vecdot": (A2, A2), "concat": ([A2, A2],), "stack": ([A2, A2],),
    "expand_dims": (A2, 1), "moveaxis": (A2, 0, 1), "permute_dims": (A2, (1, 0)), "repeat": (A2, 2),
    "reshape": (A2, (3, 2)), "roll": (A2, 1), "tile": (A2, (2, 1)), "where": (A2 > 0, A2, -A2),
    "squeeze": (A2[:1],), "cumulative_sum": (A2[0],),
}
TWO = """add bitwise_and bitwise_or bitwise_xor equal floor_divide greater greater_equal less less_equal logical_and
    logical_or logical_xor maximum minimum multiply not_equal remainder subtract""".split()
# What older NumPys call it.
OLD_NAMES = {"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "bitwise_invert": "invert",
             "atan": "arctan", "pow": "power", "concat": "concatenate", "permute_dims": "transpose", "cumulative_sum": "cumsum"}
OLD_WAYS = {"astype": lambda a, t: a.astype(t), "matrix_transpose": lambda a: a.swapaxes(-1, -2),
            "unstack": lambda a: tuple(a), "vecdot": lambda a, b: (a * b).sum(-1, dtype=a.dtype)}


# Within the bounds of both, docs/float-functions.md.
LIBRARY = "exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh atan".split()


class BothNames(OnGolden):
    def operands(self, name):
        if name in LIBRARY:
            return (np.abs(F2.astype(np.float32)) + np.float32(0.25),)
        return OPERANDS.get(name, (A2, np.abs(A2) + 1) if name in TWO else (A2,))

    def moved(self, value):
        return mpusim.array(value) if isinstance(value, np.ndarray) and value.shape else \
            [self.moved(v) for v in value] if isinstance(value, list) and \
            isinstance(value[0], np.ndarray) else value

    def check(self, name, got, want):
        if isinstance(want, (tuple, list)):
            self.assertEqual(len(got), len(want), name)
            for g, w in zip(got, want):
                self.check(name, g, w)
        elif name.removeprefix("np.") in LIBRARY:
            np.testing.assert_array_max_ulp(np.asarray(got), want, 5)
        elif isinstance(want, (np.ndarray, np.generic)):
            floor = name in ("ceil", "floor", "trunc") and got.dtype != want.dtype
            self.same(got, want.astype(got.dtype) if floor else want, name)
        elif isinstance(want, (np.finfo, np.iinfo)):
            self.assertEqual((got.min, got.max), (want.min, want.max))
        else:
            self.assertEqual(got, want, name)

    def test_all_of_the_page(self):
        """What docs/array-api.md says is there, by mpusim's name and by NumPy's."""
        tried = 0
        for names in array_api.OPERATIONS.values():
            for name in names.split():
                if not hasattr(mpusim, name):
                    continue
                operands = self.operands(name)
                theirs = getattr(np, name, None) or getattr(np, OLD_NAMES.get(name, ""), None)
                with np.errstate(all="ignore"):
                    want = (theirs or OLD_WAYS[name])(*operands)
                if name.startswith("empty"):
                    want = np.zeros_like(want)
                given = [self.moved(o) for o in operands]
                self.check(name, getattr(mpusim, name)(*given), want)
                if theirs:
                    self.check(f"np.{name}", theirs(*given), want)
                tried += 1
        self.assertGreater(tried, 90)

    def test_words_of_numpy(self):
        a = mpusim.array(A2)
        for made, want in ((np.triu(m=a, k=1), np.triu(A2, 1)), (np.tril(m=a), np.tril(A2)),
                           (np.take(a, indices=[0, 2], axis=1), A2[:, [0, 2]]),
                           (np.tile(A=a, reps=2), np.tile(A2, 2)), (np.flip(m=a), np.flip(A2)),
                           (np.broadcast_to(array=a, shape=(1, 2, 3)), A2[None]),
                           (np.full_like(a, fill_value=3), np.full_like(A2, 3)),
                           (np.triu(a[0]), np.triu(A2[0])), (np.tril(a, -1), np.tril(A2, -1)),
                           (np.around(a), A2), (np.round(a), A2)):
            self.same(made, want, "words")
        for got, want in zip(np.meshgrid(a[0], a[1], indexing="ij", sparse=True),
                             np.meshgrid(A2[0], A2[1], indexing="ij", sparse=True)):
            self.same(got, want, "meshgrid")
        self.assertEqual(np.result_type(a, np.float32), np.float64)

    def test_medians_of_stacks(self):
        stack = (np.arange(24) * 7 % 24).reshape(2, 3, 4)
        for axis in (None, 0, 1, 2, -1, -2, -3):
            for keep in (False, True):
                self.same(mpusim.median(mpusim.array(stack), axis, keep),
                          np.median(stack, axis, keepdims=keep), f"median {axis} {keep}")

    def test_refused_by_name(self):
        a = mpusim.array(A2)
        for f, name in ((np.linalg.norm, "np.linalg.norm"), (np.fft.fft, "np.fft.fft"), (np.cbrt, "np.cbrt"),
                        (np.linalg.det, "np.linalg.det"), (np.cov, "np.cov"), (np.trace, "np.trace"),
                        (np.fft.fftshift, "np.fft.fftshift"), (np.linalg.inv, "np.linalg.inv"),
                        (lambda x: np.add.at(x, 0, 1), "np.add.at"),
                        (lambda x: np.add.outer(x, x), "np.add.outer"),
                        (lambda x: np.char.add(x, x), "np.char.add"),
                        (np.subtract.reduce, "np.subtract.reduce"),
                        (np.frompyfunc(lambda x: x, 1, 1), "<lambda>")):
            with self.assertRaisesRegex(mpusim.Usage, f"^{name.replace('.', '[.]')}[^.]* is not carried"):
                f(a)


class Shapes(OnGolden):
    def test_that_there_are_not(self):
        a = mpusim.array(A2)
        for f, kind, text in (
                (lambda: mpusim.zeros(-1), ValueError, "-1"), (lambda: mpusim.ones((3, -7)), ValueError, "-7"),
                (lambda: mpusim.zeros(2**64 + 5), ValueError, str(2**64 + 5)),
                (lambda: mpusim.zeros((2**40, 2**40)), ValueError, str(2**80)),
                (lambda: mpusim.empty(2**41), ValueError, str(2**41)),
                (lambda: mpusim.zeros(2.5), TypeError, "float"), (lambda: mpusim.zeros("3"), TypeError, "str"),
                (lambda: mpusim.full((2, -2), 1), ValueError, "-2"), (lambda: mpusim.eye(-2), ValueError, ""),
                (lambda: mpusim.broadcast_to(a, (-1, 2, 3)), ValueError, "-1"),
                (lambda: mpusim.broadcast_to(a, (2**70, 2, 3)), ValueError, str(2**70)),
                (lambda: a.reshape(-2), ValueError, "-1"), (lambda: a.reshape(5), ValueError, "5"),
                (lambda: a.reshape(-1, -1), ValueError, "-1"), (lambda: a.reshape(2.0, 3), TypeError, "float"),
                (lambda: mpusim.repeat(a, -1), ValueError, "-1"), (lambda: mpusim.repeat(a, 2**70), ValueError, ""),
                (lambda: mpusim.tile(a, -3), ValueError, "-3"), (lambda: mpusim.repeat(a, 1.5), TypeError, "float"),
                (lambda: a.sum(axis=2), ValueError, "axis 2"), (lambda: a.sum(axis=(0, 0)), ValueError, "0, 0"),
                (lambda: a.sum(axis=(0, -2)), ValueError, "different"), (lambda: a.sum(axis=1.0), TypeError, "float"),
                (lambda: mpusim.flip(a, (1, 1)), ValueError, "1, 1"), (lambda: mpusim.sort(a, 7), ValueError, "7"),
                (lambda: mpusim.expand_dims(a, 4), ValueError, "4"), (lambda: a.transpose(0, 0), ValueError, "0, 0"),
                (lambda: mpusim.expand_dims(a, (0, 0)), ValueError, "0, 0"), (lambda: a.swapaxes(0, 2), ValueError, "2"),
                (lambda: mpusim.concatenate((a, a), 2), ValueError, "2"), (lambda: mpusim.take(a, [0], 3), ValueError, "3"),
                (lambda: mpusim.moveaxis(a, 5, 0), ValueError, "5"), (lambda: a.squeeze(0), ValueError, "length 1"),
                (lambda: mpusim.triu(mpusim.array(1)), ValueError, ""), (lambda: mpusim.cumsum(a, -3), ValueError, "-3"),
                (lambda: mpusim.device("golden", threads=-1), ValueError, "-1"),
                (lambda: mpusim.device("golden", max_cycles=2**64), ValueError, str(2**64)),
                (lambda: mpusim.device("golden", threads=1.5), TypeError, "float")):
            with self.assertRaises(kind) as e:
                f()
            self.assertIn(text, str(e.exception))
            self.assertNotIn("18446744073709551615", str(e.exception))
        self.assertEqual(mpusim.zeros(0).shape, (0,))
        self.assertEqual(mpusim.zeros((2**50, 0)).shape, (2**50, 0))


class Threads(unittest.TestCase):
    def work(self, dev, seed):
        """Some of everything, with vectors that come and go."""
        host = (np.arange(70, dtype=np.int32) * 7 + seed).reshape(7, 10)
        x = mpusim.array(host, device=dev)
        for k in range(4):
            y, want = x * (seed + k) + x[::-1], host * (seed + k) + host[::-1]
            y[2, 3:], want[2, 3:] = seed, seed
            y[y > 400], want[want > 400] = k, k
            if int(y.sum()) != int(want.sum()) or not np.array_equal(y, want) \
                    or not np.array_equal(np.sort(y[k]), np.sort(want[k])):
                return f"{seed} {k}: {y} is not {want}"
        return None

    def pool(self, work, arguments):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for failure in [f.result() for f in [pool.submit(work, *a) for a in arguments]]:
                self.assertIsNone(failure)

    def test_a_device_of_all(self):
        with mpusim.device("racer") as dev:
            self.pool(self.work, [(dev, i) for i in range(16)])
        dev.close()

    def test_devices(self):
        devices = [mpusim.device(name) for name in ("racer", "mimdram", "golden")]
        self.pool(self.work, [(devices[i % 3], i) for i in range(9)])
        self.pool(lambda i: self.work(None, i), [(i,) for i in range(8)])  # each thread's own
        for dev in devices:
            dev.close()

    def test_an_array_of_all(self):
        """What two threads write to one array is there in the end."""
        with mpusim.device("golden") as dev:
            x = mpusim.zeros(64, dtype=np.int32)

            def write(i):
                for k in range(i, 64, 8):
                    x[k] = k + 1
                    x[k:k + 1] += 100

            self.pool(write, [(i,) for i in range(8)])
            self.assertEqual(x.tolist(), [k + 101 for k in range(64)])
        dev.close()

    def test_collector(self):
        """Vectors in rings, which the collector finds in whatever thread, in the midst of a call."""
        before = gc.get_threshold()
        gc.set_threshold(20)
        try:
            with mpusim.device("golden") as dev:

                def rings(i):
                    for k in range(60):
                        ring = [mpusim.array(np.arange(8, dtype=np.int32), device=dev) + k]
                        ring.append(ring)
                    return None if int(ring[0][0]) == 59 else "lost"

                self.pool(rings, [(i,) for i in range(8)])
                gc.collect()
                self.assertLessEqual(sum(s["vectors"] for s in dev.stats()["slabs"]), 1)
            dev.close()
        finally:
            gc.set_threshold(*before)

    def test_closed_in_the_midst(self):
        """Another thread closes the device: an error, not a crash."""
        dev = mpusim.device("golden")
        x = mpusim.arange(64, dtype=np.int32, device=dev)
        started = threading.Event()

        def work(_):
            try:
                for k in range(100000):
                    (x * k + 1).sum().item()
                    started.set()
            except mpusim.Usage as e:
                return None if "closed" in str(e) else str(e)
            return "never closed"

        def close(_):
            started.wait()
            dev.close()

        self.pool(lambda i: close(i) if i == 0 else work(i), [(i,) for i in range(8)])

    def test_programs(self):
        text = "N = 40\ndef f(x: i32[N]) -> i32[N]:\n    return x * x + 1\n"
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"mpusim_threads_{os.getpid()}.py")
        with open(path, "w") as file:
            file.write(text)
        try:
            def run(i):
                x = np.arange(40, dtype=np.int32) + i
                r = mpusim.run(path, target="racer" if i % 2 else "mimdram", x=x)
                return None if np.array_equal(list(r.values())[0], x * x + 1) else str(r)

            self.pool(run, [(i,) for i in range(16)])
        finally:
            os.remove(path)

    def test_a_copied_process(self):
        """A child has the devices as they were, also when other threads were in them."""
        with mpusim.device("racer") as dev:
            x = mpusim.arange(64, dtype=np.int32)
            stop = threading.Event()

            def work():
                k = 0
                while not stop.is_set():
                    (x + k).sum().item()
                    k += 1

            thread = threading.Thread(target=work)
            thread.start()
            children = []
            for k in range(3):
                child = os.fork()
                if child == 0:
                    os._exit(0 if (x * (k + 2)).tolist() == [i * (k + 2) for i in range(64)] else 1)
                children.append(child)
            ends = [os.waitpid(child, 0)[1] for child in children]
            stop.set()
            thread.join()
            self.assertEqual(ends, [0, 0, 0])
        dev.close()


if __name__ == "__main__":
    unittest.main()
