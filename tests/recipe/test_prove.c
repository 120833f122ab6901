/* SPDX-License-Identifier: MIT
 * Proofs: what is right is proved, what is wrong is refuted with operands, whatever a solver does
 * or leaves undone is told apart; and the files by their structure.  Without a solver the proofs
 * are skipped, visibly: the program then ends with SKIPPED. */
#include "proof_page.h"
#include "text.h"

#include "recipe/verify/computes.h"
#include "recipe/prove/fold.h"
#include "recipe/prove/kept.h"
#include "recipe/prove/prove.h"
#include "recipe/prove/smt.h"
#include "recipe/prove/smt_term.h"
#include "recipe/prove/solver.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/map.h"
#include "tests/draws.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SKIPPED 77 /* as CMakeLists.txt tells ctest */

#ifdef MPU_SANITIZED
#define EXTENT PROVE_SHORT
#define EVERY                                                                                      \
    (draws_all() ? 12 : 24) /* of so many tasks one: others differ in what the solver is asked */
#define PAGES false         /* which hash every target's recipes */
#else
#define EXTENT PROVE_LINEAR
#define EVERY  (draws_all() ? 1 : 3)
#define PAGES  true
#endif

struct fixture {
    struct diag *d;
    struct target *t;
    struct recipe_set *s;
};

static struct fixture open_text(const char *text) {
    struct fixture f = {.d = diag_new(NULL, NULL)};
    f.t = open_racer(f.d);
    f.s = text ? recipe_set_open_with(f.t, "x.recipe", text, strlen(text), f.d)
               : recipe_set_open(f.t, f.d);
    if (!f.s)
        fail_msg("%s", diag_first(f.d));
    return f;
}

static void close_fixture(struct fixture *f) {
    recipe_set_free(f->s);
    target_free(f->t);
    diag_free(f->d);
}

static struct insn insn_of(enum isa_op op, unsigned width, int32_t imm) {
    const struct isa_info *info = isa_info(op);
    struct insn insn = {.op = op, .width = (uint8_t)width, .imm = imm};
    insn.rs = info->flags & (READS_RS | WRITES_RS) ? 1 : 0;
    insn.rt = info->flags & (READS_RT | WRITES_RT) ? 2 : 0;
    insn.rd = info->flags & (READS_RD | WRITES_RD) ? 3 : 0;
    return insn;
}

static bool have_solver(void) {
    char path[4096];
    return prove_find_solver(NULL, path, sizeof path);
}

static void need_solver(void) {
    if (!have_solver())
        skip();
}

/* --- the plan --- */

static bool want_proved(void *context, const struct prove_task *task, size_t index, size_t count) {
    struct str text = {0};
    size_t *next = context;
    assert_int_equal(index, (*next)++);
    assert_true(index < count);
    isa_format_insn(&task->insn, NULL, &text);
    if (task->result != PROVE_HOLDS)
        print_error("%s%s: %s\n", text.text, task->masked ? " under a mask" : "",
                    prove_result_text(task->result));
    str_free(&text);
    return true;
}

/* Takes the tasks. */
static void prove_tasks(const struct recipe_set *s, struct prove_tasks *tasks, struct diag *d) {
    size_t seen = 0;
    bool all = prove_all(s, tasks, NULL, want_proved, &seen, d);
    assert_int_equal(seen, tasks->len);
    if (!all)
        fail_msg("not proved: %s", diag_first(d) ? diag_first(d) : "no message");
    vec_free(tasks);
}

/* Leaves EVERY-th. */
static void thin_out(struct prove_tasks *tasks) {
    size_t kept = 0;
    for (size_t i = 0; i < tasks->len; i += EVERY)
        tasks->data[kept++] = tasks->data[i];
    tasks->len = kept;
}

static void test_plan(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(NULL);
    struct prove_tasks tasks = {0};
    prove_plan(f.s, EXTENT, false, &tasks);
    assert_true(tasks.len > 300);
    thin_out(&tasks);
    prove_tasks(f.s, &tasks, f.d);
    close_fixture(&f);
}

/* What was proved is not proved again; what was not, is. */
static void test_kept(void **state) {
    (void)state;
    need_solver();
    static const char path[] = "kept-proofs.txt";
    struct fixture f = open_text(NULL);
    struct prove_task two[] = {{.insn = insn_of(OP_ADD, 8, 0)}, {.insn = insn_of(OP_SUB, 8, 0)}};
    remove(path);
    for (unsigned round = 0; round < 2; round++) {
        struct prove_options o = {.kept = prove_kept_open(path)};
        struct prove_tasks tasks = {two, round + 1, 2};
        assert_non_null(o.kept);
        two[0].kept = two[1].kept = false;
        assert_true(prove_all(f.s, &tasks, &o, NULL, NULL, f.d));
        assert_int_equal(two[0].kept, round == 1);
        assert_false(two[1].kept);
        prove_kept_close(o.kept);
    }
    remove(path);
    close_fixture(&f);
}

/* The others are proved above. */
static void keep_hidden(const struct recipe_set *chosen, struct prove_tasks *tasks) {
    size_t kept = 0;
    for (size_t i = 0; i < tasks->len; i++)
        if (strncmp(recipe_origin(chosen, tasks->data[i].insn.op), "generic", 7) != 0)
            tasks->data[kept++] = tasks->data[i];
    tasks->len = kept;
}

/* What the mapping makes of the generic recipes, where hand-written ones hide them. */
static void test_mapped(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(NULL);
    struct recipe_set *mapped = recipe_set_open_mapped(f.t, f.d);
    struct prove_tasks tasks = {0};
    if (!mapped)
        fail_msg("%s", diag_first(f.d));
    prove_plan(mapped, PROVE_SHORT, false, &tasks);
    assert_true(tasks.len > 300);
    keep_hidden(f.s, &tasks);
    thin_out(&tasks);
    prove_tasks(mapped, &tasks, f.d);
    recipe_set_free(mapped);
    close_fixture(&f);
}

/* Arithmetic on floats and products of shapes, which logic has no term for. */
static bool has_no_term(enum isa_op op) {
    return isa_has_shape(op) || (op >= OP_FADD && op <= OP_FSQRT) ||
           (op >= OP_BFADD && op <= OP_BFSQRT) || op == OP_CVT;
}

/* Each other instruction with a recipe is in the full plan. */
static void test_plan_is_complete(void **state) {
    (void)state;
    struct fixture f = open_text(NULL);
    struct prove_tasks tasks = {0};
    bool planned[OP_COUNT] = {false};
    prove_plan(f.s, PROVE_FULL, false, &tasks);
    for (size_t i = 0; i < tasks.len; i++) {
        assert_true(recipe_applies(&tasks.data[i].insn));
        planned[tasks.data[i].insn.op] = true;
    }
    for (int op = 0; op < OP_COUNT; op++)
        if (planned[op] != (recipe_exists(f.s, (enum isa_op)op) && !has_no_term((enum isa_op)op)))
            fail_msg("%s: with a recipe %d, planned %d", isa_info((enum isa_op)op)->name,
                     recipe_exists(f.s, (enum isa_op)op), planned[op]);
    vec_free(&tasks);
    close_fixture(&f);
}

/* docs/recipe-proofs.md is what the plan and the records of what was proved say. */
static void test_document(void **state) {
    (void)state;
    if (!PAGES)
        skip();
    struct diag *d = diag_new(NULL, NULL);
    struct str want = {0};
    size_t size;
    char *page = file_read(MPU_SOURCE_DIR "/docs/recipe-proofs.md", &size);
    char *records = file_read(MPU_SOURCE_DIR "/docs/recipe-proofs.csv", &size);
    assert_non_null(records);
    assert_true(proof_page_write(records, &want, d));
    if (!page || strcmp(page, want.text) != 0)
        fail_msg("docs/recipe-proofs.md is stale: cmake --build build --target recipe-proofs");
    free(page);
    free(records);
    str_free(&want);
    diag_free(d);
}

static void want_row(const char *records, const char *target, const char *row) {
    struct diag *d = diag_new(NULL, NULL);
    struct str got = {0};
    proof_page_row(records, target, &got, d);
    assert_memory_equal(str_text(&got), row, strlen(row));
    str_free(&got);
    diag_free(d);
}

/* What was not proved, or was proved of other recipes, never stands there as proved. */
static void test_records(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct str records = {0};
    assert_true(proof_page_note("racer,1,0\nracer-oscar,1,0\n", "racer", &records, d));
    want_row(records.text, "racer", "| racer | proved | ");
    want_row(records.text, "racer-oscar", "| racer-oscar | not proved: its recipes were others |");
    want_row(records.text, "racer-ideal", "| racer-ideal | not proved | |");
    char *digit = strstr(records.text, "racer,") + strlen("racer,");
    *digit = *digit == '1' ? '2' : '1';
    want_row(records.text, "racer", "| racer | not proved: its recipes were others |");
    str_free(&records);
    diag_free(d);
}

/* --- what is wrong --- */

/* Wrong for one operand of 65,536, at width 16 alone: no check on a few lanes sees it. */
#define RARE                                                                                       \
    "recipe MOV(a) -> d   any w   needs NOR, COPY, BUF\n"                                          \
    "{\n"                                                                                          \
    "  carry k = one\n"                                                                            \
    "  for j in 0 .. w-1 {\n"                                                                      \
    "    n = NOR(k, zero)\n"                                                                       \
    "    x = NOR(a[j], zero)\n"                                                                    \
    "    if 0xB5E6 >> (j % 16) & 1 { t = NOR(n, x) } else { t = NOR(n, a[j]) }\n"                  \
    "    if j < w-1 { k = BUF(t); d[j] = COPY(a[j]) } else if w == 16 {\n"                         \
    "      u = NOR(x, t)\n"                                                                        \
    "      d[j] = COPY(u)\n"                                                                       \
    "    } else { d[j] = COPY(a[j]) }\n"                                                           \
    "  }\n"                                                                                        \
    "  computes d == a\n"                                                                          \
    "}\n"

struct heard {
    char text[400];
};

static void hear(void *context, const struct diag *d, const struct message *m) {
    struct heard *h = context;
    (void)d;
    size_t n = strlen(h->text);
    snprintf(h->text + n, sizeof h->text - n, "%s; ", m->text);
    for (size_t i = 0; i < m->note_count; i++) {
        n = strlen(h->text);
        snprintf(h->text + n, sizeof h->text - n, "%s; ", m->notes[i].text);
    }
}

static enum prove_result prove_with(const struct recipe_set *s, const struct insn *insn,
                                    bool masked, const struct prove_options *o, struct heard *h) {
    struct diag *d = diag_new(hear, h);
    double seconds = -1;
    h->text[0] = '\0';
    enum prove_result result = prove_instruction(s, insn, masked, o, &seconds, d);
    diag_free(d);
    assert_true(seconds >= 0);
    return result;
}

static void test_rare_mistake(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(RARE);
    struct heard h;
    for (const char *const *name = prove_solvers(); *name; name++) {
        struct prove_options o = {.solver = *name};
        char path[4096];
        if (!prove_find_solver(&o, path, sizeof path))
            continue;
        struct insn insn = insn_of(OP_MOV, 16, 0);
        assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_FAILS);
        if (!strstr(h.text, "MOV.16 r1 r3 on target 'racer': the micro-ops do not keep") ||
            !strstr(h.text, "with rs = 46566, C = "))
            fail_msg("%s says: %s", *name, h.text);
        assert_int_equal(prove_with(f.s, &insn, true, &o, &h), PROVE_FAILS);
        assert_non_null(strstr(h.text, "under a mask"));
        assert_non_null(strstr(h.text, "M = 1"));
        insn.width = 17;
        assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_HOLDS);
        assert_string_equal(h.text, "");
    }
    close_fixture(&f);
}

/* The first answer of the solver to a file, as a word. */
static void ask(const char *text, size_t size, struct str *line) {
    char path[4096];
    struct smt_solver solver;
    assert_true(prove_find_solver(NULL, path, sizeof path));
    assert_true(prove_solver_start(&solver, path, 0, text, size));
    assert_int_equal(prove_solver_read(&solver, prove_solver_clock() + 60, line), SOLVER_LINE);
    prove_solver_stop(&solver);
}

/* Lists that recipe_expand would never give, each made from a right one. */
enum harm {
    NO_HARM,
    OTHER_SOURCE,
    OTHER_BIT,
    CHANGES_ABOVE,
    CHANGES_SOURCE,
    CHANGES_C,
    NO_MASK,
    HARMS
};

static void harm(struct uop_list *list, enum harm what, unsigned w) {
    struct uop *last = &list->data[list->len - 1], extra = *last;
    switch (what) {
    case OTHER_SOURCE:
        last->src[0] = PLANE(PLANE_CONST, 0, 1);
        break;
    case OTHER_BIT:
        last->dst[0]--;
        break;
    case CHANGES_ABOVE:
        extra.dst[0] = PLANE(PLANE_REGISTER, 0, 3 << 6 | w);
        vec_push(list, extra);
        break;
    case CHANGES_SOURCE:
        extra.dst[0] = PLANE(PLANE_REGISTER, 0, 1 << 6);
        vec_push(list, extra);
        break;
    case CHANGES_C:
        extra.dst[0] = PLANE(PLANE_C, 0, 0);
        vec_push(list, extra);
        break;
    case NO_MASK:
        last->predicate = PLANE(PLANE_NONE, 0, 0);
        break;
    default:
        break;
    }
}

static void want_answer(const struct fixture *f, const struct insn *insn, bool masked,
                        enum harm what, const char *answer) {
    struct uop_list list = {0};
    struct str text = {0}, line = {0};
    assert_true(recipe_expand(f->s, insn, masked, &list, f->d));
    harm(&list, what, insn->width);
    if (!prove_smt_write_list(f->s, recipe_of(f->s, insn->op, NULL), insn,
                              masked ? SMT_MASKED : SMT_FOLDED, &list, &text, f->d))
        fail_msg("%s", diag_first(f->d));
    ask(text.text, text.len, &line);
    if (strcmp(line.text, answer) != 0)
        fail_msg("%s, harm %d: %s", isa_info(insn->op)->name, (int)what, line.text);
    str_free(&line);
    str_free(&text);
    vec_free(&list);
}

static void test_harmed_lists(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(NULL);
    static const enum isa_op ops[] = {OP_ADD, OP_XOR, OP_MIN, OP_MUX, OP_SHRI, OP_MUL};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int masked = 0; masked < 2; masked++)
            for (int what = NO_HARM; what < HARMS; what++) {
                struct insn insn = insn_of(ops[i], 9, ops[i] == OP_SHRI ? 2 : 0);
                bool fine = what == NO_HARM || (what == NO_MASK && !masked);
                want_answer(&f, &insn, masked, (enum harm)what, fine ? "unsat" : "sat");
            }
    close_fixture(&f);
}

/* --- what is folded --- */

#define FOLDER MPU_BINARY_DIR "/tests/prove-work"

/* A program that behaves like a solver of some kind; gets the file's name. */
static void make_solver(const char *script) {
    char text[400];
    mkdir(FOLDER, 0777);
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    assert_true(file_write_executable(FOLDER "/solver", text, strlen(text)));
}

/* Answers to files that are one text, with (reset) between them. */
static void ask_each(const struct str *text, bool *sat, size_t count) {
    char path[4096];
    struct smt_solver solver;
    struct str line = {0};
    double deadline = prove_solver_clock() + 60;
    assert_true(prove_find_solver(NULL, path, sizeof path));
    assert_true(prove_solver_start(&solver, path, 0, text->text, text->len));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(prove_solver_read(&solver, deadline, &line), SOLVER_LINE);
        sat[i] = strcmp(line.text, "sat") == 0;
        assert_true(sat[i] || strcmp(line.text, "unsat") == 0);
    }
    prove_solver_stop(&solver);
    str_free(&line);
}

/* Adds the two files of a list. */
static void add_forms(const struct fixture *f, const struct insn *insn, bool masked,
                      const struct uop_list *list, struct str *text) {
    const unsigned forms[] = {SMT_PLAIN, SMT_FOLDED}, mask = masked ? SMT_MASKED : 0;
    for (unsigned i = 0; i < 2; i++) {
        str_append(text, text->len ? "(reset)\n" : "");
        assert_true(prove_smt_write_list(f->s, recipe_of(f->s, insn->op, NULL), insn,
                                         forms[i] | mask, list, text, f->d));
    }
}

/* Whatever micro-op is wrong: where there are operands that refute the plain file, the folded one
 * must have a model too; and where nothing is wrong, neither has. */
static void check_folded(const struct fixture *f, const struct insn *insn, bool masked,
                         size_t step) {
    struct uop_list list = {0};
    struct str text = {0};
    bool sat[2000];
    size_t refuted = 0, count = 1;
    assert_true(recipe_expand(f->s, insn, masked, &list, f->d));
    assert_true(2 * list.len + 2 <= sizeof sat / sizeof *sat);
    add_forms(f, insn, masked, &list, &text);
    for (size_t i = 0; i < list.len; i += step, count++) {
        uint32_t right = list.data[i].src[0];
        list.data[i].src[0] = PLANE(PLANE_CONST, 0, i / step % 2);
        add_forms(f, insn, masked, &list, &text);
        list.data[i].src[0] = right;
    }
    ask_each(&text, sat, 2 * count);
    assert_false(sat[0] || sat[1]);
    for (size_t i = 1; i < count; i++) {
        refuted += sat[2 * i];
        if (sat[2 * i] && !sat[2 * i + 1])
            fail_msg("%s: micro-op %zu wrong, and proved", isa_info(insn->op)->name,
                     (i - 1) * step);
        if (sat[2 * i + 1] && !sat[2 * i] && !prove_smt_is_wider(f->s, insn))
            fail_msg("%s: micro-op %zu is not wrong, and refuted", isa_info(insn->op)->name,
                     (i - 1) * step);
    }
    assert_true(refuted > count / 4);
    str_free(&text);
    vec_free(&list);
}

static void test_folded(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(NULL);
    const struct insn insns[] = {
        insn_of(OP_MULI, 5, 0xB), insn_of(OP_MULI, 5, -6), insn_of(OP_MUL, 3, 0),
        insn_of(OP_MAC, 3, 0),    insn_of(OP_QDIV, 3, 0),  insn_of(OP_QRDIV, 2, 0),
        insn_of(OP_SDIV, 2, 0),   insn_of(OP_SREM, 2, 0),  insn_of(OP_FLDIV, 2, 0),
        insn_of(OP_FLMOD, 2, 0),  insn_of(OP_MAXS, 3, 0),  insn_of(OP_POPC, 5, 0),
        insn_of(OP_SUB, 4, 0)};
    for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
        if (draws_takes(i, 2))
            check_folded(&f, &insns[i], i % 3 == 2, i < 4 ? 1 : 3);
    close_fixture(&f);
}

/* Products, squares and quotients of each kind of target meet their reference: nothing is
 * left to ask. */
static void test_met(void **state) {
    (void)state;
    static const char *const names[] = {"racer", "mimdram", "duality-cache", "pypim"};
    struct insn insns[] = {insn_of(OP_MUL, 16, 0),  insn_of(OP_MUL, 16, 0),
                           insn_of(OP_MAC, 16, 0),  insn_of(OP_QDIV, 16, 0),
                           insn_of(OP_RDIV, 16, 0), insn_of(OP_MULI, 32, 0x555)};
    insns[0].rt = insns[0].rs;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct target *t = target_open(names[i], NULL, 0, d);
        struct recipe_set *s = recipe_set_open(t, d);
        /* Constants go from the highest term down on pypim alone. */
        for (unsigned k = 0; k < 2 * (sizeof insns / sizeof *insns - (i < 3)); k++) {
            struct str text = {0};
            assert_true(
                prove_smt_write(s, &insns[k / 2], k % 2 ? SMT_MASKED : SMT_FOLDED, &text, d));
            if (!strstr(text.text, "(assert (or false\n))"))
                fail_msg("%s on %s is not met", isa_info(insns[k / 2].op)->name, names[i]);
            str_free(&text);
        }
        recipe_set_free(s);
        target_free(t);
        diag_free(d);
    }
}

/* Laws are asked, and hold, at every width. */
static void test_laws(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(NULL);
    struct str text = {0};
    enum { LAWS = (3 + 4 + 4) * 6 };
    bool sat[LAWS];
    size_t count = 0;
    for (unsigned w = 1; w <= 33; w = w < 4 ? w + 1 : 3 * w - 1) {
        const struct insn insns[] = {insn_of(OP_MUL, w, 0), insn_of(OP_SDIV, w, 0),
                                     insn_of(OP_MULI, w, 1)};
        for (unsigned i = 0; i < 3; i++) {
            struct str law = {0};
            for (unsigned k = 0; prove_smt_law(f.s, &insns[i], k, &law); k++) {
                str_append(&text, count++ ? "(reset)\n" : "");
                str_append_n(&text, law.text, law.len);
                str_clear(&law);
            }
            str_free(&law);
        }
    }
    assert_true(count == LAWS);
    ask_each(&text, sat, count);
    for (size_t i = 0; i < count; i++)
        assert_false(sat[i]);
    str_free(&text);
    close_fixture(&f);
}

/* Bits of random circuits over seven inputs: what the fold takes for one has one truth table. */
static void test_fold(void **state) {
    (void)state;
    enum { INPUTS = 7, BITS = 3000, WORDS = 2 };
    static uint64_t tables[BITS][WORDS];
    static uint32_t bits[BITS];
    struct fold *fold = prove_fold_new();
    uint64_t seed = 1;
    size_t met = 0;
    for (unsigned i = 0; i < BITS; i++) {
        uint32_t in[FOLD_LEAVES];
        unsigned from[FOLD_LEAVES], count = 1 + (unsigned)(splitmix64(&seed) % 5);
        uint64_t truth = splitmix64(&seed);
        if (i < INPUTS) {
            bits[i] = prove_fold_input(fold, PLANE(PLANE_REGISTER, 0, i));
            for (unsigned row = 0; row < 64 * WORDS; row++)
                tables[i][row / 64] |= (uint64_t)(row >> i & 1) << row % 64;
            continue;
        }
        for (unsigned k = 0; k < count; k++) {
            from[k] = (unsigned)(splitmix64(&seed) % (i < 40 ? i : 40)) + (i < 40 ? 0 : i - 40);
            in[k] = bits[from[k]];
        }
        bits[i] = prove_fold_apply(fold, truth, in, count);
        for (unsigned row = 0; row < 64 * WORDS; row++) {
            unsigned at = 0;
            for (unsigned k = 0; k < count; k++)
                at |= (unsigned)(tables[from[k]][row / 64] >> row % 64 & 1) << k;
            tables[i][row / 64] |= (truth >> at & 1) << row % 64;
        }
        if (i % 50 == 0)
            prove_fold_bound(fold, bits[i]);
        for (unsigned k = 0; k < i; k++) {
            uint64_t flip = (bits[i] ^ bits[k]) & 1 ? UINT64_MAX : 0;
            if (bits[i] >> 1 != bits[k] >> 1)
                continue;
            met++;
            assert_true(tables[i][0] == (tables[k][0] ^ flip));
            assert_true(tables[i][1] == (tables[k][1] ^ flip));
        }
    }
    assert_true(met > BITS / 10);
    prove_fold_free(fold);
}

/* A model of a division's file refutes nothing: what the solver says to the plain file counts. */
static void test_wider_model(void **state) {
    (void)state;
    static const struct {
        const char *script;
        enum prove_result divide, add;
    } cases[] = {
        {"grep -q produce-models \"$1\" && echo unsat || echo sat", PROVE_HOLDS, PROVE_FAILS},
        {"grep -q produce-models \"$1\" && echo unknown || echo sat", PROVE_UNKNOWN, PROVE_FAILS},
        {"grep -q produce-models \"$1\" && exec sleep 100; echo sat", PROVE_TIMEOUT, PROVE_FAILS},
        {"echo sat", PROVE_FAILS, PROVE_FAILS},
    };
    struct fixture f = open_text(NULL);
    struct insn divide = insn_of(OP_QDIV, 8, 0), add = insn_of(OP_ADD, 8, 0);
    struct prove_options o = {.solver = FOLDER "/solver", .seconds = 1};
    struct heard h;
    assert_true(prove_smt_is_wider(f.s, &divide));
    assert_false(prove_smt_is_wider(f.s, &add));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_solver(cases[i].script);
        assert_int_equal(prove_with(f.s, &divide, false, &o, &h), cases[i].divide);
        assert_int_equal(strstr(h.text, "do not keep") != NULL, cases[i].divide == PROVE_FAILS);
        assert_int_equal(prove_with(f.s, &add, false, &o, &h), cases[i].add);
        assert_non_null(strstr(h.text, "do not keep"));
    }
    close_fixture(&f);
}

/* What relies on a law that is not proved is not proved; what relies on none is. */
static void test_undecided_law(void **state) {
    (void)state;
    static const char *const answers[] = {"sat", "unknown", "exit"};
    struct fixture f = open_text(NULL);
    struct insn divide = insn_of(OP_QDIV, 8, 0), add = insn_of(OP_ADD, 8, 0);
    struct prove_options o = {.solver = FOLDER "/solver", .seconds = 1};
    struct heard h;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        char script[100];
        snprintf(script, sizeof script, "grep -q 'declare-const m' \"$1\" && echo unsat || echo %s",
                 answers[i]);
        make_solver(script);
        assert_int_equal(prove_with(f.s, &divide, false, &o, &h), PROVE_UNKNOWN);
        assert_non_null(strstr(h.text, "a law that the proof relies on"));
        assert_int_equal(prove_with(f.s, &add, false, &o, &h), PROVE_HOLDS);
    }
    close_fixture(&f);
}

/* --- terms against values --- */

/* Of one expression the term and the value for all operands at width 3: a file that is
 * unsatisfiable if they agree. */
static const char *const expressions[] = {
    "a / b",
    "a % b",
    "s(a) / s(b)",
    "s(a) % s(b)",
    "floordiv(s(a), s(b))",
    "floormod(s(a), s(b))",
    "floordiv(a, b)",
    "floormod(a, b)",
    "s(a) / -1",
    "s(a) / 0",
    "floordiv(s(a), 0)",
    "a << b",
    "a >> b",
    "s(a) >> b",
    "1 << b",
    "-1 >> b",
    "a << 2",
    "a << 64",
    "s(a) >> 7",
    "flip(a)",
    "flip(s(a)) - b",
    "popc(a ^ b)",
    "min(a, b)",
    "max(s(a), s(b))",
    "min(max(s(a), 1), s(b))",
    "max(s(a), 0)",
    "select(a && !b, a, b)",
    "select(a, 1, 2)",
    "select(a < b || a == 3, a, 7)",
    "(a > b) + (a >= b) * 2 + (a != b) * 4",
    "(s(a) <= s(b)) - (s(a) < 2)",
    "s(a, 1)",
    "s(a, 2)",
    "s(a, 3) - s(b, 9)",
    "s(a, 0)",
    "-a * ~b",
    "a & 5 | b ^ w",
    "!a + !b",
    "(4095 << 12) + a",
    "a < -1",
    "s(a) < -1",
    "select(w > 12, a, b)",
    "valid + C",
    "(M == C) * 2",
    "C && a",
    "1 < 2",
    "-7 / 2 % 3",
    "imm",
};

static struct recipe *read_expression(struct recipe_ast *ast, const char *expression,
                                      const struct target *t, struct diag *d) {
    char text[400];
    struct recipe_file *file = ARENA_NEW(ast->arena, struct recipe_file);
    const char *name = strstr(expression, "imm") ? "ADDI(imm, a) -> d" : "FUZZY(a, b, x) -> d";
    if (strchr(expression, 'C'))
        name = "ANDMASK(C, M) -> d";
    snprintf(text, sizeof text, "recipe %s any w needs NOR { computes d == (%s) }", name,
             expression);
    *file = (struct recipe_file){.name = "x.recipe", .text = arena_strdup(ast->arena, text)};
    file->size = strlen(text);
    assert_true(notation_parse(ast, file, t, d));
    return ast->recipes.data[0];
}

static void write_case(const struct recipe *c, const struct golden_lane *x, struct str *out) {
    const struct golden_lane known = {.w = x->w, .imm = x->imm};
    const uint64_t v[] = {x->rs, x->rt, x->rd, x->c, x->m, x->valid};
    uint64_t want = recipe_computes_value(c, c->computes[0]->args[1], x).v & low_bits(x->w);
    static const char *const names[] = {"rs", "rt", "rd", "C", "M", "valid"};
    str_append(out, " (distinct (let (");
    for (unsigned i = 0; i < 6; i++)
        str_printf(out, "(%s (_ bv%llu %u))", names[i], (unsigned long long)v[i], x->w);
    str_append(out, ") ");
    prove_smt_term(c, c->computes[0]->args[1], &known, out);
    str_printf(out, ") (_ bv%llu %u))\n", (unsigned long long)want, x->w);
}

static void write_cases(const struct recipe *c, unsigned w, struct str *out) {
    str_append(out, "(set-logic QF_BV)\n(assert (or false\n");
    for (uint64_t i = 0; i < (uint64_t)8 << (2 * w); i++) {
        struct golden_lane x = {.w = w, .imm = -3};
        x.c = i & 1;
        x.m = i >> 1 & 1;
        x.valid = i >> 2 & 1;
        x.rs = i >> 3 & low_bits(w);
        x.rt = x.rd = i >> (3 + w) & low_bits(w);
        bool one_bit = strcmp(c->unit.name, "ANDMASK") == 0;
        if (one_bit || (i & 7) == 7)
            write_case(c, &x, out);
    }
    str_append(out, "))\n(check-sat)\n");
}

static void test_terms(void **state) {
    (void)state;
    need_solver();
    struct fixture f = open_text(NULL);
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
        for (unsigned w = 1; w <= 3; w += 2) {
            struct arena arena = {0};
            struct recipe_ast ast = {.arena = &arena};
            struct str text = {0}, line = {0};
            struct recipe *c = read_expression(&ast, expressions[i], f.t, f.d);
            c->op = strcmp(c->unit.name, "ADDI") == 0      ? OP_ADDI
                    : strcmp(c->unit.name, "ANDMASK") == 0 ? OP_ANDMASK_COND
                                                           : OP_FUZZY;
            write_cases(c, w, &text);
            ask(text.text, text.len, &line);
            if (strcmp(line.text, "unsat") != 0)
                fail_msg("%s at width %u: %s", expressions[i], w, line.text);
            str_free(&line);
            str_free(&text);
            vec_free(&ast.recipes);
            vec_free(&ast.subs);
            arena_free(&arena);
        }
    close_fixture(&f);
}

/* --- the files' structure --- */

static bool is_symbol_end(char c) {
    return c == ' ' || c == '(' || c == ')' || c == '\n' || c == '\0';
}

/* Symbols of ours, not of the standard: an input, a definition or an operand. */
static bool is_ours(const char *at, size_t n) {
    static const char *const names[] = {"rs", "rt", "rd", "C", "M", "valid", "c", "m", "v"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && strncmp(at, names[i], n) == 0)
            return true;
    return n > 1 && (*at == 'n' || *at == 'r') && at[1] >= '0' && at[1] <= '9';
}

/* Reads a file once: parentheses balance, each of our symbols is declared once and before its use.
 * Returns how many definitions of micro-ops there are. */
static unsigned check_text(const char *text) {
    struct map declared = {0};
    unsigned depth = 0, definitions = 0;
    for (const char *at = text; *at;) {
        if (*at == ';') {
            at += strcspn(at, "\n");
            continue;
        }
        depth += *at == '(';
        assert_true(*at != ')' || depth-- > 0);
        size_t n = 0;
        while (!is_symbol_end(at[n]))
            n++;
        bool introduces =
            n && depth == 1 &&
            (strncmp(at, "define-fun ", 11) == 0 || strncmp(at, "declare-const ", 14) == 0);
        if (introduces) {
            at += n + 1;
            for (n = 0; !is_symbol_end(at[n]); n++)
                continue;
            definitions += *at == 'n';
            assert_true(map_put_n(&declared, at, n, 1));
        } else if (n && is_ours(at, n) && !map_get_n(&declared, at, n)) {
            fail_msg("'%.*s' is used before it is declared", (int)n, at);
        }
        at += n ? n : 1;
    }
    assert_int_equal(depth, 0);
    map_free(&declared);
    return definitions;
}

static unsigned destinations(const struct uop_list *list) {
    unsigned sum = 0;
    for (size_t i = 0; i < list->len; i++)
        sum += list->data[i].ndst;
    return sum;
}

static void test_structure(void **state) {
    (void)state;
    struct fixture f = open_text(NULL);
    struct prove_tasks tasks = {0};
    prove_plan(f.s, PROVE_SHORT, false, &tasks);
    for (size_t i = 0; i < tasks.len; i++) {
        const struct prove_task *t = &tasks.data[i];
        struct uop_list list = {0};
        struct str text = {0};
        assert_true(recipe_expand(f.s, &t->insn, t->masked, &list, f.d));
        assert_true(
            prove_smt_write(f.s, &t->insn, t->masked ? SMT_PLAIN_MASKED : SMT_PLAIN, &text, f.d));
        assert_int_equal(check_text(text.text), destinations(&list));
        str_free(&text);
        vec_free(&list);
    }
    vec_free(&tasks);
    close_fixture(&f);
}

/* Scratch that nothing wrote has no value, and no file. */
static void test_unwritten(void **state) {
    (void)state;
    struct fixture f = open_text(NULL);
    struct insn insn = insn_of(OP_ADD, 8, 0);
    struct uop_list list = {0};
    struct str text = {0};
    assert_true(recipe_expand(f.s, &insn, false, &list, f.d));
    list.data++;
    list.len--;
    assert_false(prove_smt_write_list(f.s, recipe_of(f.s, OP_ADD, NULL), &insn, SMT_PLAIN, &list,
                                      &text, f.d));
    assert_non_null(strstr(diag_first(f.d), "reads a plane that nothing has written"));
    list.data--;
    str_free(&text);
    vec_free(&list);
    close_fixture(&f);
}

static void test_no_contract(void **state) {
    (void)state;
    struct fixture f = open_text("recipe MOV(a) -> d   any w   needs COPY\n"
                                 "{ for j in 0 .. w-1 { d[j] = COPY(a[j]) } }\n");
    struct insn insn = insn_of(OP_MOV, 8, 0);
    struct heard h;
    struct prove_options o = {.solver = "/bin/sh"};
    assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_ERROR);
    assert_non_null(strstr(h.text, "MOV: no 'computes' says what 'd' is"));
    close_fixture(&f);
}

/* --- what a solver may do --- */

static bool folder_is_empty(const char *path) {
    DIR *folder = opendir(path);
    unsigned count = 0;
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count == 2;
}

static void test_solvers(void **state) {
    (void)state;
    static const struct {
        const char *script;
        enum prove_result results[3];
        const char *words;
    } cases[] = {
        {"echo unsat; echo unsat; echo unsat", {PROVE_HOLDS, PROVE_HOLDS, PROVE_HOLDS}, ""},
        {"printf 'unsat\\nunsat\\nunsat'", {PROVE_HOLDS, PROVE_HOLDS, PROVE_HOLDS}, ""},
        {"echo unknown; echo unsat; echo unknown", {PROVE_UNKNOWN, PROVE_HOLDS, PROVE_UNKNOWN}, ""},
        {"echo unsat; echo sat; echo unsat",
         {PROVE_HOLDS, PROVE_FAILS, PROVE_HOLDS},
         "do not keep the contract"},
        {"exec sleep 100", {PROVE_TIMEOUT, PROVE_TIMEOUT, PROVE_TIMEOUT}, ""},
        {"echo unsat; exec sleep 100", {PROVE_HOLDS, PROVE_HOLDS, PROVE_HOLDS}, NULL},
        {"echo '(error \"no logic\")'; echo unsat",
         {PROVE_ERROR, PROVE_ERROR, PROVE_ERROR},
         "the solver says: (error \"no logic\")"},
        {"exit 0", {PROVE_ERROR, PROVE_ERROR, PROVE_ERROR}, "ended without an answer"},
        {"kill -9 $$", {PROVE_ERROR, PROVE_ERROR, PROVE_ERROR}, "ended without an answer"},
        {"echo unsatisfiable >&2", {PROVE_ERROR, PROVE_ERROR, PROVE_ERROR}, "unsatisfiable"},
        {"test -r \"$1\" && test ! -x \"$1\" && echo unsat; echo unsat; echo unsat",
         {PROVE_HOLDS, PROVE_HOLDS, PROVE_HOLDS},
         ""},
    };
    struct fixture f = open_text(NULL);
    mkdir(FOLDER, 0777);
    mkdir(FOLDER "/tmp", 0777);
    setenv("TMPDIR", FOLDER "/tmp", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heard h = {""};
        struct diag *d = diag_new(hear, &h);
        struct prove_task data[3] = {{.insn = insn_of(OP_ADD, 8, 0)},
                                     {.insn = insn_of(OP_AND, 8, 0)},
                                     {.insn = insn_of(OP_OR, 8, 0)}};
        struct prove_tasks tasks = {data, 3, 3};
        struct prove_options o = {.solver = FOLDER "/solver", .seconds = 1};
        make_solver(cases[i].script);
        bool late = cases[i].words == NULL;
        bool all = prove_all(f.s, &tasks, &o, NULL, NULL, d);
        diag_free(d);
        /* The one behind the first answer is late; a new process answers the next. */
        for (unsigned k = 0; k < 3; k++)
            if (data[k].result != (late && k == 1 ? PROVE_TIMEOUT : cases[i].results[k]))
                fail_msg("%s: result %u is %s", cases[i].script, k,
                         prove_result_text(data[k].result));
        assert_int_equal(all, !late && cases[i].results[0] == PROVE_HOLDS &&
                                  cases[i].results[1] == PROVE_HOLDS);
        if (!late && !strstr(h.text, cases[i].words))
            fail_msg("%s: says '%s'", cases[i].script, h.text);
        assert_true(folder_is_empty(FOLDER "/tmp"));
    }
    unsetenv("TMPDIR");
    close_fixture(&f);
}

/* Nothing that could prove is no proof. */
static void test_absent(void **state) {
    (void)state;
    struct fixture f = open_text(NULL);
    struct insn insn = insn_of(OP_ADD, 8, 0);
    struct heard h;
    struct prove_options o = {.solver = "no-such-solver"};
    assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_NO_SOLVER);
    assert_non_null(strstr(h.text, "'no-such-solver' is not there: nothing is proved"));
    o.solver = MPU_SOURCE_DIR "/README.md";
    assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_NO_SOLVER);
    o.solver = MPU_SOURCE_DIR "/docs";
    assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_NO_SOLVER);
    char *path = xstrdup(getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", "/nowhere::/proc", 1);
    assert_int_equal(prove_with(f.s, &insn, false, NULL, &h), PROVE_NO_SOLVER);
    assert_non_null(strstr(h.text, "no solver is installed"));
    setenv("PATH", path, 1);
    free(path);
    setenv("TMPDIR", "/nowhere", 1);
    o.solver = "/bin/sh";
    assert_int_equal(prove_with(f.s, &insn, false, &o, &h), PROVE_NO_SOLVER);
    assert_non_null(strstr(h.text, "the solver cannot be started: No such file"));
    unsetenv("TMPDIR");
    close_fixture(&f);
}

/* --- of programs --- */

/* A solver called cvc5 alone in PATH, which leaves a line in a file each time it is started. */
static void put_in_path(const char *script) {
    char text[4200];
    snprintf(text, sizeof text, "#!/bin/sh\necho x >>'%s'\n%s\n", FOLDER "/own/count", script);
    mkdir(FOLDER, 0777);
    mkdir(FOLDER "/own", 0777);
    assert_true(file_write_executable(FOLDER "/own/cvc5", text, strlen(text)));
    unlink(FOLDER "/own/count");
    setenv("PATH", FOLDER "/own:/usr/bin:/bin", 1);
}

static unsigned starts(void) {
    size_t size = 0;
    char *text = file_read(FOLDER "/own/count", &size);
    free(text);
    return text ? (unsigned)size / 2 : 0;
}

/* A fresh set that keeps below the folder. */
static enum prove_result own_result(const char *recipe, unsigned width, unsigned *undecided,
                                    uint32_t *errors) {
    struct fixture f = open_text(recipe);
    const struct insn insn = insn_of(OP_MOV, width, 0);
    recipe_set_keep(f.s, FOLDER "/own/cache");
    enum prove_result result = prove_own(f.s, &insn, false, undecided, f.d);
    *errors = diag_errors(f.d);
    close_fixture(&f);
    return result;
}

/* Without a solver nothing is said; what it decides is kept, and what it does not, which is asked a
 * few times only. */
static void test_own(void **state) {
    unsigned undecided = 0;
    uint32_t errors;
    char *path = xstrdup(getenv("PATH") ? getenv("PATH") : "");
    (void)state;
    assert_int_equal(system("rm -rf '" FOLDER "/own'"), 0);
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(own_result(RARE, 16, &undecided, &errors), PROVE_NO_SOLVER);
    assert_int_equal(errors, 0);
    setenv("PATH", path, 1);
    put_in_path("case \"$*\" in *--rlimit-per=*) echo unsat;; esac");
    assert_int_equal(own_result(RARE, 16, &undecided, &errors), PROVE_HOLDS);
    assert_int_equal(own_result(RARE, 16, &undecided, &errors), PROVE_HOLDS);
    assert_int_equal(starts(), 1);
    put_in_path("echo unknown");
    for (unsigned w = 1; w <= PROVE_OWN_MOST + 2; w++)
        assert_int_equal(own_result(RARE, w, &undecided, &errors), PROVE_UNKNOWN);
    assert_int_equal(undecided, PROVE_OWN_MOST);
    assert_int_equal(starts(), PROVE_OWN_MOST);
    undecided = 0;
    assert_int_equal(own_result(RARE, 1, &undecided, &errors), PROVE_UNKNOWN);
    assert_int_equal(starts(), PROVE_OWN_MOST);
    assert_int_equal(errors, 0);
    assert_int_equal(system("rm -rf '" FOLDER "/own'"), 0);
    setenv("PATH", path, 1);
    free(path);
}

/* One pattern of 2^16 is wrong: refused, with that pattern, and never kept. */
static void test_own_refuted(void **state) {
    unsigned undecided = 0;
    uint32_t errors;
    (void)state;
    need_solver();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(own_result(RARE, 16, &undecided, &errors), PROVE_FAILS);
        assert_true(errors > 0);
    }
    assert_int_equal(own_result(RARE, 17, &undecided, &errors), PROVE_HOLDS);
    assert_int_equal(undecided, 0);
    assert_int_equal(system("rm -rf '" FOLDER "/own'"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),         cmocka_unit_test(test_plan_is_complete),
        cmocka_unit_test(test_document),     cmocka_unit_test(test_records),
        cmocka_unit_test(test_structure),    cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_no_contract),  cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_absent),       cmocka_unit_test(test_rare_mistake),
        cmocka_unit_test(test_harmed_lists), cmocka_unit_test(test_terms),
        cmocka_unit_test(test_fold),         cmocka_unit_test(test_met),
        cmocka_unit_test(test_laws),         cmocka_unit_test(test_folded),
        cmocka_unit_test(test_wider_model),  cmocka_unit_test(test_undecided_law),
        cmocka_unit_test(test_mapped),       cmocka_unit_test(test_plan),
        cmocka_unit_test(test_own),          cmocka_unit_test(test_own_refuted),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed || have_solver())
        return failed;
    print_error("NOT PROVED: no SMT solver is installed (Debian package cvc5)\n");
    return SKIPPED;
}
