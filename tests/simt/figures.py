# SPDX-License-Identifier: MIT
"""docs/simt-figures.md: figures of the near-bank SIMT paper beside ours.

    figures.py ROOT           checks the page's small sizes and the shape that they have
    figures.py ROOT --write   writes the page, both sizes and the influence of what is assumed"""
import pathlib
import re
import sys

import numpy as np

import twelve

root = pathlib.Path(sys.argv[1])
write = "--write" in sys.argv
page = root / "docs" / "simt-figures.md"
POLICIES = {"annotated": {}, "hardware": {"policy": "hardware"}, "far": {"policy": "far"}, "near": {"policy": "near"}}
OTHERS = {"PonB": {"target": "simt-ponb"}, "far shared": {"shared": "far"}, "1 row": {"rows": 1}, "2 rows": {"rows": 2},
          "file 32 kB": {"near_rf": 32768}}
PAPER = {"hardware": 3.45 / 1.92, "far": 3.45 / 1.78, "near": 3.45 / 1.22, "PonB": 1.46, "far shared": 1.48}
PARTS = {"alu": 39.82, "registers": 15.47, "dram": 16.42, "tsv": 16.79, "network": 4.43, "other": 7.06}


def text_of(name):
    return root / "tests" / "ptx" / "O2" / f"{name}.ptx"


def measure_all(scale, settings, names=twelve.NAMES):
    """By setting and workload; what is computed is the same everywhere."""
    found = {}
    for name in names:
        right = None
        for setting, keys in settings.items():
            stats, results = twelve.measure(name, text_of(name), scale, **keys)
            right = right or results
            for a, b in zip(results, right):
                assert np.array_equal(a, b), (name, setting)
            check(name, stats)
            found[setting, name] = stats
    return found


def check(name, stats):
    m, energy = stats["machine"], stats["energy_fj"]
    assert sum(energy.values()) == stats["total"]["energy_fj"] + energy["host"], name
    assert stats["total"]["datapath_cycles"] >= 0 and m["cycles"] > 0
    assert m["column_reads"] + m["column_writes"] >= m["row_misses"] > 0


def ratio(found, setting, name, what="cycles"):
    return found[setting, name]["machine"][what] / found["annotated", name]["machine"][what]


def mean(found, setting, what="cycles"):
    return sum(ratio(found, setting, n, what) for n in twelve.NAMES) / 12


def misses(found, setting, name):
    m = found[setting, name]["machine"]
    return 100 * m["row_misses"] / (m["column_reads"] + m["column_writes"])


def shares(found, name):
    energy = found["annotated", name]["energy_fj"]
    whole = sum(energy[p] for p in PARTS)
    return {p: 100 * energy[p] / whole for p in PARTS}


def intensity(found, name):
    m = found["annotated", name]["machine"]
    return 32 * (m["column_reads"] + m["column_writes"]) / m["warp_instructions"]


def reached(found, name):
    """Bytes a cycle that the banks of the core give."""
    m = found["annotated", name]["machine"]
    return 32 * (m["column_reads"] + m["column_writes"]) / m["cycles"]


def ranks(values):
    order = sorted(values)
    return [order.index(v) for v in values]


def correlation(found):
    a = ranks([intensity(found, n) for n in twelve.NAMES])
    b = ranks([reached(found, n) for n in twelve.NAMES])
    return float(np.corrcoef(a, b)[0, 1])


def shape(found):
    """What is to hold at each size."""
    hardware, far, near = (mean(found, p) for p in ("hardware", "far", "near"))
    assert 1 < hardware < far < near, (hardware, far, near)
    assert 1.3 <= hardware <= 2.3 and 1.3 <= far <= 2.4 and near > 1.6
    if ("far shared", "pr") not in found:
        return
    for name in twelve.NAMES:
        if name in twelve.SHARED and name not in ("kmeans",):
            assert ratio(found, "far shared", name) > 1 and ratio(found, "far shared", name, "tsv_bytes") > 1, name
        elif name != "kmeans":
            assert ratio(found, "far shared", name) == ratio(found, "far shared", name, "tsv_bytes") == 1, name
    assert ratio(found, "PonB", "axpy") > 1
    one, two, four = (sum(misses(found, s, n) for n in twelve.NAMES) / 12 for s in ("1 row", "2 rows", "annotated"))
    assert one > two > four, (one, two, four)


# ---- the page ----


def table(lines):
    head, *rest = lines
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(r) + " |" for r in rest]


def policies_table(found, settings, what="cycles"):
    rows = [["workload"] + list(settings)]
    for n in twelve.NAMES:
        rows.append([n.upper()] + ["%.2f" % ratio(found, s, n, what) for s in settings])
    rows.append(["mean"] + ["%.2f" % mean(found, s, what) for s in settings])
    if what == "cycles":
        rows.append(["paper"] + ["%.2f" % PAPER[s] if s in PAPER else "" for s in settings])
    return table(rows)


def section(found, scale):
    out = [f"## Size {scale}", "", "Times beside those of the annotated policy (Figs. 11, 13, 15):", ""]
    out += policies_table(found, ["hardware", "far", "near", "PonB", "far shared", "file 32 kB"])
    out += ["", "Bytes through the TSVs, likewise:", ""]
    out += policies_table(found, ["hardware", "far", "near", "PonB", "far shared"], "tsv_bytes")
    out += ["", "The paper has 1.89 for far shared memory.", "", "Rows open at a time (Fig. 12): misses of 100 columns, and time beside four rows.", ""]
    rows = [["workload", "1 row", "2 rows", "4 rows", "time 1", "time 2"]]
    for n in twelve.NAMES:
        rows.append([n.upper()] + ["%.2f" % misses(found, s, n) for s in ("1 row", "2 rows", "annotated")]
                    + ["%.3f" % ratio(found, s, n) for s in ("1 row", "2 rows")])
    rows.append(["mean"] + ["%.2f" % (sum(misses(found, s, n) for n in twelve.NAMES) / 12) for s in ("1 row", "2 rows", "annotated")]
                + ["%.3f" % mean(found, s) for s in ("1 row", "2 rows")])
    rows.append(["paper", "15.60", "9.20", "5.45", "1.25", "1.14"])
    out += table(rows)
    out += ["", "Energy, in hundredths (Fig. 10):", ""]
    rows = [["workload"] + list(PARTS)]
    of = {n: shares(found, n) for n in twelve.NAMES}
    for n in twelve.NAMES:
        rows.append([n.upper()] + ["%.1f" % of[n][p] for p in PARTS])
    rows.append(["mean"] + ["%.2f" % (sum(of[n][p] for n in twelve.NAMES) / 12) for p in PARTS])
    rows.append(["paper"] + ["%.2f" % v for v in PARTS.values()])
    out += table(rows)
    out += ["", "Bytes of an instruction and what the banks of the core give (Fig. 8 (2) without the GPU), and warps at a time:", ""]
    rows = [["workload", "cycles", "warp instructions", "bytes an instruction", "bytes a cycle", "warps, 16 kB", "warps, 32 kB"]]
    for n in twelve.NAMES:
        m = found["annotated", n]["machine"]
        rows.append([n.upper(), f"{m['cycles']:,}", f"{m['warp_instructions']:,}", "%.1f" % intensity(found, n),
                     "%.1f" % reached(found, n), str(m["resident_warps_most"]),
                     str(found["file 32 kB", n]["machine"]["resident_warps_most"])])
    out += table(rows)
    out += ["", "Their ranks correlate by %.2f." % correlation(found), ""]
    return out


def assumed():
    """Numbers of the target that are assumed, by key."""
    text = (root / "isa-spec" / "targets" / "simt.yaml").read_text()
    block = text[text.index("\nsimt:"):text.index("\nclocks:")]
    numbers = dict(re.findall(r"^  (\w+): (\d+)", block, re.M))
    sources = dict(re.findall(r'^    (\w+): "(.*)"', block, re.M))
    skip = ("registers", "warps", "block_threads", "watchdog", "core_chunk", "network_cycles", "hop_millicycles",
            "link_cycles", "header_bytes", "dispatch_queue")
    return {k: int(v) for k, v in numbers.items() if sources[k].startswith("assumed") and k not in skip}


POWERS = ("row_bytes", "granule_bytes", "icache_line")
FEW = ("axpy", "pr", "gemv", "blur", "hist", "knn")


def influence():
    """How far half as much and one and a half times as much move the four ratios, over six workloads."""
    settings = {"annotated": {}, "hardware": {"policy": "hardware"}, "far": {"policy": "far"},
                "PonB": {"target": "simt-ponb"}, "far shared": {"shared": "far"}}

    def ratios(keys):
        found = measure_all(1, {s: {**k, **keys} for s, k in settings.items()}, FEW)
        return [sum(ratio(found, s, n) for n in FEW) / len(FEW) for s in settings if s != "annotated"]

    base, moved = ratios({}), []
    for key, value in assumed().items():
        less, more = (value // 2, value * 2) if key in POWERS else (max(value // 2, 1), value + (value + 1) // 2)
        if key == "lsu_queue":
            more = value * 2
        a, b = ratios({key: less}), ratios({key: more})
        most = max(abs(x / y - 1) for r in (a, b) for x, y in zip(r, base))
        moved.append((most, key, value, less, a, more, b))
    rows = [["key", "value", "less: hardware, far, PonB, far shared", "more: likewise", "most, %"],
            ["(none)", "", ", ".join("%.2f" % x for x in base), "", ""]]
    for most, key, value, less, a, more, b in sorted(moved, reverse=True):
        rows.append([f"`simt.{key}`", str(value), f"{less}: " + ", ".join("%.2f" % x for x in a),
                     f"{more}: " + ", ".join("%.2f" % x for x in b), "%.1f" % (100 * most)])
    return table(rows)


def main():
    small = measure_all(1, {**POLICIES, **OTHERS} if write else POLICIES)
    shape(small)
    assert correlation(small) > 0.5, correlation(small)
    if not write:
        return
    large = measure_all(4, {**POLICIES, **OTHERS})
    shape(large)
    head = (root / "tests" / "simt" / "figures-head.md").read_text()
    lines = [head.rstrip(), ""]
    lines += table([["workload", "size n"]] + [[n.upper(), twelve.SIZES[n]] for n in twelve.NAMES]) + [""]
    lines += section(small, 1) + section(large, 4)
    lines += ["## What the assumed numbers do", "",
              "Means of " + ", ".join(n.upper() for n in FEW) + " at size 1 when one number is half as much, or half as "
              "much again (twice as much where it is a power of two). Largest first.", ""]
    lines += influence()
    page.write_text("\n".join(lines) + "\n")


main()
