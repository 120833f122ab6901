// SPDX-License-Identifier: MIT
// UNI: the last of each run of equal elements, a filter of windows of two.  Behind the end goes on what
// is no element, so that the last run ends.
#include "workload.h"

template <class T> static bool run(size_t n) {
    std::vector<T> x(n), y(n), behind{static_cast<T>(-1)}, want;
    for (size_t i = 0; i < n; i++)
        x[i] = static_cast<T>(i % 2 ? i + 1 : i);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || x[i] != x[i + 1])
            want.push_back(x[i]);

    Upmem::Pipeline p(n);
    p.stage(WINDOW_FILTER(([](T *x) { return x[0] != x[1]; }),
                          OUTPUT(T, y), INPUT(T, x, behind)), 1);
    p.fetch(y);
    p.execute();

    y.resize(p.getLength(y));
    return same(p, "UNI", y, want);
}
WORKLOAD(run)
