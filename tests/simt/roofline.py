# SPDX-License-Identifier: MIT
"""docs/simt-roofline.md and .svg: the twelve workloads under the roofs of a core, and what bounds each.

    roofline.py ROOT [--write]      checks that both are as they would be written; writes them"""
import pathlib
import sys

from mpusim import roofline

import twelve

root = pathlib.Path(sys.argv[1])
HEAD = """# Roofline of the twelve workloads

`tests/simt/roofline.py` writes this page. One core runs each workload of Table I alone (`simt.cores=one`, sizes as on
[the page of figures](simt-figures.md), scale 1). What bounds a kernel is the largest of three numbers of cycles: its instructions at
one a cycle of each subcore, its bytes through the TSVs, its columns in all banks, each shared evenly ([simt.md](simt.md#roofline)). The last column is how near the
kernel comes to it; the rest is waiting.

![roofline](simt-roofline.svg)

| workload | bytes an instruction | bytes a cycle | cycles | issue | TSVs | banks | bound by | of that |
|---|---|---|---|---|---|---|---|---|
"""


def main():
    points = []
    for name in twelve.NAMES:
        stats, _ = twelve.measure(name, twelve.text_of(root, name), 1)
        points.append(roofline.Point(name.upper(), stats["machine"]))
    rows = []
    for p in points:
        assert max(p.limits.values()) <= p.cycles, (p.name, p.limits, p.cycles)
        rows.append(f"| {p.name} | {p.intensity:.1f} | {p.reached:.1f} | {p.cycles:,} | {p.limits['issue']:,} | {p.limits['tsv']:,} "
                    f"| {p.limits['bank']:,} | {p.bound} | {100 * p.share():.0f} % |\n")
    issues, banks = roofline.roofs(points)
    assert 3.9 < issues <= 4 and 230 < banks <= 256, (issues, banks)  # of Table II: 4 subcores, 16 banks of 32 B in 2 cycles
    made = {"simt-roofline.md": HEAD + "".join(rows), "simt-roofline.svg": roofline.draw(points)}
    for file, text in made.items():
        path = root / "docs" / file
        if "--write" in sys.argv:
            path.write_text(text)
        assert path.read_text() == text, f"docs/{file} is not as roofline.py writes it (--write)"


main()
