// SPDX-License-Identifier: MIT
// SCAN-SSA: sums of all numbers up to each: a scan in each DPU, and what stands in front of it is
// added.
#include "scan.h"

static void scan(Dpus &dpus) {
    dpus.broadcast("kernel", std::vector<uint32_t>{1});
    dpus.launch();
    std::vector<int64_t> base = in_front(dpus.get<int64_t>("total", 1));
    dpus.put("base", base, 1);
    dpus.broadcast("kernel", std::vector<uint32_t>{2});
    dpus.launch();
}

static bool run(int argc, char **argv) {
    return run_scan("SCAN-SSA", argc, argv, scan);
}
PRIM(run)
