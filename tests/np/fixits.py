# SPDX-License-Identifier: MIT
"""fixits.py BIN: what messages about kernels offer.  Each line below is one that kernels refuse.  All fix-its
are applied, again and again while there are any: under NumPy the line then gives what it gave before, in
type, shape and bytes, and kernels take it.  A line that NumPy refuses has no fix-it; nor have those of
NOTED, of which NumPy's versions differ.  Texts behind "it is written" are compared in the same way."""
import json
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np

from draw import TYPES, draw

BIN = sys.argv[1]
HEAD = "from __future__ import annotations\nimport numpy as xp\n"  # fix-its use the file's name
NAMES = list(TYPES)
BINARY = "+ - * / // % & | ^ << >> == <".split()


def signature():
    """a_T, b_T: arrays of one axis; s_T, z_T: values; w: two axes."""
    parts = [f"a_{t}: {t}[8], b_{t}: {t}[8], s_{t}: {t}, z_{t}: {t}" for t in NAMES]
    return ", ".join(parts) + ", w: u8[4, 2]"


def inputs():
    rng = np.random.default_rng(5)
    made = {}
    for t in NAMES:
        for name in "ab":
            made[f"{name}_{t}"] = draw(t, (8,), rng)
        made[f"s_{t}"], made[f"z_{t}"] = TYPES[t](3), TYPES[t](2)
    made["w"] = draw("u8", (4, 2), rng)
    return made


def lines():
    for x in NAMES:
        for y in NAMES:
            for op in BINARY:
                if x != y:
                    yield f"r = a_{x} {op} b_{y}"
                    yield f"r = s_{x} {op} z_{y}"
                yield f"r = a_{x}.copy(); r {op}= b_{y}" if op not in "==<" else f"r = a_{x} {op} b_{y}"
            if x != y:
                yield f"r = a_{x}.copy(); r[1:3] += b_{y}[:2]"
                yield f"r = xp.where(a_bool, a_{x}, b_{y})"
                yield f"r = xp.minimum(a_{x}, b_{y})"
                yield f"r = xp.copysign(a_{x}, b_{y})"
                yield f"r = xp.concatenate((a_{x}, b_{y}, a_{x}))"
                yield f"r = xp.stack([a_{x}, b_{y}], axis=1)"
                yield f"r = a_{x} @ (b_{y} & b_{y})"
                yield f"r = a_{x}.copy(); r[a_bool] = s_{y}"
                yield f"r = a_{x}.copy(); r[a_bool] += s_{y}"
                yield f"r = a_{x}.copy(); r[:] = b_{y}"
    for t in NAMES:
        for op in BINARY:
            for number in ("2", "0.5", "-1", "True"):
                yield f"r = a_{t} {op} {number}"
                yield f"r = {number} {op} a_{t}"
                yield f"r = s_{t} {op} {number}"
                yield f"r = {number} {op} s_{t}"
                if op not in "==<":
                    yield f"r = a_{t}.copy(); r {op}= {number}"
                    yield f"r = s_{t}; r {op}= {number}"
            yield f"r = a_{t} {op} xp.count_nonzero(a_bool)"
            yield f"r = s_{t} {op} xp.count_nonzero(a_bool)"
            yield f"r = xp.count_nonzero(a_bool) {op} s_{t}"
        for fold in ("sum", "prod", "cumsum", "mean"):
            yield f"r = xp.{fold}(a_{t})"
            yield f"r = a_{t}.{fold}( )"
            yield f"r = a_{t}.{fold}(axis=0, )"
        for f in "sqrt floor ceil trunc rint isnan isinf isfinite signbit abs sign absolute".split():
            yield f"r = xp.{f}(a_{t})"
            yield f"r = xp.{f}(s_{t})"
        for f in "copysign fmin fmax power".split():
            yield f"r = xp.{f}(a_{t}, b_{t})"
            yield f"r = xp.{f}(1, a_{t})"
        yield f"r = -a_{t}"
        yield f"r = ~a_{t}"
        yield f"r = xp.where(a_{t}, a_u8, b_u8)"
        yield f"r = xp.where(a_{t} + a_{t}, a_u8, b_u8)"
        yield f"r = 5 - a_{t} / b_{t} / 2"
        yield f"r = any(a_{t})"
        yield f"r = all(a_{t})"
        yield f"r = sum(a_{t})"
        yield f"r = a_{t}[a_bool]; r += 1"
        yield f"r = a_{t}[a_bool]; q = r; r += r"
    for number in ("2", "-2", "0"):
        yield f"r = 2 / a_f32 ** {number} ** 1"
    yield "r = 3 * a_f32 ** -1 / b_f32"
    yield "r = -a_f32 ** -1"
    for made in ("zeros(3)", "ones((2, 3))", "full(3, 2)", "full(3, 0.5)", "full(3, True)", "arange(5)", "arange(5, )",
                 "arange(1.0, 5)", "array([1, 2])", "array([1, 0.5])", "array([True, False])", "array([[1], [True]])"):
        yield f"r = xp.{made}"
    for chosen in ("1, 0", "True, False", "True, 5", "1.5, 0", "-1, 0.5"):
        yield f"r = xp.where(a_bool, {chosen})"
    yield "r = a_u8.astype(int)"
    yield "r = a_u8.astype(xp.half)"
    yield "r = a_u8.astype(xp.short)"
    yield "r = a_u8.astype(xp.double)"
    yield "r = a_bool & (not a_bool)"
    yield "r = a_i32.copy(); r[a_bool] = -r[a_bool]"
    yield "r = xp.add.reduce(a_u8)"
    yield "r = xp.linalg.norm(a_f32)"


def statements(line):
    return line.split("; ")


def numpy_value(line, values):
    """The bytes of what NumPy makes of it, or None."""
    env = {n: x.copy() for n, x in values.items()}
    env["xp"] = np
    try:
        with np.errstate(all="ignore"):
            exec("\n".join(statements(line)), env)
    except Exception:
        return None
    r = np.asarray(env["r"])
    if r.dtype.kind == "f":
        r = np.where(np.isnan(r), r.dtype.type(np.nan), r)
    return r.dtype.name, r.shape, r.tobytes()


def messages(cases, folder):
    """The errors of a kernel with all lines in it, by line, and its text."""
    text, owner = HEAD + f"def f({signature()}):\n", {}
    for number, line in enumerate(cases):
        for part in statements(line):
            owner[text.count("\n") + 1] = number
            text += f"    {part}\n"
    text += "    return a_u8 + 1\n"
    path = folder + "/k.py"
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run([BIN + "/ezpim", "--emit=signature", "--max-errors=0", "--diagnostics=json", path], capture_output=True,
                          text=True, check=False)
    found = {}
    for entry in map(json.loads, done.stderr.splitlines()):
        found.setdefault(owner.get(entry["line"]), []).append(entry)
    return found, text.split("\n")


def applied(errors, text, lines_of):
    """The statements with the fix-its of their errors."""
    edits = sorted({(f["line"], f["column"], f["end_column"], f["text"]) for e in errors for f in e["fixits"]})
    made = {n: text[n - 1].encode() for n in lines_of}
    for line, begin, end, new in reversed(edits):
        made[line] = made[line][:begin - 1] + new.encode() + made[line][end - 1:]
    return "; ".join(made[n].decode().strip() for n in lines_of)


def fixed(cases, folder):
    """Each case with all fix-its, and whether kernels take it then; None where there is none."""
    now, changed, open_ = dict(enumerate(cases)), set(), dict(enumerate(cases))
    for _ in range(6):
        numbers = list(open_)
        found, text = messages([now[n] for n in numbers], folder)
        again = {}
        line = text.index(next(t for t in text if t.startswith("def "))) + 2
        for k, n in enumerate(numbers):
            count = len(statements(now[n]))
            errors = found.get(k, [])[:1]  # others may follow from it
            if any(e["fixits"] for e in errors):
                now[n] = applied(errors, text, range(line, line + count))
                again[n] = now[n]
                changed.add(n)
            elif errors:
                now[n] = (now[n], errors[0]["text"]) if n in changed else None
            line += count
        open_ = again
        if not open_:
            break
    assert not open_, f"fix-its without an end: {list(open_.items())[:3]}"
    return now, changed


# What is refused behind the fix-its, for another reason: that kernels have no such thing.
BEHIND = re.compile(r"of floats is not taken|of bool arrays is not taken|exponents that are data|may be negative|"
                    r"does not fit|give different types|NumPy would choose a type|nobody uses|is known when the kernel|"
                    r"of all elements is a Python int|a float goes together|does not go together")


def check_fixits(folder):
    values, cases = inputs(), list(dict.fromkeys(lines()))
    now, changed = fixed(cases, folder)
    bad = []
    for n in sorted(changed):
        taken = isinstance(now[n], str)
        line, why = (now[n], "") if taken else now[n]
        before, after = numpy_value(cases[n], values), numpy_value(line, values)
        if before is None or before != after:
            bad.append(f"{cases[n]}\n  becomes {line}: {before and before[:2]}, then {after and after[:2]}")
        elif not taken and not BEHIND.search(why):
            bad.append(f"{cases[n]}\n  becomes {line}: {why}")
    print(f"{len(cases)} lines, {len(changed)} with fix-its, {len(bad)} that are wrong")
    run([now[n] for n in sorted(changed) if isinstance(now[n], str)], folder)
    return bad


def run(taken, folder):
    """Some of them without floats are carried out, too."""
    few = [line for line in taken if not re.search("f16|f32|f64|float", line)][::60]
    body = [re.sub(r"\br\b", f"r{n}", part) for n, line in enumerate(few) for part in statements(line)]
    path = folder + "/all.py"
    with open(path, "w", encoding="utf-8") as f:
        f.write(HEAD + f"def f({signature()}):\n    " + "\n    ".join(body) + "\n")
        f.write("    return " + ", ".join(f"r{n}" for n in range(len(few))) + "\n")
    subprocess.run([sys.executable, BIN + "/mpu-pycheck", "-q", "--target", "golden", path], check=True)


def check_names(folder):
    """Names of NumPy: none is offered another one, and what is written instead is the same."""
    cases = [f"r = xp.{n}(a_u8)" for n in dir(np) if n[0] != "_"] + [f"r = a_u8.{n}()" for n in dir(np.ndarray) if n[0] != "_"]
    found, _ = messages(cases, folder)
    bad, tried = [], 0
    for k, line in enumerate(cases):
        for e in found.get(k, []):
            name = re.match(r"r = xp\.(\w+)", line)
            offered = [f["text"] for note in e["notes"] for f in note["fixits"]]
            if offered:
                bad.append(f"{line}: offers {offered}")
            texts = [re.match("(?:(.*) )?it is written `([^`]*)`$", note["text"]) for note in e["notes"]]
            for text in (t for t in texts if t and name):
                tried += compared(name.group(1), text.group(2), text.group(1) or "", bad)
    assert tried > 60, tried
    return bad


def compared(name, text, condition, bad):
    """np.NAME(a, b) and the text, for arrays of some types and axes; how many were compared."""
    values, tried = inputs(), 0
    if name.startswith("empty"):
        return 0
    for t in ("u8", "i32", "f32", "bool"):
        for shape in ((8,), (2, 4)):
            if (t != "f32" and "of floats" in condition and "integers" not in condition) or (t == "bool" and "integers" in condition):
                continue
            if f"with {['one axis', 'two axes'][shape == (8,)]}" in condition:
                continue
            a, b = values[f"a_{t}"].reshape(shape), values[f"b_{t}"].reshape(shape)
            two = "b" in re.findall(r"\w+", text)
            args = ((a, b),) if "((a, b)" in text else (a, b) if two else (a,)
            try:
                with np.errstate(all="ignore"):
                    want = np.asarray(getattr(np, name)(*args))
                    got = np.asarray(eval(text, {"np": np, "a": a, "b": b}))
            except Exception:
                continue
            tried += 1
            if want.dtype != got.dtype or want.shape != got.shape or not np.allclose(want, got, equal_nan=True):
                bad.append(f"np.{name} of {t} is not {text}: {want} and {got}")
    return tried


def main():
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        bad = check_fixits(folder) + check_names(folder)
    print("\n".join(bad[:40]))
    sys.exit(bool(bad))


main()
