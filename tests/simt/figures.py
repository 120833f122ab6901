# SPDX-License-Identifier: MIT
"""docs/simt-figures.md: figures of the near-bank SIMT paper beside ours.

    figures.py ROOT           checks the shape that they have
    figures.py ROOT --write   writes the page"""
import pathlib
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


def off_the_line(found):
    names = list(twelve.NAMES)
    asked, given = (measured.ranks([f(found, n) for n in names]) for f in (measured.intensity, measured.reached))
    return [f"{n.upper()} ({'above' if g > a else 'below'})" for n, a, g in zip(names, asked, given) if abs(a - g) >= 4]


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
    out += ["", "Ranks of bytes an instruction and bytes a cycle correlate by %.2f. By four ranks or more leave the line: %s."
            % (measured.correlation(found), ", ".join(off_the_line(found))), ""]
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


def main():
    if not write:
        small = measured.measure_all(SMALL, ["annotated", "hardware", "far", "near", "PonB"])
        shape(small)
        assert measured.correlation(small) > 0.5
        shape_of_loops(measured.measure_all(LARGE, ["annotated", "far", "PonB"]))
        measured.measure_all(1, [BASE, "PonB"], ("ttrans", "hist"), spread=4, cores="all")
        return
    parts = (root / "tests" / "simt" / "figures-head.md").read_text().split("<!-- cut -->\n")
    found = {scale: measured.measure_all(scale, list(measured.SETTINGS)) for scale in (SMALL, LARGE)}
    for f in found.values():
        shape(f)
    assert measured.correlation(found[SMALL]) > 0.5
    shape_of_loops(found[LARGE])
    lines = [parts[0].rstrip(), ""]
    lines += table([["workload", "size n"]] + [[n.upper(), twelve.SIZES[n]] for n in twelve.NAMES]) + [""]
    lines += [parts[1].rstrip(), ""]
    for scale, f in found.items():
        lines += section(f, scale)
    lines += ["## Another compiler", "", f"Means at size {LARGE}; the paper's PTX is nvcc's.", ""]
    lines += both_compilers(found[LARGE], measured.measure_all(
        LARGE, [BASE, "hardware", "far", "near", "PonB", "far shared", "1 row"], compiler="nvcc")) + [""]
    rows, seconds, instructions = whole_machine()
    lines += ["## The whole machine", "", parts[2].rstrip().replace("SCALE", str(WHOLE)), ""] + rows
    page.write_text("\n".join(lines) + "\n")
    print("the whole machine: %.0f s for %.1f M warp instructions" % (seconds, instructions / 1e6))


main()
