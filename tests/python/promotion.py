# SPDX-License-Identifier: MIT
"""promotion.py BIN: NumPy's rules of types in kernels and in arrays on a device: the same, and those of NumPy 2.

The table numpy_promotion.csv says what NumPy 1.24 and 2 make of `left + right`, for arrays, values without
dimension and numbers of Python.  Each row is a line of one kernel: its type, the warning where the versions
differ, and the error where NumPy 2 stops.  Then every operator of every two types is computed by a kernel and
by a device and compared with NumPy 1.24 in both of its states."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import mpusim

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../np"))
from draw import TYPES, draw, pycheck  # noqa: E402

BIN = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
BRIEF = {np.dtype(t).name: n for n, t in TYPES.items()}
HEAD = "from __future__ import annotations\nimport numpy as np\n"
FLOATS = pycheck.Floats()


# ---- the table ----

def rows():
    with open(f"{HERE}/numpy_promotion.csv", encoding="utf-8") as f:
        yield from csv.DictReader(line for line in f if line[0] != "#")


def text_of(row):
    """The row as an expression of parameters a_T (arrays) and s_T, t_T (values)."""
    left, right = row["left"], row["right"]
    kind, _, other = row["case"].partition("+")
    first = f"{'a' if kind == 'array' else 's'}_{BRIEF[left]}"
    if other == "python":
        return f"{first} + {row['right_value']}" if row["right_value"] != "True" else f"{first} + True"
    return f"{first} + {'b' if other == 'array' else 't'}_{BRIEF[right]}"


def check_table(folder):
    found = list(rows())
    lines = [text_of(r) for r in found]
    parameters = ", ".join(f"a_{t}: {t}[4], b_{t}: {t}[4], s_{t}: {t}, t_{t}: {t}" for t in TYPES)
    taken = [i for i, r in enumerate(found) if r["numpy_2"] != "OverflowError"]
    refused = [i for i, r in enumerate(found) if r["numpy_2"] == "OverflowError"]
    head = HEAD + f"def f({parameters}):\n"

    def messages(numbers, more):
        path = folder + "/table.py"
        with open(path, "w", encoding="utf-8") as f:
            f.write(head + "".join(f"    r{i} = {lines[i]}\n" for i in numbers) + more)
        done = subprocess.run([BIN + "/ezpim", "--emit=signature", "--max-errors=0", "--diagnostics=json", path],
                              capture_output=True, text=True, check=False)
        at = {head.count("\n") + 1 + k: i for k, i in enumerate(numbers)}
        said = [json.loads(line) for line in done.stderr.splitlines() if line[0] == "{"]
        return done.stdout, {(at.get(m["line"]), m["severity"]) for m in said}

    signature, said = messages(taken, "    return " + ", ".join(f"r{i}" for i in taken) + "\n")
    types = [r["type"] for r in json.loads(signature)["results"]]
    bad = [f"{lines[i]}: {types[k]}, the table has {found[i]['numpy_2']}" for k, i in enumerate(taken)
           if np.dtype(TYPES[types[k]]).name != found[i]["numpy_2"]]
    for i in taken:
        warned, differs = (i, "warning") in said, found[i]["agree"] == "no"
        # Of a value without dimension the table has what is taken for 1 and for the greatest.
        value = found[i]["case"] == "array+scalar"
        if warned != differs and not (value and warned and any(
                lines[k] == lines[i] and found[k]["agree"] == "no" for k in taken)):
            bad.append(f"{lines[i]}: warned {warned}, NumPy 1.24 has {found[i]['numpy_1_24']}")
    _, said = messages(refused, "    return a_u8\n")
    bad += [f"{lines[i]}: is taken" for i in refused if (i, "error") not in said]
    for i, row in enumerate(found):
        left, _, right = lines[i].partition(" + ")
        try:
            got = (operand(left) + operand(right)).dtype.name
        except OverflowError:
            got = "OverflowError"
        if got != row["numpy_2"] and row["case"].startswith("array"):
            bad.append(f"{lines[i]} on a device: {got}, the table has {row['numpy_2']}")
    print(f"{len(found)} rows of the table, {len(bad)} wrong")
    return bad


def operand(text):
    kind, _, brief = text.partition("_")
    if kind in ("a", "b") and brief:
        return mpusim.asarray(np.ones(2, TYPES[brief]))
    return TYPES[brief](1) if brief else eval(text)


# ---- every operator ----

OPERATORS = "+ - * / // % & | ^ << >> == != < <= > >=".split()
FUNCTIONS = ["minimum", "maximum", "fmin", "fmax", "copysign"]
NAMES = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def texts(x, y):
    """Expressions of arrays x and y, of a value and an array, and what changes an array in place."""
    made = [f"x {op} y" for op in OPERATORS] + [f"np.{f}(x, y)" for f in FUNCTIONS]
    made += ["np.where(m, x, y)", "np.concatenate((x, y))", "x + s", "s * x", "s == y", "s & t"]
    # Of mixed signs the exponents may be negative, and floats have no powers by data.
    if y in ("u8", "bool") and x[0] in "ui":
        made.append("x ** (y & 3)" if y == "u8" and x[0] == "u" else "x ** y")
    return made + [f"x {op}= y" for op in OPERATORS[:11]] + ["x[1:3] = y[1:3]", "x[m] += s", "x[2] += t"]


NUMBERS = "True 2 -1 127 300 2**63 -2**63 0.5 1e39".split()


def texts_of_numbers(x):
    """The same with numbers of Python on either side."""
    made = [f"x {op} {n}" for op in OPERATORS for n in NUMBERS if op not in ("<<", ">>") or n in NUMBERS[:2]]
    made += [f"{n} {op} x" for op in OPERATORS for n in NUMBERS[:4] + NUMBERS[-2:]]
    made += [f"np.{f}(x, {n})" for f in FUNCTIONS for n in NUMBERS] + [f"np.where(m, x, {n})" for n in NUMBERS]
    made += [f"np.clip(x, {a}, {b})" for a in (0, -1, -300) for b in (1, 100, 300, 70000)]
    made += [f"np.{f}(x)" for f in "abs sqrt rint isnan isfinite signbit sum prod cumsum mean sign".split()] + ["-x", "~x"]
    made += [f"t {op} {n}" for op in "+ // & < ==".split() for n in NUMBERS]
    return made + [f"x {op}= {n}" for op in OPERATORS[:11] for n in NUMBERS if op not in ("<<", ">>") or n == "2"]


def by_numpy(text, values):
    """What NumPy makes of it, or None where it stops."""
    env = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in values.items()} | {"np": np}
    env["_floats"] = FLOATS
    try:
        with np.errstate(all="ignore"):
            if "=" in text and text.split()[1] not in NAMES and "np." not in text:
                exec(text, env)
                return env["x"]
            for op, name in NAMES.items():
                if f" {op} " in text:
                    left, right = text.split(f" {op} ")
                    return FLOATS.compare(name, eval(left, env), eval(right, env))
            for f in pycheck.Floats.FUNCTIONS:
                text = text.replace(f"np.{f}(", f"_floats.{f}(")
            return np.asarray(eval(text, env))
    except (TypeError, ValueError, OverflowError):
        return None


def differs(got, want):
    return pycheck.difference("r", np.asarray(got), np.asarray(want))


def kernel_of(lines, numbers, x, y):
    """Those lines as a kernel whose results they are; its text."""
    subs = "".join(f"def changed{i}(x, y, s, t, m):\n    {lines[i]}\n    return x\n" for i in numbers if changes(lines[i]))
    body = "".join(f"    r{i} = {f'changed{i}(x.copy(), y, s, t, m)' if changes(lines[i]) else lines[i]}\n" for i in numbers)
    return (f"{HEAD}N = {N}\n{subs}def f(x: {x}[N], y: {y}[N], s: {y}, t: {x}, m: bool[N]):\n{body}"
            f"    return x, " + ", ".join(f"r{i}" for i in numbers) + "\n")


def refused_of(lines, x, y, folder):
    """Numbers of the lines that kernels do not take."""
    text = kernel_of(lines, range(len(lines)), x, y)
    with open(folder + "/pair.py", "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run([BIN + "/ezpim", "--emit=signature", "--max-errors=0", "--diagnostics=json", folder + "/pair.py"],
                          capture_output=True, text=True, check=False)
    owners, written = {}, text.splitlines()
    for at, line in enumerate(written):
        name = line.split("(")[0].removeprefix("def changed") if line.startswith("def changed") else \
            line.split(" = ")[0].removeprefix("    r") if line.startswith("    r") else ""
        if name.isdigit():
            owners[at + (2 if line.startswith("def") else 1)] = int(name)
            owners[at + 1] = int(name)
    messages = [json.loads(line) for line in done.stderr.splitlines()]
    return {owners[m["line"]] for m in messages if m["severity"] == "error"}


def results_of(lines, x, y, folder, values):
    """{number of a line: what a kernel makes of it}"""
    refused, got = refused_of(lines, x, y, folder), {}
    kept = [i for i in range(len(lines)) if i not in refused]
    for first in range(0, len(kept), MOST):
        part = kept[first:first + MOST]
        with open(folder + "/pair.py", "w", encoding="utf-8") as f:
            f.write(kernel_of(lines, part, x, y))
        got.update(zip(part, mpusim.compile(folder + "/pair.py")(target="golden", **values)[1:]))
    return got


def changes(text):
    return "=" in text and text.split()[1] not in NAMES and "np." not in text


N, MOST = 24, 8  # elements; results of a program


def values_of(x, y, rng):
    made = {"x": draw(x, (N,), rng), "y": draw(y, (N,), rng), "m": draw("bool", (N,), rng)}
    made["s"], made["t"] = TYPES[y](draw(y, (N,), rng)[9]), TYPES[x](draw(x, (N,), rng)[9])
    for name in "xyst":
        if made[name].dtype.kind == "f":  # tame: sums of infinities have no order
            made[name] = np.nan_to_num(made[name], nan=1.5, posinf=2, neginf=-2)
    return made


# What NumPy takes and neither kernels nor devices do: their message says why.
def is_left_out(text, x, y):
    if text == "x[1:3] = y[1:3]":  # stores that are not of the same kind
        return not np.can_cast(TYPES[y], TYPES[x], "same_kind")
    if text.startswith("np.copysign") and "2**63" in text:  # which number that is to be
        return True
    real = "0.5" in text or "1e39" in text or "f" in x[0] + y[0] or {x, y} & {"u64"} and {x[0], y[0]} == {"u", "i"}
    return bool(real) and any(op in text.split() for op in ("//", "%", "//=", "%="))


def check_pair(x, y, folder, bad, lines):
    rng = np.random.default_rng([list(TYPES).index(x), list(TYPES).index(y)])
    values = values_of(x, y, rng)
    np._set_promotion_state("weak")
    wanted = [by_numpy(t, values) for t in lines]
    got = results_of(lines, x, y, folder, values)
    np._set_promotion_state("legacy")
    former = [by_numpy(t, values) for t in lines]
    for i, t in enumerate(lines):
        what = f"{t} of {x} and {y}"
        if is_left_out(t, x, y):
            continue
        if (wanted[i] is None) != (i not in got):
            bad.append(f"{what}: {'NumPy stops, and kernels take it' if i in got else 'kernels refuse it'}")
        elif i in got and (problem := differs(got[i], wanted[i])):
            bad.append(f"{what}: kernels: {problem}")
        arrays = "y" in t and not set(t) & {"s", "t"}
        mixed = {x[0], y[0]} == {"u", "i"} and "u64" in (x, y) and any(op in t.split() for op in NAMES)
        if wanted[i] is not None and arrays and not mixed and differs(former[i], wanted[i]):
            bad.append(f"{what}: NumPy 1.24 has {former[i].dtype}, and 2 {wanted[i].dtype}")
        if not set(t.replace("np.", "")) & {"x", "y"}:
            continue  # of NumPy's own scalars
        made = on_device(t, values)
        if wanted[i] is not None and made is not None and (problem := differs(made, wanted[i])):
            bad.append(f"{what}: device: {problem}")
        elif (made is None) != (wanted[i] is None):
            bad.append(f"{what}: {'devices refuse it' if made is None else 'NumPy stops, and devices take it'}")


def on_device(text, values):
    env = {n: mpusim.asarray(v) if isinstance(v, np.ndarray) else v for n, v in values.items()} | {"np": mpusim}
    env["x"] = env["x"].copy()
    try:
        if changes(text):
            exec(text, env)
            return env["x"].numpy()
        return np.asarray(eval(text, env))
    except (mpusim.Usage, TypeError, ValueError, OverflowError):
        return None


def main():
    warnings.simplefilter("ignore")
    names = sys.argv[2].split(",") if len(sys.argv) > 2 else list(TYPES)
    with tempfile.TemporaryDirectory() as folder, mpusim.device("golden"):
        bad = check_table(folder)
        for x in names:
            for y in TYPES:
                check_pair(x, y, folder, bad, texts(x, y))
            check_pair(x, x, folder, bad, texts_of_numbers(x))
    print("\n".join(bad[:60]))
    print(len(bad))
    sys.exit(bool(bad))


main()
