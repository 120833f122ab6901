/* SPDX-License-Identifier: MIT
 * Random technologies: rows that store, rows and latches that compute, gates that keep, replace or
 * preset, or work on some classes of rows alone.  What `check` passes of one, the matrix passes;
 * and where it says "cannot make !x", no sequence of at most six micro-ops over at most four cells
 * makes it; nor a copy that is refused.
 *   test_technologies [SEED COUNT]      COUNT of them from SEED on, else 30 from 1 on, or 8 under
 *                                       sanitizers */
#include "made_up.h"

#include "machines/plane/verify/verify.h"
#include "support/bits.h"
#include "support/hash_table.h"

#ifdef MPU_SANITIZED
static uint64_t first_seed = 1, technologies = 8;
#else
static uint64_t first_seed = 1, technologies = 30;
#endif

/* --- a technology --- */

enum shape { ONE_CLASS, STORED_APART, COMPUTE_ROWS, LATCHES, SHAPES };

struct generator {
    uint64_t seed;
    enum shape shape;
    struct str text;
};

static unsigned draw(struct generator *g, unsigned n) {
    return (unsigned)(splitmix64(&g->seed) % n);
}

static void add_rows(struct generator *g) {
    static const char *const rows[SHAPES] = {
        "  cells: { range: \"0..1021\" }\n",
        ("  cells: { range: \"0..599\", use: registers }\n"
         "  comp:  { range: \"600..1021\", use: scratch }\n"),
        "  cells: { range: \"0..1015\" }\n  comp:  { range: \"1016..1021\", use: compute }\n",
        "  cells: { range: \"0..1021\" }\n  la: { latch: true }\n  lb: { latch: true }\n",
    };
    static const char two_stores[] = "  cells: { range: \"0..299\", use: registers }\n"
                                     "  more:  { range: \"300..599\", use: registers }\n"
                                     "  comp:  { range: \"600..1021\", use: scratch }\n";
    bool both = g->shape == STORED_APART && g->seed >> 40 & 1;
    str_printf(&g->text, "rows:\n%s", both ? two_stores : rows[g->shape]);
    if (draw(g, 8))
        str_append(&g->text, "  zero: { row: 1022, value: 0 }\n");
    if (draw(g, 8))
        str_append(&g->text, "  one: { row: 1023, value: 1 }\n");
}

static const char *const functions[3][8] = {
    {"!a", "!a", "a", "a", "!a", "a", "!a", "a"},
    {"!(a & b)", "!(a | b)", "a & b", "a | b", "a ^ b", "!a | b", "a & !b", "!(a ^ b)"},
    {"maj(a, b, c)", "!maj(a, b, c)", "a ^ b ^ c", "!(a & b & c)", "!(a | b | c)", "a & b | c",
     "(a & b) | (!a & c)", "!((a & b) | c)"},
};

/* Between latches: into one of them. */
static void add_latch_gate(struct generator *g, unsigned index) {
    const char *f = functions[1][draw(g, 8)];
    str_printf(&g->text, "  G%u: { in: [la, lb], out: la, fn: \"", index);
    for (const char *c = f; *c; c++)
        str_printf(&g->text, *c == 'a' || *c == 'b' ? "l%c" : "%c", *c);
    str_append(&g->text, "\", energy: e_row }\n");
}

static void add_latches(struct generator *g) {
    static const char rows[] = "where: \"class(%c) != la && class(%c) != lb\"";
    struct str where = {0}, to = {0};
    str_printf(&where, rows, 'x', 'x');
    str_printf(&to, rows, 'd', 'd');
    str_printf(&g->text, "  RA: { in: [x], out: la, fn: \"x\", energy: e_row, %s }\n",
               str_text(&where));
    str_printf(&g->text, "  RB: { in: [x], out: lb, fn: \"%s\", energy: e_row, %s }\n",
               draw(g, 4) ? "x" : "!x", str_text(&where));
    str_printf(&g->text, "  W: { in: [la], out: d, fn: \"%s\", energy: e_row, %s }\n",
               draw(g, 3) ? "la" : "!la", str_text(&to));
    for (unsigned i = 0; i < 1 + draw(g, 3); i++)
        add_latch_gate(g, i);
    str_free(&where);
    str_free(&to);
}

/* Where a gate works: anywhere, or among the rows for it. */
static void add_where(struct generator *g, unsigned nsrc, const char *out) {
    if (g->shape == ONE_CLASS || draw(g, 4) == 0)
        return;
    str_printf(&g->text, ", where: \"class(%s) == comp", out);
    for (unsigned i = 0; i < nsrc; i++)
        str_printf(&g->text, " && class(%c) == comp", 'a' + (int)i);
    str_char(&g->text, '"');
}

static void add_gate(struct generator *g, unsigned index) {
    unsigned nsrc = 1 + draw(g, 3), form = draw(g, 4);
    const char *out = form == 0 ? "a" : "d";
    str_printf(&g->text, "  G%u: { in: [a%s%s], out: %s, fn: \"%s%s\"", index,
               nsrc > 1 ? ", b" : "", nsrc > 2 ? ", c" : "", out, form == 1 ? "d | " : "",
               functions[nsrc - 1][draw(g, 8)]);
    if (form == 1 && draw(g, 2))
        str_append(&g->text, ", preset: { d: 0, by: SET0 }");
    add_where(g, nsrc, out);
    str_append(&g->text, ", energy: e_row }\n");
}

static void add_gates(struct generator *g) {
    if (draw(g, 8))
        str_append(&g->text,
                   "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e_row }\n");
    for (unsigned i = 0, n = 1 + draw(g, 3); i < n; i++)
        add_gate(g, i);
}

static void add_ops(struct generator *g) {
    str_append(&g->text, "ops:\n  SET0: { out: d, fn: \"0\", energy: e_row");
    str_append(&g->text,
               g->shape == LATCHES ? ", where: \"class(d) != la && class(d) != lb\" }\n" : " }\n");
    if (g->shape == LATCHES)
        add_latches(g);
    else
        add_gates(g);
}

/* Its text; the caller frees it. */
static struct str technology(uint64_t seed) {
    struct generator g = {.seed = seed};
    g.shape = (enum shape)draw(&g, SHAPES);
    str_append(&g.text, "schema: 1\nname: made-up\nkind: plane\n"
                        "array: { rows: 1024, lanes: 64, sections: 1, source: assumed }\n"
                        "machine: { vrf_per_rfh: 8, rfh_per_mpu: 1, mpus: 1, "
                        "active_vrf_per_rfh: 0 }\n"
                        "clocks: { datapath_ps: 1000, source: assumed }\n"
                        "energy: { per: array, e_row: 1000, source: assumed }\n"
                        "network: { intra: serial, setup_ps: 1, register_ps: 1, "
                        "energy_fj_per_bit: 1, source: assumed }\n"
                        "host: { bytes_per_s: 1000000000, fj_per_bit: 1, transpose: host, source: "
                        "assumed }\nfront_end: mpu-paper\n");
    str_printf(&g.text, "mask: { by: %s }\n", draw(&g, 3) ? "gate" : "select");
    add_rows(&g);
    add_ops(&g);
    return g.text;
}

static struct target *open_text(const char *text, struct diag *d) {
    char path[64];
    snprintf(path, sizeof path, "technology-%ld.yaml", (long)getpid());
    assert_true(file_write(path, text, strlen(text)));
    struct target *t = target_open(path, NULL, 0, d);
    remove(path);
    return t;
}

/* --- sequences of micro-ops over a few cells --- */

#define CELLS         4
#define INPUTS        3
#define MOST_OPS      6
#define MOST_OPERANDS 5
#define UNDEFINED     256u
#define MOST_USES     4096
#define MOST_SEEN     200000u

/* Places: inputs, which stay; constants; cells. */
struct place {
    int class;
    uint16_t fixed; /* value of an input or constant */
};
struct step {
    const struct target_op *op;
    uint8_t at[OP_MAX_SOURCES + OP_MAX_DESTS];
};

struct search {
    const struct target *t;
    struct place places[INPUTS + 2 + CELLS];
    unsigned count, first_cell;
    struct step *steps;
    unsigned step_count;
    uint8_t wanted;
};

static bool step_is_possible(const struct search *s, const struct step *step) {
    const struct target_op *op = step->op;
    struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
    unsigned count = op->nsrc + (unsigned)op->ndst;
    for (unsigned i = 0; i < count; i++) {
        at[i] = (struct where_place){s->places[step->at[i]].class, 0};
        if (op->fixed[i] && at[i].class != op->fixed[i] - 1)
            return false;
    }
    for (unsigned d = 0; d < op->ndst; d++) {
        uint8_t to = step->at[op->nsrc + d];
        if (to < s->first_cell || (op->tied[d] && to != step->at[op->tied[d] - 1]))
            return false;
        for (unsigned i = 0; i < op->nsrc + d; i++)
            if (step->at[i] == to && !(op->tied[d] == i + 1))
                return false;
    }
    return technology_where_holds(op->where, at, 0) &&
           technology_presets_hold(s->t, op, &at[op->nsrc]);
}

static void list_steps(struct search *s) {
    s->step_count = 0;
    for (uint32_t i = 0; i < plane_target(s->t)->op_count; i++) {
        struct step x = {.op = &plane_target(s->t)->ops[i]};
        unsigned count = x.op->nsrc + (unsigned)x.op->ndst, all = 1;
        if (count > MOST_OPERANDS)
            continue;
        for (unsigned k = 0; k < count; k++)
            all *= s->count;
        for (unsigned n = 0; n < all && s->step_count < MOST_USES; n++) {
            for (unsigned k = 0, rest = n; k < count && k < MOST_OPERANDS; k++, rest /= s->count)
                x.at[k] = (uint8_t)(rest % s->count);
            if (step_is_possible(s, &x))
                s->steps[s->step_count++] = x;
        }
    }
}

static unsigned value_at(const struct search *s, uint64_t state, unsigned place) {
    return place < s->first_cell ? s->places[place].fixed
                                 : (unsigned)(state >> 9 * (place - s->first_cell) & 511);
}

static uint8_t apply(uint32_t truth, const unsigned *in, unsigned count) {
    uint8_t out = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        unsigned row = 0;
        for (unsigned i = 0; i < count; i++)
            row |= (in[i] >> lane & 1) << i;
        out |= (uint8_t)((truth >> row & 1) << lane);
    }
    return out;
}

/* False if it reads what holds nothing. */
static bool carry_out(const struct search *s, const struct step *step, uint64_t *state) {
    const struct target_op *op = step->op;
    unsigned in[OP_MAX_SOURCES + 1];
    uint64_t next = *state;
    for (unsigned i = 0; i < op->nsrc; i++)
        if ((in[i] = value_at(s, *state, step->at[i])) == UNDEFINED)
            return false;
    for (unsigned d = 0; d < op->ndst; d++) {
        unsigned to = step->at[op->nsrc + d], shift = 9 * (to - s->first_cell);
        in[op->nsrc] = plane_op_presets(op, d)
                           ? plane_target(s->t)->ops[op->preset - 1].truth[0] & 1 ? 255 : 0
                           : value_at(s, *state, to);
        if (plane_op_uses_old(op, d) && in[op->nsrc] == UNDEFINED)
            return false;
        uint64_t v = apply(op->truth[d], in, op->nsrc + (unsigned)op->reads_old);
        next = (next & ~((uint64_t)511 << shift)) | v << shift;
    }
    *state = next;
    return true;
}

/* Breadth first, from cells that hold nothing; the first cell is a register's. */
static bool search_makes(struct search *s) {
    HASH_TABLE(uint64_t, uint8_t) seen = {0};
    VEC(uint64_t) states = {0};
    uint64_t start = 0;
    for (unsigned c = 0; c < CELLS; c++)
        start |= (uint64_t)UNDEFINED << 9 * c;
    vec_push(&states, start);
    bool made = false;
    size_t from = 0;
    for (unsigned depth = 0; depth < MOST_OPS && !made; depth++) {
        size_t end = states.len;
        for (; from < end && !made && states.len < MOST_SEEN; from++)
            for (unsigned i = 0; i < s->step_count && !made; i++) {
                uint64_t next = states.data[from];
                if (!carry_out(s, &s->steps[i], &next) || hash_table_get(&seen, &next))
                    continue;
                *(uint8_t *)hash_table_put(&seen, &next) = 1;
                vec_push(&states, next);
                made = (next & 511) == s->wanted;
            }
    }
    hash_table_free(&seen);
    vec_free(&states);
    return made;
}

static bool is_cell(const struct target *t, uint32_t class) {
    const struct row_class *c = &plane_target(t)->row_classes[class];
    return c->value < 0 && (c->scratch || class == plane_target(t)->register_class);
}

static uint32_t rows_of(const struct row_class *c) {
    return c->latch ? 1 : (c->last - c->first) / c->step + 1;
}

/* Cells of the classes that the digits of `choice` name; false if there are not so many. */
static bool choose_cells(struct search *s, unsigned choice) {
    const struct plane_target *own = plane_target(s->t);
    uint32_t taken[64] = {0};
    s->count = s->first_cell;
    for (unsigned c = 0; c < CELLS; c++) {
        uint32_t class = c == 0 ? own->register_class : choice % own->row_class_count;
        if (c > 0)
            choice /= own->row_class_count;
        if (!is_cell(s->t, class) || ++taken[class] > rows_of(&own->row_classes[class]) ||
            (c > 1 && (int)class < s->places[s->count - 1].class))
            return false;
        s->places[s->count++] = (struct place){(int)class, 0};
    }
    return true;
}

static const uint8_t variables[INPUTS] = {0xAA, 0xCC, 0xF0};

/* Can a register get the function of x, y and z, which lie in registers? */
static bool can_make(const struct target *t, uint8_t wanted, unsigned inputs) {
    const struct plane_target *own = plane_target(t);
    struct search s = {.t = t, .wanted = wanted};
    unsigned choices = own->row_class_count * own->row_class_count * own->row_class_count;
    bool made = false;
    s.steps = calloc(MOST_USES, sizeof *s.steps);
    for (unsigned i = 0; i < inputs; i++)
        s.places[s.count++] = (struct place){(int)own->register_class, variables[i]};
    for (uint32_t i = 0; i < own->row_class_count; i++)
        if (own->row_classes[i].value >= 0)
            s.places[s.count++] = (struct place){(int)i, own->row_classes[i].value ? 255 : 0};
    s.first_cell = s.count;
    for (unsigned i = 0; i < choices && !made; i++)
        if (choose_cells(&s, i)) {
            list_steps(&s);
            made = search_makes(&s);
        }
    free(s.steps);
    return made;
}

/* --- one technology --- */

static const struct {
    const char *name;
    uint8_t truth;
    unsigned inputs;
} usual[] = {
    {"!x", 0x55, 1},           {"x & y", 0x88, 2},        {"x | y", 0xEE, 2}, {"x ^ y", 0x66, 2},
    {"maj(x, y, z)", 0xE8, 3}, {"mux(s, x, y)", 0xD8, 3}, {"0", 0x00, 1},     {"1", 0xFF, 1}};

struct tally {
    unsigned refused_files, lacking, held, refused;
    unsigned inverts; /* that lack nothing, and where the search finds !x: it finds something */
};

static void confirm(const struct recipe_set *s, uint64_t seed, const char *text,
                    struct tally *tally) {
    const char *missing = mapping_missing_function(s);
    for (size_t i = 0; missing && i < sizeof usual / sizeof *usual; i++)
        if (strcmp(missing, usual[i].name) == 0 &&
            can_make(s->target, usual[i].truth, usual[i].inputs))
            fail_msg("seed %llu: '%s' can be made\n%s", (unsigned long long)seed, missing, text);
    tally->lacking += missing != NULL;
    tally->inverts += !missing && can_make(s->target, 0x55, 1);
}

static const enum mpu_op tried[] = {OP_INV, OP_XOR, OP_ADD, OP_INC, OP_CMPLT, OP_SEL};
static const uint8_t widths[] = {1, 2, 3, 4, 5, 8, 11};

static void verify_op(const struct recipe_set *s, enum mpu_op op, uint64_t seed, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    for (size_t i = 0; i < sizeof widths; i++) {
        const struct verify_options o = {
            .effort = VERIFY_LIGHT, .op = op, .width = widths[i], .seed = seed};
        struct verify_plane plane;
        struct verify_count count;
        if (!verify_matrix(plane_verify(&plane, s->target, s), &o, &count, d))
            fail_msg("seed %llu: check passes and verify does not: %s\n%s",
                     (unsigned long long)seed, diag_first(d), text);
    }
    diag_free(d);
}

/* A copy that is refused is one that no sequence makes. */
static void confirm_copy(const struct recipe_set *s, uint64_t seed, const char *text,
                         const char *message) {
    if ((strstr(message, "must be copied") || strstr(message, "that copy this")) &&
        can_make(s->target, variables[0], 1))
        fail_msg("seed %llu: %s, but it can be copied\n%s", (unsigned long long)seed, message,
                 text);
}

/* What the mapping makes is right, or refused for another reason than that it is wrong. */
static void try_op(const struct recipe_set *s, enum mpu_op op, uint64_t seed, const char *text,
                   struct tally *tally) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_forms forms = {0};
    const struct recipe *recipe = recipe_of(s, op, d);
    bool held = recipe && recipe_check_forms(s, recipe, widths, sizeof widths, &forms, d);
    diag_flush(d);
    if (!held && diag_first(d) && strstr(diag_first(d), "but the ISA says"))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, diag_first(d), text);
    if (!held && diag_first(d))
        confirm_copy(s, seed, text, diag_first(d));
    if (!held && recipe)
        print_message("seed %llu: %.160s\n", (unsigned long long)seed,
                      diag_first(d) ? diag_first(d) : "");
    diag_free(d);
    if (held)
        verify_op(s, op, seed, text);
    tally->held += held;
    tally->refused += !held && recipe;
}

static void try_technology(uint64_t seed, struct tally *tally) {
    struct diag *d = diag_new(NULL, NULL);
    struct str text = technology(seed);
    struct target *t = open_text(str_text(&text), d);
    struct recipe_set *s = t ? recipe_set_open(t, d) : NULL;
    tally->refused_files += !s;
    for (size_t i = 0; s && i < sizeof tried / sizeof *tried; i++)
        try_op(s, tried[i], seed, str_text(&text), tally);
    if (s)
        confirm(s, seed, str_text(&text), tally);
    recipe_set_free(s);
    target_free(t);
    str_free(&text);
    diag_free(d);
}

static void test_technologies(void **state) {
    (void)state;
    struct tally tally = {0};
    for (uint64_t i = 0; i < technologies; i++)
        try_technology(first_seed + i, &tally);
    print_message("%llu technologies: %u files refused, %u lack a function; instructions: %u hold, "
                  "%u are refused for another reason\n",
                  (unsigned long long)technologies, tally.refused_files, tally.lacking, tally.held,
                  tally.refused);
    assert_true(tally.refused_files < technologies / 2 && tally.held > technologies);
    assert_true(tally.inverts > technologies / 4);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_technologies)};
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        technologies = strtoull(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
