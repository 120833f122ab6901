// SPDX-License-Identifier: MIT
// SpMV: a sparse matrix times a vector.  In format ELL each row has as many places as the longest
// one has numbers; what is left of a row is zeros in column 0.
#include "prim.h"

#include <mpu/dappa.hpp>

#include <algorithm>
#include <fstream>

static uint32_t width; // of the longest row

struct Sparse {
    uint32_t rows = 0, columns = 0;
    std::vector<std::vector<uint32_t>> places; // [rows]: columns of what is not zero
};

// PrIM's text: rows, columns, how many numbers; of each its row and column, from 1 on.
static Sparse read(const std::string &path) {
    std::ifstream in(path);
    Sparse m;
    size_t count = 0;
    uint32_t row = 0, column = 0;
    need(static_cast<bool>(in >> m.rows >> m.columns >> count), path + ": no matrix");
    m.places.resize(m.rows);
    for (size_t i = 0; i < count; i++) {
        need(in >> row >> column && row >= 1 && row <= m.rows && column >= 1 && column <= m.columns,
             path + ": number " + std::to_string(i + 1) + " has no place in the matrix");
        m.places[row - 1].push_back(column - 1);
    }
    return m;
}

// Rows of 0 to `longest` numbers.
static Sparse random_matrix(uint32_t rows, uint32_t columns, uint32_t longest) {
    Sparse m{rows, columns, std::vector<std::vector<uint32_t>>(rows)};
    Random random(rows + columns);
    for (auto &row : m.places)
        for (uint32_t i = random() % (longest + 1); i > 0; i--)
            row.push_back(random() % columns);
    return m;
}

// Without a seed PrIM's numbers, ones.
static bool run(int argc, char **argv) {
    Sizes sizes(argc, argv,
                {{"rows", 1000}, {"columns", 500}, {"longest", 12}, {"seed", 0}, {"file", 0}});
    need(sizes["columns"] >= 1, "columns: 1 at least");
    Sparse m = sizes.file.empty() ? random_matrix(sizes["rows"], sizes["columns"], sizes["longest"])
                                  : read(sizes.file);
    need(m.columns <= 65536, "columns: 65536 at most, since all DPUs have the whole vector");
    width = 1;
    for (const auto &row : m.places)
        width = std::max(width, static_cast<uint32_t>(row.size()));

    std::vector<float> x(m.columns), values(size_t{m.rows} * width), products, y(m.rows),
        want(m.rows);
    std::vector<uint32_t> columns(values.size());
    const uint32_t seed = sizes["seed"];
    Random random(seed);
    for (float &v : x)
        v = seed ? static_cast<float>(random() % 1000) / 7 : 1;
    for (uint32_t r = 0; r < m.rows; r++)
        for (size_t i = 0; i < m.places[r].size(); i++) {
            columns[size_t{r} * width + i] = m.places[r][i];
            float value = seed ? static_cast<float>(random() % 100) - 50 : 1;
            values[size_t{r} * width + i] = value;
            float product = value * x[m.places[r][i]];
            want[r] += product;
        }

    Upmem::Pipeline p(values.size());
    p.constant("width", width);
    p.stage(MAP(([](float *product, float *value, uint32_t *column, float *x) {
                    *product = *value * x[*column];
                }),
                OUTPUT(float, products), INPUT(float, values), INPUT(uint32_t, columns),
                SCALAR(float, x)));
    p.stage(GROUP(([](float *y, float *product) {
                      for (uint32_t i = 0; i < width; i++)
                          *y += product[i];
                  }),
                  OUTPUT(float, y), INPUT(float, products)),
            0, width);
    p.fetch(y);
    p.execute();
    print_times(p.figure("transfer_in"), p.figure("kernel"), p.figure("transfer_out"));

    return same("SpMV", y, want);
}
PRIM(run)
