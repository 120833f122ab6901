/* SPDX-License-Identifier: MIT
 * Collectives on a ring of 16 MPUs and on grids, each against a loop over the MPUs. */
#include "ezpim/ez/move.h"
#include "tests/ezpim/build.h"

#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two VRFs in each MPU, the second one partly filled. */
enum { ELEMENTS = 70, MOST_MPUS = 24, MOST_REGISTERS = 24, KEPT = 999 };

struct grid {
    const char *extents;
    uint32_t rows, columns;
};
static const struct grid grids[] = {{"16", 1, 16},  {"4, 6", 4, 6}, {"4, 4", 4, 4},
                                    {"3, 5", 3, 5}, {"2", 1, 2},    {"1", 1, 1}};
enum { GRIDS = sizeof grids / sizeof *grids };

/* [MPU][element][register] */
typedef uint16_t values[MOST_MPUS][ELEMENTS][MOST_REGISTERS];

/* A collective: how many registers its sides have per MPU of the array (bit 7) or at all, and what
 * y becomes of x.  The root is the last MPU but one, if there are several. */
#define PER_MPU 0x80
struct collective {
    const char *name, *word; /* "from", "to", or NULL */
    uint8_t x, y;
    void (*loop)(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x, values y);
};

static uint32_t mpus_of(const struct grid *g) {
    return g->rows * g->columns;
}

static uint32_t registers(const struct grid *g, uint8_t k) {
    return k & PER_MPU ? (k & 0x7Fu) * mpus_of(g) : k;
}

#define EACH(p, i)                                                                                 \
    for (uint32_t p = 0; p < mpus_of(g); p++)                                                      \
        for (uint32_t i = 0; i < ELEMENTS; i++)

static void do_broadcast(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x,
                         values y) {
    (void)ky;
    EACH(p, i)
    for (uint32_t r = 0; r < kx; r++)
        y[p][i][r] = x[root][i][r];
}

static void do_scatter(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x,
                       values y) {
    (void)kx;
    EACH(p, i)
    for (uint32_t r = 0; r < ky; r++)
        y[p][i][r] = x[root][i][p * ky + r];
}

static void do_gather(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x,
                      values y) {
    (void)ky;
    EACH(p, i)
    for (uint32_t r = 0; r < kx; r++)
        y[root][i][p * kx + r] = x[p][i][r];
}

static void do_allgather(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x,
                         values y) {
    (void)root;
    for (uint32_t q = 0; q < mpus_of(g); q++)
        do_gather(g, q, kx, ky, x, y);
}

static void do_alltoall(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x,
                        values y) {
    uint32_t each = kx / mpus_of(g);
    (void)root;
    (void)ky;
    EACH(p, i)
    for (uint32_t q = 0; q < mpus_of(g); q++)
        for (uint32_t r = 0; r < each; r++)
            y[p][i][q * each + r] = x[q][i][p * each + r];
}

static void do_transpose(const struct grid *g, uint32_t root, uint32_t kx, uint32_t ky, values x,
                         values y) {
    (void)root;
    (void)ky;
    EACH(p, i)
    for (uint32_t r = 0; r < kx; r++)
        y[p][i][r] = x[p % g->columns * g->columns + p / g->columns][i][r];
}

static const struct collective collectives[] = {
    {"broadcast", "from", 1, 1, do_broadcast},
    {"broadcast", "from", 3, 3, do_broadcast},
    {"scatter", "from", PER_MPU | 1, 1, do_scatter},
    {"scatter", "from", PER_MPU | 3, 3, do_scatter},
    {"gather", "to", 1, PER_MPU | 1, do_gather},
    {"gather", "to", 2, PER_MPU | 2, do_gather},
    {"allgather", NULL, 1, PER_MPU | 1, do_allgather},
    {"allgather", NULL, 2, PER_MPU | 2, do_allgather},
    {"alltoall", NULL, PER_MPU | 1, PER_MPU | 1, do_alltoall},
    {"alltoall", NULL, PER_MPU | 2, PER_MPU | 2, do_alltoall},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* ---- running ---- */

struct job {
    const struct grid *grid;
    const char *statement; /* all of it */
    const char *type;
    uint32_t kx, ky;
    bool in_place;
};

static void type_text(const char *type, uint32_t k, struct str *out) {
    str_append(out, type);
    if (k > 1)
        str_printf(out, "[%u]", k);
}

static void program_text(const struct job *j, struct str *out) {
    str_printf(out, "mpus a[%s];\ngroup g[%d] on a;\n%s x: ", j->grid->extents, ELEMENTS,
               j->in_place ? "inout" : "in");
    type_text(j->type, j->kx, out);
    str_append(out, " @ g;\n");
    if (!j->in_place) {
        str_append(out, "out y: ");
        type_text(j->type, j->ky, out);
        str_append(out, " @ g;\n");
    }
    str_append(out, "main on a {\n");
    if (!j->in_place) {
        str_append(out, "compute g {");
        for (uint32_t r = 0; r < j->ky; r++)
            if (j->ky > 1)
                str_printf(out, " y[%u] = %d;", r, KEPT);
            else
                str_printf(out, " y = %d;", KEPT);
        str_append(out, " }\n");
    }
    str_printf(out, "%s;\n}\n", j->statement);
}

static void pack(const struct job *j, uint32_t k, values v, uint16_t *flat) {
    for (uint32_t p = 0; p < mpus_of(j->grid); p++)
        for (uint32_t i = 0; i < ELEMENTS; i++)
            for (uint32_t r = 0; r < k; r++)
                *flat++ = v[p][i][r];
}

static mpu_array array_of(const struct job *j, uint32_t k, uint16_t *data) {
    mpu_array a = {.type = MPU_U16, .data = data};
    if (strchr(j->grid->extents, ','))
        a.shape[a.ndim++] = j->grid->rows;
    a.shape[a.ndim++] = j->grid->columns;
    a.shape[a.ndim++] = ELEMENTS;
    if (k > 1)
        a.shape[a.ndim++] = k;
    return a;
}

static mpu_session *run(const struct job *j, const char *text, const mpu_program *p,
                        const mpu_target *t, values x, values want) {
    static uint16_t flat[MOST_MPUS * ELEMENTS * MOST_REGISTERS];
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = "random:5"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    pack(j, j->kx, x, flat);
    mpu_array a = array_of(j, j->kx, flat);
    if (!s || mpu_session_put(s, "x", &a, &e) != MPU_OK || mpu_session_run(s, &e) != MPU_OK ||
        mpu_session_get(s, j->in_place ? "x" : "y", &a, &e) != MPU_OK)
        fail_with(text, e);
    pack(j, j->ky, want, flat);
    const uint16_t *got = a.data;
    for (size_t i = 0; i < (size_t)mpus_of(j->grid) * ELEMENTS * j->ky; i++)
        if (got[i] != flat[i])
            fail_msg("%son %s: value %zu is %u, not %u", text, mpu_target_name(t), i, got[i],
                     flat[i]);
    mpu_array_free(&a);
    return s;
}

static void check_job(const struct job *j, mpu_target *const *targets, size_t count, values x,
                      values want) {
    struct str text = {0};
    program_text(j, &text);
    mpu_program *p = build_program(str_text(&text), 1);
    for (size_t t = 0; t < count; t++)
        mpu_session_free(run(j, str_text(&text), p, targets[t], x, want));
    mpu_program_free(p);
    str_free(&text);
}

static void fill(values x, uint32_t seed) {
    uint16_t *v = &x[0][0][0];
    for (size_t i = 0; i < sizeof(values) / sizeof *v; i++)
        v[i] = (uint16_t)((seed + i) * 2654435761u >> 7);
}

static void keep(values y) {
    uint16_t *v = &y[0][0][0];
    for (size_t i = 0; i < sizeof(values) / sizeof *v; i++)
        v[i] = KEPT;
}

static void root_text(const struct grid *g, uint32_t root, struct str *out) {
    if (strchr(g->extents, ','))
        str_printf(out, "a[%u, %u]", root / g->columns, root % g->columns);
    else
        str_printf(out, "a[%u]", root);
}

static mpu_target *targets[2];

static int open_targets(void **state) {
    (void)state;
    targets[0] = mpu_target_open("golden", NULL, NULL);
    targets[1] = mpu_target_open("racer", NULL, NULL);
    return targets[0] && targets[1] ? 0 : -1;
}

static int close_targets(void **state) {
    (void)state;
    mpu_target_close(targets[0]);
    mpu_target_close(targets[1]);
    return 0;
}

/* Both targets where the shape is one that programs have; the others on golden alone. */
static size_t targets_for(const struct grid *g) {
    return g < grids + 2 ? 2 : 1;
}

static void check_collective_on(const struct collective *k, const struct grid *g, bool in_place) {
    static values x, y;
    struct str statement = {0};
    struct job j = {.grid = g,
                    .type = "u16",
                    .kx = registers(g, k->x),
                    .ky = registers(g, k->y),
                    .in_place = in_place};
    uint32_t root = mpus_of(g) > 1 ? mpus_of(g) - 2 : 0;
    if (j.kx + j.ky * !in_place > 60 || j.kx > MOST_REGISTERS || j.ky > MOST_REGISTERS)
        return; /* more registers than a lane has */
    str_printf(&statement, "%s %s", k->name, in_place ? "x" : "y = x");
    if (k->word) {
        str_printf(&statement, " %s ", k->word);
        root_text(g, root, &statement);
    }
    j.statement = str_text(&statement);
    fill(x, root);
    keep(y);
    k->loop(g, root, j.kx, j.ky, x, y);
    check_job(&j, targets, targets_for(g), x, y);
    str_free(&statement);
}

static void against_loops(void **state) {
    (void)state;
    for (uint32_t g = 0; g < GRIDS; g++)
        for (uint32_t k = 0; k < COLLECTIVES; k++) {
            check_collective_on(&collectives[k], &grids[g], false);
            if (collectives[k].x == collectives[k].y)
                check_collective_on(&collectives[k], &grids[g], true);
        }
}

static void transposes(void **state) {
    (void)state;
    static const struct collective square = {"transpose", NULL, 2, 2, do_transpose},
                                   line = {"transpose", NULL, PER_MPU | 1, PER_MPU | 1,
                                           do_alltoall};
    check_collective_on(&square, &grids[2], false);
    check_collective_on(&square, &grids[2], true);
    check_collective_on(&line, &grids[0], false);
    check_collective_on(&line, &grids[0], true);
}

/* ---- reductions ---- */

static uint16_t combine(const char *op, uint16_t a, uint16_t b) {
    if (strcmp(op, "sum") == 0)
        return (uint16_t)(a + b);
    if (strcmp(op, "min") == 0)
        return a < b ? a : b;
    if (strcmp(op, "max") == 0)
        return a > b ? a : b;
    if (strcmp(op, "and") == 0)
        return a & b;
    return strcmp(op, "or") == 0 ? a | b : a ^ b;
}

static void reduce_loop(const struct grid *g, const char *op, uint32_t k, values x, values total) {
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t r = 0; r < k; r++) {
            total[0][i][r] = x[0][i][r];
            for (uint32_t p = 1; p < mpus_of(g); p++)
                total[0][i][r] = combine(op, total[0][i][r], x[p][i][r]);
        }
}

static void check_reduction_on(const struct grid *g, const char *op, uint32_t k, bool everywhere,
                               bool in_place) {
    static values x, y, total;
    struct str statement = {0};
    struct job j = {.grid = g, .type = "u16", .kx = k, .ky = k, .in_place = in_place};
    uint32_t root = mpus_of(g) > 1 ? mpus_of(g) - 2 : 0;
    fill(x, k);
    keep(y);
    if (in_place)
        memcpy(y, x, sizeof y);
    reduce_loop(g, op, k, x, total);
    for (uint32_t p = 0; p < mpus_of(g); p++)
        if (everywhere || p == root)
            memcpy(y[p], total[0], sizeof y[p]);
    str_printf(&statement, "%s %s %s", everywhere ? "allreduce" : "reduce", op,
               in_place ? "x" : "y = x");
    if (!everywhere) {
        str_append(&statement, " to ");
        root_text(g, root, &statement);
    }
    j.statement = str_text(&statement);
    check_job(&j, targets, targets_for(g), x, y);
    str_free(&statement);
}

static void reductions_against_loops(void **state) {
    (void)state;
    static const char *const ops[] = {"sum", "min", "max", "and", "or", "xor"};
    for (uint32_t g = 0; g < GRIDS; g++)
        for (uint32_t i = 0; i < 6; i++)
            for (unsigned way = 0; way < 4; way++)
                check_reduction_on(&grids[g], ops[i], 1 + (i + way) % 3, way & 1, way & 2);
}

/* ---- what they cost ---- */

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

/* The schedule with the lowest figure of move.h, found by adding up its moves one by one. */
static enum ez_schedule cheapest(uint32_t m, bool everywhere) {
    uint64_t tree = 0, ring = 0, exchange = 0, spread = 1 + (m - 1) + (m - 1);
    for (uint32_t left = m; left > 1; left = (left + 1) / 2) {
        uint32_t half = (left + 1) / 2;
        tree += 1 + half + (left - half);
    }
    for (uint32_t p = 1; p < m; p++)
        ring += 1 + 1 + 1;
    for (uint32_t d = 1; d < m; d *= 2)
        exchange += 1 + (m - d) + d;
    uint64_t folded = ring < tree ? ring : tree;
    if (everywhere && m > 1 && (m & (m - 1)) == 0 && exchange < folded + spread)
        return SCHEDULE_EXCHANGE;
    return ring < tree ? SCHEDULE_RING : SCHEDULE_TREE;
}

static void schedules(void **state) {
    (void)state;
    bool seen[3] = {false};
    for (uint32_t m = 2; m <= 64; m++)
        for (unsigned everywhere = 0; everywhere < 2; everywhere++) {
            assert_int_equal(ez_schedule(m, everywhere), cheapest(m, everywhere));
            seen[ez_schedule(m, everywhere)] = true;
        }
    assert_true(seen[SCHEDULE_TREE] && seen[SCHEDULE_RING] && seen[SCHEDULE_EXCHANGE]);
}

enum { MOST_SIDE = 12 };

/* Values that pass the links of a grid in one direction: to the right of, and below, each MPU. */
struct links {
    uint32_t right[MOST_SIDE][MOST_SIDE], down[MOST_SIDE][MOST_SIDE], busiest;
};

static void pass(struct links *l, uint32_t *link) {
    ++*link;
    l->busiest = *link > l->busiest ? *link : l->busiest;
}

/* From the first row's MPU at column `from`: along the row, then down. */
static void go(struct links *l, uint32_t from, uint32_t row, uint32_t column) {
    for (uint32_t c = from; c < column; c++)
        pass(l, &l->right[0][c]);
    for (uint32_t r = 0; r < row; r++)
        pass(l, &l->down[r][column]);
}

static bool rows_are_cheaper(uint32_t rows, uint32_t columns) {
    struct links direct = {.busiest = 0}, along = {.busiest = 0}, down = {.busiest = 0};
    for (uint32_t from = 0; from < columns; from++)
        for (uint32_t c = 0; c < columns; c++) {
            go(&along, from, 0, c);
            for (uint32_t r = 0; r < rows; r++) {
                go(&direct, from, r, c);
                go(&down, c, r, c);
            }
        }
    return 2 + along.busiest + down.busiest < 1 + direct.busiest;
}

static void gathers_over_grids(void **state) {
    (void)state;
    unsigned by_rows = 0, all = 0;
    for (uint32_t r = 1; r <= MOST_SIDE; r++)
        for (uint32_t c = 1; c <= MOST_SIDE; c++, all++) {
            assert_int_equal(ez_gather_by_rows(r, c), rows_are_cheaper(r, c));
            by_rows += ez_gather_by_rows(r, c);
        }
    assert_true(by_rows > 0 && by_rows < all);
}

/* On a grid of 4 x 6 each MPU tells the 5 others of its row, and then 3 of its column of 6. */
static void gathers_by_rows(void **state) {
    (void)state;
    static values x, want;
    const struct grid *g = &grids[1];
    struct job j = {g, "allgather y = x", "u16", 1, 24, false};
    struct str text = {0};
    fill(x, 3);
    keep(want);
    do_allgather(g, 0, 1, 24, x, want);
    program_text(&j, &text);
    mpu_program *p = build_program(str_text(&text), 1);
    mpu_session *s = run(&j, str_text(&text), p, targets[1], x, want);
    assert_int_equal(figure(s, "messages.sent"), 24 * (5 + 3));
    assert_int_equal(figure(s, "messages.bytes"), 24 * (5 + 3 * 6) * ELEMENTS * 2);
    mpu_session_free(s);
    mpu_program_free(p);
    str_free(&text);
}

/* What a program sends on racer, whose MPUs stand in a line up to the 16th. */
struct traffic {
    const struct grid *grid;
    const char *statement;
    uint32_t ky;
    uint64_t messages, hops;
};

static void check_traffic(const struct traffic *k, values x, values want) {
    struct job j = {k->grid, k->statement, "u16", 1, k->ky, false};
    struct str text = {0};
    program_text(&j, &text);
    mpu_program *p = build_program(str_text(&text), 1);
    mpu_session *s = run(&j, str_text(&text), p, targets[1], x, want);
    assert_int_equal(figure(s, "messages.sent"), k->messages);
    assert_int_equal(figure(s, "messages.hops"), k->hops);
    assert_int_equal(figure(s, "messages.bytes"), k->messages * ELEMENTS * 2);
    mpu_session_free(s);
    mpu_program_free(p);
    str_free(&text);
}

static void messages_and_hops(void **state) {
    (void)state;
    static values x, first, everywhere, gathered;
    const struct grid *ring = &grids[0];
    fill(x, 1);
    keep(first);
    reduce_loop(ring, "sum", 1, x, first);
    for (uint32_t p = 0; p < 16; p++)
        memcpy(everywhere[p], first[0], sizeof first[0]);
    do_allgather(ring, 0, 1, 16, x, gathered);
    /* 8 + 4 + 2 + 1 messages of 8, 4, 2 and 1 hops; and 15 from MPU 0, of 1 to 15 */
    check_traffic(&(struct traffic){ring, "reduce sum y = x to a[0]", 1, 15, 85}, x, first);
    check_traffic(&(struct traffic){ring, "allreduce sum y = x", 1, 30, 85 + 120}, x, everywhere);
    check_traffic(&(struct traffic){ring, "allgather y = x", 16, 240, 1360}, x, gathered);
}

/* More variables than registers: what one collective has brought is needed no longer when the next
 * one comes. */
static void variables_share_registers(void **state) {
    (void)state;
    static const char text[] =
        "mpus a[16]; group g[70] on a;\nin x: u16[24] @ g;\n"
        "var s, t: u16[24] @ g; var u: u16 @ g;\nout y: u16 @ g;\n"
        "main on a {\n"
        "broadcast s = x from a[3]; compute g { y = s[0] + s[23]; }\n"
        "broadcast t = x from a[4]; barrier; compute g { y += t[7]; u = y; }\n"
        "on a[0] { send u to a[1]; } on a[1] { recv u from a[0]; }\n"
        "allreduce max y; compute g { y += u; } }\n";
    static values x, y;
    struct job j = {.grid = &grids[0], .type = "u16", .kx = 24, .ky = 1};
    fill(x, 3);
    for (uint32_t p = 0; p < 16; p++)
        for (uint32_t i = 0; i < ELEMENTS; i++)
            y[p][i][0] = (uint16_t)(2 * (x[3][i][0] + x[3][i][23] + x[4][i][7]));
    mpu_program *p = build_program(text, 1);
    for (size_t t = 0; t < 2; t++)
        mpu_session_free(run(&j, text, p, targets[t], x, y));
    mpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_loops),
        cmocka_unit_test(transposes),
        cmocka_unit_test(reductions_against_loops),
        cmocka_unit_test(schedules),
        cmocka_unit_test(gathers_over_grids),
        cmocka_unit_test(gathers_by_rows),
        cmocka_unit_test(messages_and_hops),
        cmocka_unit_test(variables_share_registers),
    };
    return cmocka_run_group_tests(tests, open_targets, close_targets);
}
