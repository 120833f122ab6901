# SPDX-License-Identifier: MIT
"""Statistics as dicts with attributes, and as tables where pandas is there."""

import ctypes
import json

from . import _lib

_SHORT = {"cycles": "datapath_cycles"}


def _find(tree, name):
    """The figure of that name, breadth first from the totals."""
    level = [tree.get("total", {}), tree]
    while level:
        below = []
        for part in level:
            if not isinstance(part, dict):
                continue
            if name in part:
                return part[name]
            below += part.values()
        level = below
    raise KeyError(name)


class Stats(dict):
    """Statistics of a run or of a device, as docs/statistics.md names them.  ``s.time_ps`` is the
    figure of that name that is nearest to the totals."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        for word in (name, _SHORT.get(name)):
            try:
                return _find(self, word) if word else None
            except KeyError:
                continue
        raise AttributeError(f"there is no figure {name!r}")

    def flat(self):
        """All figures by their path: {"total.time_ps": 1234, ...}."""
        return dict(_flat("", self))

    def table(self):
        """A pandas.Series of all figures by path; ImportError without pandas."""
        import pandas

        return pandas.Series(self.flat(), name="value")

    def line(self):
        parts = []
        for name, unit, scale in (("time_ps", "us", 1e6), ("energy_fj", "nJ", 1e6),
                                  ("micro_ops", "micro-ops", 1)):
            try:
                value = _find(self, name)
            except KeyError:
                continue
            if value is not None:
                parts.append(f"{value / scale:,.4g} {unit}" if scale > 1 else f"{value:,} {unit}")
        return ", ".join(parts)

    def report(self, path=None):
        """A page of HTML that shows where time and energy went (docs/report.md); written to a
        file, if one is named."""
        text = _lib.text_of(_lib.report(json.dumps(self).encode(), _config()))
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def plot(self, name):
        """One picture of that page, as SVG: "time", "energy", .."""
        return _lib.text_of(_lib.report_plot(json.dumps(self).encode(), _config(), name.encode()))

    def _repr_html_(self):
        text = self.report()
        return text[text.index("<body>") + len("<body>"):text.index('<script type="application/json"')]


def _config():
    return ctypes.byref(_lib.ReportConfig(ctypes.sizeof(_lib.ReportConfig)))


def _flat(prefix, part):
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in items:
        path = f"{prefix}{key}"
        if isinstance(value, (dict, list)):
            yield from _flat(path + ".", value)
        else:
            yield path, value


def difference(after, before):
    """Figures that are numbers, less what they were before; all else as it is."""
    return Stats(_difference(after, before))


def _difference(after, before):
    if isinstance(after, dict):
        return {key: _difference(value, before.get(key) if isinstance(before, dict) else None)
                for key, value in after.items()}
    if isinstance(after, list) and all(isinstance(x, dict) and "calls" in x for x in after):
        known = {x["name"]: x for x in before or []}  # labels
        return [_difference(x, known.get(x["name"])) for x in after]
    if isinstance(after, (int, float)) and not isinstance(after, bool) \
            and isinstance(before, (int, float)):
        return after - before
    return after
