/* SPDX-License-Identifier: MIT
 * The rows of PyPIM's publication, docs/pypim-rows.csv: its library's operations, reductions and
 * bitonic sort, played word by word with the recipes of `arith: compat` and with data, and counted
 * without data where there are more elements. */
#include "player.h"

#include "recipe/verify/published_float.h"
#include "support/alloc.h"
#include "support/file.h"
#include "tests/examples/page.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PUBLISHED MPU_SOURCE_DIR "/docs/pypim-rows.csv"
#define PAGE      MPU_SOURCE_DIR "/docs/pypim-published.md"
#define WRITER    "test_pypim_rows"
#define MOST      36u
#define STRICT    16u /* sorts of so many bits of elements on the strict engine, too */

/* ---- published rows ---- */

struct row {
    char part[12], operation[12], type[10];
    uint64_t elements;
    struct classes words, ours;
    bool played;
};

static struct row rows[MOST];
static unsigned row_count;

static void read_row(const char *line, struct row *r) {
    char test[16];
    struct classes *c = &r->words;
    int n = sscanf(line,
                   "%11[^,],%15[^,],%11[^,],%9[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
                   ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64,
                   r->part, test, r->operation, r->type, &r->elements, &c->mask, &c->rw,
                   &c->rw_cells, &c->logic, &c->gates, &c->move, &c->move_cells);
    assert_int_equal(n, 12);
}

static void read_rows(void) {
    char *text = file_read(PUBLISHED, &(size_t){0}), *rest = NULL;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#' || strncmp(line, "part,", 5) == 0)
            continue;
        assert_true(row_count < MOST);
        read_row(line, &rows[row_count++]);
    }
    free(text);
    assert_int_equal(row_count, 35);
}

static struct row *published(const char *part, const char *operation, const char *type,
                             uint64_t elements) {
    for (unsigned i = 0; i < row_count; i++)
        if (strcmp(rows[i].part, part) == 0 && strcmp(rows[i].operation, operation) == 0 &&
            strcmp(rows[i].type, type) == 0 && rows[i].elements == elements)
            return &rows[i];
    fail_msg("no row %s %s %s", part, operation, type);
    return NULL;
}

/* Mask words depend on what was selected before, so they may differ by 2. */
static void want_classes(const char *name, const struct classes *ours, struct row *row) {
    struct classes a = *ours, b = row->words;
    row->ours = a;
    row->played = true;
    if (a.mask > b.mask + 2 || b.mask > a.mask + 2)
        fail_msg("%s %" PRIu64 ": %" PRIu64 " mask words, published %" PRIu64, name, row->elements,
                 a.mask, b.mask);
    a.mask = b.mask;
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%s %" PRIu64 ": %" PRIu64 " rw, %" PRIu64 " cells, %" PRIu64 " logic, %" PRIu64
                 " gates, %" PRIu64 " moves, %" PRIu64 " cells",
                 name, row->elements, a.rw, a.rw_cells, a.logic, a.gates, a.move, a.move_cells);
}
/* ---- the crossbars ---- */

static int set_up(void **state) {
    read_rows();
    *state = player_open();
    return 0;
}

static int tear_down(void **state) {
    player_close(*state);
    return 0;
}

/* ---- operations on 65,536 elements ---- */

enum { EDGE_BITS = 64 };
enum { UNIT_ELEMENTS = 65536, X = 0, Y = 1, Z = 2, T = 3, U = 4 };

static uint32_t published_divide(uint32_t x, uint32_t y) {
    return y ? (uint32_t)((int64_t)(int32_t)x / (int32_t)y) : UINT32_C(1) << 31;
}
static uint32_t expected(const char *name, uint32_t x, uint32_t y) {
    uint32_t less = (x - y) >> 31, more = (y - x) >> 31, equal = x == y;
    return strcmp(name, "add") == 0       ? x + y
           : strcmp(name, "sub") == 0     ? x - y
           : strcmp(name, "mul") == 0     ? x * y
           : strcmp(name, "truediv") == 0 ? published_divide(x, y)
           : strcmp(name, "lt") == 0      ? less
           : strcmp(name, "gt") == 0      ? more
           : strcmp(name, "le") == 0      ? less | equal
           : strcmp(name, "ge") == 0      ? more | equal
           : strcmp(name, "eq") == 0      ? equal
                                          : !equal;
}

/* As the library composes it: comparisons subtract, which `difference` does. */
static void play_unit(struct player *p, const char *name, const char *difference) {
    bool swapped = name[0] == 'g';
    static const char *const arithmetic[][2] = {
        {"add", "ADD"}, {"sub", "SUB"}, {"mul", "MUL"}, {"truediv", "SDIV"}};
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(name, arithmetic[i][0]) == 0) {
            player_routine(p, arithmetic[i][1], X, Y, Z);
            return;
        }
    bool equal = strcmp(name, "eq") == 0 || strcmp(name, "ne") == 0;
    player_routine(p, difference, swapped ? Y : X, swapped ? X : Y, T);
    if (equal) {
        player_routine(p, "FZERO", T, T, name[0] == 'n' ? U : Z);
        if (name[0] == 'n')
            player_routine(p, "INV", U, U, Z);
        return;
    }
    player_routine(p, "FSIGN", T, T, name[1] == 't' ? Z : U);
    if (name[1] == 't')
        return;
    player_routine(p, "FZERO", T, T, 5);
    player_routine(p, "OR", U, 5, Z);
}

static void test_unit(void **state) {
    static const char *const names[] = {"add", "sub", "mul", "truediv", "lt",
                                        "le",  "gt",  "ge",  "eq",      "ne"};
    struct player *p = *state;
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
        bool truth = n >= 4;
        player_start(p, 16, 32);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i += 3)
            *player_element(p, Y, i) = i % 2 ? *player_element(p, X, i) : i % 4 ? 0 : UINT32_MAX;
        player_begin_strict(p);
        player_all(p);
        play_unit(p, names[n], "SUB");
        player_end_strict(p);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
            uint32_t x = *player_element(p, X, i), y = *player_element(p, Y, i),
                     z = *player_element(p, Z, i);
            if ((truth ? z & 1 : z) != expected(names[n], x, y))
                fail_msg("%s of %x and %x is %x", names[n], x, y, z);
        }
        want_classes(names[n], &p->counts, published("unit", names[n], "int32", UNIT_ELEMENTS));
    }
}

/* ---- floats ---- */

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_normal(uint32_t bits) {
    return (bits >> 23 & 255) - 1u < 254;
}

static float host_result(const char *name, float a, float b) {
    return strcmp(name, "add") == 0   ? a + b
           : strcmp(name, "sub") == 0 ? a - b
           : strcmp(name, "mul") == 0 ? a * b
                                      : a / b;
}

/* All numbers; where operands and result are normal the result is the host's. */
static void float_unit(struct player *p, const char *name, const char *instruction,
                       uint64_t (*model)(struct ieee_format, uint64_t, uint64_t)) {
    unsigned normal = 0;
    player_start(p, 16, 32);
    player_begin_strict(p);
    player_all(p);
    player_routine(p, instruction, X, Y, Z);
    player_end_strict(p);
    for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
        uint32_t x = *player_element(p, X, i), y = *player_element(p, Y, i),
                 z = *player_element(p, Z, i);
        float a = float_of(x), b = float_of(y);
        uint32_t host = bits_of(host_result(name, a, b));
        bool plain = is_normal(x) && is_normal(y) && is_normal(host);
        normal += plain;
        if (z != model(ieee_binary(32), x, y) || (plain && z != host))
            fail_msg("%s of %x and %x is %x", name, x, y, z);
    }
    assert_true(normal > UNIT_ELEMENTS / 2);
    want_classes(name, &p->counts, published("unit", name, "float32", UNIT_ELEMENTS));
}

static void test_floats(void **state) {
    float_unit(*state, "add", "FADD", recipe_published_add);
    float_unit(*state, "sub", "FSUB", recipe_published_sub);
    float_unit(*state, "mul", "FMUL", recipe_published_mul);
    float_unit(*state, "truediv", "FDIV", recipe_published_div);
}

/* Exponents that are up to 32 apart, fractions of few ones or zeros, and what cancels. */
static void test_near_sums(void **state) {
    struct player *p = *state;
    for (unsigned minus = 0; minus < 2; minus++) {
        player_start(p, 16, 32);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
            uint32_t *x = player_element(p, X, i), *y = player_element(p, Y, i);
            *x = i % 5 ? *x : *x & 0xff800000;
            *y = i % 3 ? *y : *y & (0xff800000 | UINT32_C(1) << i % 23);
            *y = i % 7 ? *y : *y | 0x7fffff;
            *y = i % 64 == 63 ? *x ^ (i & 64) << 25
                              : (*y & 0x807fffff) | ((*x + ((i % 64 - 32) << 23)) & 0x7f800000);
        }
        player_all(p);
        player_routine(p, minus ? "FSUB" : "FADD", X, Y, Z);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
            uint32_t x = *player_element(p, X, i), y = *player_element(p, Y, i),
                     z = *player_element(p, Z, i);
            float a = float_of(x), b = float_of(y);
            uint32_t host = bits_of(minus ? a - b : a + b);
            bool plain = is_normal(x) && is_normal(y) && (is_normal(host) || host == 0);
            uint64_t model = minus ? recipe_published_sub(ieee_binary(32), x, y)
                                   : recipe_published_add(ieee_binary(32), x, y);
            if (z != model || (plain && z != host))
                fail_msg("%u: %x and %x is %x", minus, x, y, z);
        }
    }
}

/* Of the sign and of all bits of the difference. */
static uint32_t compared(const char *name, uint32_t x, uint32_t y) {
    bool swapped = name[0] == 'g';
    uint64_t difference = recipe_published_sub(ieee_binary(32), swapped ? y : x, swapped ? x : y);
    bool equal = difference == 0, less = difference >> 31;
    return strcmp(name, "eq") == 0   ? equal
           : strcmp(name, "ne") == 0 ? !equal
           : name[1] == 't'          ? less
                                     : less || equal;
}

static bool host_compared(const char *name, float a, float b) {
    return strcmp(name, "lt") == 0   ? a < b
           : strcmp(name, "le") == 0 ? a <= b
           : strcmp(name, "gt") == 0 ? a > b
           : strcmp(name, "ge") == 0 ? a >= b
           : strcmp(name, "eq") == 0 ? a == b
                                     : a != b;
}

/* Every third pair is equal or one last bit apart; where operands and difference are normal, or
 * operands are equal, the host says the same. */
static void test_float_comparisons(void **state) {
    static const char *const names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    struct player *p = *state;
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
        player_start(p, 16, 32);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i += 3)
            *player_element(p, Y, i) = *player_element(p, X, i) ^ (i & 1);
        player_begin_strict(p);
        player_all(p);
        play_unit(p, names[n], "FSUB");
        player_end_strict(p);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
            uint32_t x = *player_element(p, X, i), y = *player_element(p, Y, i),
                     z = *player_element(p, Z, i) & 1;
            float a = float_of(x), b = float_of(y);
            bool plain = is_normal(x) && is_normal(y) && (is_normal(bits_of(a - b)) || x == y);
            if (z != compared(names[n], x, y) || (plain && z != host_compared(names[n], a, b)))
                fail_msg("%s of %x and %x is %x", names[n], x, y, z);
        }
        want_classes(names[n], &p->counts, published("unit", names[n], "float32", UNIT_ELEMENTS));
    }
}

/* Of the publication's simulator: infinity is a number like others, nothing overflows to it, and
 * zeros and what is too small are +0. */
static void test_float_edges(void **state) {
    static const struct {
        float x, y, product;
    } edges[] = {{4.6420443e+27f, -1.461393e+35f, 0},
                 {2.1125152e-28f, 1.7410796e-15f, 0},
                 {160186270.0f, 4.933437e-39f, 0},
                 {-1.0655127e-25f, 1.2976533e-24f, 0},
                 {-0.0f, 0.0f, 0},
                 {-0.014827014f, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_int_equal(
            recipe_published_mul(ieee_binary(32), bits_of(edges[i].x), bits_of(edges[i].y)),
            bits_of(edges[i].product));
    assert_int_equal(recipe_published_mul(ieee_binary(32), 0x7f800000, bits_of(-9.09695e-20f)),
                     bits_of(-3.0955316e+19f));
    assert_int_equal(recipe_published_mul(ieee_binary(32), 0x7f800000, 0x7f800000), 0);
    assert_int_equal(recipe_published_div(ieee_binary(32), 0x7f800000, 0x7f800000), bits_of(1));
    assert_int_equal(recipe_published_div(ieee_binary(32), 0x7f800000, bits_of(9.367094e+24f)),
                     bits_of(36327420000000.0f));
    assert_int_equal(recipe_published_div(ieee_binary(32), bits_of(1), bits_of(-7.855607e-39f)),
                     UINT32_MAX);
    assert_int_equal(
        recipe_published_div(ieee_binary(32), bits_of(9.065576e-39f), bits_of(9.312615e-30f)),
        bits_of(4.867363e-10f));
    assert_int_equal(
        recipe_published_div(ieee_binary(32), bits_of(1.743791e-38f), bits_of(-40929.934f)), 0);
}

/* The same of sums: what overflows has the exponent 255 and a fraction, or is +0 beyond it;
 * subnormal numbers count half, and so do subnormal results, or they are +0. */
static void test_sum_edges(void **state) {
    static const struct {
        float x, y, sum;
    } edges[] = {{3.1389408e-38f, -3.6171695e-38f, 0},
                 {5.0922026e-38f, -3.9790184e-38f, 1.0508741e-38f},
                 {-4.9945355e-38f, 6.16225e-38f, 1.1599343e-38f},
                 {5.6913616e-34f, 3.946557e-39f, 5.6913814e-34f},
                 {-1.7084585e-32f, 6.555263e-39f, -1.7084582e-32f},
                 {1.698937e-38f, -7.692579e-39f, 1.3143081e-38f},
                 {1.11585e-38f, 8.366294e-39f, 7.769851e-39f},
                 {-2.290207e-39f, -6.483951e-39f, 0},
                 {-0.0f, -0.0f, 0}};
    (void)state;
    const struct ieee_format f = ieee_binary(32);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        uint32_t x = bits_of(edges[i].x), y = bits_of(edges[i].y), want = bits_of(edges[i].sum);
        /* The publication prints seven digits. */
        int64_t off = (int64_t)recipe_published_add(f, x, y) - want;
        assert_true(off >= -EDGE_BITS && off <= EDGE_BITS);
        off = (int64_t)recipe_published_sub(f, x, y ^ UINT32_C(1) << 31) - want;
        assert_true(off >= -EDGE_BITS && off <= EDGE_BITS);
    }
    uint32_t infinity = 0x7f800000, minus = UINT32_C(1) << 31;
    assert_int_equal(recipe_published_add(f, infinity, infinity), 0);
    assert_int_equal(recipe_published_add(f, infinity, infinity | minus), 0);
    assert_int_equal(recipe_published_add(f, infinity, 0), infinity);
    uint32_t not_a_number = (uint32_t)recipe_published_add(f, infinity, bits_of(5.8734428e+35f));
    assert_true(not_a_number > infinity && not_a_number < minus);
    int64_t off = (int64_t)recipe_published_add(f, infinity, bits_of(-1.261449e+34f)) -
                  bits_of(3.4026975e+38f);
    assert_true(off >= -EDGE_BITS && off <= EDGE_BITS);
    not_a_number =
        (uint32_t)recipe_published_add(f, bits_of(1.0562843e+38f), bits_of(3.055195e+38f));
    assert_true(not_a_number > infinity && not_a_number < minus);
}

/* ---- reductions: neighbours first ---- */

static void play_reduction(struct player *p, const char *op, unsigned m) {
    player_all(p);
    player_routine(p, "MOV", X, X, Y);
    for (unsigned i = 0; i < m; i++) {
        uint32_t far = 1u << (i < LOG_ROWS ? i : i - LOG_ROWS);
        if (i < LOG_ROWS) {
            for (uint32_t r = far; r < ROWS; r += 2 * far)
                player_move(p, Y, r, p->selected.crossbars.start, T, r - far);
            player_lanes(p, 0, 2 * far);
        } else {
            player_crossbars(p, far, 2 * far);
            player_move(p, Y, 0, 0, T, 0);
            player_crossbars(p, 0, 2 * far);
        }
        player_routine(p, op, Y, T, Z);
        player_routine(p, "MOV", Z, Z, Y);
    }
    player_play(p, &(struct plane_word){.kind = WORD_READ, .reg = Y});
}

static void test_reductions(void **state) {
    static const char *const names[][2] = {{"sum", "ADD"}, {"prod", "MUL"}};
    struct player *p = *state;
    for (unsigned n = 0; n < 2; n++) {
        uint32_t want = n;
        player_start(p, 16, 32);
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
            *player_element(p, X, i) |= n; /* products of odd numbers do not vanish */
            want = n ? want * *player_element(p, X, i) : want + *player_element(p, X, i);
        }
        player_begin_strict(p);
        play_reduction(p, names[n][1], 16);
        player_end_strict(p);
        assert_int_equal(*player_element(p, Y, 0), want);
        want_classes(names[n][0], &p->counts,
                     published("reduction", names[n][0], "int32", UNIT_ELEMENTS));
    }
}

/* Numbers a little above 1. */
static void float_reduction(struct player *p, const char *name, const char *op) {
    float *tree = xcalloc(UNIT_ELEMENTS, sizeof *tree);
    player_start(p, 16, 32);
    for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
        *player_element(p, X, i) = 0x3f800000 | (*player_element(p, X, i) & 1023);
        tree[i] = float_of(*player_element(p, X, i));
    }
    for (uint32_t far = 1; far < UNIT_ELEMENTS; far *= 2)
        for (uint32_t i = 0; i < UNIT_ELEMENTS; i += 2 * far)
            tree[i] = host_result(op, tree[i], tree[i + far]);
    player_begin_strict(p);
    play_reduction(p, name, 16);
    player_end_strict(p);
    assert_int_equal(*player_element(p, Y, 0), bits_of(tree[0]));
    free(tree);
}

static void test_float_reduction(void **state) {
    struct player *p = *state;
    float_reduction(p, "FADD", "add");
    want_classes("sum", &p->counts, published("reduction", "sum", "float32", UNIT_ELEMENTS));
    float_reduction(p, "FMUL", "mul");
    want_classes("prod", &p->counts, published("reduction", "prod", "float32", UNIT_ELEMENTS));
}

/* ---- bitonic sort ---- */

/* Which way blocks of 2^s elements are sorted: 1, downward, where bit s of the number is.  The
 * library writes slices. */
static void play_direction(struct player *p, uint32_t reg, unsigned s, unsigned m) {
    player_all(p);
    player_write(p, reg, 0);
    for (uint32_t j = 0; s < m && j < 1u << s; j++) {
        uint32_t first = (1u << s) + j;
        if (s < LOG_ROWS) {
            player_lanes(p, first, 2u << s);
        } else {
            player_crossbars(p, first / ROWS, (2u << s) / ROWS);
            player_select(p, WORD_ROWS, first % ROWS, first % ROWS, 1);
        }
        player_write(p, reg, 1);
    }
}

/* Register `from` of those whose bit t is 1 to `to` of those whose is 0, or back. */
static void play_exchange(struct player *p, unsigned t, bool back, uint32_t from, uint32_t to) {
    uint32_t far = 1u << (t < LOG_ROWS ? t : t - LOG_ROWS);
    if (t < LOG_ROWS) {
        player_crossbars(p, 0, 1);
        for (uint32_t r = 0; r < ROWS; r++)
            if (!(r & far))
                player_move(p, from, back ? r : r + far, 0, to, back ? r + far : r);
        return;
    }
    for (uint32_t x = 0; x < far; x++) {
        player_crossbars(p, back ? x : x + far, 2 * far);
        for (uint32_t r = 0; r < ROWS; r++)
            player_move(p, from, r, back ? x + far : x, to, r);
    }
}

/* Register x compared with its partner, at a distance of 2^t; the result is where c was. */
static void play_step(struct player *p, unsigned t, uint32_t *x, uint32_t *c) {
    enum { PARTNER = 2, DIFFERENCE, LESS, OTHER, DIRECTION };
    play_exchange(p, t, false, *x, PARTNER);
    player_all(p);
    player_routine(p, "SUB", *x, PARTNER, DIFFERENCE);
    player_routine(p, "FSIGN", DIFFERENCE, DIFFERENCE, LESS);
    player_routine(p, "XOR", LESS, DIRECTION, *c);
    player_routine(p, "INV", *c, *c, OTHER);
    player_routine(p, "SEL", *x, PARTNER, *c);
    player_routine(p, "SEL", *x, PARTNER, OTHER);
    play_exchange(p, t, true, OTHER, *c);
    uint32_t sorted = *c;
    *c = *x;
    *x = sorted;
}

/* The register that holds the result. */
static uint32_t play_sort(struct player *p, unsigned m) {
    uint32_t x = 1, c = 7;
    player_all(p);
    player_routine(p, "MOV", 0, 0, x);
    for (unsigned s = 1; s <= m; s++) {
        play_direction(p, 6, s, m);
        for (unsigned t = s; t-- > 0;)
            play_step(p, t, &x, &c);
    }
    return x;
}

/* What the words come to for 2^m elements (m >= 10), from those of the routines. */
static struct classes sort_classes(const struct classes *step, const struct classes *clone,
                                   unsigned m) {
    uint64_t n = UINT64_C(1) << m, k = m - LOG_ROWS, steps = (uint64_t)m * (m + 1) / 2;
    struct classes c = {.mask = n + 5 * (n >> LOG_ROWS) + k * (k + 1) / 2 + 5,
                        .rw = n - 2 + m,
                        .rw_cells = WIDTH * (n * m + n / 2 * (m - 1)),
                        .logic = step->logic * steps + clone->logic,
                        .gates = n * (step->gates * steps + clone->gates),
                        .move_cells = WIDTH * n * steps};
    for (unsigned t = 0; t < m; t++)
        c.move += (uint64_t)(m - t) * (t < LOG_ROWS ? ROWS : UINT64_C(2) << t);
    return c;
}

/* Of one row. */
static struct classes routine_classes(struct player *p, const char *const *names, unsigned count) {
    player_start(p, LOG_ROWS, 32);
    player_crossbars(p, 0, 1);
    player_select(p, WORD_ROWS, 0, 0, 1);
    for (unsigned i = 0; i < count; i++)
        player_routine(p, names[i], 0, 1, 2);
    return p->counts;
}

static int compare_numbers(const void *left, const void *right) {
    int32_t x = *(const int32_t *)left, y = *(const int32_t *)right;
    return (x > y) - (x < y);
}

static void test_sorts(void **state) {
    static const char *const step_names[] = {"SUB", "FSIGN", "XOR", "INV", "SEL", "SEL"};
    struct player *p = *state;
    struct classes step = routine_classes(p, step_names, 6),
                   clone = routine_classes(p, (const char *const[]){"MOV"}, 1);
    assert_int_equal(step.logic, 152);
    for (unsigned m = 10; m <= 26; m += 2) {
        struct classes made = sort_classes(&step, &clone, m);
        want_classes("sort", &made, published("sort", "bitonic", "int32", UINT64_C(1) << m));
    }
}

/* Numbers of 31 bits: the difference of larger ones has another sign. */
static void test_sorted(void **state) {
    struct player *p = *state;
    for (unsigned m = 10; m <= SORTED; m += 2) {
        uint32_t n = 1u << m;
        int32_t *want = xcalloc(n, sizeof *want);
        player_start(p, m, 31);
        for (uint32_t i = 0; i < n; i++)
            want[i] = (int32_t)*player_element(p, 0, i);
        qsort(want, n, sizeof *want, compare_numbers);
        if (m <= STRICT)
            player_begin_strict(p);
        uint32_t x = play_sort(p, m);
        if (m <= STRICT)
            player_end_strict(p);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal((int32_t)*player_element(p, x, i), want[i]);
        free(want);
        want_classes("sort", &p->counts, published("sort", "bitonic", "int32", n));
    }
}

/* ---- sines ---- */

enum { ANGLE = 0, TURNED, COSINE, SINE, LESS_THAN, CONSTANT, UP, DOWN, PRODUCT, NEGATED };
enum { ROUNDS = 32 };

#define HALF_PI   1.57079632679489661923
#define EVEN      4096u  /* angles at even distances */
#define EVEN_OFF  3.8e-7 /* their sines from the true ones, at most, as measured of the library */
#define ANGLE_OFF 5e-7   /* sines and cosines of any angle */

/* Of CORDIC with so many rounds: the length that the vector has at the end. */
static double gain(void) {
    double length = 1;
    for (int i = 0; i < ROUNDS; i++)
        length *= sqrt(1 + ldexp(1, -2 * i));
    return length;
}

static void with_constant(struct player *p, const char *name, uint32_t x, float value, uint32_t z) {
    player_write(p, CONSTANT, bits_of(value));
    player_routine(p, name, x, CONSTANT, z);
}

/* x times 2^-i, with another sign unless the vector turns upward. */
static void play_part(struct player *p, uint32_t x, int i, uint32_t z) {
    with_constant(p, "FMUL", x, ldexpf(1, -i), PRODUCT);
    player_routine(p, "FNEG", PRODUCT, PRODUCT, NEGATED);
    player_choose(p, LESS_THAN, PRODUCT, NEGATED, z);
}

/* The library's: a vector turns upward where the sum of its turns is less than the angle, downward
 * elsewhere.  A number makes a constant in a register, and each use its own. */
static void play_cordic(struct player *p) {
    player_all(p);
    player_write(p, TURNED, 0);
    player_write(p, COSINE, bits_of(1));
    player_write(p, SINE, 0);
    for (int i = 0; i < ROUNDS; i++) {
        float turn = (float)atan(ldexp(1, -i));
        player_routine(p, "FSUB", TURNED, ANGLE, UP);
        player_routine(p, "FSIGN", UP, UP, LESS_THAN);
        with_constant(p, "FADD", TURNED, turn, UP);
        with_constant(p, "FSUB", TURNED, turn, DOWN);
        player_choose(p, LESS_THAN, UP, DOWN, TURNED);
        play_part(p, SINE, i, UP);
        play_part(p, COSINE, i, DOWN);
        player_routine(p, "FSUB", COSINE, UP, COSINE);
        player_routine(p, "FADD", SINE, DOWN, SINE);
    }
    with_constant(p, "FMUL", COSINE, (float)(1 / gain()), COSINE);
    with_constant(p, "FMUL", SINE, (float)(1 / gain()), SINE);
}

/* The same on the host, in its floats. */
static void host_cordic(float angle, float *cosine, float *sine) {
    float turned = 0, x = 1, y = 0;
    for (int i = 0; i < ROUNDS; i++) {
        float turn = (float)atan(ldexp(1, -i)), part = ldexpf(1, -i);
        bool up = turned - angle < 0;
        turned = up ? turned + turn : turned - turn;
        float down_x = up ? y * part : -(y * part), up_y = up ? x * part : -(x * part);
        x -= down_x;
        y += up_y;
    }
    *cosine = x * (float)(1 / gain());
    *sine = y * (float)(1 / gain());
}

/* From the words of the routines: four constants a round, three before the first and two after the
 * last. */
static void test_cordic_words(void **state) {
    static const char *const names[] = {"FSUB", "FSIGN", "FADD", "FSUB", "SEL",  "FMUL", "FNEG",
                                        "SEL",  "FMUL",  "FNEG", "SEL",  "FSUB", "FADD"};
    struct player *p = *state;
    struct classes lap = routine_classes(p, names, sizeof names / sizeof *names),
                   product = routine_classes(p, (const char *const[]){"FMUL"}, 1),
                   whole = {.mask = 2, .rw = 4 * ROUNDS + 5};
    assert_int_equal(lap.logic, 10085);
    whole.rw_cells = whole.rw * WIDTH * UNIT_ELEMENTS;
    whole.logic = ROUNDS * lap.logic + 2 * product.logic;
    whole.gates = (ROUNDS * lap.gates + 2 * product.gates) * UNIT_ELEMENTS;
    want_classes("sin", &whole, published("unit", "sin", "float32", UNIT_ELEMENTS));
    want_classes("cos", &whole, published("unit", "cos", "float32", UNIT_ELEMENTS));
}

/* Angles between -pi/2 and pi/2, as published. */
static void test_cordic(void **state) {
    struct player *p = *state;
    double even = 0, off = 0;
    if (SORTED < 16) /* a minute with sanitizers */
        skip();
    player_start(p, 16, 32);
    for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
        double part = ldexp((int32_t)*player_element(p, ANGLE, i), -31);
        if (i < EVEN)
            part = 2.0 * i / (EVEN - 1) - 1;
        *player_element(p, ANGLE, i) = bits_of((float)(part * HALF_PI));
    }
    player_begin_strict(p);
    play_cordic(p);
    player_end_strict(p);
    for (uint32_t i = 0; i < UNIT_ELEMENTS; i++) {
        float angle = float_of(*player_element(p, ANGLE, i)),
              cosine = float_of(*player_element(p, COSINE, i)),
              sine = float_of(*player_element(p, SINE, i)), x, y;
        host_cordic(angle, &x, &y);
        if (bits_of(x) != bits_of(cosine) || bits_of(y) != bits_of(sine))
            fail_msg("of %a: %a and %a, not %a and %a", (double)angle, (double)cosine, (double)sine,
                     (double)x, (double)y);
        off = fmax(off, fabs(cosine - cos(angle)));
        off = fmax(off, fabs(sine - sin(angle)));
        even = i < EVEN ? fmax(even, fabs(sine - sin(angle))) : even;
    }
    if (even > EVEN_OFF || off > ANGLE_OFF)
        fail_msg("%g and %g off", even, off);
    want_classes("sin", &p->counts, published("unit", "sin", "float32", UNIT_ELEMENTS));
    want_classes("cos", &p->counts, published("unit", "cos", "float32", UNIT_ELEMENTS));
}

/* ---- the page ---- */

static uint64_t cycles(const struct classes *c) {
    return c->mask + c->rw + c->logic + c->move;
}

static void put_row(const struct row *r, struct str *out) {
    str_printf(out, "| %s | %s | %s | %" PRIu64 " | %" PRIu64 " | ", r->part, r->operation, r->type,
               r->elements, cycles(&r->words));
    if (r->played)
        str_printf(out, "%" PRIu64 " | %" PRIu64 " |\n", cycles(&r->ours), r->ours.gates);
    else
        str_append(out, "- | - |\n");
}

static void test_page(void **state) {
    (void)state;
    struct str table = {0};
    str_append(&table,
               "| part | operation | type | elements | published cycles | compat cycles | gates "
               "of logic, as published |\n|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < row_count; i++)
        put_row(&rows[i], &table);
    page_check(PAGE, "rows", &table, WRITER);
    str_free(&table);
}

/* For docs/figures.csv. */
static int print_figures(void) {
    void *state;
    set_up(&state);
    test_unit(&state);
    test_floats(&state);
    test_float_comparisons(&state);
    test_reductions(&state);
    test_float_reduction(&state);
    test_sorts(&state);
    test_cordic_words(&state);
    puts("row,cycles,gates");
    for (unsigned i = 0; i < row_count; i++)
        if (rows[i].played)
            printf("%s-%s-%s-%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", rows[i].part,
                   rows[i].operation, rows[i].type, rows[i].elements, cycles(&rows[i].ours),
                   rows[i].ours.gates);
    return tear_down(&state);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "figures") == 0)
        return print_figures();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unit),         cmocka_unit_test(test_floats),
        cmocka_unit_test(test_float_edges),  cmocka_unit_test(test_float_comparisons),
        cmocka_unit_test(test_sum_edges),    cmocka_unit_test(test_near_sums),
        cmocka_unit_test(test_reductions),   cmocka_unit_test(test_float_reduction),
        cmocka_unit_test(test_sorts),        cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_cordic_words), cmocka_unit_test(test_cordic),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
