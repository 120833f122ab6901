// SPDX-License-Identifier: MIT
// SCAN-RSS: sums of all numbers up to each: the sum of each DPU, and scans that begin with those in
// front.
#include "scan.h"

static void scan(Dpus &dpus) {
    dpus.broadcast("kernel", std::vector<uint32_t>{0});
    dpus.launch();
    std::vector<int64_t> base = in_front(dpus.get<int64_t>("total", 1));
    dpus.put("base", base, 1);
    dpus.broadcast("kernel", std::vector<uint32_t>{1});
    dpus.launch();
}

static bool run(int argc, char **argv) {
    return run_scan("SCAN-RSS", argc, argv, scan);
}
PRIM(run)
