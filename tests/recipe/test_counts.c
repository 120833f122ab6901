/* SPDX-License-Identifier: MIT
 * What the recipes cost: against the published tables, and the schedule against figures worked out
 * by hand. */
#include "text.h"

#include "recipe/set/set.h"
#include "recipe/timing/timing.h"
#include "support/bits.h"
#include "support/file.h"
#include "tools/mpu-recipe/page.h"

#include <stdio.h>
#include <time.h>

#define HAND     MPU_SOURCE_DIR "/tests/recipe/hand/"
#define MASTODON MPU_SOURCE_DIR "/docs/mastodon.csv"
static const char *const hand_files[] = {HAND "racer-bits.recipe", HAND "racer-quotients.recipe",
                                         HAND "racer-shifts.recipe", HAND "racer-sums.recipe"};
#define HAND_FILES (sizeof hand_files / sizeof *hand_files)

struct fixture {
    struct diag *diag;
    struct target *racer;
    struct recipe_set *used; /* the built-in recipes */
    struct recipe_set *set;  /* with hand-written ones, whose figures are worked out by hand here */
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    size_t size;
    char *text = file_read(HAND "racer-sums.recipe", &size);
    f->diag = diag_new(NULL, NULL);
    f->racer = open_racer(f->diag);
    f->used = recipe_set_open(f->racer, f->diag);
    f->set = text ? recipe_set_open_with(f->racer, "sums", text, size, f->diag) : NULL;
    if (!f->set)
        print_error("%s\n", text ? diag_first(f->diag) : HAND "racer-sums.recipe");
    free(text);
    *state = f;
    return f->used && f->set ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    recipe_set_free(f->used);
    recipe_set_free(f->set);
    target_free(f->racer);
    diag_free(f->diag);
    free(f);
    return 0;
}

static struct recipe_count count_in(const struct recipe_set *set, const char *name, unsigned w,
                                    int32_t imm, bool masked) {
    struct insn insn = {.op = isa_find(name, strlen(name)),
                        .width = (uint8_t)w,
                        .imm = imm,
                        .rs = 1,
                        .rt = 2,
                        .rd = 3};
    struct recipe_count n;
    if (!recipe_count(set, &insn, masked, &n))
        fail_msg("%s.%u cannot be counted", name, w);
    return n;
}

static struct recipe_count count_of(struct fixture *f, const char *name, unsigned w, int32_t imm,
                                    bool masked) {
    return count_in(f->set, name, w, imm, masked);
}

/* Every comparable cell of MASTODON's figures: none of ours is worse. */
static void check_mastodon(struct fixture *f, const struct recipe_set *set) {
    struct mastodon_rows rows;
    unsigned compared = 0;
    if (!bounds_mastodon_read(&rows, MASTODON, f->diag))
        fail_msg("%s", diag_first(f->diag));
    for (size_t i = 0; i < rows.len; i++) {
        const struct mastodon_row *r = &rows.data[i];
        enum isa_op op = bounds_mastodon_op(r->name, NULL);
        if (op == OP_COUNT)
            continue;
        struct recipe_count n = count_in(set, isa_info(op)->name, r->width, 0, false);
        compared++;
        if (n.logic > bounds_mastodon_logic(r) || n.crossings > bounds_mastodon_crossings(r))
            fail_msg("%s.%u: %llu logic micro-ops, %llu crossings", isa_info(op)->name, r->width,
                     (unsigned long long)n.logic, (unsigned long long)n.crossings);
    }
    /* 19 instructions at 8, 16, 32 and 64 bits, POPC and BFLIP at 8. */
    assert_int_equal(compared, 19 * 4 + 2);
    bounds_mastodon_free(&rows);
}

/* The recipes in use, and those that the mapping makes. */
static void test_mastodon_bounds(void **state) {
    struct fixture *f = *state;
    struct recipe_set *mapped = recipe_set_open_mapped(f->racer, f->diag);
    assert_non_null(mapped);
    check_mastodon(f, f->used);
    check_mastodon(f, mapped);
    recipe_set_free(mapped);
}

/* What moves bits is no logic: MASTODON's bound for these is 0. */
static void test_moves(void **state) {
    static const char *const names[] = {"MOV",  "INIT0", "INIT1", "LSHIFT", "SHLI", "SHRI",
                                        "SARI", "ZEXT",  "SEXT",  "BFLIP",  "LI",   "ANDI"};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (unsigned w = 1; w <= 64; w++)
            assert_int_equal(count_in(f->used, names[i], w, 1, false).logic, 0);
}

/* Cycles from start to start as measured there: they check n and f, which are worked out from the
 * latencies. */
static void test_mastodon_intervals(void **state) {
    static const struct {
        const char *name;
        uint64_t interval; /* OSCAR */
    } measured[] = {{"ADD", 37},   {"SUB", 41},    {"MUX", 17},  {"CMPEQ", 24},
                    {"CMPLT", 31}, {"RELUv1", 15}, {"LSHIFT", 8}};
    struct fixture *f = *state;
    struct mastodon_rows rows;
    unsigned checked = 0;
    assert_true(bounds_mastodon_read(&rows, MASTODON, f->diag));
    for (size_t i = 0; i < rows.len; i++)
        for (size_t k = 0; k < sizeof measured / sizeof measured[0]; k++)
            if (strcmp(rows.data[i].name, measured[k].name) == 0) {
                assert_int_equal(rows.data[i].of[GATES_OSCAR].interval, measured[k].interval);
                checked++;
            }
    assert_int_equal(checked, 7 * 4);
    bounds_mastodon_free(&rows);
}

/* Least NOR2 counts per bit; racer's OR makes some of them smaller. */
static void test_minima(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < bounds_nor_minima_count; i++)
        for (unsigned w = 1; w <= 64 && bounds_nor_minima[i].op != OP_COUNT; w++) {
            const char *name = isa_info(bounds_nor_minima[i].op)->name;
            assert_true(count_in(f->used, name, w, 0, false).logic <=
                        bounds_nor_minima[i].nors * w);
        }
}

/* What the mapping makes comes near what a hand writes. */
static void test_mapped(void **state) {
    struct fixture *f = *state;
    const struct page_files files = {MASTODON, hand_files, HAND_FILES};
    struct recipe_page p;
    unsigned compared = 0;
    if (!page_open(&p, "racer", &files, f->diag))
        fail_msg("%s", diag_first(f->diag));
    struct page_ratios r = page_mapped_ratios(&p);
    if (diag_errors(f->diag))
        fail_msg("%s", diag_first(f->diag));
    print_message("mapped against hand-written, %zu ratios: micro-ops %.3f, latency %.3f\n",
                  r.count, r.micro_ops, r.latency);
    for (unsigned op = 0; op < OP_COUNT; op++)
        compared += page_hand(&p, (enum isa_op)op) != NULL;
    assert_int_equal(compared, 73); /* instructions; at up to four widths each */
    assert_true(r.count > 3 * compared);
    assert_true(r.micro_ops <= MAPPED_RATIO_LIMIT && r.most_micro_ops <= MAPPED_RATIO_LIMIT);
    page_close(&p);
}

/* A hand-written recipe in use says what it gains; a recipe in tests/recipe/hand is not in use. */
static void test_gains(void **state) {
    struct fixture *f = *state;
    unsigned overrides = 0;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct recipe *c = recipe_chosen(f->used, op);
        if (!c || c->choice == CHOICE_GENERIC || !recipe_generic(f->used, op))
            continue;
        overrides++;
        if (!c->gain_count)
            fail_msg("%s does not say what it gains over the mapping", c->unit.name);
        if (!recipe_check_gains(f->used, c, f->diag))
            fail_msg("%s", diag_first(f->diag));
        if (recipe_mapped(f->used, (enum isa_op)op, f->diag) == c)
            fail_msg("%s is compared with itself", c->unit.name);
    }
    assert_true(overrides > 0);
}

/* Elsewhere a hand-written recipe is nowhere slower than the mapped one from 16 bits on, masked or
 * not, and somewhere faster: it would be needless otherwise. */
static void want_faster(const struct recipe_set *used, const struct recipe_set *mapped,
                        enum isa_op op) {
    static const uint8_t widths[] = {16, 32, 64};
    uint64_t most = 0, least = 0;
    for (size_t i = 0; i < 2 * sizeof widths; i++) {
        struct insn insn = {.op = op, .rs = 1, .rt = 2, .rd = 3, .width = widths[i / 2], .imm = 1};
        struct recipe_count a, b;
        if (!recipe_count(mapped, &insn, i % 2, &a) || !recipe_count(used, &insn, i % 2, &b))
            fail_msg("%s cannot be counted", isa_info(op)->name);
        if (b.latency_cycles > a.latency_cycles)
            fail_msg("%s at %u bits is faster as mapped", isa_info(op)->name, insn.width);
        most += a.latency_cycles;
        least += b.latency_cycles;
    }
    if (least == most)
        fail_msg("%s gains nothing over the mapping", isa_info(op)->name);
}

static void test_gains_elsewhere(void **state) {
    /* mimdram's recipes are simdram's, which merges under a mask: some gain there alone. */
#ifdef MPU_SANITIZED
    static const char *const names[] = {"duality-cache"};
#else
    static const char *const names[] = {"simdram", "duality-cache"};
#endif
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct target *t = target_open(names[i], NULL, 0, f->diag);
        struct recipe_set *used = t ? recipe_set_open(t, f->diag) : NULL;
        struct recipe_set *mapped = t ? recipe_set_open_mapped(t, f->diag) : NULL;
        unsigned overrides = 0;
        if (!used || !mapped)
            fail_msg("%s", diag_first(f->diag));
        for (unsigned op = 0; op < OP_COUNT; op++) {
            const struct recipe *c = recipe_chosen(used, op);
            if (!c || c->choice == CHOICE_GENERIC || !recipe_generic(used, op))
                continue;
            want_faster(used, mapped, (enum isa_op)op);
            overrides++;
        }
        assert_true(overrides > 30);
        recipe_set_free(mapped);
        recipe_set_free(used);
        target_free(t);
    }
}

/* INC with an inverted carry: at 64 bits 131 cycles and 443 micro-ops, 192 and 379 as mapped. */
#define GAINING(gains)                                                                             \
    "recipe INC(a) -> d   any w   needs NOR, OR, BUF\n{\n  carry n\n  for j in 0 .. w-1 {\n"       \
    "    i = NOR(a[j], zero)\n    if j == 0 {\n      if w > 1 { n = BUF(i) }\n"                    \
    "      d[j] = COPY(i)\n    } else {\n      t = OR(i, n)\n      if j < w-1 { n = BUF(t) }\n"    \
    "      t1 = NOR(a[j], n@j)\n      t2 = NOR(a[j], t1)\n      t3 = NOR(n@j, t1)\n"               \
    "      d[j] = NOR(t2, t3)\n    }\n  }\n  computes d == a + 1\n  " gains "\n}\n"

/* The first message of the check; "" where what is said holds. */
static void measure(struct fixture *f, const char *text, char *message, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(f->racer, "x.recipe", text, strlen(text), d);
    if (!s)
        fail_msg("%s", diag_first(d));
    bool fine = recipe_check_gains(s, recipe_of(s, OP_INC, d), d);
    diag_flush(d);
    snprintf(message, size, "%s", fine ? "" : diag_first(d));
    assert_int_equal(fine, diag_errors(d) == 0);
    recipe_set_free(s);
    diag_free(d);
}

static void test_gains_measured(void **state) {
    static const struct {
        const char *text, *words; /* "": holds */
    } cases[] = {
        {GAINING("gains latency 31 %, costs micro_ops 17 %, interval 17 % at 64"), ""},
        {GAINING("gains latency 31 %, costs interval 17 %, micro_ops 17 % at 64\n"
                 "gains latency 20 %, costs micro_ops 19 %, interval 17 % at 8"),
         ""},
        {GAINING("gains latency 32 %, costs micro_ops 17 %, interval 17 % at 64"),
         "INC: at width 64 latency is 131, and 192 as mapped: 'gains latency 31 %'"},
        {GAINING("gains latency 31 %, costs micro_ops 16 %, interval 17 % at 64"),
         "micro_ops is 443, and 379 as mapped: 'costs micro_ops 17 %'"},
        {GAINING("gains latency 31 %, costs micro_ops 17 % at 64"), "'costs interval 17 %'"},
        {GAINING("gains interval 1 %, latency 31 %, costs micro_ops 17 % at 64"),
         "interval is 7, and 6 as mapped: 'costs interval 17 %'"},
        {GAINING("gains latency 5 %, costs micro_ops 24 % at 3"),
         "latency is 9, and 9 as mapped: no gain of one percent, and no cost"},
    };
    char message[400];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        measure(*state, cases[i].text, message, sizeof message);
        if (cases[i].words[0] ? !strstr(message, cases[i].words) : message[0])
            fail_msg("case %zu: %s", i, message);
    }
}

static void test_gains_notation(void **state) {
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {GAINING("gains at 64"), "19:9", "expected micro_ops, latency or interval, each once"},
        {GAINING("gains latency at 64"), "19:17", "expected a percentage from 1 to 100"},
        {GAINING("gains latency 0 % at 64"), "19:17", "expected a percentage from 1 to 100"},
        {GAINING("gains latency 101 % at 64"), "19:17", "expected a percentage from 1 to 100"},
        {GAINING("gains latency 31 at 64"), "19:20", "expected '%'"},
        {GAINING("gains costs latency 31 % at 64"), "19:9", "expected micro_ops, latency"},
        {GAINING("gains latency 31 %, latency 31 % at 64"), "19:23", "each once"},
        {GAINING("gains latency 31 %, costs latency 31 % at 64"), "19:29", "each once"},
        {GAINING("gains latency 31 %"), "20:1", "expected 'at'"},
        {GAINING("gains latency 31 % at 65"), "19:25", "expected a width from 1 to 64"},
        {"recipe INC(a) -> d   any w   generic\n{\n  gains latency 1 % at 8\n}\n", "3:3",
         "a generic recipe has no 'gains'"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        want_refused(f->racer, cases[i].text, cases[i].place, cases[i].words);
}

/* Energy: 8 pJ a micro-op and 64-lane column. */
static void test_energy(void **state) {
    struct recipe_count n = count_of(*state, "ADD", 64, 0, false);
    assert_int_equal(n.micro_ops, 9 * 64 + 1 + 63);
    assert_int_equal(n.energy_fj, n.micro_ops * 8000);
    assert_int_equal(n.logic, 576);
    assert_int_equal(n.copies, 1);
    assert_int_equal(n.crossings, 63);
    assert_int_equal(count_of(*state, "ADD", 64, 0, true).energy_fj, n.energy_fj);
}

/* Section 0: COPY, then the fifth NOR in cycle 5.  From one fifth NOR to the next: that NOR, the
 * carry, BUF.  Five more cycles after the last: 5 + 63 * 3 + 5. */
static void test_adder(void **state) {
    struct recipe_count n = count_of(*state, "ADD", 64, 0, false);
    assert_int_equal(n.latency_cycles, 199);
    assert_int_equal(n.handover, 3);
    assert_int_equal(n.interval_cycles, 11); /* section 0 has 11 micro-ops */
}

/* What a recipe expects of its times holds at any clock of the arrays, also one that the front end
 * cannot follow: only the measured times then differ. */
static void test_clocks(void **state) {
    static const char *const periods[] = {"1", "500", "1000", "100000"};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        struct target_override o = {"clocks.datapath_ps", periods[i]};
        struct diag *d = diag_new(NULL, NULL);
        struct target *t = target_open("racer", &o, 1, d);
        assert_non_null(t);
        struct recipe_set *r = recipe_set_open(t, d);
        if (!r)
            fail_msg("%s ps: %s", periods[i], diag_first(d));
        recipe_set_free(r);
        target_free(t);
        diag_free(d);
    }
    (void)state;
}

/* The carry last: three micro-ops more between two sections, 5 + 63 * 6 + 5. */
static void test_late_carry(void **state) {
    static const char text[] = "recipe ADD(a, b) -> d any w needs NOR, BUF {\n"
                               "  carry c = zero\n"
                               "  for j in 0 .. w-1 {\n"
                               "    t1 = NOR(a[j], b[j])\n"
                               "    t2 = NOR(a[j], t1)\n"
                               "    t3 = NOR(b[j], t1)\n"
                               "    t4 = NOR(t2, t3)\n"
                               "    t5 = NOR(t4, c)\n"
                               "    t7 = NOR(t4, t5)\n"
                               "    t8 = NOR(c, t5)\n"
                               "    d[j] = NOR(t7, t8)\n"
                               "    t6 = NOR(t1, t5)\n"
                               "    if j < w-1 { c = BUF(t6) }\n"
                               "  }\n"
                               "  computes d == a + b\n"
                               "  expect handover == 6\n"
                               "}\n";
    struct fixture *f = *state;
    struct fixture late = *f;
    late.set = recipe_set_open_with(f->racer, "late", text, strlen(text), f->diag);
    assert_non_null(late.set);
    struct recipe_count n = count_of(&late, "ADD", 64, 0, false);
    assert_int_equal(n.latency_cycles, 388);
    assert_int_equal(n.handover, 6);
    recipe_set_free(late.set);
}

/* --- the schedule itself --- */

static struct uop plain(struct fixture *f, const char *op, unsigned section, uint32_t src,
                        uint32_t dst) {
    struct uop u = {.section = (uint16_t)section,
                    .nsrc = 1,
                    .ndst = 1,
                    .src = {src},
                    .dst = {dst},
                    .predicate = PLANE(PLANE_NONE, 0, 0)};
    while (strcmp(plane_target(f->racer)->ops[u.kind].name, op) != 0)
        u.kind++;
    return u;
}

#define REG(bit)         PLANE(PLANE_REGISTER, 0, bit)
#define SCRATCH(s)       PLANE(PLANE_SCRATCH, s, 0)
#define FROM_BELOW(s, n) PLANE(PLANE_BUFFER, s, n)

/* Runs the list as one instruction; the end of the last micro-op, or 0 if there is no order. */
static uint64_t done(struct fixture *f, const struct uop *uops, size_t n,
                     struct timing_profile *p) {
    uint32_t start = 0;
    const char *error = NULL;
    bool fine = recipe_timing_schedule(f->racer, uops, n, &start, 1, p, NULL, &error);
    assert_int_equal(fine, error == NULL);
    return fine ? p->done_ps : 0;
}

/* One issue slot of 1 ns for the instruction and for each micro-op; 3 ns a micro-op. */
static void test_issue(void **state) {
    struct fixture *f = *state;
    struct timing_profile p;
    struct uop u[8];
    for (unsigned s = 0; s < 8; s++)
        u[s] = plain(f, "COPY", s, REG(s), SCRATCH(s));
    assert_int_equal(done(f, u, 1, &p), 2000 + 3000);
    assert_int_equal(p.first_ps[0], 2000);
    assert_int_equal(p.issued_ps, 2000);
    assert_int_equal(p.first_ps[1], TIMING_UNUSED);
    assert_int_equal(done(f, u, 8, &p), 9000 + 3000);
    assert_int_equal(p.first_ps[7], 9000);
    /* In one section they follow one another. */
    for (unsigned s = 0; s < 8; s++)
        u[s] = plain(f, "COPY", 0, REG(0), SCRATCH(0));
    assert_int_equal(done(f, u, 8, &p), 2000 + 8 * 3000);
    /* Forwarded: a cycle after the one before, without a slot. */
    for (unsigned s = 0; s < 8; s++) {
        u[s] = plain(f, "COPY", s, REG(s), SCRATCH(s));
        u[s].forwarded = s > 0;
        u[s].pipelined = s > 0;
    }
    assert_int_equal(done(f, u, 8, &p), 2000 + 8 * 3000);
    assert_int_equal(p.issued_ps, 2000);
    assert_int_equal(done(f, u, 0, &p), 1000);
}

/* A buffer is read after it is written, and written again only after that. */
static void test_buffer(void **state) {
    struct fixture *f = *state;
    struct timing_profile p;
    struct uop u[] = {
        plain(f, "BUF", 0, REG(0), FROM_BELOW(1, 0)),
        plain(f, "BUF", 0, REG(64), FROM_BELOW(1, 1)),
        plain(f, "COPY", 1, REG(1), SCRATCH(1)),
        plain(f, "COPY", 1, FROM_BELOW(1, 0), SCRATCH(1)),
        plain(f, "COPY", 1, FROM_BELOW(1, 1), SCRATCH(1)),
    };
    /* 2 BUF 5; 4 COPY 7; 7 COPY 10; 10 BUF 13; 13 COPY 16 */
    assert_int_equal(done(f, u, 5, &p), 16000);
    assert_int_equal(p.first_ps[1], 4000);
    assert_int_equal(p.last_ps[0], 13000);
    /* The other way round neither can go first. */
    struct uop turned[] = {u[0], u[1], u[4], u[3]};
    assert_int_equal(done(f, turned, 4, &p), 0);
}

/* C: a section waits for the one that wrote it, wherever that is. */
static void test_latch(void **state) {
    struct fixture *f = *state;
    struct timing_profile p;
    struct uop u[] = {
        plain(f, "COPY", 9, REG(9), SCRATCH(9)),
        plain(f, "BUF", 9, SCRATCH(9), PLANE(PLANE_C, 0, 0)),
        plain(f, "BUF", 3, PLANE(PLANE_C, 0, 0), SCRATCH(3)),
        plain(f, "BUF", 4, REG(4), PLANE(PLANE_C, 0, 0)),
    };
    assert_int_equal(done(f, u, 4, &p), 2000 + 4 * 3000);
    assert_int_equal(p.first_ps[3], 8000);
    assert_int_equal(p.first_ps[4], 11000);
}

/* The list of an instruction that all fits. */
static const struct timing_list *list_of(struct recipe_timeline *t, const struct uop *uops,
                                         size_t n) {
    const char *error;
    const struct timing_list *list = recipe_timeline_list(t, uops, n, &error);
    assert_non_null(list);
    assert_null(error);
    return list;
}

/* Instructions behind one another: two that read M overlap, one that writes it waits for both. */
static void test_follow(void **state) {
    struct fixture *f = *state;
    struct recipe_timeline *t = recipe_timeline_open(f->racer);
    struct uop read[] = {
        plain(f, "COPY", 9, REG(9), SCRATCH(9)),
        plain(f, "COPY", 9, REG(9), SCRATCH(9)),
    };
    read[0].predicate = read[1].predicate = PLANE(PLANE_M, 0, 0);
    struct uop write = plain(f, "SETM", 3, REG(3), PLANE(PLANE_M, 0, 0));
    write.nsrc = 2;
    write.src[1] = PLANE(PLANE_VALID, 0, 0);
    const struct timing_list *reader = list_of(t, read, 2), *writer = list_of(t, &write, 1);
    /* Slots 1, 2, 3 ns: 2 COPY 5, 5 COPY 8.  Another instruction of the kind: 8 COPY 11, 11 COPY
     * 14, of which the last slot was over at 6. */
    const struct timing_advance *x = recipe_timeline_advance(t, reader, 0, 1000);
    assert_int_equal(x->issued_ps, 3000);
    assert_int_equal(x->done_ps, 8000);
    x = recipe_timeline_advance(t, reader, x->state, 1000);
    assert_int_equal(x->issued_ps, 3000);
    assert_int_equal(3000 + x->done_ps, 14000);
    /* It waits for the reads, until 14: 14 SETM 17. */
    const struct timing_advance *w = recipe_timeline_advance(t, writer, x->state, 1000);
    assert_int_equal(6000 + w->issued_ps, 8000);
    assert_int_equal(6000 + w->done_ps, 17000);
    /* Another section would be free, but its mask is not there yet: 17 COPY 20, 20 COPY 23. */
    for (size_t i = 0; i < 2; i++) {
        read[i].section = 20;
        read[i].src[0] = REG(20);
        read[i].dst[0] = SCRATCH(20);
    }
    x = recipe_timeline_advance(t, list_of(t, read, 2), w->state, 1000);
    assert_int_equal(8000 + x->done_ps, 23000);
    /* 15 ns behind its issue, at 11 + 15, the machine is idle. */
    assert_int_equal(recipe_timeline_pass(t, x->state, 15000), 0);
    assert_int_not_equal(recipe_timeline_pass(t, x->state, 11000), 0);
    assert_int_equal(recipe_timeline_pass(t, recipe_timeline_pass(t, x->state, 4000), 4000),
                     recipe_timeline_pass(t, x->state, 8000));
    recipe_timeline_close(t);
}

/* Lists with the same kinds in the same places are one; so are states that came about otherwise. */
static void test_states(void **state) {
    struct fixture *f = *state;
    struct recipe_timeline *t = recipe_timeline_open(f->racer);
    struct uop a = plain(f, "COPY", 2, REG(2), SCRATCH(2)), b = a, c = a;
    b.src[0] = REG(64 + 2);
    c.section = 3;
    const struct timing_list *first = list_of(t, &a, 1), *other = list_of(t, &c, 1);
    assert_ptr_equal(first, list_of(t, &b, 1));
    assert_ptr_not_equal(first, other);
    uint32_t one = recipe_timeline_advance(t, first, 0, 1000)->state;
    assert_int_not_equal(one, 0);
    assert_int_equal(recipe_timeline_advance(t, list_of(t, &b, 1), 0, 5000)->state, one);
    assert_int_not_equal(recipe_timeline_advance(t, other, 0, 1000)->state, one);
    size_t before = recipe_timeline_bytes(t);
    assert_int_equal(recipe_timeline_advance(t, first, 0, 1000)->state, one);
    assert_int_equal(recipe_timeline_bytes(t), before);
    recipe_timeline_forget(t);
    assert_int_equal(recipe_timeline_bytes(t), 0);
    assert_int_not_equal(recipe_timeline_advance(t, first, 0, 1000)->state, 0);
    recipe_timeline_close(t);
}

/* 3 ns each in one section, slots of 1 ns; they begin at 2, 5, 8, 11, 14.  With a queue of one a
 * slot waits while two have not begun: the fourth's until 5, the fifth's until 8.  So the one in
 * another section begins at 10, 7 with room for all, and 13 without a queue. */
static void test_queue(void **state) {
    struct fixture *f = *state;
    struct target small = *f->racer;
    struct timing_profile p;
    const char *error;
    const uint32_t first = 0;
    uint64_t start[6];
    struct uop u[6];
    small.issue_queue = 1;
    for (unsigned i = 0; i < 6; i++)
        u[i] = plain(f, "COPY", i < 5 ? 7 : 9, REG(7), SCRATCH(7));
    assert_true(recipe_timing_schedule(&small, u, 6, &first, 1, &p, start, &error));
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(start[i], 2000 + 3000 * i);
    assert_int_equal(start[5], 10000);
    assert_true(recipe_timing_schedule(f->racer, u, 6, &first, 1, &p, start, &error));
    assert_int_equal(start[5], 7000);
    small.issue_queue = 0;
    assert_true(recipe_timing_schedule(&small, u, 6, &first, 1, &p, start, &error));
    assert_int_equal(start[5], 13000);
}

/* The one that is waited for waits itself for one behind the slot. */
static void test_queue_too_small(void **state) {
    struct fixture *f = *state;
    struct target small = *f->racer;
    struct timing_profile p;
    const char *error;
    const uint32_t first = 0;
    struct uop u[] = {
        plain(f, "BUF", 0, REG(0), FROM_BELOW(1, 0)),
        plain(f, "BUF", 0, REG(64), FROM_BELOW(1, 1)),
        plain(f, "COPY", 0, REG(1), SCRATCH(0)),
        plain(f, "COPY", 1, FROM_BELOW(1, 0), SCRATCH(1)),
        plain(f, "COPY", 1, FROM_BELOW(1, 1), SCRATCH(1)),
    };
    small.issue_queue = 1;
    assert_true(recipe_timing_schedule(&small, u, 5, &first, 1, &p, NULL, &error));
    small.issue_queue = 0;
    assert_false(recipe_timing_schedule(&small, u, 5, &first, 1, &p, NULL, &error));
    assert_non_null(strstr(error, "control.issue_queue is too small"));
}

/* Micro-ops on different sections begin with their issue slots, of 1 ns behind that of the
 * instruction; two on one section follow each other, 3 ns each. */
static void test_starts(void **state) {
    struct fixture *f = *state;
    const uint32_t first[] = {0, 3};
    struct timing_profile p;
    const char *error;
    uint64_t start[4];
    struct uop u[4];
    for (unsigned s = 0; s < 4; s++)
        u[s] = plain(f, "COPY", s % 3, REG(s), SCRATCH(s % 3));
    assert_int_equal(recipe_timing_duration(f->racer, &u[0]), 3000);
    assert_true(recipe_timing_schedule(f->racer, u, 4, first, 2, &p, start, &error));
    assert_int_equal(start[0], 2000);
    assert_int_equal(start[1], 3000);
    assert_int_equal(start[2], 4000);
    assert_int_equal(start[3], 6000); /* its slots, the fifth and sixth, end when it begins */
    u[3].kind = UINT16_MAX;
    assert_false(recipe_timing_schedule(f->racer, u, 4, first, 2, &p, start, &error));
}

/* The list of a whole instruction: the last micro-op ends when all bits are there, and each section
 * does one at a time. */
static void starts_of(struct fixture *f, const struct target *t, const struct recipe_set *set) {
    struct insn insn = {.op = OP_ADD, .width = 16, .rs = 1, .rt = 2, .rd = 3};
    struct uop_list list = {0};
    struct timing_profile p;
    const char *error;
    uint32_t first = 0;
    uint64_t free_ps[TIMING_MAX_SECTIONS] = {0}, done_ps = 0;
    assert_true(recipe_expand(set, &insn, false, &list, f->diag));
    uint64_t *start = calloc(list.len, sizeof *start);
    assert_non_null(start);
    assert_true(recipe_timing_schedule(t, list.data, list.len, &first, 1, &p, start, &error));
    for (size_t i = 0; i < list.len; i++) {
        uint64_t *section = &free_ps[list.data[i].section];
        assert_true(start[i] >= *section);
        *section = start[i] + recipe_timing_duration(t, &list.data[i]);
        done_ps = *section > done_ps ? *section : done_ps;
    }
    assert_int_equal(done_ps, p.done_ps);
    free(start);
    vec_free(&list);
}

static void test_starts_of_instructions(void **state) {
    struct fixture *f = *state;
    struct target *mimdram = target_open("mimdram", NULL, 0, f->diag);
    struct recipe_set *set = recipe_set_open(mimdram, f->diag);
    starts_of(f, f->racer, f->used);
    starts_of(f, mimdram, set);
    recipe_set_free(set);
    target_free(mimdram);
}

/* Ten million micro-ops; the time is only bounded loosely, since machines differ. */
static void test_speed(void **state) {
    struct fixture *f = *state;
#ifdef MPU_SANITIZED
    size_t most = 100000;
#else
    size_t most = 10000000;
#endif
    struct uop_list list = {0};
    VEC(uint32_t) starts = {0};
    struct insn insn = {.op = OP_ADD, .width = 64, .rs = 1, .rt = 2, .rd = 3};
    assert_true(recipe_expand(f->set, &insn, false, &list, f->diag));
    size_t one = list.len;
    vec_reserve(&list, most + one);
    for (size_t i = 0; i < most; i += one)
        vec_push(&starts, (uint32_t)i);
    for (size_t i = one; i < starts.len * one; i++)
        list.data[i] = list.data[i - one];
    list.len = starts.len * one;
    struct timing_profile p;
    const char *error;
    clock_t begin = clock();
    assert_true(recipe_timing_schedule(f->racer, list.data, list.len, starts.data, starts.len, &p,
                                       NULL, &error));
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("%zu micro-ops scheduled in %.3f s\n", list.len, seconds);
    /* One every 11 cycles, and the latency of one. */
    assert_int_equal(p.done_ps, 2000 + 3000 * (11 * (starts.len - 1) + 199));
    assert_true(seconds < 20);
    vec_free(&list);
    vec_free(&starts);
}

/* The masked form has the same micro-ops; visible destinations wait for M. */
static void test_masked(void **state) {
    struct fixture *f = *state;
    struct insn insn = {.op = OP_ADD, .width = 8, .rs = 1, .rt = 2, .rd = 3};
    struct uop_list plain_list = {0}, masked = {0};
    assert_true(recipe_expand(f->set, &insn, false, &plain_list, f->diag));
    assert_true(recipe_expand(f->set, &insn, true, &masked, f->diag));
    assert_int_equal(plain_list.len, masked.len);
    for (size_t i = 0; i < masked.len; i++) {
        bool visible = PLANE_CLASS(masked.data[i].dst[0]) == PLANE_REGISTER;
        assert_int_equal(masked.data[i].predicate,
                         visible ? PLANE(PLANE_M, 0, 0) : PLANE(PLANE_NONE, 0, 0));
        assert_int_equal(plain_list.data[i].predicate, PLANE(PLANE_NONE, 0, 0));
    }
    vec_free(&plain_list);
    vec_free(&masked);
}

/* Aliases cost a copy a bit only where one is needed. */
static void test_aliases(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *name;
        uint8_t rs, rt, rd;
        uint64_t copies;
    } cases[] = {
        {"ADD", 1, 2, 1, 0}, /* every section reads both sources before it writes */
        {"ADD", 1, 1, 1, 0}, {"XOR", 1, 2, 2, 0},
        {"MOV", 1, 0, 1, 0}, {"OR", 1, 2, 1, 8}, /* a destination is not its own source */
        {"NOR", 1, 1, 1, 8}, {"INV", 1, 0, 1, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct insn insn = {.op = isa_find(cases[i].name, strlen(cases[i].name)),
                            .width = 8,
                            .rs = cases[i].rs,
                            .rt = cases[i].rt,
                            .rd = cases[i].rd};
        struct recipe_count n;
        assert_true(recipe_count(f->used, &insn, false, &n));
        if (n.copies != cases[i].copies)
            fail_msg("%s case %zu: %llu copies", cases[i].name, i, (unsigned long long)n.copies);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mastodon_bounds),
        cmocka_unit_test(test_minima),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_adder),
        cmocka_unit_test(test_late_carry),
        cmocka_unit_test(test_issue),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_latch),
        cmocka_unit_test(test_follow),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_queue_too_small),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_starts_of_instructions),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_masked),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_mastodon_intervals),
        cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_gains_measured),
        cmocka_unit_test(test_gains_notation),
        cmocka_unit_test(test_gains_elsewhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
