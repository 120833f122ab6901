/* SPDX-License-Identifier: MIT
 * Words of the DPU: every form at the edges of each of its fields, words as UPMEM's tools print
 * them, words that nothing has. */
#include "machines/core/dpu/dpu.h"
#include "tests/dpu/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <string.h>

static void words_print_as_upmem_has_them(void **state) {
    (void)state;
    for (size_t i = 0; i < DPU_WORDS; i++) {
        struct dpu_insn insn;
        struct str text = {0};
        assert_true(dpu_decode(dpu_words[i].word, true, &insn));
        dpu_print(&insn, &text);
        assert_string_equal(str_text(&text), dpu_words[i].text);
        str_free(&text);
    }
}

/* Edge values of an operand: ends of its range, neighbours of zero, one bit alone and all but one.
 */
static size_t edges(const struct dpu_operand *o, int64_t out[160]) {
    int64_t candidates[160];
    size_t n = 0, kept = 0;
    const int64_t fixed[] = {o->least, o->least + 1, o->most, o->most - 1, -1, 0, 1, 2};
    memcpy(candidates, fixed, sizeof fixed);
    n = sizeof fixed / sizeof *fixed;
    for (int bit = 0; bit < 33; bit++) {
        candidates[n++] = INT64_C(1) << bit;
        candidates[n++] = ~(INT64_C(1) << bit);
    }
    if (o->kind != DPU_NUMBER)
        for (int64_t v = 0; v < 64; v++)
            candidates[n++] = v;
    for (size_t i = 0; i < n; i++)
        if (dpu_value_fits(o, candidates[i]))
            out[kept++] = candidates[i];
    return kept;
}

static uint64_t random_bits(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 16;
}
static int64_t any_value(const struct dpu_operand *o, uint64_t *seed) {
    for (;;) {
        int64_t v = o->least + (int64_t)(random_bits(seed) % (uint64_t)(o->most - o->least + 1));
        if (dpu_value_fits(o, v))
            return v;
    }
}

/* A number's bits, whichever sign it was written with. */
static uint64_t same(const struct dpu_operand *o, int64_t value) {
    return o->least < 0 && o->most > -o->least ? (uint64_t)value & (uint64_t)(-2 * o->least - 1)
                                               : (uint64_t)value;
}

static void check_word(const struct dpu_form *f, const struct dpu_insn *insn) {
    uint64_t word, again;
    struct dpu_insn back;
    assert_true(dpu_encode(insn, &word));
    assert_int_equal(word >> DPU_WORD_BITS, 0);
    assert_true(dpu_decode_as(insn->form, word, &back));
    for (uint32_t i = 0; i < f->count; i++)
        assert_int_equal(same(f->operands[i], back.values[i]),
                         same(f->operands[i], insn->values[i]));
    for (int sugar = 0; sugar < 2; sugar++) {
        assert_true(dpu_decode(word, sugar, &back));
        assert_true(dpu_encode(&back, &again));
        assert_int_equal(again, word);
    }
}

static void every_form_comes_back_at_the_edges_of_its_fields(void **state) {
    (void)state;
    uint64_t seed = 1;
    assert_int_equal(dpu_form_count(), 1078);
    for (uint32_t form = 0; form < dpu_form_count(); form++) {
        struct dpu_form f;
        dpu_form_get(form, &f);
        struct dpu_insn insn = {.form = form};
        for (uint32_t i = 0; i < f.count; i++)
            insn.values[i] = any_value(f.operands[i], &seed);
        check_word(&f, &insn);
        for (uint32_t i = 0; i < f.count; i++) {
            int64_t values[160];
            size_t count = edges(f.operands[i], values);
            assert_true(count > 0);
            for (size_t v = 0; v < count; v++) {
                insn.values[i] = values[v];
                check_word(&f, &insn);
            }
            insn.values[i] = any_value(f.operands[i], &seed);
        }
    }
}

/* Fields do not lie on each other or on fixed bits, and leave no bit out. */
static void fields_and_fixed_bits_are_a_word(void **state) {
    (void)state;
    for (uint32_t form = 0; form < dpu_form_count(); form++) {
        struct dpu_form f;
        dpu_form_get(form, &f);
        uint64_t taken = f.mask;
        assert_int_equal(f.fixed & ~f.mask, 0);
        for (uint32_t i = 0; i < f.count; i++)
            for (uint32_t p = 0; f.operands[i]->parts[p].bits; p++) {
                uint64_t bits = ((UINT64_C(1) << f.operands[i]->parts[p].bits) - 1)
                                << f.operands[i]->parts[p].low;
                assert_int_equal(taken & bits, 0);
                taken |= bits;
            }
        assert_int_equal(taken >> DPU_WORD_BITS, 0);
    }
}

static void values_outside_of_a_field_are_refused(void **state) {
    (void)state;
    uint64_t seed = 2, word;
    for (uint32_t form = 0; form < dpu_form_count(); form++) {
        struct dpu_form f;
        dpu_form_get(form, &f);
        struct dpu_insn insn = {.form = form};
        for (uint32_t i = 0; i < f.count; i++)
            insn.values[i] = any_value(f.operands[i], &seed);
        for (uint32_t i = 0; i < f.count; i++) {
            int64_t kept = insn.values[i];
            insn.values[i] = f.operands[i]->least - 1;
            assert_false(dpu_encode(&insn, &word));
            insn.values[i] = f.operands[i]->most + 1;
            assert_false(dpu_encode(&insn, &word));
            insn.values[i] = kept;
        }
    }
}

/* Of random words some are instructions, and come back; all forms without sugar that a
 * word has do the same. */
static void words_are_of_one_form_or_of_none(void **state) {
    (void)state;
    uint64_t seed = 3;
    uint32_t found = 0, none = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t word = random_bits(&seed) & ((UINT64_C(1) << DPU_WORD_BITS) - 1);
        struct dpu_insn insn, other;
        if (!dpu_decode(word, false, &insn)) {
            none++;
            assert_false(dpu_decode(word, true, &other));
            continue;
        }
        found++;
        uint64_t again;
        assert_true(dpu_encode(&insn, &again));
        assert_int_equal(again, word);
        struct dpu_form f, g;
        dpu_form_get(insn.form, &f);
        for (uint32_t form = 0; form < dpu_form_count(); form++) {
            dpu_form_get(form, &g);
            if (form != insn.form && !g.sugar && dpu_decode_as(form, word, &other))
                assert_int_equal(f.op, g.op);
        }
    }
    assert_true(found > 1000 && none > 1000);
}

static void words_that_nothing_has_are_refused(void **state) {
    (void)state;
    static const uint64_t wrong[] = {
        0xffffffffffff,    /* no form */
        UINT64_C(1) << 48, /* more than 48 bits */
        0x7c6300000001,    /* nop has no operands */
        0x8060200f0000,    /* movd with a pair that begins oddly */
        0x0c04de040026,    /* mul_ul_ul with a condition that its class lacks */
        UINT64_C(0x17e5f828c0006),
    };
    struct dpu_insn insn;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(dpu_decode(wrong[i], true, &insn));
}

/* Counters are printed by these names: each is there, and no two are one. */
static void classes_have_names(void **state) {
    (void)state;
    for (int a = 0; a < DPU_CLASSES; a++) {
        assert_non_null(dpu_class_name((enum dpu_class)a));
        for (int b = 0; b < a; b++)
            assert_string_not_equal(dpu_class_name((enum dpu_class)a),
                                    dpu_class_name((enum dpu_class)b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_print_as_upmem_has_them),
        cmocka_unit_test(every_form_comes_back_at_the_edges_of_its_fields),
        cmocka_unit_test(fields_and_fixed_bits_are_a_word),
        cmocka_unit_test(values_outside_of_a_field_are_refused),
        cmocka_unit_test(words_are_of_one_form_or_of_none),
        cmocka_unit_test(words_that_nothing_has_are_refused),
        cmocka_unit_test(classes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
