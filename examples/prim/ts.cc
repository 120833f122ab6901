// SPDX-License-Identifier: MIT
// TS: where a query is most like a time series, by the distance of z-normalized sequences in whole
// numbers, and how far away it is there.
#include "prim.h"

#include <mpu/dappa.hpp>

#include <cmath>

static int32_t query_length;               // of the query
static const int32_t far_away = INT32_MAX; // where a sequence does not vary

struct Moments {
    int32_t mean, deviation;
};
static Moments moments(const int32_t *x) {
    double sum = 0, squares = 0;
    for (int32_t i = 0; i < query_length; i++) {
        sum += x[i];
        squares += static_cast<double>(x[i]) * x[i];
    }
    double mean = sum / query_length;
    return {static_cast<int32_t>(mean),
            static_cast<int32_t>(std::sqrt(std::max(0.0, squares / query_length - mean * mean)))};
}

static int32_t distance(const int32_t *x, Moments at, const int32_t *query, Moments q) {
    int32_t dot = 0;
    for (int32_t i = 0; i < query_length; i++)
        dot += x[i] * query[i];
    int32_t spread = at.deviation * q.deviation;
    return spread ? 2 * (query_length - (dot - query_length * at.mean * q.mean) / spread)
                  : far_away;
}

static std::vector<int32_t> sequence(size_t n, uint32_t seed) {
    std::vector<int32_t> x(n);
    Random random(seed);
    for (size_t i = 0; i < n; i++)
        x[i] = static_cast<int32_t>((seed ? random() : i) % 127);
    return x;
}

static bool run(int argc, char **argv) {
    Sizes sizes(argc, argv, {{"series", 4096}, {"query", 64}, {"seed", 0}});
    const uint32_t n = sizes["series"], m = sizes["query"], places = n - m;
    need(m >= 1 && m <= 4096, "query: 1 to 4096 elements");
    need(n > m, "series: more elements than the query has");
    query_length = static_cast<int32_t>(m);
    std::vector<int32_t> series = sequence(n, sizes["seed"]);
    std::vector<int32_t> query = sequence(m, sizes["seed"] ? sizes["seed"] + 1 : 0);
    std::vector<int32_t> mean(places), deviation(places), dot, far;
    Moments q = moments(query.data());
    int32_t least[3] = {0, 0, 0}; // the distance, the place, and of how many places
    std::vector<int32_t> want = {0, 0, 0};
    for (uint32_t i = 0; i < places; i++) {
        Moments here = moments(&series[i]);
        mean[i] = here.mean;
        deviation[i] = here.deviation;
        int32_t d = distance(&series[i], here, query.data(), q);
        if (i == 0 || d < want[0])
            want = {d, static_cast<int32_t>(i), 0};
    }
    want[2] = static_cast<int32_t>(places);

    Upmem::Pipeline p(places);
    p.constant("query_length", query_length);
    p.constant("far_away", far_away);
    p.stage(WINDOW(([](int32_t *dot, int32_t *x, int32_t *query) {
                       for (int32_t i = 0; i < query_length; i++)
                           *dot += x[i] * query[i];
                   }),
                   OUTPUT(int32_t, dot), INPUT(int32_t, series.data(), &series[places]),
                   SCALAR(int32_t, query)),
            m);
    p.stage(MAP(([](int32_t *far, int32_t *dot, int32_t *mean, int32_t *deviation, int32_t *qmean,
                    int32_t *qdeviation) {
                    int32_t spread = *deviation * *qdeviation;
                    *far = far_away;
                    if (spread != 0)
                        *far = 2 * (query_length - (*dot - query_length * *mean * *qmean) / spread);
                }),
                OUTPUT(int32_t, far), INPUT(int32_t, dot), INPUT(int32_t, mean),
                INPUT(int32_t, deviation), SCALAR(int32_t, q.mean), SCALAR(int32_t, q.deviation)));
    p.stage(REDUCE(([](int32_t *least, int32_t *far) {
                       if (least[2] == 0 || *far < least[0]) {
                           least[0] = *far;
                           least[1] = least[2];
                       }
                       least[2]++;
                   }),
                   REDUCE_OUT(int32_t, least, 3), INPUT(int32_t, far),
                   COMBINE(([](int32_t *a, int32_t *b) {
                       if (b[2] != 0 && (a[2] == 0 || b[0] < a[0])) {
                           a[0] = b[0];
                           a[1] = a[2] + b[1];
                       }
                       a[2] += b[2];
                   }))));
    p.fetch(least);
    p.execute();
    print_times(p.figure("transfer_in"), p.figure("kernel"), p.figure("transfer_out"));

    return same("TS", std::vector<int32_t>(least, least + 3), want);
}
PRIM(run)
