/* SPDX-License-Identifier: MIT
 * Generic recipes on arrays of few and of many sections: whatever the width, the number of
 * sections, the way from one to another, and whether they work at once.
 *   test_sections [SECTIONS [WIDTH [WAY]]]   every way (from that one on) through that many
 * sections (0: 1 to 64) at every width (or that one); else a few of each */
#include "made_up.h"

#include "machines/plane/verify/verify.h"
#include "tests/draws.h"

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

#define HERE(x) "section(" x ") == section(d)"
#define GATES                                                                                      \
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e, where: \"" HERE(                \
        "a") "\" }\n"                                                                              \
             "  NOT: { in: [a], out: d, fn: \"!a\", energy: e, where: \"" HERE(                    \
                 "a") "\" }\n"                                                                     \
                      "  AND: { in: [a, b], out: d, fn: \"a & b\", energy: e,\n"                   \
                      "    where: \"" HERE("a") " && " HERE("b") "\" }\n"
#define PASS(where)                                                                                \
    "  PASS: { in: [a], out: d, fn: \"a\", class: crossing, energy: e, where: \"" where "\" }\n"

/* How values go from section to section. */
enum way {
    ACROSS,
    NEIGHBOURS,
    BUFFERS,
    NO_COPY,
    INVERTING,
    PULLED,
    SPOKEN,
    UNLIKE,      /* gates lead from one class of rows to the other */
    UNLIKE_COPY, /* so do copies */
    DESTROYED,   /* gates destroy what they read, and make their results in a few rows */
    KEPT,        /* a gate keeps a part of what was there */
    MASKED_ZERO, /* a gate copies with a constant that something must make */
    BY_LATCHES,  /* all goes by way of latches */
    UNREAD,      /* one gate alone reads a buffer, where something has put a constant before */
    UNREAD_ENDS, /* the same gate needs nothing before, and what comes in may be a row at the end */
    LATCH_ENDS,  /* a latch lies between a buffer and rows */
    FILLED,      /* copies lead into a few rows, and two sequences that invert lead out of them */
    IMPLYING,    /* a gate replaces what it reads, and registers hold no scratch */
    CHOOSING,    /* a gate stays in one class of rows, and one that inverts leads to the other */
    OTHER_CLASS, /* gates of one class lead to the other, and none copies but one that ors */
    BOTH_ALIKE,  /* a gate reads two buffers, or two rows of one class, for another class */
    BESIDE_ROW,  /* a gate reads a buffer, and copies it with a constant row beside it */
    BESIDE_MADE, /* with a constant that something must make, for no row holds it */
    GATHERING,   /* a gate adds to what it replaces */
    WAYS
};
#define NO_LATCH(x) "class(" x ") != la && class(" x ") != lb"
#define OTHER       "class(d) != class(a) && " HERE("a")
#define ANYWHERE    "  PASS: { in: [a], out: d, fn: \"a\", class: crossing, energy: e }\n"
#define SETS        "  SET0: { out: d, fn: \"0\", energy: e }\n"
#define SET1        "  SET1: { out: d, fn: \"1\", energy: e }\n"
#define NEXT        "section(d) == section(a) + 1 || section(d) == section(a) - 1"
#define PLAIN_COPY                                                                                 \
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e, where: \"" HERE("a") "\" }\n"
#define TO_ROWS HERE("a") " && " HERE("b") " && class(d) != buffer"
#define ROWS_MADE(value)                                                                           \
    "  SET" value ": { out: d, fn: \"" value "\", energy: e, where: \"class(d) != buffer\" }\n"
#define TO_BUFFERS PASS("section(a) == here && class(d) == buffer && section(d) != here")
static const char *const ops[WAYS] = {
    GATES PASS("section(a) != section(d)"),
    GATES PASS("section(d) == section(a) + 1 || section(d) == section(a) - 1"),
    GATES PASS("class(d) == buffer && section(a) == here && "
               "(section(d) == here + 1 || section(d) == here - 1)"),
    "  NOT: { in: [a], out: d, fn: \"!a\", energy: e }\n"
    "  AND: { in: [a, b], out: d, fn: \"a & b\", energy: e }\n",
    "  NAND: { in: [a, b], out: d, fn: \"!(a & b)\", energy: e,\n"
    "    where: \"" HERE("a") " && " HERE(
        "b") "\" }\n"
             "  PASS: { in: [a], out: d, fn: \"!a\", class: crossing, energy: e,\n"
             "    where: \"section(d) == section(a) + 1 || section(d) == section(a) - 1\" }\n",
    GATES "  PULL: { in: [a], out: d, fn: \"a\", class: crossing, energy: e, where: \"\n"
          "    section(d) == here && class(d) == buffer &&\n"
          "    (section(a) == here + 1 || section(a) == here - 1)\" }\n",
    GATES PASS("class(d) == buffer && section(a) == here && (section(d) == here + 1 || "
               "section(d) == here - 1) || class(d) == C || class(a) == C"),
    PLAIN_COPY "  NOR: { in: [a, b], out: d, fn: \"!(a | b)\", energy: e,\n"
               "    where: \"class(b) == class(a) && " OTHER " && " HERE("b") "\" }\n" ANYWHERE,
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e, where: \"" OTHER "\" }\n"
    "  OR: { in: [a, b], out: d, fn: \"a | b\", energy: e,\n"
    "    where: \"class(b) == class(a) && " OTHER " && " HERE(
        "b") "\" }\n"
             "  NOT: { in: [a], out: [d, a], fn: { d: \"!a\", a: \"0\" }, energy: e, where: \"" OTHER
             "\" }\n" ANYWHERE,
    SETS PLAIN_COPY
    "  IMPLY: { in: [a, b], out: [d, a, b], fn: { d: \"!a | b\", a: \"1\", b: \"1\" },\n"
    "    energy: e, where: \"class(d) == comp && " HERE("a") " && " HERE("b") "\" }\n" ANYWHERE,
    SETS PLAIN_COPY
    "  KEEP: { in: [a], out: d, fn: \"d | !a\", energy: e, where: \"" HERE("a") "\" }\n" ANYWHERE,
    SETS "  SET1: { out: d, fn: \"1\", energy: e }\n"
         "  ANDN: { in: [a, b], out: d, fn: \"a & !b\", energy: e, where: \"" HERE("a") " && " HERE(
             "b") "\" }\n" PASS("section(d) == section(a) + 1 || section(d) == section(a) - 1"),
    "  RA: { in: [x], out: la, fn: \"x\", energy: e, where: \"" NO_LATCH(
        "x") "\" }\n"
             "  RB: { in: [x], out: lb, fn: \"!x\", energy: e, where: \"" NO_LATCH(
                 "x") "\" }\n"
                      "  W: { in: [la], out: d, fn: \"!la\", energy: e, where: \"" NO_LATCH(
                          "d") "\" }\n"
                               "  NOR: { in: [la, lb], out: la, fn: \"!(la | lb)\", energy: e }\n" PASS(
                                   NO_LATCH("a") " && " NO_LATCH(
                                       "d") " && (section(d) == section(a) + 1 || section(d) == section(a) - 1)"),
    SETS
    "  SET1: { out: d, fn: \"1\", energy: e }\n"
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e,\n"
    "    where: \"class(d) == class(a) && " HERE(
        "a") "\" }\n"
             "  KEEP: { in: [a], out: d, fn: \"d & !a\", energy: e, where: \"" OTHER "\" }\n"
             "  NOR: { in: [a, b], out: d, fn: \"d & !(a | b)\", energy: e,\n"
             "    where: \"class(b) == class(a) && class(d) == class(a) && " HERE("a") " && " HERE(
                 "b") "\" }\n" PASS("section(d) == section(a) + 1 || section(d) == section(a) - 1"),
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e,\n"
    "    where: \"class(d) == class(a) && " HERE(
        "a") "\" }\n"
             "  NOT: { in: [a], out: d, fn: \"!a\", energy: e, where: \"" OTHER "\" }\n"
             "  NOR: { in: [a, b], out: d, fn: \"!(a | b)\", energy: e,\n"
             "    where: \"class(b) == class(a) && class(d) == class(a) && " HERE("a") " && " HERE(
                 "b") "\" }\n" PASS("section(d) == section(a) + 1 || section(d) == section(a) - 1"),
    "  LD: { in: [x], out: la, fn: \"x\", energy: e, where: \"class(x) != la && section(x) == here\" }\n"
    "  NOR: { in: [x], out: la, fn: \"!(x | la)\", energy: e,\n"
    "    where: \"class(x) != la && section(x) == here\" }\n"
    "  ST: { in: [la], out: d, fn: \"la\", energy: e,\n"
    "    where: \"class(d) != la && section(d) == here && class(d) != buffer\" }\n" PASS(
        "class(a) != la && section(a) == here && class(d) == buffer && "
        "(section(d) == here + 1 || section(d) == here - 1)"),
    SETS "  SET1: { out: d, fn: \"1\", energy: e }\n"
         "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e,\n"
         "    where: \"class(d) == comp && " HERE(
             "a") "\" }\n"
                  "  NMAJ: { in: [a, b, c], out: [d, a, b, c],\n"
                  "    fn: { d: \"!maj(a, b, c)\", a: \"1\", b: \"1\", c: \"1\" }, energy: e,\n"
                  "    where: \"" HERE("a") " && " HERE("b") " && " HERE("c") "\" }\n" PASS(
                      "section(d) == section(a) + 1 || section(d) == section(a) - 1"),
    SETS SET1 PLAIN_COPY
    "  IMPLY: { in: [a, b], out: a, fn: \"!a | b\", energy: e, where: \"section(b) == section(a)\" }\n" PASS(
        NEXT),
    SETS SET1 "  MUX: { in: [a, b, c], out: a, fn: \"(a & b) | (!a & c)\", energy: e,\n"
              "    where: \"class(b) == class(a) && class(c) == class(a) &&\n"
              "    section(b) == section(a) && section(c) == section(a)\" }\n"
              "  NOT: { in: [a], out: d, fn: \"!a\", energy: e, where: \"" OTHER
              "\" }\n" PASS(NEXT),
    SETS SET1
    "  OR: { in: [a, b], out: d, fn: \"d & a | b\", preset: { d: 1, by: SET1 }, energy: e,\n"
    "    where: \"class(b) == class(a) && " OTHER
    " && " HERE("b") "\" }\n"
                     "  KEEP: { in: [a, b], out: d, fn: \"d & !(a & b)\", energy: e,\n"
                     "    where: \"" HERE("a") " && " HERE(
                         "b") "\" }\n"
                              "  AOI: { in: [a, b, c], out: d, fn: \"!((a & b) | c)\", energy: e,\n"
                              "    where: \"class(b) == class(a) && class(c) == class(a) &&\n"
                              "    " OTHER " && " HERE("b") " && " HERE("c") "\" }\n" PASS(NEXT),
    SETS SET1 PLAIN_COPY
    "  XNOR: { in: [a, b], out: d, fn: \"!(a ^ b)\", energy: e,\n"
    "    where: \"class(b) == class(a) && " OTHER
    " && " HERE("b") "\" }\n"
                     "  AND: { in: [a, b, c], out: d, fn: \"a & b & c\", energy: e,\n"
                     "    where: \"" HERE("a") " && " HERE("b") " && " HERE("c") "\" }\n" ANYWHERE,
    "  ANDN: { in: [a, b], out: d, fn: \"a & !b\", energy: e, where: \"" TO_ROWS
    "\" }\n" TO_BUFFERS,
    ROWS_MADE("0")
        ROWS_MADE("1") "  IMPLY: { in: [a, b], out: d, fn: \"!a | b\", energy: e, where: \"" TO_ROWS
                       "\" }\n" TO_BUFFERS,
    ROWS_MADE("0") "  ADDS: { in: [a, b, d], out: d, fn: \"d ^ (a & b)\", energy: e,\n"
                   "    where: \"" TO_ROWS "\" }\n" TO_BUFFERS,
};

static const char *rows_of(enum way way) {
    return way == UNLIKE || way == UNLIKE_COPY || way == UNREAD || way == UNREAD_ENDS ||
                   way == CHOOSING || way == OTHER_CLASS || way == BOTH_ALIKE
               ? "  cells: { range: \"0..1021:2\" }\n  odd: { range: \"1..1021:2\" }\n"
           : way == DESTROYED || way == FILLED ? "  cells: { range: \"0..1015\" }\n"
                                                 "  comp: { range: \"1016..1021\", use: compute }\n"
           : way == IMPLYING                   ? "  cells: { range: \"0..599\", use: registers }\n"
                                                 "  comp:  { range: \"600..1021\", use: scratch }\n"
           : way == LATCH_ENDS ? "  cells: { range: \"0..1021\" }\n  la: { latch: true }\n"
           : way == BY_LATCHES ? "  cells: { range: \"0..1021\" }\n"
                                 "  la: { latch: true }\n  lb: { latch: true }\n"
                               : "  cells: { range: \"0..1021\" }\n";
}

struct made_up {
    unsigned sections;
    bool pipelined, select;
    enum way way;
};

static struct target *open_sections(const struct made_up *made) {
    struct str text = {0};
    str_printf(
        &text,
        "schema: 1\nname: sections\nkind: plane\nbit_pipelined: %s\n"
        "array: { rows: 1024, lanes: 64, sections: %u }\n"
        "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"
        "rows:\n%s%smask: { by: %s }\n"
        "clocks: { datapath_ps: 3000 }\nenergy: { per: lane, e: 50 }\n"
        "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"
        "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"
        "front_end: mpu-paper\nops:\n%s",
        made->pipelined ? "true" : "false", made->sections, rows_of(made->way),
        made->way == BESIDE_MADE
            ? ""
            : "  zero: { row: 1022, value: 0 }\n  one: { row: 1023, value: 1 }\n",
        made->select ? "select" : "gate", ops[made->way]);
    struct target *t = open_yaml(str_text(&text));
    str_free(&text);
    return t;
}

static const enum isa_op every[] = {OP_GETMASK, OP_SETMASK, OP_ANDMASK, OP_UNMASK, OP_GETC, OP_SETC,
                                    OP_SEL,     OP_MUX,     OP_CMPLT,   OP_CMPEQI, OP_ADD,  OP_SEXT,
                                    OP_SHLI,    OP_SHRI,    OP_SARI,    OP_SHL,    OP_SHR,  OP_SAR,
                                    OP_BFLIP,   OP_POPC,    OP_MUL,     OP_MULI,   OP_MAC,  OP_QDIV,
                                    OP_SREM,    OP_CASS,    OP_FADD,    OP_FSUB,   OP_FMUL};

static void fail_at(const struct made_up *made, unsigned width, const char *what) {
    fail_msg("%u sections, way %d%s%s, width %u: %s", made->sections, made->way,
             made->pipelined ? ", pipelined" : "", made->select ? ", mask by select" : "", width,
             what ? what : "");
}

static void try_op(const struct made_up *made, const struct recipe_set *s, enum isa_op op,
                   uint8_t width) {
    struct diag *d = diag_new(NULL, NULL);
    const struct verify_options o = {.effort = VERIFY_LIGHT, .op = op, .width = width, .seed = 1};
    struct verify_plane plane;
    struct verify_count count;
    bool fine = verify_matrix(plane_verify(&plane, s->target, s), &o, &count, d);
    diag_flush(d);
    if (!fine)
        fail_at(made, width, diag_first(d));
    diag_free(d);
}

static void try_widths(const struct made_up *made, const enum isa_op *list, size_t count,
                       const uint8_t *widths, size_t width_count) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_sections(made);
    struct recipe_set *s = recipe_set_open(t, d);
    diag_flush(d);
    if (!s)
        fail_at(made, 0, diag_first(d));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width_count; k++)
            try_op(made, s, list[i], widths[k]);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* The first widths where positions share a section, and where all of them do; in the suite one of
 * the two, for an odd number of sections the second if there is one. */
static void try_around(struct made_up made, const enum isa_op *list, size_t count) {
    const unsigned s = made.sections;
    const unsigned wanted[] = {s < 64 ? s + 1 : s, 2 * s + 1};
    uint8_t widths[2];
    size_t n = 0;
    const size_t first = !draws_all() && s % 2 && wanted[1] <= 64;
    for (size_t i = first; i < (draws_all() ? 2 : first + 1); i++)
        if (wanted[i] <= 64)
            widths[n++] = (uint8_t)wanted[i];
    try_widths(&made, list, count, widths, n);
}

#define TRY(list, ...) try_around((struct made_up){__VA_ARGS__}, list, sizeof list / sizeof *list)
/* Other gates lead the search for logic other ways, and no code is run that TRY does not: by the
 * release build alone. */
#define TRY_VALUES(...)                                                                            \
    do                                                                                             \
        if (!MPU_SANITIZED)                                                                        \
            TRY(__VA_ARGS__);                                                                      \
    while (0)

static void test_shifts(void **state) {
    static const enum isa_op list[] = {OP_SHLI, OP_SARI, OP_SEXT, OP_SAR};
    (void)state;
    TRY(list, 2, true, false, ACROSS);
    TRY(list, 8, false, false, BUFFERS);
    TRY(list, 33, true, false, ACROSS);
    TRY(list, 32, false, false, SPOKEN);
}

static void test_counts_and_products(void **state) {
    static const enum isa_op list[] = {OP_POPC, OP_MULI, OP_MUL};
    (void)state;
    TRY_VALUES(list, 1, false, false, NO_COPY);
    TRY(list, 3, true, false, NEIGHBOURS);
    TRY_VALUES(list, 8, true, false, BUFFERS);
    TRY(list, 8, false, false, INVERTING);
    TRY_VALUES(list, 33, false, false, PULLED);
}

/* Odd widths that are no section's neighbours: a last section of whatever fill. */
static void test_odd_widths(void **state) {
    static const enum isa_op list[] = {OP_POPC, OP_SAR, OP_MULI};
    static const struct {
        struct made_up made;
        uint8_t width;
    } odd[] = {{{5, true, false, ACROSS}, 11},  {{3, false, false, NEIGHBOURS}, 13},
               {{8, true, false, BUFFERS}, 15}, {{1, false, true, UNLIKE}, 17},
               {{5, true, true, PULLED}, 33},   {{33, true, false, NEIGHBOURS}, 63}};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (!MPU_SANITIZED || odd[i].width < 15)
            try_widths(&odd[i].made, list, sizeof list / sizeof *list, &odd[i].width, 1);
}

static void test_divisions(void **state) {
    static const enum isa_op list[] = {OP_MAC, OP_SREM};
    (void)state;
    TRY_VALUES(list, 2, false, false, NO_COPY);
    TRY(list, 8, true, false, ACROSS);
}

static void test_latches(void **state) {
    static const enum isa_op list[] = {OP_GETMASK, OP_SETMASK, OP_ANDMASK, OP_UNMASK, OP_GETC,
                                       OP_SETC,    OP_SEL,     OP_CMPLT,   OP_CMPEQI};
    (void)state;
    TRY(list, 3, true, false, NEIGHBOURS);
    TRY(list, 8, false, true, BUFFERS);
    TRY(list, 2, true, true, INVERTING);
    TRY(list, 3, false, false, INVERTING);
    TRY(list, 64, true, false, NEIGHBOURS);
}

/* What comes in lies in a buffer or in a row, C in a row of another section: gates that tell them
 * apart get copies where they want them.  Under sanitizers in two sections or in three. */
static void test_classes(void **state) {
    static const enum isa_op list[] = {OP_CMPLT, OP_SEL, OP_MIN, OP_INC, OP_ABS};
    static const enum isa_op more[] = {OP_POPC, OP_MUL, OP_QDIV};
    (void)state;
    for (enum way w = UNLIKE; w <= KEPT; w++) {
        if (!MPU_SANITIZED || w % 2)
            TRY(list, 2, false, false, w);
        if (!MPU_SANITIZED || w % 2 == 0)
            TRY(list, 3, true, true, w);
    }
    TRY_VALUES(more, 2, false, false, UNLIKE);
    TRY_VALUES(more, 2, true, true, UNLIKE_COPY);
}

/* A value that two micro-ops want in two classes of rows is brought from one to the other by
 * whatever gates lead there; under a mask by select what is read of C is the row that stands for
 * it. */
static void test_class_to_class(void **state) {
    static const enum isa_op list[] = {OP_CMPLT, OP_MIN, OP_SEL};
    static const uint8_t widths[] = {1, 4, 9};
    (void)state;
    for (enum way w = IMPLYING; w <= OTHER_CLASS; w++)
        for (unsigned i = 0; i < 2; i++)
            try_widths(&(struct made_up){i ? 64 : 3, i, w == IMPLYING, w}, list,
                       sizeof list / sizeof *list, widths, sizeof widths);
}

/* What must be saved goes to a row by whatever copies a row. */
static void test_saves(void **state) {
    static const enum isa_op list[] = {OP_POPC, OP_SHLI, OP_MUL};
    static const enum isa_op ends[] = {OP_CMPLT, OP_GETMASK};
    (void)state;
    TRY(list, 2, false, true, MASKED_ZERO);
    TRY(list, 3, false, false, BY_LATCHES);
    TRY_VALUES(list, 2, true, false, FILLED);
    TRY_VALUES(list, 3, true, false, UNREAD);
    TRY(ends, 2, true, false, UNREAD_ENDS);
    TRY(ends, 2, false, false, LATCH_ENDS);
    TRY(ends, 3, true, false, BESIDE_ROW);
    TRY(ends, 2, true, true, BESIDE_MADE);
    TRY(ends, 2, false, false, GATHERING);
}

static void test_floats(void **state) {
    static const enum isa_op list[] = {OP_FADD, OP_FMUL};
    static const uint8_t widths[] = {16};
    const struct made_up made = {8, true, false, ACROSS};
    (void)state;
    /* Under sanitizers the sum alone, which takes the same ways. */
    try_widths(&made, list, MPU_SANITIZED && !draws_all() ? 1 : sizeof list / sizeof *list, widths,
               1);
    /* A product alone has two carries cross where one gate reads both. */
    try_widths(&(struct made_up){2, true, false, BOTH_ALIKE}, &list[1], !MPU_SANITIZED, widths, 1);
}

/* --- a latch for the mask --- */

#define OWN_ROW(x) "class(" x ") != lm && section(" x ") == here"
#define MASKED(passes)                                                                             \
    "schema: 1\nname: latched\nkind: plane\nbit_pipelined: true\n"                                 \
    "array: { rows: 1024, lanes: 64, sections: 4 }\n"                                              \
    "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"                \
    "rows:\n  cells: { range: \"0..1021\" }\n  lm: { latch: true }\n"                              \
    "  zero: { row: 1022, value: 0 }\n  one: { row: 1023, value: 1 }\n"                            \
    "mask: { by: latch, latch: lm, and: MAND, load: MLOAD }\n"                                     \
    "clocks: { datapath_ps: 3000 }\nenergy: { per: lane, e: 50 }\n"                                \
    "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"         \
    "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"                      \
    "front_end: mpu-paper\nops:\n"                                                                 \
    "  MAND: { in: [x, lm], out: lm, fn: \"x & lm\", energy: e, where: \"" OWN_ROW(                \
        "x") "\" }\n"                                                                              \
             "  MLOAD: { in: [x], out: lm, fn: \"x\", energy: e, where: \"" OWN_ROW(               \
                 "x") "\" }\n"                                                                     \
                      "  W: { in: [lm], out: d, fn: \"lm\", energy: e, where: \"" OWN_ROW(         \
                          "d") "\" }\n"                                                            \
                               "  PASS: { in: [a], out: d, fn: \"a\", class: crossing, energy: "   \
                               "e, where: \"class(a) != lm && "                                    \
                               "class(d) != lm && (" passes ")\" }\n"

/* The latch of each section computes: what it holds is cut by M, which lies in section 0. */
static void check_latched(const char *yaml, const char *why) {
    static const uint8_t widths[] = {1, 4, 9};
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_forms forms = {0};
    struct target *t = open_yaml(yaml);
    struct recipe_set *s = recipe_set_open(t, d);
    const struct recipe *r =
        read_again(s, "recipe AND(a, b) -> d   any w   for latched\n{\n  for j in 0 .. w-1 {\n"
                      "    MLOAD(a[j])\n    MAND(b[j])\n    d[j] = W()\n  }\n"
                      "  computes d == (a & b)\n}\n");
    bool held = recipe_check_forms(s, r, widths, sizeof widths, &forms, d);
    diag_flush(d);
    if (held != !why || (why && !strstr(diag_first(d), why)))
        fail_msg("%s", diag_first(d) ? diag_first(d) : "holds");
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static void test_mask_latch(void **state) {
    (void)state;
    check_latched(MASKED("section(d) == section(a) + 1 || section(d) == section(a) - 1"), NULL);
    check_latched(MASKED("section(d) == section(a) - 1"),
                  "bring M from section 0 to section 1, where 'lm' masks what is written");
}

/* --- all of them, by hand --- */

static unsigned only_sections, only_width, first_way;

static void test_all(void **state) {
    (void)state;
    uint8_t widths[64];
    size_t n = 0;
    for (uint8_t w = 1; w <= 64; w++)
        if (!only_width || w == only_width)
            widths[n++] = w;
    for (unsigned s = only_sections ? only_sections : 1; s <= (only_sections ? only_sections : 64);
         s++)
        for (unsigned i = 4 * first_way; i < 4 * WAYS; i++) {
            const struct made_up made = {s, i & 1, i >> 1 & 1, (enum way)(i / 4)};
            if (made.way == SPOKEN && made.select)
                continue; /* no gate reads C, so nothing merges it */
            print_message("%u sections, way %u%s%s\n", s, i / 4,
                          made.pipelined ? ", pipelined" : "",
                          made.select ? ", mask by select" : "");
            try_widths(&made, every, sizeof every / sizeof *every, widths, n);
        }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifts),         cmocka_unit_test(test_counts_and_products),
        cmocka_unit_test(test_odd_widths),     cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_latches),        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_saves),          cmocka_unit_test(test_mask_latch),
        cmocka_unit_test(test_class_to_class), cmocka_unit_test(test_floats)};
    const struct CMUnitTest all[] = {cmocka_unit_test(test_all)};
    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    only_sections = (unsigned)atoi(argv[1]);
    only_width = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    first_way = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    return cmocka_run_group_tests(all, NULL, NULL);
}
