/* SPDX-License-Identifier: MIT
 * Our counts against published ones: commands of machines in DRAM, cycles of machines in SRAM, and
 * the gate sets of MASTODON.  None is worse, at any width. */
#include "text.h"

#include "tools/mpu-recipe/bounds.h"
#include "tools/mpu-recipe/forms.h"
#include "tools/mpu-recipe/published.h"
#include "tools/mpu-recipe/source.h"

struct fixture {
    struct recipe_source source; /* of the target asked for last */
    struct diag *diag;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->diag = diag_new(NULL, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    source_close(&f->source);
    diag_free(f->diag);
    free(f);
    return 0;
}

static const struct recipe_set *recipes_of(struct fixture *f, const char *target) {
    if (!f->source.target || strcmp(f->source.target->name, target) != 0) {
        source_close(&f->source);
        if (source_open(&f->source, target, &(struct source_choice){0}, f->diag) != EXIT_DONE)
            fail_msg("%s", diag_first(f->diag));
    }
    return f->source.recipes;
}

static struct recipe_count count_of(struct fixture *f, const char *target, enum isa_op op,
                                    unsigned w, bool masked) {
    struct form_choice forms;
    struct insn insn;
    struct recipe_count n = {0};
    form_choice_init(&forms);
    if (!form_make(&forms, op, w, &insn) || !recipe_count(recipes_of(f, target), &insn, masked, &n))
        fail_msg("%s.%u on %s cannot be counted", isa_info(op)->name, w, target);
    form_choice_free(&forms);
    return n;
}

/* Recipes of quadratic cost are looked at where loops begin, end and pair off. */
static bool is_wanted(enum isa_op op, unsigned w) {
    bool quadratic = op == OP_MUL || op == OP_QDIV || op == OP_RDIV || op == OP_QRDIV;
    return !quadratic || w <= 9 || w % 16 == 0 || w == 33 || w == 63;
}

static void test_counts(void **state) {
    for (size_t i = 0; i < published_count_count; i++)
        for (unsigned w = 1; w <= 64; w++) {
            if (!is_wanted(published_counts[i].op, w) || !published_counts[i].count(w))
                continue;
            const struct published_count *p = &published_counts[i];
            uint64_t ours = count_of(*state, p->target, p->op, w, false).micro_ops;
            uint64_t most = p->count(w) + (p->more ? p->more(w) : 0);
            if (ours > most)
                fail_msg("%s.%u on %s: %llu, published %s: %llu", isa_info(p->op)->name, w,
                         p->target, (unsigned long long)ours, p->formula, (unsigned long long)most);
        }
}

/* Under a mask an instruction takes no more than the target's mask is said to cost. */
static void test_masks(void **state) {
    for (size_t i = 0; i < published_mask_count; i++)
        for (unsigned w = 1; w <= 64; w++) {
            const struct published_mask *p = &published_masks[i];
            if (!is_wanted(p->op, w))
                continue;
            uint64_t plain = count_of(*state, p->target, p->op, w, false).micro_ops;
            uint64_t masked = count_of(*state, p->target, p->op, w, true).micro_ops;
            if (masked - plain > p->count(w))
                fail_msg("%s.%u on %s: %llu more under a mask", isa_info(p->op)->name, w, p->target,
                         (unsigned long long)(masked - plain));
        }
    /* Seven commands for each bit that is written. */
    assert_int_equal(count_of(*state, "simdram", OP_ADD, 32, true).micro_ops -
                         count_of(*state, "simdram", OP_ADD, 32, false).micro_ops,
                     7 * 32);
}

/* A whole row of mats takes the commands that one mat does. */
static void test_simdram(void **state) {
    static const enum isa_op ops[] = {OP_ADD, OP_MUL, OP_CMPGT, OP_SHLI, OP_POPC};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct recipe_count mat = count_of(*state, "mimdram", ops[i], 16, false);
        struct recipe_count row = count_of(*state, "simdram", ops[i], 16, false);
        assert_int_equal(row.micro_ops, mat.micro_ops);
        assert_int_equal(row.latency_cycles, mat.latency_cycles);
        assert_true(row.energy_fj > 127 * mat.energy_fj);
    }
}

/* The energy and the time of a command are those of the target file. */
static void test_commands(void **state) {
    struct recipe_count n = count_of(*state, "mimdram", OP_MOV, 8, false);
    assert_int_equal(n.micro_ops, 8);
    assert_int_equal(n.latency_cycles, 8 * 49);
    assert_int_equal(n.energy_fj, 8 * 6805);
    n = count_of(*state, "mimdram", OP_XOR, 1, false);
    assert_int_equal(n.latency_cycles, 5 * 49 + 2 * 45);
    n = count_of(*state, "duality-cache", OP_ADD, 32, false);
    assert_int_equal(n.latency_cycles, 32);
    assert_int_equal(n.interval_cycles,
                     1 + 14 + 32); /* slot, issue of the instruction, micro-ops */
}

static void test_times(void **state) {
    for (size_t i = 0; i < published_time_count; i++) {
        const struct published_time *p = &published_times[i];
        struct recipe_count n = count_of(*state, p->target, p->op, p->width, false);
        assert_true(n.latency_cycles <= p->ns);
    }
}

static void each_mastodon(struct fixture *f, const char *target, enum mastodon_gates g,
                          unsigned wanted) {
    struct mastodon_rows rows;
    unsigned compared = 0;
    if (!bounds_mastodon_read(&rows, MPU_SOURCE_DIR "/docs/mastodon.csv", f->diag))
        fail_msg("%s", diag_first(f->diag));
    for (size_t i = 0; i < rows.len; i++) {
        const struct mastodon_row *r = &rows.data[i];
        enum isa_op op = bounds_mastodon_op(r->name, NULL);
        if (op == OP_COUNT || !r->of[g].known)
            continue;
        struct recipe_count n = count_of(f, target, op, r->width, false);
        compared++;
        if (n.logic > r->of[g].logic || n.crossings > r->of[g].transfers)
            fail_msg("%s.%u on %s: %llu logic micro-ops, %llu crossings", isa_info(op)->name,
                     r->width, target, (unsigned long long)n.logic,
                     (unsigned long long)n.crossings);
    }
    assert_int_equal(compared, wanted);
    bounds_mastodon_free(&rows);
}

static void test_mastodon(void **state) {
    each_mastodon(*state, "racer-magic", GATES_MAGIC, 19 * 4 + 2);
    each_mastodon(*state, "racer-ideal", GATES_IDEAL, 19 * 4 + 2);
    /* FELIX has what MAGIC has and more; MASTODON has no recipes for it. */
    each_mastodon(*state, "racer-felix", GATES_MAGIC, 19 * 4 + 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),  cmocka_unit_test(test_masks),
        cmocka_unit_test(test_simdram), cmocka_unit_test(test_commands),
        cmocka_unit_test(test_times),   cmocka_unit_test(test_mastodon),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
