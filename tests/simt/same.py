# SPDX-License-Identifier: MIT
"""What the twelve workloads compute is the same under every setting of near-bank SIMT cores and on golden, and what a
launch takes is the same by any number of threads of the host."""
import json

import mpusim
import numpy as np

import measured
import twelve

SETTINGS = [{}, {"policy": "hardware"}, {"policy": "near"}, {"policy": "far"}, {"shared": "far"}, {"rows": 1}, {"rows": 2},
            {"coalesce": "aligned"}, {"uniform_compress": "true"}, {"near_rf": 32768}, {"placement": "round"},
            {"target": "simt-ponb"}, {"cores": "all"}, {"cores": "all", "placement": "round"},
            {"cores": "all", "placement": "chunk", "policy": "hardware", "rows": 2},
            {"cores": "all", "shared": "far", "granule_bytes": 1024, "core_chunk": 1024}]
ORDERED = ("blur", "conv", "knn", "ttrans", "maxp", "nw", "upsamp", "axpy", "gemv", "pr")  # no atomics of floats


def results_are_the_same():
    for name in twelve.NAMES:
        text = twelve.text_of(measured.ROOT, name)
        device = mpusim.device("golden")
        right = twelve.launch(name, device, text, 1)
        device.close()
        first = None
        for keys in SETTINGS:
            stats, results = twelve.measure(name, text, 1, **keys)
            first = first or results
            measured.check(name, stats, keys)
            for a, b in zip(results, first):
                assert np.array_equal(a, b), (name, keys)
        for a, b in zip(first, right):
            same = np.array_equal(a, b) if name in ORDERED else np.allclose(a, b, rtol=1e-4, atol=1e-4)
            assert same, (name, "golden")


def times_are_the_same():
    for name in ("gemv", "nw", "kmeans"):
        for keys in ({}, {"cores": "all"}):
            seen = {json.dumps(twelve.measure(name, twelve.text_of(measured.ROOT, name), 1, threads=threads, **keys)[0])
                    for threads in (1, 2, 4)}
            assert len(seen) == 1, (name, keys)


results_are_the_same()
times_are_the_same()
