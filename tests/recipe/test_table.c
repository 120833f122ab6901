/* SPDX-License-Identifier: MIT
 * Recipe tables: what they are made of, written and read, opened and expanded again, is what the
 * recipes give, for every instruction; they hold what a program uses and no more, rolled and
 * shared; and damaged ones are refused. */
#include "table.h"

#include "recipe/set/set.h"
#include "support/alloc.h"

#include <stdio.h>

/* --- back and forth --- */

/* The table as another process would have it. */
static struct recipe_table *read_again(const struct table_fixture *f,
                                       const struct recipe_table *table) {
    struct str bytes = {0}, again = {0};
    const char *problem = NULL;
    recipe_table_write(table, &bytes);
    struct recipe_table *read = recipe_table_read(bytes.text, bytes.len, &problem);
    if (!read || !recipe_table_open(read, f->t, &problem))
        fail_msg("%s", problem);
    recipe_table_write(read, &again);
    assert_int_equal(again.len, bytes.len);
    assert_memory_equal(again.text, bytes.text, bytes.len);
    str_free(&bytes);
    str_free(&again);
    return read;
}

static void want_same_uop(const struct uop *a, const struct uop *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->section, b->section);
    assert_int_equal(a->nsrc, b->nsrc);
    assert_int_equal(a->ndst, b->ndst);
    assert_int_equal(a->pipelined, b->pipelined);
    assert_int_equal(a->forwarded, b->forwarded);
    assert_int_equal(a->predicate, b->predicate);
    assert_memory_equal(a->src, b->src, sizeof a->src);
    assert_memory_equal(a->dst, b->dst, sizeof a->dst);
}

/* The table gives, micro-op for micro-op, what the recipe gives. */
static void want_recipe(const struct table_fixture *f, const struct recipe_table *table,
                        const struct insn *insn, bool masked) {
    struct uop_list recipe = {0}, got = {0};
    assert_true(recipe_expand(f->s, insn, masked, &recipe, f->d));
    if (!recipe_table_expand(table, insn, masked, &got, f->d))
        fail_msg("%s", diag_first(f->d));
    assert_int_equal(got.len, recipe.len);
    for (size_t i = 0; i < got.len; i++)
        want_same_uop(&got.data[i], &recipe.data[i]);
    vec_free(&recipe);
    vec_free(&got);
}

typedef VEC(struct insn) insn_list;

/* With registers of their own, and with each pair of them one register. */
static void add_aliases(insn_list *list, const struct insn *insn) {
    for (unsigned i = 0; i < 4; i++) {
        struct insn x = *insn;
        x.rt = i == 1 && x.rs && x.rt ? x.rs : x.rt;
        x.rd = i == 2 && x.rs && x.rd ? x.rs : i == 3 && x.rt && x.rd ? x.rt : x.rd;
        bool other = x.rt != insn->rt || x.rd != insn->rd;
        if (recipe_applies(&x) && (i == 0 || other))
            vec_push(list, x);
    }
}

/* Legal forms of an instruction at a width, with several constants where it has one. */
static void add_forms(insn_list *list, enum isa_op op, unsigned width) {
    const int32_t constants[] = {0, 1, 3, 5, (int32_t)width, -2};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        struct insn insn = table_insn(op, width, constants[i]);
        struct insn plain = table_insn(op, width, 0);
        bool constant = !recipe_applies(&plain) || i == 0;
        plain.imm = 1; /* an instruction without a constant takes none but 0 */
        if ((constant || recipe_applies(&plain)) && recipe_applies(&insn))
            add_aliases(list, &insn);
    }
}

/* Under sanitizers each instruction has one width on racer, and one of the other targets. */
#ifdef MPU_SANITIZED
static const unsigned widths[] = {1, 7}, few[] = {4};
enum { PARTS = 2, OTHER_PARTS = 3 };
#else
static const unsigned widths[] = {1, 2, 7, 16, 33, 64}, few[] = {6};
enum { PARTS = 1, OTHER_PARTS = 1 };
#endif

#define WIDTHS (sizeof widths / sizeof *widths)

/* Of `parts` parts of what there is, the one of that number. */
static void want_every_recipe(const char *target, const unsigned *sizes, size_t count, size_t part,
                              size_t parts) {
    struct table_fixture f = open_tables_of(target);
    size_t forms = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t w = 0; w < count; w++) {
            insn_list list = {0};
            if (!recipe_exists(f.s, (enum isa_op)op) || ((size_t)op + w) % parts != part % parts)
                continue;
            add_forms(&list, (enum isa_op)op, sizes[w]);
            struct recipe_table *table = build_table(&f, list.data, list.len);
            struct recipe_table *read = read_again(&f, table);
            for (size_t i = 0; i < list.len; i++)
                for (unsigned masked = 0; masked < 2; masked++)
                    want_recipe(&f, read, &list.data[i], masked);
            forms += list.len;
            recipe_table_free(read);
            recipe_table_free(table);
            vec_free(&list);
        }
    assert_true(forms > 75 * count / parts);
    close_tables(&f);
}

static void test_every_recipe(void **state) {
    (void)state;
    want_every_recipe("racer", widths, WIDTHS, 0, PARTS);
}

/* Results in the place of operands, operands that are always the same, masked forms of their own.
 */
static void test_other_targets(void **state) {
    (void)state;
    want_every_recipe("mimdram", few, 1, 0, OTHER_PARTS);
    want_every_recipe("duality-cache", few, 1, 1, OTHER_PARTS);
#ifndef MPU_SANITIZED /* most of whose time is the search for its sequences */
    want_every_recipe(MPU_SOURCE_DIR "/examples/technology/majority5.yaml", few, 1, 2, OTHER_PARTS);
#endif
}

/* --- what is in it --- */

static void test_only_what_is_used(void **state) {
    (void)state;
    struct table_fixture f = open_tables();
    struct insn add = table_insn(OP_ADD, 8, 0), move = table_insn(OP_MOV, 8, 0);
    struct insn other = add, nop = {.op = OP_NOP}, insns[] = {add, other, nop, move, add};
    insns[1].rs = 30, insns[1].rt = 20, insns[1].rd = 10;
    struct recipe_table *table = build_table(&f, insns, 5), *none = build_table(&f, &nop, 1);
    assert_int_equal(table->form_count, 2);
    assert_int_equal(none->form_count + none->template_count + none->pointer_count, 0);
    struct insn sub = table_insn(OP_SUB, 8, 0), wide = table_insn(OP_ADD, 9, 0);
    assert_null(recipe_table_find(table, &sub, false));
    assert_null(recipe_table_find(table, &wide, false));
    assert_non_null(recipe_table_find(table, &other, true));
    struct uop_list list = {0};
    struct diag *d = diag_new(NULL, NULL);
    assert_false(recipe_table_expand(table, &sub, false, &list, d));
    assert_non_null(strstr(diag_first(d), "SUB: the recipe table cannot be used"));
    diag_free(d);
    vec_free(&list);
    recipe_table_free(none);
    recipe_table_free(table);
    close_tables(&f);
}

static size_t templates_of(const struct table_fixture *f, enum isa_op op, unsigned width) {
    struct insn insn = table_insn(op, width, 0);
    struct recipe_table *table = build_table(f, &insn, 1);
    size_t n = table->template_count;
    recipe_table_free(table);
    return n;
}

/* Loops are rolled: twice the width is no more templates. */
static void test_rolled(void **state) {
    (void)state;
    struct table_fixture f = open_tables();
    static const enum isa_op ops[] = {OP_ADD, OP_XOR, OP_CMPLT, OP_MIN, OP_MOV, OP_MUL};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        assert_int_equal(templates_of(&f, ops[i], 32), templates_of(&f, ops[i], 64));
    assert_true(templates_of(&f, OP_ADD, 64) < 32);
    close_tables(&f);
}

/* The longest table of one instruction, with its masked form. */
/* Of integers: floats are long in every machine (docs/float.md). */
static size_t most_templates(const struct table_fixture *f, unsigned width) {
    size_t most = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        struct insn insn = table_insn((enum isa_op)op, width, 0), five = insn;
        five.imm = 5;
        insn = recipe_applies(&five) && !recipe_applies(&insn) ? five : insn;
        if (!recipe_exists(f->s, (enum isa_op)op) || !recipe_applies(&insn) ||
            isa_info((enum isa_op)op)->set == SET_F)
            continue;
        struct recipe_table *table = build_table(f, &insn, 1);
        most = table->template_count > most ? table->template_count : most;
        recipe_table_free(table);
    }
    return most;
}

/* So it is where all bits lie in one section, and laps work on rows of their own. */
static void test_rolled_in_one_section(void **state) {
    (void)state;
    static const enum isa_op ops[] = {OP_ADD, OP_SUB, OP_XOR, OP_MIN, OP_MUL};
    struct table_fixture f = open_tables_of("mimdram"), g = open_tables_of("duality-cache");
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        assert_int_equal(templates_of(&f, ops[i], 24), templates_of(&f, ops[i], 48));
    assert_true(most_templates(&f, 32) <= 256);
    assert_true(most_templates(&g, 32) <= 160);
    close_tables(&f);
    close_tables(&g);
    struct table_fixture h = open_tables_of("ambit");
    assert_true(most_templates(&h, 32) <= 512);
    close_tables(&h);
}

/* Recipes share sequences: together they take fewer templates than one by one. */
static void test_shared(void **state) {
    (void)state;
    struct table_fixture f = open_tables();
    static const enum isa_op ops[] = {OP_MUL, OP_MAC, OP_CAS, OP_CASS, OP_MAX, OP_MIN};
    struct insn insns[6];
    size_t apart = 0;
    for (size_t i = 0; i < 6; i++) {
        insns[i] = table_insn(ops[i], 16, 0);
        apart += templates_of(&f, ops[i], 16);
    }
    struct recipe_table *table = build_table(&f, insns, 6);
    assert_true(table->template_count < apart);
    assert_true(table->pointer_count > 0 && table->pointer_count <= TABLE_POINTERS);
    for (size_t i = 0; i < 6; i++)
        want_recipe(&f, table, &insns[i], true);
    recipe_table_free(table);
    close_tables(&f);
}

/* One entry for all constants whose bits are all that differs. */
static void test_constants(void **state) {
    (void)state;
    struct table_fixture f = open_tables();
    struct insn insns[] = {table_insn(OP_LI, 16, 5), table_insn(OP_LI, 16, -7),
                           table_insn(OP_LI, 16, 2047)};
    struct insn shifts[] = {table_insn(OP_SHLI, 16, 3), table_insn(OP_SHLI, 16, 4)};
    struct recipe_table *table = build_table(&f, insns, 3), *other = build_table(&f, shifts, 2);
    assert_int_equal(table->form_count, 1);
    assert_int_equal(table->forms[0].constant, CONSTANT_BITS);
    assert_int_equal(other->form_count, 2);
    assert_int_equal(other->forms[0].constant, CONSTANT_ONE);
    struct insn unseen = table_insn(OP_LI, 16, 1234);
    want_recipe(&f, table, &unseen, false);
    recipe_table_free(table);
    recipe_table_free(other);
    close_tables(&f);
}

/* --- for people --- */

/* Sums of the two columns behind the word. */
static void sum_lines(const char *text, uint64_t *micro_ops, uint64_t *energy) {
    *micro_ops = *energy = 0;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        unsigned long long n, fj;
        unsigned at;
        unsigned word;
        if (sscanf(line, "%u %6x %llu %llu ", &at, &word, &n, &fj) == 4) {
            *micro_ops += n;
            *energy += fj;
        }
    }
}

static void test_text(void **state) {
    (void)state;
    struct table_fixture f = open_tables();
    static const enum isa_op ops[] = {OP_ADD, OP_MUL, OP_SDIV, OP_POPC, OP_SHL, OP_CAS};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct insn insn = table_insn(ops[i], 13, 0);
        struct recipe_table *table = build_table(&f, &insn, 1);
        struct recipe_count count;
        struct str text = {0};
        uint64_t micro_ops, energy;
        recipe_table_text(table, table->forms, &text);
        sum_lines(text.text, &micro_ops, &energy);
        assert_true(recipe_count(f.s, &insn, false, &count));
        assert_int_equal(micro_ops, count.micro_ops);
        assert_int_equal(energy, count.energy_fj);
        str_free(&text);
        recipe_table_free(table);
    }
    close_tables(&f);
}

/* --- any bytes --- */

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* What can be read and opened gives lists or messages, whatever its bits are. */
static void try_bytes(const struct table_fixture *f, const struct str *bytes,
                      const struct insn *insns, size_t count) {
    const char *problem = NULL;
    struct recipe_table *table = recipe_table_read(bytes->text, bytes->len, &problem);
    assert_true(table || problem);
    if (table && recipe_table_open(table, f->t, &problem))
        for (size_t i = 0; i < count; i++) {
            struct uop_list list = {0};
            recipe_table_expand(table, &insns[i], i & 1, &list, NULL);
            for (size_t k = 0; k < list.len; k++)
                assert_true(list.data[k].kind < plane_target(f->t)->op_count);
            vec_free(&list);
        }
    recipe_table_free(table);
}

static void flip_bits(const char *target) {
    struct table_fixture f = open_tables_of(target);
    struct insn insns[] = {table_insn(OP_MUL, 6, 0), table_insn(OP_ADD, 6, 0),
                           table_insn(OP_SHLI, 6, 2), table_insn(OP_LI, 6, 3)};
    struct recipe_table *table = build_table(&f, insns, 4);
    struct str bytes = {0}, changed = {0};
    uint64_t random = 1;
    recipe_table_write(table, &bytes);
    for (unsigned n = 0; n < 1500; n++) {
        str_clear(&changed);
        str_append_n(&changed, bytes.text, n % 5 ? bytes.len : next_random(&random) % bytes.len);
        for (uint64_t k = next_random(&random) % 4; changed.len && k-- > 0;)
            changed.text[next_random(&random) % changed.len] ^=
                (char)(1 << next_random(&random) % 8);
        try_bytes(&f, &changed, insns, 4);
    }
    str_free(&bytes);
    str_free(&changed);
    recipe_table_free(table);
    close_tables(&f);
}

static void test_flipped_bits(void **state) {
    (void)state;
    flip_bits("racer");
    flip_bits("mimdram");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_recipe),
        cmocka_unit_test(test_other_targets),
        cmocka_unit_test(test_only_what_is_used),
        cmocka_unit_test(test_rolled),
        cmocka_unit_test(test_rolled_in_one_section),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_damaged_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
