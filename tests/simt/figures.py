# SPDX-License-Identifier: MIT
"""docs/simt-figures.md: figures of the near-bank SIMT paper beside ours.

    figures.py ROOT           checks the shape that they have, and the page's means at size 1
    figures.py ROOT --write   writes the page (minutes), by several processes"""
import concurrent.futures
import pathlib
import re
import statistics
import sys
import time

import measured
import twelve
from measured import BASE, PARTS, average, columns, mean, misses, names_of, ratio, table

root = pathlib.Path(sys.argv[1])
write = "--write" in sys.argv
page = root / "docs" / "simt-figures.md"
SMALL, LARGE = 1, 8
PAPER = {"hardware": 3.45 / 1.92, "far": 3.45 / 1.78, "near": 3.45 / 1.22, "PonB": 1.46, "far shared": 1.48}
WHOLE = 64  # scale of the runs on all cores
MEANS = ["hardware", "far", "near", "PonB", "far shared"]
# Size, and how many times as many blocks, of the table of means.
TRIED = [(SMALL, 1), (SMALL, 4), (SMALL, 8), (2, 1), (4, 1), (LARGE, 1)]
ASKED = 0.5  # of the rank correlation (E51)


def shape(found):
    """What is to hold at each size."""
    hardware, far, near = (mean(found, p) for p in ("hardware", "far", "near"))
    assert 1 < hardware < far < near, (hardware, far, near)
    assert 1.3 <= hardware <= 2.3 and 1.3 <= far <= 2.4 and near > 1.6
    assert ratio(found, "PonB", "axpy") > 1
    if ("far shared", "pr") not in found:
        return
    for name in twelve.NAMES:
        if name in twelve.SHARED and name not in ("kmeans",):
            assert ratio(found, "far shared", name) > 1 and ratio(found, "far shared", name, "tsv_bytes") > 1, name
        elif name != "kmeans":
            assert ratio(found, "far shared", name) == ratio(found, "far shared", name, "tsv_bytes") == 1, name
    if ("1 row", "pr") not in found:
        return
    one, two, four = (average(misses(found, s, n) for n in twelve.NAMES) for s in ("1 row", "2 rows", BASE))
    assert one > two > four, (one, two, four)


def shape_of_loops(found):
    """Where threads work in loops: PonB lies between the annotated policy and all far, and loses where loads go as one."""
    assert 1 < mean(found, "PonB") < mean(found, "far"), (mean(found, "PonB"), mean(found, "far"))
    for name in ("axpy", "gemv", "pr"):
        assert ratio(found, "PonB", name) > 1, name


# ---- the page ----


def policies_table(found, settings, what="cycles"):
    rows = [["workload"] + list(settings)]
    for n in twelve.NAMES:
        rows.append([n.upper()] + ["%.2f" % ratio(found, s, n, what) for s in settings])
    rows.append(["mean"] + ["%.2f" % mean(found, s, what) for s in settings])
    if what == "cycles":
        rows.append(["paper"] + ["%.2f" % PAPER[s] if s in PAPER else "" for s in settings])
    else:
        rows.append(["paper"] + ["1.89" if s == "far shared" else "" for s in settings])
    return table(rows)


def figure_12(found):
    rows = [["workload", "misses, 1 row", "2 rows", "4 rows", "time, 1 row", "2 rows", "banks at work, %"]]
    for n in twelve.NAMES:
        rows.append([n.upper()] + ["%.2f" % misses(found, s, n) for s in ("1 row", "2 rows", BASE)]
                    + ["%.3f" % ratio(found, s, n) for s in ("1 row", "2 rows")] + ["%.0f" % at_work(found, n)])
    rows.append(["mean"] + ["%.2f" % average(misses(found, s, n) for n in twelve.NAMES) for s in ("1 row", "2 rows", BASE)]
                + ["%.3f" % mean(found, s) for s in ("1 row", "2 rows")]
                + ["%.0f" % average(at_work(found, n) for n in twelve.NAMES)])
    rows.append(["paper", "15.60", "9.20", "5.45", "1.25", "%.2f" % (1.25 / 1.10), ""])
    return table(rows)


def at_work(found, name):
    """Hundredths of the time in which a bank of the core gives a column or opens a row."""
    m = found[BASE, name]["machine"]
    banks = measured.number("machine", "vrf_per_rfh") * measured.number("simt", "banks")
    opening = measured.number("simt", "t_rp") + measured.number("simt", "t_rcd")
    return 100 * (columns(m) * measured.number("simt", "t_ccd") + m["row_misses"] * opening) / (banks * m["cycles"])


def figure_10(found):
    rows = [["workload"] + list(PARTS) + ["nJ", "PonB", "far"]]
    of = {n: measured.shares(found, n) for n in twelve.NAMES}

    def whole(setting, n):
        return sum(found[setting, n]["energy_fj"][p] for p in PARTS)

    for n in twelve.NAMES:
        rows.append([n.upper()] + ["%.1f" % of[n][p] for p in PARTS] + [f"{whole(BASE, n) // 10**6:,}"]
                    + ["%.2f" % (whole(s, n) / whole(BASE, n)) for s in ("PonB", "far")])
    rows.append(["mean"] + ["%.2f" % average(of[n][p] for n in twelve.NAMES) for p in PARTS] + [""]
                + ["%.2f" % average(whole(s, n) / whole(BASE, n) for n in twelve.NAMES) for s in ("PonB", "far")])
    rows.append(["paper"] + ["%.2f" % v for v in PARTS.values()] + ["", "", ""])
    return table(rows)


def figure_8(found):
    rows = [["workload", "cycles", "warp instructions", "bytes an instruction", "bytes a cycle", "warps, 16 kB", "warps, 32 kB"]]
    for n in twelve.NAMES:
        m = found[BASE, n]["machine"]
        rows.append([n.upper(), f"{m['cycles']:,}", f"{m['warp_instructions']:,}", "%.1f" % measured.intensity(found, n),
                     "%.1f" % measured.reached(found, n), str(m["resident_warps_most"]),
                     str(found["file 32 kB", n]["machine"]["resident_warps_most"])])
    return table(rows)


def traffic(found):
    """What the TSVs carry, annotated, in hundredths; and how busy they are there and in PonB."""
    rows = [["workload", "kB", "packets", "registers moved", "accesses as one", "columns and what is gathered", "busy, %",
             "PonB, kB", "PonB busy, %"]]
    for n in twelve.NAMES:
        m, p = found[BASE, n]["machine"], found["PonB", n]["machine"]
        known = [m["tsv_packet_bytes"], m["tsv_move_bytes"], m["tsv_whole_access_bytes"]]
        rows.append([n.upper(), f"{m['tsv_bytes'] // 1000:,}"]
                    + ["%.0f" % (100 * k / m["tsv_bytes"]) for k in known + [m["tsv_bytes"] - sum(known)]]
                    + ["%.0f" % (100 * m["tsv_busy_cycles"] / m["cycles"]), f"{p['tsv_bytes'] // 1000:,}",
                       "%.0f" % (100 * p["tsv_busy_cycles"] / p["cycles"])])
    return table(rows)


def how_many(scale, spread):
    return f"{scale}" if spread == 1 else f"{scale}, {spread} times the blocks"


def with_tree(found, tree):
    """As if PR were the tree."""
    of = {(setting, n): stats for (setting, n), stats in found.items() if n != "pr"}
    return of | {(setting, "pr"): stats for (setting, _), stats in tree.items()}


def median(found):
    """Of PonB: the mean is of few workloads that gain much."""
    return statistics.median(ratio(found, "PonB", n) for n in twelve.NAMES)


def means_row(label, kernel, found):
    assert 1 < mean(found, "hardware") < mean(found, "far") < mean(found, "near") and median(found) < 0.8, label
    return [label, kernel] + ["%.2f" % mean(found, s) for s in MEANS] + ["%.2f" % measured.correlation(found), "%.2f" % median(found)]


def means_table(found, trees):
    rows = [["size", "PR is"] + MEANS + ["rank correlation", "median of PonB"]]
    for at in TRIED:
        rows.append(means_row(how_many(*at), "`sums`", found[at]))
        rows.append(means_row(how_many(*at), "the tree", with_tree(found[at], trees[at])))
    rows.append(["paper", ""] + ["%.2f" % PAPER[s] for s in MEANS] + ["", ""])
    return table(rows)


def reductions(found, trees):
    rows = [["PR is", "size", "cycles, annotated"] + MEANS + ["TSV, far shared"]]
    for at in ((SMALL, 1), (LARGE, 1)):
        for kernel, name, of in (("`sums`", "pr", found[at]), ("the tree", twelve.TREE, trees[at])):
            rows.append([kernel, how_many(*at), f"{of[BASE, name]['machine']['cycles']:,}"]
                        + ["%.2f" % ratio(of, s, name) for s in MEANS] + ["%.2f" % ratio(of, "far shared", name, "tsv_bytes")])
    return table(rows)


def rows_hold(row):
    """The page has such a row: figures in it are at most 0.03 off."""
    start = "| " + " | ".join(row[:2]) + " |"
    held = [line for line in page.read_text().splitlines() if line.startswith(start) and line.count("|") == len(row) + 1]
    assert len(held) == 1, (start, held)
    figures = [float(v) for v in re.findall(r"\d\.\d\d", held[0])]
    assert all(abs(a - float(b)) <= 0.03 for a, b in zip(figures, row[2:], strict=True)), (held[0], row, "write the page anew")


def order_of_ranks(found):
    """E51: whether it is met, and where the workloads stand that the paper names."""
    names = list(twelve.NAMES)
    asked, given = (measured.ranks([f(found, n) for n in names]) for f in (measured.intensity, measured.reached))
    of = {n: g - a for n, a, g in zip(names, asked, given)}
    said = {n: f"{n.upper()} {'above' if d > 0 else 'below'} by {abs(d)}" if d else f"{n.upper()} on it" for n, d in of.items()}
    r = measured.correlation(found)
    return ("Ranks of bytes an instruction and bytes a cycle correlate by %.2f. Asked is above %.1f (E51): %s. "
            "By four ranks or more leave the line: %s. The paper names KMEANS above it, TTRANS and UPSAMP below; here: %s."
            % (r, ASKED, "met" if r > ASKED else "**not met**", ", ".join(said[n] for n in names if abs(of[n]) >= 4) or "none",
               ", ".join(said[n] for n in ("kmeans", "ttrans", "upsamp"))))


def section(found, scale):
    out = [f"## Size {scale}", "", "Times beside those of the annotated policy (Figs. 11, 13, 15):", ""]
    out += policies_table(found, ["hardware", "far", "near", "PonB", "far shared", "file 32 kB"])
    out += ["", "Bytes through the TSVs, likewise (Fig. 11):", ""]
    out += policies_table(found, ["hardware", "far", "near", "PonB", "far shared"], "tsv_bytes")
    out += ["", "What they carry with the annotated policy, hundredths of the bytes:", ""]
    out += traffic(found)
    out += ["", "Rows open at a time (Fig. 12): misses of 100 columns, and time beside four rows.", ""]
    out += figure_12(found)
    out += ["", "Energy, in hundredths (Fig. 10), and in all (Fig. 9 without the GPU), beside it those of two others:", ""]
    out += figure_10(found)
    out += ["", "Bytes of an instruction and what the banks of the core give (Fig. 8 (2) without the GPU), and warps at a time:", ""]
    out += figure_8(found)
    out += ["", order_of_ranks(found), ""]
    return out


def both_compilers(clang, nvcc):
    settings = ["hardware", "far", "near", "PonB", "far shared", "1 row"]
    rows = [["PTX"] + settings + ["TSV, far shared"]]
    for name, found in (("clang -O2", clang), ("nvcc", nvcc)):
        rows.append([name] + ["%.2f" % mean(found, s) for s in settings] + ["%.2f" % mean(found, "far shared", "tsv_bytes")])
    rows.append(["paper"] + ["%.2f" % v for v in PAPER.values()] + ["1.25", "1.89"])
    return table(rows)


def whole_machine():
    """All cores, data where they lie; seconds of the host are said beside the table, since they differ."""
    begin, rows = time.monotonic(), [["workload", "cycles", "warp instructions", "cores", "columns of other cores, %",
                                      "network, % of the energy", "DRAM"]]
    found = measured.measure_all(1, [BASE], spread=WHOLE, cores="all")
    for n in twelve.NAMES:
        m, of = found[BASE, n]["machine"], measured.shares(found, n)
        rows.append([n.upper(), f"{m['cycles']:,}", f"{m['warp_instructions']:,}", str(m["cores_used_most"]),
                     "%.1f" % (100 * m["remote_columns"] / columns(m)), "%.2f" % of["mesh"], "%.2f" % of["dram"]])
    rows.append(["mean", "", "", "", "", "%.2f" % average(measured.shares(found, n)["mesh"] for n in twelve.NAMES),
                 "%.2f" % average(measured.shares(found, n)["dram"] for n in twelve.NAMES)])
    rows.append(["paper", "", "", "", "", "4.43", "16.42"])
    instructions = sum(found[BASE, n]["machine"]["warp_instructions"] for n in twelve.NAMES)
    return table(rows), time.monotonic() - begin, instructions


# What moves E51, PonB and the time of one row most of all that is assumed, and the TSVs' width.
MOVED = [{"granule_bytes": 64}, {"granule_bytes": 256}, {"granule_bytes": 512}, {"warps": 8}, {"registers": 31},
         {"command_bytes": 4}, {"command_bytes": 12}, {"uniform_compress": "true"}, {"placement": "round"}, {"tsv_bytes": 32}]


def moved(pool, found, trees):
    rows = [["", "rank correlation (E51)", "over PonB", "one row"]]

    def row(label, of, one=True):
        rows.append([label, "%.2f" % measured.correlation(of), "%.2f" % mean(of, "PonB"), "%.3f" % mean(of, "1 row") if one else ""])

    row(f"as it is, size {SMALL}", found[SMALL])
    row(f"as it is, size {LARGE}", found[LARGE])
    row("PR is the tree", with_tree(found[LARGE], trees[LARGE, 1]), False)
    for keys in MOVED:
        as_is = {tuple({**measured.SETTINGS[s], **keys}.items()): s for s in (BASE, "1 row", "PonB")}
        of = {(as_is[setting], n): stats for (setting, n), stats in measure_in(pool, LARGE, 1, list(as_is)).items()}
        row(", ".join(f"`simt.{k}` {v}" for k, v in keys.items()), of)
    return table(rows + [["paper", "above 0.5", "1.46", "1.25"]])


def run(job):
    scale, spread, settings, name, compiler = job
    return measured.measure_all(scale, settings, (name,), compiler, spread)


def measure_in(pool, scale, spread, settings, names=twelve.NAMES, compiler="clang"):
    """As measured.measure_all, a workload a process."""
    found = {}
    for part in pool.map(run, [(scale, spread, settings, name, compiler) for name in names]):
        found |= part
    return found


def check():
    small = measured.measure_all(SMALL, [BASE] + MEANS)
    shape(small)
    assert measured.correlation(small) > ASKED
    tree = measured.measure_all(SMALL, [BASE] + MEANS, (twelve.TREE,))
    rows_hold(means_row(how_many(SMALL, 1), "`sums`", small))
    rows_hold(means_row(how_many(SMALL, 1), "the tree", with_tree(small, tree)))
    shape_of_loops(measured.measure_all(LARGE, [BASE, "far", "PonB"]))
    measured.measure_all(1, [BASE, "PonB"], ("ttrans", "hist"), spread=4, cores="all")


def main():
    if not write:
        check()
        return
    parts = (root / "tests" / "simt" / "figures-head.md").read_text().split("<!-- cut -->\n")
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        tried = {at: measure_in(pool, *at, list(measured.SETTINGS) if at in ((SMALL, 1), (LARGE, 1)) else [BASE] + MEANS) for at in TRIED}
        trees = {at: measure_in(pool, *at, [BASE] + MEANS, (twelve.TREE,)) for at in TRIED}
        nvcc = measure_in(pool, LARGE, 1, [BASE] + MEANS + ["1 row"], compiler="nvcc")
        found = {scale: tried[scale, 1] for scale in (SMALL, LARGE)}
        unmet = moved(pool, found, trees)
    for f in found.values():
        shape(f)
    assert measured.correlation(found[SMALL]) > ASKED
    shape_of_loops(found[LARGE])
    assert sum(ratio(found[LARGE], "PonB", n) > 1 for n in twelve.NAMES) == 3  # the page says so
    lines = [parts[0].rstrip(), ""]
    lines += table([["workload", "size n"]] + [[n.upper(), twelve.SIZES[n]] for n in twelve.NAMES]) + [""]
    lines += [parts[1].rstrip(), ""] + means_table(tried, trees) + ["", parts[2].rstrip(), ""] + reductions(tried, trees)
    lines += ["", parts[3].rstrip(), ""]
    lines += ["## What is not met", "", parts[4].rstrip().replace("LARGE", str(LARGE)), ""] + unmet + [""]
    for scale, f in found.items():
        lines += section(f, scale)
    lines += ["## Another compiler", "", f"Means at size {LARGE}; the paper's PTX is nvcc's.", ""]
    lines += both_compilers(found[LARGE], nvcc) + [""]
    rows, seconds, instructions = whole_machine()
    lines += ["## The whole machine", "", parts[5].rstrip().replace("SCALE", str(WHOLE)), ""] + rows
    page.write_text("\n".join(lines) + "\n")
    print("the whole machine: %.0f s for %.1f M warp instructions" % (seconds, instructions / 1e6))


main()
