// SPDX-License-Identifier: MIT
// NW: the scores of all alignments of two sequences, Needleman and Wunsch's table.  It is made in
// blocks; those of a diagonal are worked on at once, shared out among the DPUs (nw.s).
#include "dpus.h"

// How alike two amino acids are, the first eleven of BLOSUM62: A R N D C Q E G H I L.
static const int8_t blosum[11][11] = {
    {4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1},  {-1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2},
    {-2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3},      {-2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4},
    {0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1}, {-1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2},
    {-1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3},     {0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4},
    {-2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3},    {-1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2},
    {-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4},
};

// Scores, with a row and a column in front; whole blocks, so that more than is asked for is worked
// out.
struct Table {
    size_t n, width;
    std::vector<int32_t> scores;
    std::vector<uint32_t> down, across; // sequences
    int32_t penalty;

    Table(size_t rows, int32_t p) : n(rows), width(rows + 1), scores(width * width), penalty(p) {
        Random random(7);
        for (size_t i = 0; i < n; i++)
            down.push_back(random() % 10 + 1);
        for (size_t i = 0; i < n; i++)
            across.push_back(random() % 10 + 1);
        for (size_t i = 1; i <= n; i++)
            at(i, 0) = at(0, i) = -static_cast<int32_t>(i) * penalty;
    }
    int32_t &at(size_t row, size_t column) {
        return scores[row * width + column];
    }
    int32_t alike(size_t row, size_t column) const {
        return blosum[down[row - 1]][across[column - 1]];
    }
    void fill() {
        for (size_t i = 1; i <= n; i++)
            for (size_t j = 1; j <= n; j++)
                at(i, j) = std::max(at(i - 1, j - 1) + alike(i, j),
                                    std::max(at(i - 1, j), at(i, j - 1)) - penalty);
    }
};

// A block as nw.s has it; row and column are those of its first score.
static void pack(Table &t, size_t row, size_t column, size_t b, int32_t *to) {
    for (size_t k = 0; k <= b; k++)
        to[1 + k] = t.at(row - 1, column - 1 + k);
    to += b + 2;
    for (size_t k = 0; k < b; k++)
        *to++ = t.at(row + k, column - 1);
    for (size_t k = 0; k < b * b; k++)
        *to++ = t.alike(row + k / b, column + k % b);
}

// Blocks first .. last of diagonal d, and what they are in the table.
static void diagonal(Dpus &dpus, Table &t, size_t d, size_t b) {
    const size_t side = t.n / b, first = d < side ? 0 : d - side + 1,
                 count = std::min(d + 1, side) - first;
    const size_t words = (b + 2) + b + 2 * b * b;
    Shares shares(count, dpus.count, 1);
    need(shares.most * words <= 16000000, "rows: a diagonal has more than MRAM has room for");
    std::vector<int32_t> blocks(dpus.count * shares.most * words);
    for (size_t i = 0; i < count; i++)
        pack(t, (d - first - i) * b + 1, (first + i) * b + 1, b, &blocks[i * words]);
    dpus.put("", blocks, shares.most * words);
    dpus.put("blocks", shares.each, 1);
    dpus.launch();
    blocks = dpus.get<int32_t>("", shares.most * words);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < b * b; k++)
            t.at((d - first - i) * b + 1 + k / b, (first + i) * b + 1 + k % b) =
                blocks[(i + 1) * words - b * b + k];
}

static bool run(int argc, char **argv) {
    std::string program = program_of(argc, argv);
    Sizes sizes(argc - 1, argv + 1, {{"rows", 256}, {"penalty", 1}});
    const uint32_t n = sizes["rows"];
    need(n <= 16384, "rows: 16384 at most");
    need(sizes["penalty"] <= 1000, "penalty: 1000 at most");

    Dpus dpus(program);
    const size_t b = dpus.number("block_rows"), whole = (n + b - 1) / b * b;
    Table made(whole, static_cast<int32_t>(sizes["penalty"])), want = made;
    want.fill();
    dpus.broadcast("penalty", std::vector<int32_t>{made.penalty});
    for (size_t d = 0; whole && d < 2 * whole / b - 1; d++)
        diagonal(dpus, made, d, b);
    dpus.print_times();

    return same("NW", made.scores, want.scores);
}
PRIM(run)
