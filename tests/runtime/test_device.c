/* SPDX-License-Identifier: MIT
 * Vectors on a device: random graphs of all operations against a host that works each of them out
 * by itself, with flushes anywhere, cold and warm, in chunks and spilled. */
#include "device.h"
#include "random_graph.h"
#include "support/bits.h"
#include "support/ieee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "pypim"};
enum { TARGETS = sizeof targets / sizeof *targets };

static void play_on(mpu_device *device, uint64_t n, uint64_t seed, unsigned steps, bool floats,
                    unsigned flushes) {
    graph_play(
        (struct play){.d = device, .n = n, .seed = seed, .floats = floats, .flushes = flushes},
        steps);
}

/* Cold, then warm: the second time no program is new. */
static void graphs(void **state) {
    static const uint64_t lengths[] = {1, 63, 513, 4099};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        /* Under sanitizers every other length, the others on the next target, and a third of the
         * steps. */
        for (unsigned k = MPU_SANITIZED ? t % 2 : 0; k < 4; k += MPU_SANITIZED ? 2 : 1) {
            const unsigned steps = MPU_SANITIZED ? 20 : 60;
            play_on(d, lengths[k], 100 * t + k, steps, false, k * 5);
            uint64_t made = figure(d, "graph.programs");
            play_on(d, lengths[k], 100 * t + k, steps, false, k * 5);
            assert_true(figure(d, "graph.programs") <= made + 60);
        }
        close_device(d, target);
    }
}

static void floats(void **state) {
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        play_on(d, 130, 7 + t, 60, true, 20);
        close_device(d, target);
    }
}

/* ---- operations on several elements ---- */

struct source {
    mpu_device *d;
    mpu_vector *v;
    mpu_vtype type;
    uint64_t n, *x;
    mpu_error *e;
};

static struct source source_of(mpu_device *device, mpu_vtype type, uint64_t n, uint64_t seed) {
    struct play p = {.d = device, .n = n, .seed = seed};
    struct source s = {
        device, mpu_vector_new(device, type, n, NULL), type, n, calloc(n, sizeof *s.x), NULL};
    struct mirror m = {.v = s.v, .type = type, .x = s.x};
    graph_put_random(&p, &m, 0, n);
    return s;
}

static void close_source(struct source *source) {
    mpu_vector_release(source->v);
    free(source->x);
}

/* Releases the vector and `want`. */
static void expect(struct source *source, mpu_vector *v, mpu_vtype type, uint64_t n, uint64_t *want,
                   const char *what) {
    struct play p = {.d = source->d, .n = n, .e = source->e};
    struct mirror m = {.v = v, .type = type, .x = want, .made_by = what};
    if (!v)
        fail_msg("%s: %s", what, mpu_error_text(source->e));
    assert_int_equal(mpu_vector_length(v), n);
    for (uint64_t i = 0; i < n; i++)
        want[i] &= low_bits(type.bits);
    graph_check(&p, &m);
    graph_drop(&m);
}

static uint64_t combine(mpu_op op, mpu_vtype type, uint64_t x, uint64_t y) {
    const uint64_t both[3] = {x, y};
    return graph_result(op, type, type, both) & low_bits(type.bits);
}

static uint64_t fold_host(mpu_op op, mpu_vtype from, mpu_vtype type, const uint64_t *x,
                          uint64_t n) {
    uint64_t *y = calloc(n, sizeof *y);
    for (uint64_t i = 0; i < n; i++)
        y[i] = graph_cast(x[i], from, type) & low_bits(type.bits);
    for (; n > 1; n = (n + 1) / 2)
        for (uint64_t i = 0; i < n; i += 2)
            y[i / 2] = i + 1 < n ? combine(op, type, y[i], y[i + 1]) : y[i];
    uint64_t result = y[0];
    free(y);
    return result;
}

static void fold_one(struct source *source, mpu_op op, mpu_vtype type, uint64_t segment) {
    uint64_t count = source->n / segment * segment, n = count / segment;
    uint64_t first = source->n - count, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++)
        want[i] = fold_host(op, source->type, type, source->x + first + i * segment, segment);
    expect(source, mpu_fold(source->v, op, type, first, count, segment, &source->e), type, n, want,
           "fold");
}

/* Whether y takes the place of x as the first of the largest, or (MPU_OP_ARGMIN) least. */
static bool wins(mpu_op op, mpu_vtype type, uint64_t x, uint64_t y) {
    if (graph_is_float(type) && ieee_is_nan(graph_format_of(type), x))
        return false;
    if (graph_is_float(type) && ieee_is_nan(graph_format_of(type), y))
        return true;
    return graph_result(op == MPU_OP_ARGMIN ? MPU_OP_LT : MPU_OP_GT, type, type,
                        (const uint64_t[]){y, x, 0});
}

static void place_one(struct source *source, mpu_op op, uint64_t segment) {
    static const mpu_vtype type = {MPU_KIND_INT, 64};
    uint64_t n = source->n / segment, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 1; k < segment; k++)
            if (wins(op, source->type, source->x[i * segment + want[i]],
                     source->x[i * segment + k]))
                want[i] = k;
    expect(source, mpu_fold(source->v, op, type, 0, n * segment, segment, &source->e), type, n,
           want, "place");
}

/* -0 is before +0, and what is not a number last. */
static bool before(mpu_vtype type, uint64_t x, uint64_t y) {
    if (!graph_is_float(type))
        return graph_number(x, type) < graph_number(y, type);
    if (ieee_is_nan(graph_format_of(type), x) || ieee_is_nan(graph_format_of(type), y))
        return !ieee_is_nan(graph_format_of(type), x);
    if (ieee_is_zero(graph_format_of(type), x) && ieee_is_zero(graph_format_of(type), y))
        return x > y;
    return ieee_less(graph_format_of(type), x, y);
}

static void sort_one(struct source *source, uint64_t segment) {
    uint64_t n = source->n, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = i, x = source->x[i];
        if (graph_is_float(source->type) && ieee_is_nan(graph_format_of(source->type), x) &&
            segment > 1)
            x = ieee_nan(graph_format_of(source->type));
        for (; k % segment && before(source->type, x, want[k - 1]); k--)
            want[k] = want[k - 1];
        want[k] = x;
    }
    expect(source, mpu_sort(source->v, segment, &source->e), source->type, n, want, "sort");
}

/* Takes in the element before, the one two before, four before: the order matters to floats. */
static void scan_segment(mpu_op op, mpu_vtype type, uint64_t *x, uint64_t n) {
    if (graph_is_float(type) && n > 1 && ieee_is_nan(graph_format_of(type), x[0]))
        x[0] = ieee_nan(graph_format_of(type));
    for (uint64_t step = 1; step < n; step *= 2)
        for (uint64_t i = n; i-- > step;)
            x[i] = combine(op, type, x[i - step], x[i]);
}

static void scan_segments(struct source *source, mpu_op op, mpu_vtype type, uint64_t segment) {
    uint64_t *want = calloc(source->n, sizeof *want);
    for (uint64_t i = 0; i < source->n; i++)
        want[i] = graph_cast(source->x[i], source->type, type) & low_bits(type.bits);
    for (uint64_t i = 0; i < source->n; i += segment)
        scan_segment(op, type, want + i, segment);
    mpu_vector *v = segment == source->n
                        ? mpu_scan(source->v, op, type, &source->e)
                        : mpu_scan_segments(source->v, op, type, segment, &source->e);
    expect(source, v, type, source->n, want, "scan");
}

static void scan_one(struct source *source, mpu_op op, mpu_vtype type) {
    scan_segments(source, op, type, source->n);
}

/* ---- along an axis of three ---- */

static void sort_line(mpu_vtype type, uint64_t *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = i, y = x[i];
        if (graph_is_float(type) && n > 1 && ieee_is_nan(graph_format_of(type), y))
            y = ieee_nan(graph_format_of(type));
        for (; k && before(type, y, x[k - 1]); k--)
            x[k] = x[k - 1];
        x[k] = y;
    }
}

static uint64_t place_in(mpu_op op, mpu_vtype type, const uint64_t *x, uint64_t n) {
    uint64_t best = 0;
    for (uint64_t k = 1; k < n; k++)
        if (wins(op, type, x[best], x[k]))
            best = k;
    return best;
}

/* Of some x extent x inner elements: line i begins at some element, and they are `inner` apart. */
static void along_axis(struct source *source, uint64_t extent, uint64_t inner) {
    static const mpu_vtype places = {MPU_KIND_INT, 64};
    mpu_op op = inner % 2 ? MPU_OP_ARGMIN : MPU_OP_ARGMAX;
    mpu_vtype type = source->type;
    uint64_t n = source->n, lines = n / extent, *line = calloc(extent, sizeof *line);
    uint64_t *sums = calloc(lines, sizeof *sums), *best = calloc(lines, sizeof *best),
             *sorted = calloc(n, sizeof *sorted), *running = calloc(n, sizeof *running);
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t at = i / inner * inner * extent + i % inner;
        for (uint64_t k = 0; k < extent; k++)
            line[k] = source->x[at + k * inner];
        sums[i] = fold_host(MPU_OP_ADD, type, type, line, extent);
        best[i] = place_in(op, type, line, extent);
        scan_segment(MPU_OP_ADD, type, line, extent);
        for (uint64_t k = 0; k < extent; k++) {
            running[at + k * inner] = line[k];
            line[k] = source->x[at + k * inner];
        }
        sort_line(type, line, extent);
        for (uint64_t k = 0; k < extent; k++)
            sorted[at + k * inner] = line[k];
    }
    free(line);
    expect(source, mpu_fold_axis(source->v, MPU_OP_ADD, type, extent, inner, &source->e), type,
           lines, sums, "fold along an axis");
    expect(source, mpu_fold_axis(source->v, op, places, extent, inner, &source->e), places, lines,
           best, "place along an axis");
    expect(source, mpu_scan_axis(source->v, MPU_OP_ADD, type, extent, inner, &source->e), type, n,
           running, "scan along an axis");
    expect(source, mpu_sort_axis(source->v, extent, inner, &source->e), type, n, sorted,
           "sort along an axis");
}

/* The first and the middle one of three axes, and the first of two. */
static void along_axes(struct source *source) {
    for (uint64_t extent = 2; extent < 6; extent++) {
        uint64_t rest = source->n / extent;
        if (source->n % extent || rest < 2)
            continue;
        along_axis(source, extent, rest);
        if (rest % 2 == 0)
            along_axis(source, extent, 2);
        if (rest % 3 == 0)
            along_axis(source, extent, rest / 3);
    }
}

/* Along the last axis: `segment` goes into the length. */
static void ordered(struct source *source, uint64_t segment) {
    mpu_op op = segment % 2 ? MPU_OP_ARGMIN : MPU_OP_ARGMAX;
    place_one(source, op, source->n);
    place_one(source, op == MPU_OP_ARGMIN ? MPU_OP_ARGMAX : MPU_OP_ARGMIN, segment);
    fold_one(source, MPU_OP_MINIMUM, source->type, source->n);
    fold_one(source, MPU_OP_MAXIMUM, source->type, segment);
    scan_segments(source, MPU_OP_ADD, source->type, segment);
    sort_one(source, source->n);
    sort_one(source, segment);
}

static void move_one(struct source *source, const mpu_dim *dims, uint32_t ndim, int64_t offset,
                     bool wrap) {
    uint64_t n = 1, fill = 0x123456789abcdef;
    int64_t length = (int64_t)source->n;
    for (uint32_t k = 0; k < ndim; k++)
        n *= dims[k].count;
    uint64_t *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++) {
        int64_t place = offset;
        uint64_t rest = i;
        for (uint32_t k = ndim; k-- > 0; rest /= dims[k].count)
            place += (int64_t)(rest % dims[k].count) * dims[k].step;
        bool inside = place >= 0 && place < length;
        want[i] = wrap || inside ? source->x[((place % length) + length) % length] : fill;
    }
    expect(source, mpu_move(source->v, dims, ndim, offset, wrap, fill, &source->e), source->type, n,
           want, "move");
}

static void moves_of(struct source *source) {
    int64_t n = (int64_t)source->n, rows = n >= 60 ? 6 : 1, columns = n / rows;
    uint64_t length = source->n;
    for (int wrap = 0; wrap < 2; wrap++) {
        move_one(source, (mpu_dim[]){{length, 1}}, 1, 1, wrap);
        move_one(source, (mpu_dim[]){{length, 1}}, 1, -3, wrap);
        move_one(source, (mpu_dim[]){{length, -1}}, 1, n - 1, wrap);
        move_one(source, (mpu_dim[]){{length + 7, 1}}, 1, -2, wrap);
        move_one(source, (mpu_dim[]){{3, 0}, {length, 1}}, 2, 0, wrap);
        move_one(source, (mpu_dim[]){{(uint64_t)columns, 1}, {(uint64_t)rows, columns}}, 2, 0,
                 wrap);
        move_one(source, (mpu_dim[]){{(uint64_t)rows, columns}, {5, 3}, {2, -1}}, 3, -4, wrap);
    }
    move_one(source, (mpu_dim[]){{4, 2}}, 1, n + 10, false);
}

static void take_one(struct source *source, uint64_t entries) {
    uint16_t *table = calloc(entries, sizeof *table);
    uint64_t *want = calloc(source->n, sizeof *want);
    mpu_array a = {.type = MPU_U16, .ndim = 1, .shape = {entries}, .data = table};
    for (uint64_t i = 0; i < entries; i++)
        table[i] = (uint16_t)(i * 40503 + 1);
    for (uint64_t i = 0; i < source->n; i++)
        want[i] = source->x[i] < entries ? table[source->x[i]] : 0;
    expect(source, mpu_take(source->v, &a, &source->e), (mpu_vtype){MPU_KIND_UINT, 16}, source->n,
           want, "take");
    free(table);
}

static void numbers_of(struct source *source) {
    static const mpu_op ops[] = {MPU_OP_ADD, MPU_OP_MUL, MPU_OP_MIN, MPU_OP_MAX,
                                 MPU_OP_AND, MPU_OP_OR,  MPU_OP_XOR};
    static const mpu_vtype types[] = {{MPU_KIND_INT, 64}, {MPU_KIND_UINT, 16}};
    for (unsigned k = 0; k < 7; k++) {
        mpu_vtype type = k % 3 ? source->type : types[k / 3 % 2];
        fold_one(source, ops[k], type, source->n);
        fold_one(source, ops[k], source->type, source->n >= 16 ? 8 : 1);
        if (source->n < 1000 || k < 2)
            scan_one(source, ops[k], source->type);
    }
    fold_one(source, MPU_OP_ADD, types[0], source->n >= 100 ? 50 : 1);
    fold_one(source, MPU_OP_MAX, source->type, source->n > 2 ? source->n - 1 : 1);
    if (source->n < 65)
        ordered(source, source->n % 8 ? 1 : 8);
    if (source->n < 400)
        along_axes(source);
}

/* Lines of 2^k lanes that need more rows of VRFs than the vector has, and its neighbours in them.
 */
static void sorts_of_lines(void **state) {
    static const struct {
        uint64_t lines, segment;
    } shapes[] = {{3, 300}, {2, 560}, {1, 1100}, {5, 129}, {300, 3}, {1, 600}};
    static const mpu_vtype types[] = {
        {MPU_KIND_INT, 8}, {MPU_KIND_UINT, 5}, {MPU_KIND_BOOL, 1}, {MPU_KIND_FLOAT, 16}};
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target;
        mpu_device *d = open_device(t ? "golden" : "racer", NULL, NULL, &target);
        for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            uint64_t n = shapes[k].lines * shapes[k].segment;
            struct source before = source_of(d, types[0], n, 2 * k);
            struct source s = source_of(d, types[(k + t) % 4], n, k), after;
            after = source_of(d, types[0], 700, 3 * k);
            sort_one(&s, shapes[k].segment);
            struct source *const others[] = {&before, &s, &after};
            for (unsigned i = 0; i < 3; i++) {
                struct play p = {.d = d, .n = others[i]->n};
                struct mirror m = {.v = others[i]->v, .type = others[i]->type, .x = others[i]->x};
                graph_check(&p, &m);
                close_source(others[i]);
            }
        }
        mpu_device_close(d);
        mpu_target_close(target);
    }
}

struct product_shape {
    uint64_t rows, inner, columns;
};

/* Blocks take in every so manyth factor each, then they are folded in pairs; a matrix and a vector
 * have a block for each factor. */
static uint64_t product_blocks(const struct product_shape *shape) {
    uint64_t blocks = 1;
    if (shape->rows == 1 || shape->columns == 1)
        return shape->inner;
    while (2 * blocks <= shape->inner && 2 * blocks * shape->rows * shape->columns <= 65536)
        blocks *= 2;
    return blocks;
}

static uint64_t product_at(const struct source *left, const struct source *right,
                           const struct product_shape *shape, uint64_t row, uint64_t column) {
    uint64_t blocks = product_blocks(shape), *sums = calloc(blocks, sizeof *sums);
    for (uint64_t i = 0; i < shape->inner; i++) {
        uint64_t *sum = &sums[i % blocks];
        uint64_t v = combine(MPU_OP_MUL, left->type, left->x[row * shape->inner + i],
                             right->x[i * shape->columns + column]);
        *sum = i < blocks ? v : combine(MPU_OP_ADD, left->type, *sum, v);
    }
    uint64_t all = fold_host(MPU_OP_ADD, left->type, left->type, sums, blocks);
    free(sums);
    return all;
}

static void product_one(mpu_device *device, mpu_vtype type, struct product_shape shape,
                        uint64_t seed) {
    struct source left = source_of(device, type, shape.rows * shape.inner, seed);
    struct source right = source_of(device, type, shape.inner * shape.columns, seed + 1);
    uint64_t n = shape.rows * shape.columns, *want = calloc(n, sizeof *want);
    for (uint64_t i = 0; i < n; i++)
        want[i] = product_at(&left, &right, &shape, i / shape.columns, i % shape.columns);
    expect(&left, mpu_matmul(left.v, right.v, shape.rows, shape.inner, shape.columns, &left.e),
           type, n, want, "matmul");
    close_source(&left);
    close_source(&right);
}

/* With many products in lanes at once, in blocks, and of vectors; on chips where matrices lie in
 * chunks the host multiplies. */
static void products(void **state) {
    static const struct product_shape shapes[] = {{3, 4, 5}, {2, 3, 2},  {1, 7, 3},  {5, 9, 1},
                                                  {1, 6, 1}, {4, 1, 3},  {1, 1, 4},  {3, 1, 1},
                                                  {1, 1, 1}, {7, 13, 6}, {2, 100, 2}};
    static const mpu_vtype types[] = {
        {MPU_KIND_INT, 8}, {MPU_KIND_FLOAT, 32}, {MPU_KIND_UINT, 5}, {MPU_KIND_FLOAT, 16}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static const char *const small[] = {"machine.mpus=1", NULL};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        const mpu_config config = {.size = sizeof config,
                                   .finish = mpu_config_word("finish", t % 3)};
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = 0; k < 2 * SHAPES; k++)
            product_one(d, types[(k + k / SHAPES + t) % 4], shapes[k % SHAPES], 30 * t + k);
        if (t % 3 == 2) /* "host": what is added up in pairs is a fold */
            assert_true(figure(d, "ways.matmul.machine") >= 2);
        else
            assert_int_equal(figure(d, "ways.matmul.machine"), 2 * SHAPES);
        assert_int_equal(figure(d, "ways.matmul.host"), 0);
        close_device(d, target);
    }
    mpu_target *target;
    mpu_device *d = open_device("racer", small, NULL, &target);
    product_one(d, types[3], (struct product_shape){34001, 3, 2}, 99);
    assert_int_equal(figure(d, "ways.matmul.host"), 1);
    close_device(d, target);
}

/* Under sanitizers every other length, the others on the next target. */
static void several(void **state) {
    const unsigned apart = MPU_SANITIZED ? 2 : 1, part = MPU_SANITIZED ? 3 : 1;
    static const uint64_t lengths[] = {1, 2, 97, 64, 1536, 60};
    static const mpu_vtype types[] = {{MPU_KIND_INT, 8}, {MPU_KIND_UINT, 5}, {MPU_KIND_INT, 32}};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        const mpu_config config = {.size = sizeof config,
                                   .finish = mpu_config_word("finish", t % 3)};
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = t % apart; k < 6; k += apart) {
            struct source s = source_of(d, types[(k + t) % 3], lengths[k], 10 * t + k);
            moves_of(&s);
            numbers_of(&s);
            take_one(&s, 1);
            take_one(&s, 200);
            close_source(&s);
        }
        assert_true(figure(d, "ways.move.machine") > 50 / part);
        if (t % 3 == 1) /* "device" */
            assert_true(figure(d, "ways.fold.machine") > 20 / part);
        if (t % 3 == 2)
            assert_true(figure(d, "ways.fold.partial") + figure(d, "ways.fold.host") > 20 / part);
        if (t % 3 == 2)
            assert_int_equal(figure(d, "ways.fold.machine"), 0);
        assert_true(figure(d, "ways.scan.machine") + figure(d, "ways.scan.host") > 10 / part);
        assert_int_equal(figure(d, "ways.move.host"), 0);
        if (t % 3 == 1)
            assert_int_equal(figure(d, "ways.scan.host"), 0);
        assert_int_equal(figure(d, "ways.sort.host"), 0);
        assert_int_equal(figure(d, "ways.take.host"), 0);
        close_device(d, target);
    }
}

/* Folds in pairs of neighbours, wherever they are made; scans by doubling.  Under sanitizers each
 * target has one of the types. */
static void float_folds(void **state) {
    static const mpu_vtype types[] = {{MPU_KIND_FLOAT, 32}, {MPU_KIND_FLOAT, 64}};
    static const mpu_op ops[] = {MPU_OP_ADD, MPU_OP_MUL, MPU_OP_MIN, MPU_OP_MAX};
    (void)state;
    for (unsigned t = 0; t < 3; t++)
        for (unsigned k = MPU_SANITIZED ? t % 2 : 0; k < 6; k += MPU_SANITIZED ? 2 : 1) {
            mpu_target *target;
            const mpu_config config = {.size = sizeof config,
                                       .finish = mpu_config_word("finish", k / 2)};
            mpu_device *d = open_device(targets[t], NULL, &config, &target);
            struct source s = source_of(d, types[k % 2], 97, 10 * t + k);
            for (unsigned i = 0; i < 4; i++) {
                fold_one(&s, ops[i], s.type, i == k % 4 ? 97 : 8);
                if (i == k % 2)
                    scan_one(&s, ops[i], s.type);
            }
            fold_one(&s, MPU_OP_ADD, types[(k + 1) % 2], 97);
            close_source(&s);
            s = source_of(d, types[k % 2], 60, 10 * t + k);
            ordered(&s, k % 2 ? 12 : 5);
            close_source(&s);
            close_device(d, target);
        }
}

/* ---- room ---- */

static const mpu_vtype i32 = {MPU_KIND_INT, 32};

/* What the host scans has the machine's bits. */
static void scan_from_nan(mpu_device *device, uint64_t n) {
    static const mpu_vtype f32 = {MPU_KIND_FLOAT, 32};
    static const uint32_t nan = 0xffc12345;
    struct source s = source_of(device, f32, n, 77);
    s.x[0] = nan;
    fine(mpu_vector_put(s.v, 0, 1, &nan, &s.e), s.e);
    scan_one(&s, MPU_OP_MAX, f32);
    assert_int_equal(figure(device, "ways.scan.host"), 1);
    close_source(&s);
}

static void segments_by_host(mpu_device *device, uint64_t n) {
    struct source s = source_of(device, (mpu_vtype){MPU_KIND_FLOAT, 32}, n, 78);
    scan_segments(&s, MPU_OP_ADD, s.type, 4);
    sort_one(&s, 4);
    place_one(&s, MPU_OP_ARGMIN, 4);
    assert_int_equal(figure(device, "ways.sort.host"), 1);
    close_source(&s);
}

/* A chip of one MPU: vectors that it has no lanes for lie in chunks. */
static void chunks(void **state) {
    static const char *const small[] = {"machine.mpus=1", NULL};
    static const char *const names[] = {"racer", "mimdram", "duality-cache"};
    static const uint64_t lengths[] = {100003, 400001, 300001};
    (void)state;
    for (unsigned t = 0; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(names[t], small, NULL, &target);
        play_on(d, lengths[t], 5 + t, 8, false, 3);
        assert_true(figure(d, "graph.runs") > figure(d, "graph.flushes"));
        struct source s = source_of(d, i32, lengths[t], 9);
        fold_one(&s, MPU_OP_ADD, i32, s.n);
        move_one(&s, (mpu_dim[]){{s.n, -1}}, 1, (int64_t)s.n - 1, false);
        close_source(&s);
        if (t == 0) {
            scan_from_nan(d, lengths[t]);
            segments_by_host(d, lengths[t] & ~UINT64_C(3));
        }
        close_device(d, target);
    }
}

/* MPUs keep the recipes of the programs before: the second of two equal flushes loads none. */
static void warm(void **state) {
    (void)state;
    for (unsigned t = 1; t < TARGETS; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        mpu_error *e = NULL;
        int32_t x[600] = {1, 2, 3};
        uint64_t ps[4], loads[4];
        mpu_vector *a = mpu_vector_new(d, i32, 600, &e);
        fine(mpu_vector_put(a, 0, 600, x, &e), e);
        for (unsigned k = 0; k < 4; k++) {
            mpu_device_reset_stats(d);
            mpu_vector *z =
                mpu_apply(d, MPU_OP_ADD, i32, 600, (mpu_operand[]){{a, 0}, {a, 0}}, 2, &e);
            mpu_vector *sum = mpu_fold(z, MPU_OP_MAX, i32, 0, 600, 600, &e);
            fine(mpu_device_flush(d, &e), e);
            loads[k] = figure(d, "total.template_loads");
            ps[k] = figure(d, "total.time_ps");
            mpu_vector_release(z);
            mpu_vector_release(sum);
        }
        if (loads[0]) /* not where the machine has no recipes */
            assert_true(ps[1] < ps[0]);
        for (unsigned k = 1; k < 4; k++) {
            assert_int_equal(loads[k], 0);
            assert_int_equal(ps[k], ps[1]);
        }
        if (t == 1)
            assert_true(loads[0] > 0);
        mpu_vector_release(a);
        close_device(d, target);
    }
}

/* Programs of many ensembles, where vectors of other types and lengths lay before. */
static void on_used_rows(mpu_device *device, uint64_t seed) {
    static const mpu_vtype types[] = {
        {MPU_KIND_UINT, 13}, {MPU_KIND_INT, 32}, {MPU_KIND_BOOL, 1}, {MPU_KIND_INT, 8}};
    struct play p = {.d = device, .seed = seed};
    for (unsigned k = 0; k < 8; k++) {
        mpu_vtype type = types[graph_roll(&p, 4)];
        struct source s = source_of(device, type, 1 + graph_roll(&p, 70), seed + k);
        scan_one(&s, MPU_OP_MAX, type);
        fold_one(&s, MPU_OP_AND, type, s.n);
        sort_one(&s, s.n);
        place_one(&s, MPU_OP_ARGMAX, s.n);
        close_source(&s);
        play_on(device, 1 + graph_roll(&p, 70), seed + k, 4, false, 1);
    }
}

/* Every program beside golden, register by register. */
static void checked(void **state) {
    const mpu_config config = {.size = sizeof config, .check = 1};
    (void)state;
    for (unsigned t = 1; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, &config, &target);
        for (unsigned k = 0; k < 3; k++)
            play_on(d, 100 + k, 1003 + k, 60, k == 1, 4 * k);
        on_used_rows(d, 20 + t);
        close_device(d, target);
    }
}

/* Columns of a crossbar are few: what a scan takes of them beside its registers counts. */
static void scans_of_crossbars(void **state) {
    static const mpu_vtype types[] = {{MPU_KIND_INT, 32}, {MPU_KIND_UINT, 8}};
    const mpu_config config = {.size = sizeof config, .finish = "device"};
    mpu_target *target;
    mpu_device *d = open_device("pypim", NULL, &config, &target);
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct source s = source_of(d, types[k], 100000, 50 + k);
        scan_one(&s, MPU_OP_ADD, s.type);
        close_source(&s);
    }
    assert_int_equal(figure(d, "ways.scan.host"), 0);
    close_device(d, target);
}

static void large(void **state) {
    static const char *const names[] = {"racer", "mimdram"};
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target;
        mpu_device *d = open_device(names[t], NULL, NULL, &target);
        play_on(d, 1000003, 17 + t, 4, false, 0);
        close_device(d, target);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs),
        cmocka_unit_test(floats),
        cmocka_unit_test(sorts_of_lines),
        cmocka_unit_test(several),
        cmocka_unit_test(products),
        cmocka_unit_test(float_folds),
        cmocka_unit_test(chunks),
        cmocka_unit_test(checked),
        cmocka_unit_test(warm),
        cmocka_unit_test(large),
        cmocka_unit_test(scans_of_crossbars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
