// SPDX-License-Identifier: MIT
// HST-S: how many elements fall into each bin, a reduce whose accumulator is an array.
#include "workload.h"

#ifndef BINS
#define BINS 256
#endif

template <class T> static bool run(size_t n) {
    std::vector<T> x = numbers<T>(n, 7);
    std::vector<uint32_t> bins(BINS), want(BINS);
    for (T &v : x)
        want[(v = v * 81) * BINS >> 12]++;

    Upmem::Pipeline p(n);
    p.stage(REDUCE(([](uint32_t *bins, T *x) { bins[*x * BINS >> 12]++; }),
                   REDUCE_OUT(uint32_t, bins), INPUT(T, x)));
    p.fetch(bins);
    p.execute();

    return same(p, "HST-S", bins, want);
}
WORKLOAD(run)
