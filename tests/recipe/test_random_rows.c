/* SPDX-License-Identifier: MIT
 * Random recipes for arrays that destroy what they read.  A recipe is a list of activations of
 * named places; what it computes is said here by what activation means, without the target's
 * micro-ops, and compared with what the expanded micro-ops do: with operands that are one register,
 * under masks, on rows that the expansion chose. */
#include "made_up.h"

#include "machines/plane/verify/verify.h"
#include "support/bits.h"

/* Places of a recipe. */
enum {
    ROWS = 6,  /* T0 .. T3, DCC0, DCC1 */
    NAMES = 6, /* scratch */
    BITS = 4,  /* of each operand */
    FIRST_NAME = ROWS,
    FIRST_A = ROWS + NAMES,
    FIRST_B = FIRST_A + BITS,
    FIRST_D = FIRST_B + BITS,
    FIRST_CONSTANT = FIRST_D + BITS,
    PLACES = FIRST_CONSTANT + 2
};

/* The first places drive the bit lines with their majority and take it, if they are several; so do
 * the second ones.  `inverted`: through negated wordlines. */
struct activation {
    unsigned first_count, second_count;
    unsigned first[5], second[5];
    bool first_inverted[5], second_inverted[5];
};

#define MOST 40
struct program {
    struct activation list[MOST + BITS];
    unsigned count, w;
    struct str text;
};

/* --- what activation means --- */

static uint64_t majority(const uint64_t *values, unsigned n) {
    uint64_t out = 0;
    for (unsigned lane = 0; lane < 64; lane++) {
        unsigned ones = 0;
        for (unsigned i = 0; i < n; i++)
            ones += (unsigned)(values[i] >> lane & 1);
        out |= (uint64_t)(2 * ones > n) << lane;
    }
    return out;
}

static void activate(const struct activation *x, uint64_t *places) {
    uint64_t values[5];
    for (unsigned i = 0; i < x->first_count; i++)
        values[i] = x->first_inverted[i] ? ~places[x->first[i]] : places[x->first[i]];
    uint64_t lines = majority(values, x->first_count);
    for (unsigned i = 0; i < x->first_count && x->first_count > 1; i++)
        places[x->first[i]] = x->first_inverted[i] ? ~lines : lines;
    for (unsigned i = 0; i < x->second_count; i++)
        places[x->second[i]] = x->second_inverted[i] ? ~lines : lines;
}

/* Planes of d from those of a and b. */
static void run_program(const struct program *p, const uint64_t *a, const uint64_t *b,
                        uint64_t *d) {
    uint64_t places[PLACES] = {0};
    memcpy(places + FIRST_A, a, BITS * sizeof *a);
    memcpy(places + FIRST_B, b, BITS * sizeof *b);
    places[FIRST_CONSTANT + 1] = UINT64_MAX;
    for (unsigned i = 0; i < p->count; i++)
        activate(&p->list[i], places);
    memcpy(d, places + FIRST_D, BITS * sizeof *d);
}

/* --- random recipes --- */

struct generator {
    uint64_t seed;
    struct program *p;
    bool defined[PLACES];
};

static unsigned draw(struct generator *g, unsigned n) {
    return (unsigned)(splitmix64(&g->seed) % n);
}

static const char *place_text(unsigned place, char *out, size_t size) {
    static const char *const rows[] = {"T0", "T1", "T2", "T3", "DCC0", "DCC1"};
    if (place < ROWS)
        return rows[place];
    if (place < FIRST_A)
        snprintf(out, size, "x%u", place - FIRST_NAME);
    else if (place < FIRST_CONSTANT)
        snprintf(out, size, "%c[%u]", "abd"[(place - FIRST_A) / BITS], (place - FIRST_A) % BITS);
    else
        return place == FIRST_CONSTANT ? "zero" : "one";
    return out;
}

static const struct decoded_rows {
    const char *name;
    unsigned count, rows[3];
    unsigned inverted; /* bit i: row i */
} groups[] = {{"DCC0n", 1, {4}, 1},     {"DCC1n", 1, {5}, 1},     {"B8", 2, {0, 4}, 2},
              {"B9", 2, {1, 5}, 2},     {"B10", 2, {2, 3}, 0},    {"B11", 2, {0, 3}, 0},
              {"B12", 3, {0, 1, 2}, 0}, {"B13", 3, {1, 2, 3}, 0}, {"B14", 3, {4, 1, 2}, 0},
              {"B15", 3, {5, 0, 3}, 0}};
#define GROUPS (sizeof groups / sizeof *groups)

/* A place that holds something. */
static unsigned readable(struct generator *g) {
    for (;;) {
        unsigned place = draw(g, PLACES), bit = (place - FIRST_A) % BITS;
        bool absent = place >= FIRST_A && place < FIRST_CONSTANT && bit >= g->p->w;
        if (g->defined[place] && !absent)
            return place;
    }
}

static unsigned writable(struct generator *g) {
    unsigned place = draw(g, ROWS + NAMES + g->p->w);
    return place < FIRST_A ? place : FIRST_D + place - FIRST_A;
}

static bool is_defined(const struct generator *g, const struct decoded_rows *x) {
    for (unsigned i = 0; i < x->count; i++)
        if (!g->defined[x->rows[i]])
            return false;
    return true;
}

static bool overlaps(const struct activation *x) {
    for (unsigned i = 0; i < x->first_count; i++)
        for (unsigned k = 0; k < x->second_count; k++)
            if (x->first[i] == x->second[k])
                return true;
    return false;
}

static void take_group(const struct decoded_rows *x, unsigned *places, bool *inverted,
                       unsigned *count) {
    *count = x->count;
    for (unsigned i = 0; i < x->count; i++) {
        places[i] = x->rows[i];
        inverted[i] = x->inverted >> i & 1;
    }
}

static void define(struct generator *g, const struct activation *x) {
    for (unsigned i = 0; i < x->second_count; i++)
        g->defined[x->second[i]] = true;
    g->p->list[g->p->count++] = *x;
}

/* AP group, or AAP second <- first. */
static void random_command(struct generator *g) {
    struct activation x = {.first_count = 1};
    char first[16], second[16];
    const char *one = first, *two = NULL;
    const struct decoded_rows *from = &groups[draw(g, GROUPS)], *to = &groups[draw(g, GROUPS)];
    if (draw(g, 2) == 0 && is_defined(g, from) && from->count != 2) {
        take_group(from, x.first, x.first_inverted, &x.first_count);
        one = from->name;
    } else {
        x.first[0] = readable(g);
        one = place_text(x.first[0], first, sizeof first);
    }
    if (x.first_count == 1 || draw(g, 2)) {
        x.second_count = 1;
        x.second[0] = writable(g);
        two = place_text(x.second[0], second, sizeof second);
        if (draw(g, 2)) {
            take_group(to, x.second, x.second_inverted, &x.second_count);
            two = to->name;
        }
    }
    if (overlaps(&x))
        return;
    if (two)
        str_printf(&g->p->text, "  AAP %s <- %s\n", two, one);
    else
        str_printf(&g->p->text, "  AP %s\n", one);
    define(g, &x);
}

static void move(struct generator *g, const char *op, unsigned to, unsigned from, bool inverted) {
    struct activation x = {1, 1, {from}, {to}, {false}, {inverted}};
    char first[16], second[16];
    str_printf(&g->p->text, "  %s = %s(%s)\n", place_text(to, second, sizeof second), op,
               place_text(from, first, sizeof first));
    define(g, &x);
}

/* Four new values in rows for computing and one elsewhere take the majority of all. */
static void random_vote(struct generator *g) {
    struct activation x = {.first_count = 5};
    unsigned last = draw(g, 2) ? FIRST_D + draw(g, g->p->w) : FIRST_NAME + 4;
    char names[5][16];
    for (unsigned i = 0; i < 5; i++) {
        x.first[i] = i < 4 ? FIRST_NAME + i : last;
        unsigned from = readable(g);
        while (from == x.first[i])
            from = readable(g);
        bool flip = i < 4 && draw(g, 2);
        move(g, flip ? "FLIP" : "CLONE", x.first[i], from, flip);
        place_text(x.first[i], names[i], sizeof names[i]);
    }
    str_printf(&g->p->text, "  %s, %s, %s, %s, %s = VOTE(%s, %s, %s, %s, %s)\n", names[0], names[1],
               names[2], names[3], names[4], names[0], names[1], names[2], names[3], names[4]);
    define(g, &x);
    unsigned to = draw(g, 2) ? FIRST_NAME + 5 : FIRST_D + draw(g, g->p->w), from = draw(g, 5);
    if (x.first[from] != to)
        move(g, "CLONE", to, x.first[from], false);
    for (unsigned i = 0; i < 4; i++)
        g->defined[FIRST_NAME + i] = false; /* the rows are for the next one */
}

static void random_program(struct generator *g, bool votes) {
    struct program *p = g->p;
    memset(g->defined, 0, sizeof g->defined);
    memset(g->defined + FIRST_A, 1, 2 * BITS);
    memset(g->defined + FIRST_CONSTANT, 1, 2);
    p->count = 0;
    p->w = 1 + draw(g, BITS);
    str_clear(&p->text);
    str_printf(&p->text, "recipe ADD(a, b) -> d any w needs %s\n{\n", votes ? "VOTE" : "AAP");
    for (unsigned n = 1 + draw(g, votes ? 4 : MOST); n > 0; n--)
        votes ? random_vote(g) : random_command(g);
    for (unsigned k = 0; k < p->w; k++)
        if (!g->defined[FIRST_D + k])
            move(g, votes ? "CLONE" : "AAP", FIRST_D + k, readable(g), false);
    str_append(&p->text, "}\n");
}

/* --- what the micro-ops do --- */

struct opened {
    const struct target *t;
    uint64_t registers[4][64], m;
    uint64_t *scratch;
};

static uint64_t *plane(struct opened *x, uint32_t p) {
    static uint64_t constants[2];
    constants[0] = 0;
    constants[1] = UINT64_MAX;
    switch (PLANE_CLASS(p)) {
    case PLANE_REGISTER:
        return &x->registers[PLANE_NUMBER(p) >> 6 & 3][p & 63];
    case PLANE_M:
        return &x->m;
    case PLANE_CONST:
        return &constants[PLANE_NUMBER(p) & 1];
    default:
        assert_int_equal(PLANE_CLASS(p), PLANE_SCRATCH);
        assert_in_range(PLANE_NUMBER(p), 0, plane_target(x->t)->scratch_rows - 1);
        return &x->scratch[PLANE_NUMBER(p)];
    }
}

static void run_uop(struct opened *x, const struct uop *u) {
    const struct target_op *op = &plane_target(x->t)->ops[u->kind];
    uint64_t in[UOP_MAX], out[UOP_MAX] = {0};
    for (unsigned s = 0; s < u->nsrc; s++)
        in[s] = *plane(x, u->src[s]);
    for (unsigned k = 0; k < u->ndst; k++)
        for (unsigned lane = 0; lane < 64; lane++) {
            unsigned row = 0;
            for (unsigned s = 0; s < u->nsrc; s++)
                row |= (unsigned)(in[s] >> lane & 1) << s;
            out[k] |= (uint64_t)(op->truth[k] >> row & 1) << lane;
        }
    for (unsigned k = 0; k < u->ndst; k++) {
        bool gated =
            PLANE_CLASS(u->predicate) == PLANE_M && PLANE_CLASS(u->dst[k]) == PLANE_REGISTER;
        uint64_t on = gated ? x->m : UINT64_MAX, *to = plane(x, u->dst[k]);
        *to = (out[k] & on) | (*to & ~on);
    }
}

/* One way to call the recipe. */
static void try_form(const struct recipe_set *s, const struct recipe *c, const struct program *p,
                     const struct insn *insn, bool masked, uint64_t *seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct uop_list list = {0};
    struct opened before = {.t = s->target}, after;
    uint64_t want[BITS];
    if (!recipe_expand_with(s, c, insn, masked, &list, d) ||
        !verify_list(s->target, insn, masked, &list, true, d))
        fail_msg("%s\n%s", diag_first(d), str_text(&p->text));
    for (unsigned r = 0; r < 4; r++)
        for (unsigned k = 0; k < 64; k++)
            before.registers[r][k] = splitmix64(seed);
    before.m = splitmix64(seed);
    after = before;
    after.scratch = calloc(plane_target(s->target)->scratch_rows + 1, sizeof *after.scratch);
    for (uint32_t i = 0; i < plane_target(s->target)->scratch_rows; i++)
        after.scratch[i] = splitmix64(seed);
    for (size_t i = 0; i < list.len; i++)
        run_uop(&after, &list.data[i]);
    run_program(p, before.registers[insn->rs], before.registers[insn->rt], want);
    for (unsigned r = 0; r < 4; r++)
        for (unsigned k = 0; k < 64; k++) {
            uint64_t old = before.registers[r][k], new = old;
            if (r == insn->rd && k < p->w)
                new = masked ? (want[k] & before.m) | (old & ~before.m) : want[k];
            if (after.registers[r][k] != new)
                fail_msg("bit %u of r%u, %s\n%s", k, r, masked ? "masked" : "", str_text(&p->text));
        }
    assert_int_equal(after.m, before.m);
    free(after.scratch);
    vec_free(&list);
    diag_free(d);
}

static void try_recipes(const char *name, bool votes, unsigned count) {
    static const uint8_t aliases[][3] = {{1, 2, 3}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    struct program p = {.count = 0};
    struct generator g = {.seed = votes, .p = &p};
    if (!t)
        fail_msg("%s", diag_first(d));
    struct recipe_set *s = recipe_set_open(t, d);
    for (unsigned n = 0; n < count; n++) {
        random_program(&g, votes);
        struct recipe *c = read_again(s, str_text(&p.text));
        for (size_t a = 0; a < sizeof aliases / sizeof *aliases; a++) {
            struct insn insn = {.op = OP_ADD, .width = (uint8_t)p.w};
            insn.rs = aliases[a][0];
            insn.rt = aliases[a][1];
            insn.rd = aliases[a][2];
            for (int masked = 0; masked < 2; masked++)
                try_form(s, c, &p, &insn, masked, &g.seed);
        }
    }
    str_free(&p.text);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static void test_commands(void **state) {
    (void)state;
    char path[1024];
    try_recipes(made_up_path(path, "ambit"), false, 400);
    try_recipes("mimdram", false, 100);
    try_recipes("simdram", false, 100); /* merges */
}

static void test_votes(void **state) {
    (void)state;
    char path[1024];
    try_recipes(made_up_path(path, "majority5"), true, 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_votes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
