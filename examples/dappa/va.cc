// SPDX-License-Identifier: MIT
// VA: c = a + b, a map.
#include "workload.h"

template <class T> static bool run(size_t n) {
    std::vector<T> a = numbers<T>(n, 1), b = numbers<T>(n, 2), c(n), want(n);
    for (size_t i = 0; i < n; i++)
        want[i] = a[i] + b[i];

    Upmem::Pipeline p(n);
    p.stage(MAP(([](T *c, T *a, T *b) { *c = *a + *b; }),
                OUTPUT(T, c), INPUT(T, a), INPUT(T, b)));
    p.fetch(c);
    p.execute();

    return same(p, "VA", c, want);
}
WORKLOAD(run)
