# SPDX-License-Identifier: MIT
"""docs/simt-influence.md: what each assumed number does to four ratios of the near-bank SIMT paper.

    influence.py ROOT           checks that the page has every number that the target assumes
    influence.py ROOT --write   writes the page, by several processes"""
import concurrent.futures
import pathlib
import sys

import measured
from measured import FOUR, FOUR_PAPER, FOUR_SETTINGS, table

root = pathlib.Path(sys.argv[1])
page = root / "docs" / "simt-influence.md"
SCALE = 2
POWERS = ("icache_line", "row_bytes", "granule_bytes", "core_chunk")  # powers of two: half and twice
# What can be read in another way, as keys; "more" of a choice.
CHOICES = {"coalesce": "aligned", "placement": "round", "uniform_compress": "true"}
OTHERS = [("PTX of nvcc", {"compiler": "nvcc"}), ("`simt.coalesce=aligned`", {"coalesce": "aligned"}),
          ("`simt.placement=round`", {"placement": "round"}), ("`simt.placement=chunk`", {"placement": "chunk"}),
          ("`simt.uniform_compress=true`", {"uniform_compress": "true"}),
          ("`simt.granule_bytes=1024`", {"granule_bytes": 1024}), ("`simt.granule_bytes=4096`", {"granule_bytes": 4096}),
          ("`simt.row_bytes=4096`", {"row_bytes": 4096}), ("`simt.subarrays=4`", {"subarrays": 4}),
          ("`simt.warps=4`", {"warps": 4}), ("TSVs of 64 bytes a cycle", {"tsv_bytes": 64})]


def ratios(common):
    return measured.four(measured.measure_all(SCALE, list(FOUR_SETTINGS), **common))


def steps(key, value):
    """Half and one and a half times as much, or as near as the key can have it."""
    name = key.split(".")[1]
    if name in CHOICES:
        return None, CHOICES[name]
    number = int(value)
    if name == "registers":
        return number // 2, None  # 63 are all that there are
    if name in POWERS:
        return number // 2, number * 2
    return max(number // 2, 1), number + (number + 1) // 2


def tries(key, value):
    """What is run for a key: values, and them as keys of a run; None: there is no such."""
    name = key.split(".")[1] if key.startswith("simt.") else key.replace(".", "__")
    return [(v, {name: v} if v is not None and str(v) != str(value) else None) for v in steps(key, value)]


def measured_all(assumed):
    """The ratios as they are, (key, value, [(value, ratios)]) of each key, and ratios of other readings."""
    todo = [(key, value, tries(key, value)) for key, value in assumed.items()]
    runs = [{}] + [keys for _, _, of in todo for _, keys in of if keys] + [keys for _, keys in OTHERS]
    with concurrent.futures.ProcessPoolExecutor(8) as pool:
        found = iter(list(pool.map(ratios, runs)))
    base = next(found)
    rows = [(key, value, [(v, next(found) if keys else None) for v, keys in of]) for key, value, of in todo]
    return base, rows, list(found)


def most_of(base, found, i):
    return max((abs(r[i] / base[i] - 1) for _, r in found if r), default=0)


def words(found):
    v, r = found
    return "" if r is None else f"{v}: " + ", ".join("%.2f" % x for x in r)


def beside_the_paper(base, rows):
    out = [["ratio", "paper", "ours", "moved most by", "to", "then by", "to"]]
    for i, name in enumerate(FOUR):
        order = sorted(rows, key=lambda r: -most_of(base, r[2], i))
        line = [name, "%.2f" % FOUR_PAPER[i], "%.2f" % base[i]]
        for key, value, found in order[:2]:
            v, r = max((f for f in found if f[1]), key=lambda f: abs(f[1][i] / base[i] - 1))
            line += [f"`{key}`, {value}: {v}", "%.2f" % r[i]]
        out.append(line)
    return table(out)


def main():
    if "--write" not in sys.argv:
        text = page.read_text()
        for key in measured.assumed():
            assert f"`{key}`" in text, f"{page} lacks {key}: write it anew"
        return
    base, rows, others = measured_all(measured.assumed())
    none = [r for r in rows if all(most_of(base, r[2], i) == 0 for i in range(4))]
    some = [r for r in rows if r not in none]
    some.sort(key=lambda r: -max(most_of(base, r[2], i) for i in range(4)))
    lines = (root / "tests" / "simt" / "influence-head.md").read_text().split("<!-- cut -->\n")
    out = [lines[0].replace("SCALE", str(SCALE)).rstrip(), ""] + beside_the_paper(base, rows)
    out += ["", lines[1].rstrip(), ""]
    of = [["key", "value", "less: " + ", ".join(FOUR), "more: likewise", "most, %"], ["(none)", "", words(("", base))[2:], "", ""]]
    for key, value, found in some:
        of.append([f"`{key}`", value, words(found[0]), words(found[1]),
                   "%.1f" % (100 * max(most_of(base, found, i) for i in range(4)))])
    out += table(of)
    out += ["", "Of no influence on these four: " + ", ".join(f"`{r[0]}`" for r in none) + ".", "", lines[2].rstrip(), ""]
    of = [["reading"] + list(FOUR), ["paper"] + ["%.2f" % v for v in FOUR_PAPER], ["as it is"] + ["%.2f" % v for v in base]]
    for (name, _), found in zip(OTHERS, others):
        of.append([name] + ["%.2f" % v for v in found])
    page.write_text("\n".join(out + table(of)) + "\n")


main()
