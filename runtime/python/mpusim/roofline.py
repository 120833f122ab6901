# SPDX-License-Identifier: MIT
"""Rooflines of near-bank SIMT cores, as SVG.

    python3 -m mpusim.roofline [NAME=]FILE.json .. > roofline.svg

Each file has the statistics of a run on target `simt` (mpu-run --stats json:FILE, or a device's).  A
run is a point: bytes of the banks by instruction, and by cycle and core.  Above it stands what
the TSVs would let through, and the two lines are what all subcores could ask for and all banks
give."""
import json
import math
import pathlib
import sys

COLUMN = 32  # bytes
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 460, 64, 24, 190, 48


class Point:
    """Of one run, from `machine` of its statistics."""

    def __init__(self, name, machine):
        m, self.name = machine, name
        self.cycles, self.instructions = m["cycles"], m["warp_instructions"]
        columns = m["column_reads"] + m["column_writes"]
        if not self.cycles or not columns:
            raise ValueError(f"{name}: no kernel has reached the banks, or their time is not known")
        self.bytes = COLUMN * columns
        self.limits = {"issue": m["issue_limit_cycles"], "tsv": m["tsv_limit_cycles"], "bank": m["bank_limit_cycles"]}
        self.intensity = self.bytes / self.instructions
        # Of the cores that had blocks, as all limits are; rounding up makes them a little less.
        self.cores = max(1, m["cores_used_most"])
        self.reached = self.per_core(self.cycles)
        self.bound = max(self.limits, key=self.limits.get)

    def per_core(self, cycles):
        """Bytes of the banks a cycle and core, if it took so many cycles."""
        return self.bytes / max(cycles, 1) / self.cores

    def roof(self, limit):
        return self.per_core(self.limits[limit])

    def share(self):
        """How near to its lowest roof it comes."""
        return self.limits[self.bound] / self.cycles


def roofs(points):
    """Issues a cycle and bytes a cycle of a core, from the points' limits."""
    issues = max(p.instructions / p.cores / p.limits["issue"] for p in points)
    banks = max(p.roof("bank") for p in points)
    return issues, banks


def _text(x, y, text, anchor="start", size=12):
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{text}</text>'


def draw(points):
    """The SVG; both axes are logarithms."""
    issues, banks = roofs(points)
    least_x = 2 ** math.floor(math.log2(min(p.intensity for p in points)))
    most_x = 2 ** (1 + math.ceil(math.log2(max([p.intensity for p in points] + [banks / issues]))))
    least_y = 2 ** math.floor(math.log2(min(p.reached for p in points)))
    most_y = 2 ** (1 + math.ceil(math.log2(banks)))

    def x(v):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log2(v / least_x) / math.log2(most_x / least_x)

    def y(v):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log2(v / least_y) / math.log2(most_y / least_y)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for k in range(int(math.log2(least_x)), int(math.log2(most_x)) + 1):
        out.append(f'<path d="M{x(2.0 ** k):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(_text(x(2.0 ** k), HEIGHT - BOTTOM + 16, f"{2.0 ** k:g}", "middle"))
    for k in range(int(math.log2(least_y)), int(math.log2(most_y)) + 1):
        out.append(f'<path d="M{LEFT} {y(2.0 ** k):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(_text(LEFT - 6, y(2.0 ** k) + 4, f"{2.0 ** k:g}", "end"))
    out.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "bytes of the banks by warp instruction", "middle"))
    out.append(f'<g transform="translate(16 {(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)">'
               + _text(0, 0, "bytes a cycle and core", "middle") + "</g>")
    knee = min(max(banks / issues, least_x), most_x)
    low = max(least_x, least_y / issues)
    out.append(f'<path d="M{x(low):.1f} {y(low * issues):.1f}L{x(knee):.1f} {y(knee * issues):.1f}L{x(most_x):.1f} {y(banks):.1f}" '
               'fill="none" stroke="black" stroke-width="2"/>')
    out.append(_text(x(most_x) + 6, y(banks) + 4, f"banks: {banks:.0f}"))
    out.append(_text(x(knee) - 8, y(banks) - 8, f"ALUs: {issues:.1f} instructions a cycle", "end"))
    for number, p in enumerate(sorted(points, key=lambda p: -p.reached), 1):
        colour = f"hsl({360 * number // len(points)},70%,40%)"
        roof = min(p.roof("tsv") if p.limits["tsv"] else most_y, most_y)
        out.append(f'<path d="M{x(p.intensity):.1f} {y(p.reached):.1f}V{y(roof):.1f}" stroke="{colour}" stroke-dasharray="3 2"/>')
        out.append(f'<path d="M{x(p.intensity) - 6:.1f} {y(roof):.1f}h12" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<circle cx="{x(p.intensity):.1f}" cy="{y(p.reached):.1f}" r="4" fill="{colour}"/>')
        out.append(_text(x(p.intensity), y(p.reached) + 16, str(number), "middle", 10))
        out.append(_text(WIDTH - RIGHT + 40, TOP + 40 + 16 * number, f"{number} {p.name}"))
    out.append(_text(WIDTH - RIGHT + 40, TOP + 72 + 16 * len(points), "bar: what its TSV bytes allow", size=10))
    return "\n".join(out + ["</svg>"]) + "\n"


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    points = []
    for argument in arguments:
        name, _, file = argument.rpartition("=")
        path = pathlib.Path(file)
        try:
            statistics = json.loads(path.read_text())
            points.append(Point(name or path.stem, statistics["machine"]))
        except (OSError, ValueError, TypeError) as e:
            print(f"{file}: {e}", file=sys.stderr)
            return 1
        except KeyError as e:
            print(f"{file}: no statistics of near-bank cores: there is no {e}", file=sys.stderr)
            return 1
    sys.stdout.write(draw(points))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
