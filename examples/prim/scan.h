// SPDX-License-Identifier: MIT
// What both scans have in common (scan.s).
#ifndef EXAMPLES_PRIM_SCAN_H
#define EXAMPLES_PRIM_SCAN_H

#include "dpus.h"

// What stands in front of each part.
inline std::vector<int64_t> in_front(const std::vector<int64_t> &totals) {
    std::vector<int64_t> base(totals.size());
    for (size_t i = 1; i < totals.size(); i++)
        base[i] = base[i - 1] + totals[i - 1];
    return base;
}

// scan(dpus) carries kernels out on the numbers that DPUs have.
inline bool run_scan(const char *name, int argc, char **argv, void (*scan)(Dpus &)) {
    std::string program = program_of(argc, argv);
    Sizes sizes(argc - 1, argv + 1, {{"elements", 20000}, {"seed", 1}});
    const uint32_t n = sizes["elements"];
    std::vector<int64_t> x(n), want(n);
    Random random(sizes["seed"]);
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        want[i] = sum += x[i] = random();

    Dpus dpus(program);
    Shares shares(n, dpus.count, 1);
    need(shares.most <= 8000000, "elements: more than MRAM has room for");
    x.resize(size_t{shares.most} * dpus.count);
    dpus.put("", x, shares.most);
    dpus.put("size", shares.each, 1);
    scan(dpus);
    std::vector<int64_t> got = dpus.get<int64_t>("", shares.most);
    dpus.print_times();

    got.resize(n);
    return same(name, got, want);
}

#endif
