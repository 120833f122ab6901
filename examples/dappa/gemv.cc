// SPDX-License-Identifier: MIT
// GEMV: a matrix times a vector.  A row is a group, the vector a scalar that all DPUs have.
#include "workload.h"

#ifndef COLUMNS
#define COLUMNS 4
#endif

template <class T> static bool run(size_t rows) {
    std::vector<T> m = numbers<T>(rows * COLUMNS, 5), v = numbers<T>(COLUMNS, 6), y(rows), want(rows);
    for (size_t i = 0; i < rows * COLUMNS; i++)
        want[i / COLUMNS] += m[i] * v[i % COLUMNS];

    Upmem::Pipeline p(rows * COLUMNS);
    p.stage(GROUP(([](T *y, T *row, T *v) {
                      for (int i = 0; i < COLUMNS; i++)
                          *y += row[i] * v[i];
                  }),
                  OUTPUT(T, y), INPUT(T, m), SCALAR(T, v)), 0, COLUMNS);
    p.fetch(y);
    p.execute();

    return same(p, "GEMV", y, want);
}
WORKLOAD(run)
