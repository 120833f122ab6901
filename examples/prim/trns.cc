// SPDX-License-Identifier: MIT
// TRNS: a matrix is transposed in place, in PrIM's three steps.  It has bands * rows rows and
// blocks * columns columns.  The host gives each DPU a block of columns, which is a tile of
// rows * columns numbers in each band (1); DPUs transpose the tiles (2) and move the pieces to
// their places (3, trns.s).
#include "dpus.h"

static bool run(int argc, char **argv) {
    std::string program = program_of(argc, argv);
    Sizes sizes(argc - 1, argv + 1, {{"bands", 64}, {"rows", 16}, {"blocks", 64}, {"columns", 8}});
    const uint32_t bands = sizes["bands"], m = sizes["rows"], blocks = sizes["blocks"],
                   n = sizes["columns"];
    need(m >= 1 && n >= 1 && uint64_t{m} * n <= 128, "rows * columns: 1 to 128 numbers of a tile");
    need(uint64_t{bands} * blocks <= 1 << 20, "bands * blocks: 1048576 tiles at most");
    const size_t height = size_t{bands} * m, width = size_t{blocks} * n, block = height * n;
    std::vector<int64_t> x(height * width), want(x.size()), got;
    Random random(0);
    for (size_t i = 0; i < x.size(); i++)
        want[i % width * height + i / width] = x[i] = random();

    Dpus dpus(program);
    need(uint64_t{bands} * n <= dpus.number("most_places"),
         "bands * columns: " + std::to_string(dpus.number("most_places")) +
             " pieces at most with this program");
    need(block <= 8000000, "bands * rows * columns: more than MRAM has room for");
    dpus.broadcast("tiles", std::vector<uint32_t>{bands});
    dpus.broadcast("rows", std::vector<uint32_t>{m});
    dpus.broadcast("columns", std::vector<uint32_t>{n});
    for (uint32_t first = 0; first < blocks; first += dpus.count) {
        for (size_t row = 0; row < height; row++) {
            std::vector<int64_t> pieces(x.begin() + row * width + first * n,
                                        x.begin() + row * width +
                                            std::min<size_t>(width, (first + dpus.count) * n));
            pieces.resize(dpus.count * n);
            dpus.put("", pieces, n, static_cast<uint32_t>(8 * row * n));
        }
        for (uint32_t kernel : {0, 1}) {
            dpus.broadcast("kernel", std::vector<uint32_t>{kernel});
            dpus.launch();
        }
        std::vector<int64_t> part = dpus.get<int64_t>("", block);
        got.insert(got.end(), part.begin(), part.end());
    }
    dpus.print_times();

    got.resize(x.size());
    return same("TRNS", got, want);
}
PRIM(run)
