/* SPDX-License-Identifier: MIT
 * Random technologies (technology.h).  What `check` passes of one, the matrix passes; what one
 * carries out it carries out, too, with its lines in another order and with one more; what it
 * refuses it refuses for a reason of a few kinds, which names a key of the file: "cannot make !x"
 * where no six micro-ops over five cells (cells.h) make it, nor does a copy that is refused exist
 * among these; no way between sections where no micro-op leads on. test_technologies [SEED COUNT
 * [SECTIONS]] COUNT of them from SEED on with more instructions, of so many sections (0: any), with
 * a line for each refusal: its class, which was confirmed, and its words, and the file if it is one
 * alone; else a few from 1 on, and fewer under sanitizers */
#include "tests/draws.h"
#include "cells.h"
#include "made_up.h"
#include "technology.h"

#include "machines/plane/verify/verify.h"
#include "recipe/technology/where.h"

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static uint64_t first_seed = 1, technologies;
static bool many;
static unsigned sections = 1; /* 0: any number */

static const enum isa_op all[] = {OP_INV,  OP_XOR,  OP_ADD, OP_INC,  OP_CMPLT, OP_SEL,
                                  OP_POPC, OP_SHLI, OP_MUL, OP_QDIV, OP_MIN,   OP_FMUL};
#define FEW  6 /* of them where many are tried otherwise */
#define MANY (sizeof all / sizeof *all)
static const uint8_t widths[] = {1, 2, 3, 4, 5, 8, 11};
#define THIN 3 /* of them where a variant is tried */
static const uint8_t float_widths[] = {16};

/* *count: at most so many of them. */
static const uint8_t *widths_of(enum isa_op op, size_t *count) {
    bool floats = op == OP_FMUL; /* where many values are held at a time */
    if (floats)
        *count = 1;
    return floats ? float_widths : widths;
}

static unsigned op_count(void) {
    return many ? MANY : FEW;
}

/* --- refusals --- */

enum outcome {
    HOLDS,
    NO_FILE,
    CANNOT,
    MASKED_LATCH,
    NOT_FOUND,
    OTHER_SECTIONS,
    NO_CONSTANT,
    NO_COPY,
    NO_WAY,
    FEW_ROWS,
    LISTED,
    OUTCOMES
};
static const char *const outcome_names[OUTCOMES] = {
    "hold",
    "refused when read",
    "cannot make a function",
    "need the latch of the mask",
    "no sequence was found",
    "need other sections for logic",
    "have no constant",
    "cannot copy",
    "find no way between sections",
    "need more rows",
    "other",
};

struct tally {
    unsigned faults;
    unsigned count[OUTCOMES], open; /* open: questions that the few cells leave so */
    unsigned
        inverts; /* that lack nothing, and where the few cells make !x: they do make something */
};

struct subject {
    const struct technology *drawn;
    const struct target *t;
    const struct recipe_set *s;
    const char *text;
    uint64_t seed;
    struct tally *tally;
};

static void fault(const struct subject *subject, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fault(const struct subject *subject, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_message("seed %llu: %s\n%s\n", (unsigned long long)subject->seed, text, subject->text);
    subject->tally->faults++;
}

static const struct {
    const char *name;
    uint8_t truth;
    unsigned inputs;
} usual[] = {
    {"!x", 0x55, 1},           {"x & y", 0x88, 2},        {"x | y", 0xEE, 2}, {"x ^ y", 0x66, 2},
    {"maj(x, y, z)", 0xE8, 3}, {"mux(s, x, y)", 0xD8, 3}, {"0", 0x00, 1},     {"1", 0xFF, 1}};

static void not_made(const struct subject *subject, uint8_t truth, unsigned inputs,
                     const char *why) {
    bool rows = strstr(why, "or of buffers") != NULL;
    enum cells_answer a = (rows ? cells_make_in_rows : cells_make)(subject->t, truth, inputs);
    subject->tally->open += a == CELLS_TOO_MANY;
    if (a == CELLS_FOUND)
        fault(subject, "%s, but it can be made", why);
}

/* That nothing makes the function that the message names is so, as far as few cells go. */
static void confirm_missing(const struct subject *subject, const char *name, const char *why) {
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strncmp(name, usual[i].name, strlen(usual[i].name)) == 0)
            not_made(subject, usual[i].truth, usual[i].inputs, why);
}

/* Does a step of whatever function lead from section to section, the operands of which lie in
 * whatever classes? */
static bool leads(const struct target *t, const struct target_op *op, int from, int to) {
    for (unsigned i = 0; i < op->nsrc; i++)
        for (unsigned d = 0; d < op->ndst; d++) {
            struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
            for (unsigned k = 0; k < op->nsrc + (unsigned)op->ndst; k++)
                at[k] = (struct where_place){CLASS_UNKNOWN, from};
            for (unsigned k = 0; k <= plane_target(t)->row_class_count; k++) {
                at[i] = (struct where_place){
                    k < plane_target(t)->row_class_count ? (int)k : CLASS_BUFFER, from};
                at[op->nsrc + d] = (struct where_place){CLASS_BUFFER, to};
                if (technology_where_decided(op->where, at, from) ||
                    technology_where_decided(op->where, at, to))
                    return true;
            }
        }
    return false;
}

/* That nothing leads from the one section to the other is so, whatever it does on its way. */
static void confirm_apart(const struct subject *subject, const char *why) {
    const struct plane_target *t = plane_target(subject->t);
    bool reached[64] = {false}, more = true;
    int from, to;
    const char *at = strstr(why, "from section ");
    if (!at || sscanf(at, "from section %d to section %d", &from, &to) != 2)
        return;
    reached[from] = true;
    for (unsigned round = 0; round < t->sections && more; round++) {
        more = false;
        for (unsigned s = 0; s < t->sections; s++)
            for (unsigned n = 0; reached[s] && n < t->sections; n++)
                for (uint32_t i = 0; !reached[n] && i < t->op_count; i++)
                    more |= reached[n] = leads(subject->t, &t->ops[i], (int)s, (int)n);
    }
    if (reached[to])
        fault(subject, "%s, but something leads there", why);
}

/* That no row holds the constant, and no micro-op writes it, is so. */
static void confirm_constant(const struct subject *subject, const char *why) {
    const struct plane_target *t = plane_target(subject->t);
    const char *at = strstr(why, "constant ");
    int value = at ? at[strlen("constant ")] - '0' : -1;
    for (uint32_t i = 0; i < t->row_class_count; i++)
        if (t->row_classes[i].value == value)
            fault(subject, "%s, but a row holds it", why);
}

/* What a reason says, and the key of the file that it names. */
static const struct {
    const char *words, *key;
    enum outcome outcome;
} reasons[] = {{"which holds the mask", "'mask'", MASKED_LATCH},
               {" that was found within", "'search_steps'", NOT_FOUND},
               {" within one section", "'where'", OTHER_SECTIONS},
               {"cannot make ", "micro-ops", CANNOT},
               {"' holds constant ", "'rows'", NO_CONSTANT},
               {"has no row of constant", "'rows'", NO_CONSTANT},
               {"must be copied", "'where'", NO_COPY},
               {"that copy this", "'where'", NO_COPY},
               {"bring a value", "'where'", NO_WAY},
               {"copy a buffer to a row", "'where'", NO_WAY},
               {"needs more", "'rows'", FEW_ROWS}};

static enum outcome classify(const struct subject *subject, const char *message) {
    const char *made = strstr(message, "make ");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (!strstr(message, reasons[i].words))
            continue;
        if (!strstr(message, reasons[i].key))
            fault(subject, "no key of the file is named: %s", message);
        if (reasons[i].outcome == NO_COPY)
            not_made(subject, 0xAA, 1, message);
        else if (reasons[i].outcome == NO_WAY)
            confirm_apart(subject, message);
        else if (reasons[i].outcome == NO_CONSTANT)
            confirm_constant(subject, message);
        else if (made && reasons[i].outcome != NOT_FOUND) /* which says how to search on */
            confirm_missing(subject, strncmp(made + 5, "no ", 3) ? made + 5 : made + 8, message);
        return reasons[i].outcome;
    }
    return LISTED;
}

/* --- one technology --- */

static void verify_op(const struct subject *subject, enum isa_op op) {
    struct diag *d = diag_new(NULL, NULL);
    size_t count = sizeof widths;
    const uint8_t *w = widths_of(op, &count);
    for (size_t i = 0; i < count; i++) {
        const struct verify_options o = {
            .effort = VERIFY_LIGHT, .op = op, .width = w[i], .seed = subject->seed};
        struct verify_plane plane;
        struct verify_count tried;
        if (!verify_matrix(plane_verify(&plane, subject->t, subject->s), &o, &tried, d))
            fault(subject, "check passes and verify does not: %s", diag_first(d));
    }
    diag_free(d);
}

/* What the mapping makes is right, or refused for another reason than that it is wrong.  `why` gets
 * the reason. */
static bool op_holds(const struct subject *subject, enum isa_op op, size_t width_count, char *why,
                     size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_forms forms = {0};
    const struct recipe *recipe = recipe_of(subject->s, op, d);
    const uint8_t *w = widths_of(op, &width_count);
    bool held = recipe && recipe_check_forms(subject->s, recipe, w, width_count, &forms, d);
    diag_flush(d);
    snprintf(why, size, "%s", !held && diag_first(d) ? diag_first(d) : "");
    diag_free(d);
    if (strstr(why, "but the ISA says"))
        fault(subject, "%s", why);
    return held;
}

/* True if it holds. */
static bool try_op(const struct subject *subject, enum isa_op op) {
    char why[512];
    enum outcome outcome = HOLDS;
    if (op_holds(subject, op, sizeof widths, why, sizeof why)) {
        verify_op(subject, op);
    } else {
        outcome = classify(subject, why);
    }
    subject->tally->count[outcome]++;
    if (outcome == LISTED || (many && outcome != HOLDS))
        print_message("seed %llu, %u sections, %s: %s: %.300s\n", (unsigned long long)subject->seed,
                      subject->drawn->sections, isa_info(op)->name, outcome_names[outcome], why);
    return outcome == HOLDS;
}

/* Opens what was drawn; false if the file is refused. */
static bool open_subject(struct subject *subject, struct str *text, char *why, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    char path[64];
    *text = technology_text(subject->drawn);
    subject->text = str_text(text);
    snprintf(path, sizeof path, "technology-%ld.yaml", (long)getpid());
    assert_true(file_write(path, subject->text, text->len));
    struct target *t = target_open(path, NULL, 0, d);
    remove(path);
    subject->t = t;
    subject->s = t ? recipe_set_open(t, d) : NULL;
    diag_flush(d);
    snprintf(why, size, "%s", !subject->s && diag_first(d) ? diag_first(d) : "");
    diag_free(d);
    return subject->s != NULL;
}

static void close_subject(struct subject *subject, struct str *text) {
    recipe_set_free((struct recipe_set *)(uintptr_t)subject->s);
    target_free((struct target *)(uintptr_t)subject->t);
    str_free(text);
}

/* What held before holds with these lines, too. */
static void try_variant(const struct technology *drawn, const struct subject *before, uint32_t held,
                        const char *what) {
    struct subject x = {.drawn = drawn, .seed = before->seed, .tally = before->tally};
    struct str text;
    char why[512];
    if (!open_subject(&x, &text, why, sizeof why))
        fault(&x, "%s: %s", what, why);
    for (unsigned i = 0; x.s && i < op_count(); i++)
        if (held >> i & 1 && !op_holds(&x, all[i], THIN, why, sizeof why))
            fault(&x, "%s: %s", what, why);
    close_subject(&x, &text);
}

static void try_technology(uint64_t seed, struct tally *tally) {
    struct technology drawn;
    technology_draw(&drawn, seed, sections);
    struct subject x = {.drawn = &drawn, .seed = seed, .tally = tally};
    struct str text;
    char why[512];
    uint32_t held = 0;
    if (!open_subject(&x, &text, why, sizeof why)) {
        print_message("seed %llu: %.300s\n", (unsigned long long)seed, why);
        tally->count[NO_FILE]++;
    }
    if (many && technologies == 1)
        fprintf(stderr, "%s\n", x.text); /* longer than a message may be */
    for (unsigned i = 0; x.s && i < op_count(); i++)
        held |= (uint32_t)try_op(&x, all[i]) << i;
    if (x.s && !mapping_why_missing(x.s))
        tally->inverts += cells_make(x.t, 0x55, 1) == CELLS_FOUND;
    technology_shuffle(&drawn);
    if (held && !MPU_SANITIZED) /* no code that the first order does not run */
        try_variant(&drawn, &x, held, "in another order");
    technology_add_line(&drawn);
    technology_shuffle(&drawn);
    if (held && !MPU_SANITIZED)
        try_variant(&drawn, &x, held, "with a micro-op more");
    close_subject(&x, &text);
    technology_free(&drawn);
}

static void test_technologies(void **state) {
    (void)state;
    struct tally tally = {0};
    for (uint64_t i = 0; i < technologies; i++)
        try_technology(first_seed + i, &tally);
    print_message("%llu technologies, instructions:", (unsigned long long)technologies);
    for (unsigned i = 0; i < OUTCOMES; i++)
        print_message(" %u %s%s", tally.count[i], outcome_names[i], i + 1 < OUTCOMES ? "," : "\n");
    print_message("questions that few cells leave open: %u\n", tally.open);
    assert_int_equal(tally.faults, 0);
    if (many)
        return;
    assert_true(tally.count[NO_FILE] < technologies / 2 && tally.count[HOLDS] > technologies);
    assert_true(tally.inverts > technologies / 6);
}

int main(int argc, char **argv) {
    technologies = draws(DRAWS_TECHNOLOGIES);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_technologies)};
    if (argc >= 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        technologies = strtoull(argv[2], NULL, 10);
        sections = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : sections;
        many = true;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
