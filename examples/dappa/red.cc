// SPDX-License-Identifier: MIT
// RED: the sum, a reduce.
#include "workload.h"

template <class T> static bool run(size_t n) {
    std::vector<T> x = numbers<T>(n, 4);
    T sum = 7, want = 7;
    for (T v : x)
        want += v;

    Upmem::Pipeline p(n);
    p.stage(REDUCE(([](T *sum, T *x) { *sum += *x; }), REDUCE_OUT(T, &sum), INPUT(T, x)));
    p.fetch(&sum);
    p.execute();

    return same(p, "RED", std::vector<T>{sum}, std::vector<T>{want});
}
WORKLOAD(run)
