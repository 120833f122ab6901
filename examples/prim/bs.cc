// SPDX-License-Identifier: MIT
// BS: binary searches in sorted numbers that all DPUs have (bs.s).
#include "dpus.h"

static bool run(int argc, char **argv) {
    std::string program = program_of(argc, argv);
    Sizes sizes(argc - 1, argv + 1, {{"elements", 20000}, {"queries", 1000}, {"seed", 0}});
    const uint32_t n = sizes["elements"], q = sizes["queries"], seed = sizes["seed"];
    need(n >= 1 && n <= 4000000, "elements: 1 to 4000000");
    // PrIM's: 1, 2, 3 .. and 0, 1, 2 ..
    std::vector<int64_t> x(n), queries(q), want(q);
    Random random(seed);
    for (uint32_t i = 0; i < n; i++)
        x[i] = seed ? (i ? x[i - 1] : -34359738368) + (random() % 64 ? random() % 9 : random())
                    : int64_t{i} + 1;
    for (uint32_t i = 0; i < q; i++) {
        queries[i] = seed ? x[random() % n] + random() % 2 : i;
        auto behind = std::upper_bound(x.begin(), x.end(), queries[i]);
        bool found = behind != x.begin() && behind[-1] == queries[i];
        want[i] = found ? behind - x.begin() - 1 : -1;
    }

    Dpus dpus(program);
    Shares shares(q, dpus.count, 1);
    need(shares.most <= 2000000, "queries: more than MRAM has room for");
    queries.resize(size_t{shares.most} * dpus.count);
    dpus.broadcast("", x);
    dpus.put("", queries, shares.most, 8 * n);
    dpus.broadcast("n", std::vector<uint32_t>{n});
    dpus.put("count", shares.each, 1);
    dpus.broadcast("queries", std::vector<uint32_t>{8 * n});
    dpus.broadcast("places", std::vector<uint32_t>{8 * (n + shares.most)});
    dpus.launch();
    std::vector<int64_t> got = dpus.get<int64_t>("", shares.most, 8 * (n + shares.most));
    dpus.print_times();

    got.resize(q);
    return same("BS", got, want);
}
PRIM(run)
