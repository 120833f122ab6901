// SPDX-License-Identifier: MIT
// SEL: what is odd, a filter.
#include "workload.h"

template <class T> static bool run(size_t n) {
    std::vector<T> x = numbers<T>(n, 3), y(n), want;
    for (T v : x)
        if (v % 2 != 0)
            want.push_back(v);

    Upmem::Pipeline p(n);
    p.stage(FILTER(([](T *x) { return (*x & 1) != 0; }), OUTPUT(T, y), INPUT(T, x)));
    p.fetch(y);
    p.execute();

    y.resize(p.getLength(y));
    return same(p, "SEL", y, want);
}
WORKLOAD(run)
