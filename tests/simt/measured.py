# SPDX-License-Identifier: MIT
"""The twelve workloads measured under several settings, and figures that follow; for the pages on
the near-bank SIMT paper."""
import functools
import pathlib
import re

import numpy as np

import twelve

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BASE = "annotated"
SETTINGS = {BASE: {}, "hardware": {"policy": "hardware"}, "far": {"policy": "far"}, "near": {"policy": "near"},
            "PonB": {"target": "simt-ponb"}, "far shared": {"shared": "far"}, "1 row": {"rows": 1},
            "2 rows": {"rows": 2}, "file 32 kB": {"near_rf": 32768}}
PARTS = {"alu": 39.82, "registers": 15.47, "dram": 16.42, "tsv": 16.79, "mesh": 4.43, "other": 7.06}


def measure_all(scale, settings, names=twelve.NAMES, compiler="clang", spread=1, **common):
    """By setting and workload; what is computed is the same everywhere."""
    found = {}
    for name in names:
        right = None
        for setting in settings:
            keys = {**SETTINGS[setting], **common} if isinstance(setting, str) else {**dict(setting), **common}
            stats, results = twelve.measure(name, twelve.text_of(ROOT, name, compiler), scale, spread=spread, **keys)
            right = right or results
            for a, b in zip(results, right):
                assert np.array_equal(a, b), (name, setting)
            check(name, stats, keys)
            found[setting, name] = stats
    return found


def check(name, stats, keys):
    """What holds of every run: parts of the energy are all of it, and are what was counted; bytes take their time."""
    m, energy = stats["machine"], stats["energy_fj"]
    assert sum(energy.values()) == stats["total"]["energy_fj"] + energy["host"], name
    assert energy["tsv"] == 8 * m["tsv_bytes"] * number("energy", "tsv_bit_fj"), name
    assert energy["mesh"] == 8 * (m["hop_bytes"] * number("energy", "mesh_bit_fj")
                                     + m["link_bytes"] * number("energy", "link_bit_fj")), name
    assert energy["dram"] >= columns(m) * number("energy", "column_fj") + m["row_misses"] * number("energy", "row_fj"), name
    assert 0 < m["row_misses"] <= m["column_reads"] + m["column_writes"], name
    assert m["tsv_bytes"] >= m["tsv_move_bytes"] + m["tsv_packet_bytes"] + m["tsv_whole_access_bytes"], name
    assert 0 <= m["tsv_bytes"] / int(keys.get("tsv_bytes", number("simt", "tsv_bytes"))) - m["tsv_busy_cycles"] < m["launches"] * m["cores_used_most"], name


def ratio(found, setting, name, what="cycles", over=BASE):
    return found[setting, name]["machine"][what] / found[over, name]["machine"][what]


def mean(found, setting, what="cycles", over=BASE):
    return average(ratio(found, setting, n, what, over) for n in names_of(found))


def names_of(found):
    return list(dict.fromkeys(name for _, name in found))


def average(values):
    values = list(values)
    return sum(values) / len(values)


def columns(m):
    return m["column_reads"] + m["column_writes"]


def misses(found, setting, name):
    m = found[setting, name]["machine"]
    return 100 * m["row_misses"] / columns(m)


def shares(found, name, setting=BASE):
    energy = found[setting, name]["energy_fj"]
    whole = sum(energy[p] for p in PARTS)
    return {p: 100 * energy[p] / whole for p in PARTS}


def intensity(found, name):
    m = found[BASE, name]["machine"]
    return 32 * columns(m) / m["warp_instructions"]


def reached(found, name):
    """Bytes a cycle that the banks of the core give."""
    m = found[BASE, name]["machine"]
    return 32 * columns(m) / m["cycles"]


def ranks(values):
    order = sorted(values)
    return [order.index(v) for v in values]


def correlation(found):
    """Of ranks: bytes of an instruction, and what the banks give."""
    a = ranks([intensity(found, n) for n in twelve.NAMES])
    b = ranks([reached(found, n) for n in twelve.NAMES])
    return float(np.corrcoef(a, b)[0, 1])


def four(found):
    """The paper's 1.48, 1.89, 1.46, 1.25: what near shared memory gives in time and in bytes, what near-bank units give,
    and what four open rows give beside one."""
    return [mean(found, "far shared"), mean(found, "far shared", "tsv_bytes"), mean(found, "PonB"), mean(found, "1 row")]


FOUR = ("near shared memory", "its TSV bytes", "over PonB", "four rows")
FOUR_PAPER = (1.48, 1.89, 1.46, 1.25)
FOUR_SETTINGS = (BASE, "far shared", "PonB", "1 row")


@functools.cache
def block_of(section):
    """Of the target file: keys and values, and the text of the section."""
    text = (ROOT / "isa-spec" / "targets" / "simt.yaml").read_text()
    block = text[text.index(f"\n{section}:\n"):]
    block = block[:re.search(r"\n\n|\n[a-z#]", block[1:]).start() + 1]
    return dict(re.findall(r"^  (\w+): (\w+)", block, re.M)), block


def number(section, key):
    return int(block_of(section)[0][key])


def assumed():
    """Keys of the target whose source says that they are assumed, with their values."""
    found = {}
    for section in ("simt", "energy"):
        values, block = block_of(section)
        for key, source in re.findall(r'^    (\w+): "(.*)"', block, re.M):
            if source.startswith("assumed"):
                found[f"{section}.{key}"] = values[key]
    return found


def table(lines):
    head, *rest = lines
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(r) + " |" for r in rest]
