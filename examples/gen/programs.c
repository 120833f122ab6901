/* SPDX-License-Identifier: MIT
 * Inputs and expected outputs of the larger examples, each computed by the textbook's algorithm in
 * plain C and not by the example's. */
#include "examples/gen/write.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned draw(uint64_t *seed, unsigned below) {
    return (unsigned)(next_random(seed) >> 33) % below;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* --- Myers' search: the whole table instead of bit vectors --- */

enum { READS = 150, BASES = 100, PROBE = 64 };

/* A read holds the probe with up to 20 edits, or nothing of it. */
static void draw_read(uint64_t *seed, const uint8_t *probe, uint8_t *read) {
    unsigned rate = draw(seed, 4) ? draw(seed, 30) : 100; /* edits in 100 bases */
    size_t from = 0;
    for (size_t i = 0; i < BASES; i++) {
        read[i] = (uint8_t)draw(seed, 4);
        if (i < 10 || from >= PROBE || draw(seed, 100) < rate)
            from += i >= 10 && draw(seed, 2); /* a base too many or another one */
        else
            read[i] = probe[from++];
    }
}

/* cell[j]: edits between the first j bases of the probe and the best piece that ends here. */
static void next_column(const uint8_t *probe, uint8_t base, unsigned *cell) {
    unsigned diagonal = cell[0];
    for (size_t j = 1; j <= PROBE; j++) {
        unsigned changed = diagonal + (probe[j - 1] != base);
        diagonal = cell[j];
        cell[j] = least(changed, least(cell[j], cell[j - 1]) + 1);
    }
}

static void search(const uint8_t *probe, const uint8_t *read, uint8_t *edits, uint8_t *end) {
    unsigned cell[PROBE + 1];
    for (unsigned j = 0; j <= PROBE; j++)
        cell[j] = j;
    *edits = PROBE;
    *end = 0;
    for (size_t i = 0; i < BASES; i++) {
        next_column(probe, read[i], cell);
        if (cell[PROBE] < *edits) {
            *edits = (uint8_t)cell[PROBE];
            *end = (uint8_t)(i + 1);
        }
    }
}

static void edit_distance(void) {
    static uint8_t read[BASES], edits[READS], end[READS], probe[PROBE];
    static uint64_t packed[READS][4], places[4];
    uint64_t seed = 11;
    for (size_t j = 0; j < PROBE; j++) {
        probe[j] = (uint8_t)draw(&seed, 4);
        places[probe[j]] |= (uint64_t)1 << j;
    }
    for (size_t r = 0; r < READS; r++) {
        draw_read(&seed, probe, read);
        for (size_t i = 0; i < BASES; i++)
            packed[r][i / 25] |= (uint64_t)read[i] << i % 25 * 2;
        search(probe, read, &edits[r], &end[r]);
    }
    write_npy("edit-distance-probe.npy", "<u8", 4, 0, places, sizeof places);
    write_npy("edit-distance-read.npy", "<u8", READS, 4, packed, sizeof packed);
    write_npy("edit-distance-edits.npy", "|u1", READS, 0, edits, sizeof edits);
    write_npy("edit-distance-end.npy", "|u1", READS, 0, end, sizeof end);
}

/* --- sorting --- */

static int by_value(const void *a, const void *b) {
    unsigned x = *(const uint16_t *)a, y = *(const uint16_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(void) {
    enum { N = 150 };
    uint16_t x[N];
    uint64_t seed = 12;
    for (size_t i = 0; i < N; i++)
        x[i] = (uint16_t)draw(&seed, i % 3 ? 65536 : 20); /* some are equal */
    x[0] = 65535;
    x[N - 1] = 0;
    write_npy("sort-x.npy", "<u2", N, 0, x, sizeof x);
    qsort(x, N, sizeof *x, by_value);
    write_npy("sort-y.npy", "<u2", N, 0, x, sizeof x);
}

/* --- CRC-32: long division of a polynomial over GF(2), the first bit of the message being that of
 * its highest power; bytes enter with their lowest bit first, and the remainder leaves so --- */

enum { LONGEST = 16 };

static bool message_bit(const uint8_t *bytes, size_t length, size_t i) {
    bool bit = i / 8 < length && (bytes[i / 8] >> i % 8 & 1);
    return i < 32 ? !bit : bit; /* the first 32 bits are turned over */
}

static uint32_t reversed(uint32_t x) {
    uint32_t y = 0;
    for (int i = 0; i < 32; i++)
        y |= (x >> i & 1) << (31 - i);
    return y;
}

static uint32_t crc32_of(const uint8_t *bytes, size_t length) {
    uint32_t remainder = 0;
    for (size_t i = 0; i < 8 * length + 32; i++) {
        bool carry = remainder >> 31;
        remainder = remainder << 1 | message_bit(bytes, length, i);
        if (carry)
            remainder ^= 0x04C11DB7; /* IEEE 802.3 */
    }
    return ~reversed(remainder);
}

static void crc32(void) {
    enum { N = 150 };
    static uint8_t length[N], message[N][LONGEST];
    static uint32_t crc[N];
    uint64_t seed = 13;
    for (size_t r = 0; r < N; r++) {
        length[r] = (uint8_t)(r <= LONGEST ? r : draw(&seed, LONGEST + 1));
        for (size_t i = 0; i < LONGEST; i++)
            message[r][i] = (uint8_t)draw(&seed, 256);
        if (r == 9)
            memcpy(message[r], "123456789", 9);
        crc[r] = crc32_of(message[r], length[r]);
    }
    if (crc[9] != 0xCBF43926) /* the check value of every catalogue of CRCs */
        exit(1);
    write_npy("crc32-length.npy", "|u1", N, 0, length, sizeof length);
    write_npy("crc32-message.npy", "|u1", N, LONGEST, message, sizeof message);
    write_npy("crc32-crc.npy", "<u4", N, 0, crc, sizeof crc);
}

/* --- k-means --- */

enum { POINTS = 150, CLUSTERS = 4 };

struct cloud {
    int16_t x[POINTS], y[POINTS], cx[CLUSTERS], cy[CLUSTERS];
    uint8_t label[POINTS];
};

static uint8_t nearest(const struct cloud *c, size_t i) {
    int64_t best = INT64_MAX;
    uint8_t label = 0;
    for (uint8_t k = 0; k < CLUSTERS; k++) {
        int64_t dx = c->x[i] - c->cx[k], dy = c->y[i] - c->cy[k];
        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            label = k;
        }
    }
    return label;
}

static void recentre(struct cloud *c, uint8_t k) {
    int64_t x = 0, y = 0, n = 0;
    for (size_t i = 0; i < POINTS; i++) {
        if (c->label[i] != k)
            continue;
        x += c->x[i];
        y += c->y[i];
        n++;
    }
    if (n) {
        c->cx[k] = (int16_t)(x / n);
        c->cy[k] = (int16_t)(y / n);
    }
}

/* Four clouds of points that overlap a little; the last point lies far away from all. */
static void draw_points(struct cloud *c) {
    static const int16_t centre[CLUSTERS][2] = {
        {-9000, 4000}, {5000, 9000}, {8000, -7000}, {-2000, -8000}};
    uint64_t seed = 14;
    for (size_t i = 0; i < POINTS; i++) {
        unsigned k = draw(&seed, CLUSTERS);
        c->x[i] = (int16_t)(centre[k][0] + (int)draw(&seed, 9000) - 4500);
        c->y[i] = (int16_t)(centre[k][1] + (int)draw(&seed, 9000) - 4500);
    }
    c->x[POINTS - 1] = 20000;
    c->y[POINTS - 1] = -20000;
}

static void kmeans(void) {
    static struct cloud c;
    draw_points(&c);
    memcpy(c.cx, c.x, sizeof c.cx);
    memcpy(c.cy, c.y, sizeof c.cy);
    for (int round = 0; round < 8; round++) {
        for (size_t i = 0; i < POINTS; i++)
            c.label[i] = nearest(&c, i);
        for (uint8_t k = 0; k < CLUSTERS; k++)
            recentre(&c, k);
    }
    write_npy("kmeans-x.npy", "<i2", POINTS, 0, c.x, sizeof c.x);
    write_npy("kmeans-y.npy", "<i2", POINTS, 0, c.y, sizeof c.y);
    write_npy("kmeans-label.npy", "|u1", POINTS, 0, c.label, sizeof c.label);
    write_npy("kmeans-cx.npy", "<i2", CLUSTERS, 0, c.cx, sizeof c.cx);
    write_npy("kmeans-cy.npy", "<i2", CLUSTERS, 0, c.cy, sizeof c.cy);
}

/* --- stencils --- */

enum { H = 14, W = 18 };

static unsigned neighbours(uint8_t (*cell)[W], int i, int j) {
    unsigned n = 0;
    for (int k = 0; k < 9; k++)
        if (k != 4)
            n += cell[(i + k / 3 - 1 + H) % H][(j + k % 3 - 1 + W) % W];
    return n;
}

static void generation(uint8_t (*cell)[W]) {
    uint8_t next[H][W];
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            unsigned n = neighbours(cell, i, j);
            next[i][j] = n == 3 || (n == 2 && cell[i][j]);
        }
    memcpy(cell, next, sizeof next);
}

static void life(void) {
    static uint8_t cell[H][W];
    uint64_t seed = 15;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            cell[i][j] = draw(&seed, 3) == 0;
    write_npy("life-start.npy", "|u1", H, W, cell, sizeof cell);
    for (int t = 0; t < 10; t++)
        generation(cell);
    write_npy("life-alive.npy", "|u1", H, W, cell, sizeof cell);
}

enum { TILE_H = 8, TILE_W = 10, PLATE_H = 2 * TILE_H, PLATE_W = 3 * TILE_W };

/* The mean of nine points with weights 1 2 1, 2 4 2, 1 2 1; outside it is 0. */
static uint16_t mean(uint16_t (*plate)[PLATE_W], int i, int j) {
    static const unsigned weight[] = {1, 2, 1};
    unsigned sum = 0;
    for (int k = 0; k < 9; k++) {
        int y = i + k / 3 - 1, x = j + k % 3 - 1;
        if (y >= 0 && y < PLATE_H && x >= 0 && x < PLATE_W)
            sum += weight[k / 3] * weight[k % 3] * plate[y][x];
    }
    return (uint16_t)(sum / 16);
}

static void write_tiles(const char *path, uint16_t (*plate)[PLATE_W]) {
    static uint16_t tiles[2][3][TILE_H][TILE_W];
    const size_t shape[] = {2, 3, TILE_H, TILE_W};
    for (size_t i = 0; i < PLATE_H; i++)
        for (size_t j = 0; j < PLATE_W; j++)
            tiles[i / TILE_H][j / TILE_W][i % TILE_H][j % TILE_W] = plate[i][j];
    write_npy_shape(path, "<u2", shape, 4, tiles, sizeof tiles);
}

static void heat(void) {
    static uint16_t plate[PLATE_H][PLATE_W], next[PLATE_H][PLATE_W];
    uint64_t seed = 21;
    for (size_t i = 0; i < PLATE_H * PLATE_W; i++)
        plate[i / PLATE_W][i % PLATE_W] = (uint16_t)draw(&seed, 4096);
    write_tiles("heat-start.npy", plate);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < PLATE_H * PLATE_W; i++)
            next[i / PLATE_W][i % PLATE_W] = mean(plate, i / PLATE_W, i % PLATE_W);
        memcpy(plate, next, sizeof plate);
    }
    write_tiles("heat-heat.npy", plate);
}

/* --- a maze: breadth first from cell 0 --- */

enum { MAZE_H = 11, MAZE_W = 14, CELLS = MAZE_H * MAZE_W, NEVER = 65535 };

static void visit(const uint8_t *wall, uint16_t *steps) {
    size_t queue[CELLS], count = 0;
    static const int dy[] = {-1, 1, 0, 0}, dx[] = {0, 0, -1, 1};
    steps[0] = 0;
    queue[count++] = 0;
    for (size_t next = 0; next < count; next++)
        for (int k = 0; k < 4; k++) {
            int y = (int)queue[next] / MAZE_W + dy[k], x = (int)queue[next] % MAZE_W + dx[k];
            if (y < 0 || y >= MAZE_H || x < 0 || x >= MAZE_W)
                continue;
            size_t to = (size_t)(y * MAZE_W + x);
            if (wall[to] || steps[to] != NEVER)
                continue;
            steps[to] = (uint16_t)(steps[queue[next]] + 1);
            queue[count++] = to;
        }
}

static void maze(void) {
    static uint8_t wall[CELLS];
    static uint16_t steps[CELLS];
    uint64_t seed = 27, reached = 0, farthest = 0;
    for (size_t i = 0; i < CELLS; i++) {
        wall[i] = i && draw(&seed, 10) < 3;
        steps[i] = NEVER;
    }
    visit(wall, steps);
    for (size_t i = 0; i < CELLS; i++) {
        if (steps[i] == NEVER)
            continue;
        reached++;
        if (steps[i] > steps[farthest])
            farthest = i;
    }
    write_npy("maze-wall.npy", "|b1", MAZE_H, MAZE_W, wall, sizeof wall);
    write_npy("maze-steps.npy", "<u2", MAZE_H, MAZE_W, steps, sizeof steps);
    write_npy("maze-reached.npy", "<u8", 0, 0, &reached, sizeof reached);
    write_npy("maze-farthest.npy", "<u8", 0, 0, &farthest, sizeof farthest);
}

static void histogram(void) {
    enum { N = 500 };
    static uint8_t x[N];
    static uint16_t bins[16];
    uint64_t seed = 16;
    for (size_t i = 0; i < N; i++) {
        unsigned most = 16 + draw(&seed, 240); /* bins of several sizes */
        x[i] = (uint8_t)least(draw(&seed, 256), most);
        bins[x[i] / 16]++;
    }
    write_npy("histogram-x.npy", "|u1", N, 0, x, sizeof x);
    write_npy("histogram-bins.npy", "<u2", 16, 0, bins, sizeof bins);
}

static void outliers(void) {
    enum { N = 600 };
    static uint32_t reading[N], place[N], excess[N];
    uint64_t seed = 23, total = 0;
    uint32_t found = 0, most = 0;
    for (size_t i = 0; i < N; i++) {
        reading[i] = 1000 + draw(&seed, 200);
        if (draw(&seed, 12) == 0)
            reading[i] += draw(&seed, 1000);
        total += reading[i];
    }
    uint32_t limit = (uint32_t)(total / N);
    limit += limit / 4;
    for (size_t i = 0; i < N; i++) {
        if (reading[i] <= limit)
            continue;
        place[found] = (uint32_t)i;
        excess[found] = reading[i] - limit;
        most = excess[found] > most ? excess[found] : most;
        found++;
    }
    write_npy("outliers-reading.npy", "<u4", N, 0, reading, sizeof reading);
    write_npy("outliers-place.npy", "<u4", found, 0, place, found * sizeof *place);
    write_npy("outliers-excess.npy", "<u4", found, 0, excess, found * sizeof *excess);
    write_npy("outliers-found.npy", "<u4", 0, 0, &found, sizeof found);
    write_npy("outliers-most.npy", "<u4", 0, 0, &most, sizeof most);
}

/* --- several MPUs --- */

static void systolic(void) {
    enum { M = 150 };
    static int32_t a[2][M], b[2][M], c[2][M];
    const size_t shape[] = {2, M};
    uint64_t seed = 17;
    for (size_t i = 0; i < 2 * M; i++) {
        a[i / M][i % M] = (int32_t)draw(&seed, 40000) - 20000;
        b[i / M][i % M] = (int32_t)draw(&seed, 40000) - 20000;
    }
    for (size_t i = 0; i < 2 * M; i++)
        c[i / M][i % M] = a[i / M][i % M] * (b[0][i % M] + b[1][i % M]);
    write_npy_shape("systolic-a.npy", "<i4", shape, 2, a, sizeof a);
    write_npy_shape("systolic-b.npy", "<i4", shape, 2, b, sizeof b);
    write_npy_shape("systolic-c.npy", "<i4", shape, 2, c, sizeof c);
}

static void allreduce(void) {
    enum { MPUS = 16, PART = 16 * 5 };
    static int32_t x[MPUS][PART], total[MPUS][PART];
    const size_t shape[] = {MPUS, 16, PART / 16};
    uint64_t seed = 18;
    for (size_t i = 0; i < MPUS * PART; i++)
        x[i / PART][i % PART] = (int32_t)(next_random(&seed) >> 36) - (1 << 27);
    for (size_t k = 0; k < MPUS; k++)
        for (size_t i = 0; i < MPUS * PART; i++)
            total[k][i % PART] += x[i / PART][i % PART];
    write_npy_shape("allreduce-x.npy", "<i4", shape, 3, x, sizeof x);
    write_npy_shape("allreduce-total.npy", "<i4", shape, 3, total, sizeof total);
}

enum { ROWS = 4, COLUMNS = 6, PAIRS = 70 };

/* table[i][j]: edits between the first i letters of the one and the first j of the other. */
static void fill_table(const char *a, const char *b, unsigned (*table)[4 * COLUMNS + 1]) {
    for (unsigned i = 0; i <= 4 * ROWS; i++)
        for (unsigned j = 0; j <= 4 * COLUMNS; j++)
            table[i][j] = i == 0 || j == 0 ? i + j
                                           : least(table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                                   1 + least(table[i - 1][j], table[i][j - 1]));
}

/* The second word is the first with some letters changed and some put in. */
static void draw_words(uint64_t *seed, char *a, char *b) {
    size_t used = 0;
    for (size_t i = 0; i < 4 * ROWS; i++)
        a[i] = (char)('a' + draw(seed, 4));
    for (size_t j = 0; j < 4 * COLUMNS; j++) {
        bool copied = used < 4 * ROWS && draw(seed, 3);
        b[j] = copied ? a[used++] : (char)('a' + draw(seed, 4));
    }
}

static void grid_edit(void) {
    static uint8_t a[ROWS][COLUMNS][PAIRS][4], b[ROWS][COLUMNS][PAIRS][4];
    static uint8_t distance[ROWS][COLUMNS][PAIRS];
    const size_t shape[] = {ROWS, COLUMNS, PAIRS, 4};
    uint64_t seed = 19;
    for (size_t i = 0; i < PAIRS; i++) {
        char first[4 * ROWS], second[4 * COLUMNS];
        unsigned table[4 * ROWS + 1][4 * COLUMNS + 1];
        draw_words(&seed, first, second);
        fill_table(first, second, table);
        for (size_t k = 0; k < 4 * ROWS; k++)
            a[k / 4][0][i][k % 4] = (uint8_t)first[k];
        for (size_t k = 0; k < 4 * COLUMNS; k++)
            b[0][k / 4][i][k % 4] = (uint8_t)second[k];
        for (size_t k = 0; k < ROWS * COLUMNS; k++)
            distance[k / COLUMNS][k % COLUMNS][i] =
                (uint8_t)table[k / COLUMNS * 4 + 4][k % COLUMNS * 4 + 4];
    }
    write_npy_shape("grid-edit-a.npy", "|u1", shape, 4, a, sizeof a);
    write_npy_shape("grid-edit-b.npy", "|u1", shape, 4, b, sizeof b);
    write_npy_shape("grid-edit-distance.npy", "|u1", shape, 3, distance, sizeof distance);
}

/* --- a linked list --- */

/* Element order[p] stands at place p. */
static void chain(void) {
    enum { N = 150 };
    static uint16_t link[N], place[N], order[N];
    static uint8_t word[N], row[N];
    uint64_t seed = 23;
    for (uint16_t i = 0; i < N; i++) {
        size_t k = next_random(&seed) % (i + 1u);
        order[i] = order[k];
        order[k] = i;
        word[i] = (uint8_t)draw(&seed, 256);
    }
    for (uint16_t p = 0; p < N; p++) {
        link[order[p]] = order[p + 1 < N ? p + 1 : p];
        place[order[p]] = p;
        row[p] = word[order[p]];
    }
    write_npy("chain-link.npy", "<u2", N, 0, link, sizeof link);
    write_npy("chain-word.npy", "|u1", N, 0, word, sizeof word);
    write_npy("chain-row.npy", "|u1", N, 0, row, sizeof row);
    write_npy("chain-place.npy", "<u2", N, 0, place, sizeof place);
    write_npy("chain-order.npy", "<u2", N, 0, order, sizeof order);
}

/* --- factors, by a sieve --- */

static void factor(void) {
    enum { N = 150, BELOW = 1 << 16 };
    static uint16_t least_factor[BELOW], x[N], factor[N];
    static uint8_t kind[N];
    uint64_t seed = 22;
    for (uint32_t d = 2; d < BELOW; d++)
        for (uint32_t m = d; m < BELOW; m += d)
            if (!least_factor[m])
                least_factor[m] = (uint16_t)d;
    for (size_t i = 0; i < N; i++) {
        x[i] = (uint16_t)(i < 60 ? i : draw(&seed, i < 140 ? 2500 : BELOW));
        factor[i] = x[i] < 2 ? x[i] : least_factor[x[i]];
        unsigned power = factor[i];
        while (x[i] > 1 && power < x[i])
            power *= factor[i];
        kind[i] = x[i] < 2 ? 0 : factor[i] == x[i] ? 1 : power == x[i] ? 2 : 3;
    }
    write_npy("factor-x.npy", "<u2", N, 0, x, sizeof x);
    write_npy("factor-factor.npy", "<u2", N, 0, factor, sizeof factor);
    write_npy("factor-kind.npy", "|u1", N, 0, kind, sizeof kind);
}

/* --- angles; what they should give is known to the test of the fixed-point library --- */

static void cordic(void) {
    enum { N = 150, QUARTER = 1686629713 /* pi / 2, 30 bits behind the point */ };
    static int32_t turn[N];
    uint64_t seed = 20;
    for (size_t i = 0; i < N; i++)
        turn[i] = (int32_t)((int64_t)(next_random(&seed) % (2 * (uint64_t)QUARTER + 1)) - QUARTER);
    turn[0] = 0;
    turn[1] = QUARTER;
    turn[2] = -QUARTER;
    write_npy("cordic-turn.npy", "<i4", N, 0, turn, sizeof turn);
}

int main(int argc, char **argv) {
    enter_folder(argc > 1 ? argv[1] : ".");
    edit_distance();
    sort();
    crc32();
    kmeans();
    life();
    heat();
    maze();
    histogram();
    outliers();
    chain();
    systolic();
    allreduce();
    grid_edit();
    factor();
    cordic();
    return 0;
}
