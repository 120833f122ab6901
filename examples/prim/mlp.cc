// SPDX-License-Identifier: MIT
// MLP: layers of neurons, each a matrix times the layer before it, without what is below zero.
#include "prim.h"

#include <mpu/dappa.hpp>

static uint32_t neurons;

// PrIM's: all but some are 0.  With a seed random numbers of both signs.
static std::vector<int32_t> weights(uint32_t layer, uint32_t seed) {
    std::vector<int32_t> w(size_t{neurons} * neurons);
    Random random(seed + layer);
    for (size_t i = 0; i < w.size(); i++)
        w[i] = seed           ? static_cast<int32_t>(random() % 100) - 50
               : i % 100 < 98 ? 0
                              : static_cast<int32_t>((layer + i) % 2);
    return w;
}

static std::vector<int32_t> inputs(uint32_t seed) {
    std::vector<int32_t> x(neurons);
    for (uint32_t i = 0; i < neurons; i++)
        x[i] = seed          ? static_cast<int32_t>(i * 7 % 50)
               : i % 50 < 48 ? 0
                             : static_cast<int32_t>(i % 2);
    return x;
}

static std::vector<int32_t> host_layer(const std::vector<int32_t> &w,
                                       const std::vector<int32_t> &x) {
    std::vector<int32_t> y(neurons);
    for (uint32_t i = 0; i < neurons; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < neurons; k++)
            sum += static_cast<uint32_t>(w[size_t{i} * neurons + k]) * static_cast<uint32_t>(x[k]);
        y[i] = static_cast<int32_t>(sum) > 0 ? static_cast<int32_t>(sum) : 0;
    }
    return y;
}

static bool run(int argc, char **argv) {
    Sizes sizes(argc, argv, {{"neurons", 256}, {"layers", 3}, {"seed", 0}});
    const uint32_t layers = sizes["layers"], seed = sizes["seed"];
    neurons = sizes["neurons"];
    need(neurons >= 1 && neurons <= 4096, "neurons: 1 to 4096 of a layer");
    need(layers >= 1 && layers <= 100, "layers: 1 to 100");
    using Vector = std::vector<int32_t>;
    std::vector<Vector> w, sums(layers), x(layers + 1, Vector(neurons));
    Vector want = x[0] = inputs(seed);
    for (uint32_t l = 0; l < layers; l++) {
        w.push_back(weights(l, seed));
        want = host_layer(w[l], want);
    }

    Upmem::PipelineFull p(w[0].size());
    p.constant("neurons", neurons);
    for (uint32_t l = 0; l < layers; l++) {
        p.stage(GROUP(([](int32_t *sum, int32_t *row, int32_t *x) {
                          for (uint32_t i = 0; i < neurons; i++)
                              *sum += row[i] * x[i];
                      }),
                      OUTPUT(int32_t, sums[l]), INPUT(int32_t, w[l]), SCALAR(int32_t, x[l])),
                0, neurons);
        p.stage(MAP(([](int32_t *y, int32_t *sum) { *y = *sum > 0 ? *sum : 0; }),
                    OUTPUT(int32_t, x[l + 1]), INPUT(int32_t, sums[l])));
    }
    p.fetch(x[layers]);
    p.execute();
    print_times(p.figure("transfer_in"), p.figure("kernel"), p.figure("transfer_out"));

    return same("MLP", x[layers], want);
}
PRIM(run)
