/* SPDX-License-Identifier: MIT
 * Damaged recipe tables. */
#include "table.h"

#include "machines/plane/verify/verify.h"
#include "recipe/set/set.h"

#include <stdio.h>

/* --- damages to one template --- */

struct template_damage {
    const char *what;
    /* Changes an entry of the table; false if it does not fit there. */
    bool (*change)(const struct target *t, struct table_entry *e);
    bool hides; /* where other operands decide, or what is too much is never read: refused at one
                   place at least */
};

/* The first result that stands in the template; a place of no class if none does. */
static struct table_operand *result_of(const struct target *t, struct table_entry *e) {
    static struct table_operand none;
    const struct target_op *op = &plane_target(t)->ops[e->op];
    none = (struct table_operand){.class = PLANE_NONE};
    for (unsigned i = op->nsrc; i < op->nsrc + (unsigned)op->ndst; i++)
        if (table_has_operand(op, i))
            return &e->operands[i];
    return &none;
}

static bool is_op(const struct table_entry *e) {
    return e->kind == ENTRY_OP;
}

/* Another micro-op with as many operands. */
static bool wrong_gate(const struct target *t, struct table_entry *e) {
    for (uint8_t k = 0; is_op(e) && k < plane_target(t)->op_count; k++)
        if (k != e->op && plane_target(t)->ops[k].nsrc == plane_target(t)->ops[e->op].nsrc &&
            plane_target(t)->ops[k].ndst == plane_target(t)->ops[e->op].ndst) {
            e->op = k;
            return true;
        }
    return false;
}

static bool operand_replaced(const struct target *t, struct table_entry *e) {
    struct table_operand *o = &e->operands[0];
    if (!is_op(e) || plane_target(t)->ops[e->op].nsrc < 2 || o->class == PLANE_CONST)
        return false;
    *o = (struct table_operand){.class = PLANE_CONST};
    return true;
}

static bool constant_inverted(const struct target *t, struct table_entry *e) {
    for (unsigned i = 0; is_op(e) && i < plane_target(t)->ops[e->op].nsrc; i++)
        if (e->operands[i].class == PLANE_CONST && e->operands[i].number < 2) {
            e->operands[i].number ^= 1;
            return true;
        }
    return false;
}

static bool operand_of_the_neighbour(const struct target *t, struct table_entry *e) {
    for (unsigned i = 0; is_op(e) && i < plane_target(t)->ops[e->op].nsrc; i++)
        if (e->operands[i].class == PLANE_REGISTER && e->operands[i].offset == 0) {
            e->operands[i].offset = 1;
            return true;
        }
    return false;
}

static bool result_into_a_source(const struct target *t, struct table_entry *e) {
    if (!is_op(e) || result_of(t, e)->class != PLANE_REGISTER)
        return false;
    result_of(t, e)->number = ROLE_OF_RS;
    return true;
}

static bool result_in_the_wrong_bit(const struct target *t, struct table_entry *e) {
    if (!is_op(e) || result_of(t, e)->class != PLANE_REGISTER)
        return false;
    result_of(t, e)->offset++;
    return true;
}

static bool scratch_never_written(const struct target *t, struct table_entry *e) {
    for (unsigned i = 0; is_op(e) && i < plane_target(t)->ops[e->op].nsrc; i++)
        if (e->operands[i].class == PLANE_SCRATCH) {
            e->operands[i].number = 40;
            return true;
        }
    return false;
}

static bool other_buffer(const struct target *t, struct table_entry *e) {
    if (!is_op(e) || result_of(t, e)->class != PLANE_BUFFER)
        return false;
    result_of(t, e)->number ^= 1 << 8;
    return true;
}

static bool row_that_does_not_exist(const struct target *t, struct table_entry *e) {
    if (!is_op(e) || result_of(t, e)->class != PLANE_SCRATCH)
        return false;
    *result_of(t, e) = (struct table_operand){.class = PLANE_SCRATCH, .offset = 63, .number = 63};
    return true;
}

static bool lap_too_many(const struct target *t, struct table_entry *e) {
    (void)t;
    e->loop.laps += e->kind == ENTRY_LOOP;
    return e->kind == ENTRY_LOOP;
}

static bool lap_too_few(const struct target *t, struct table_entry *e) {
    (void)t;
    if (e->kind != ENTRY_LOOP || e->loop.laps < 2)
        return false;
    e->loop.laps--;
    return true;
}

static bool wrong_direction(const struct target *t, struct table_entry *e) {
    (void)t;
    if (e->kind != ENTRY_LOOP || e->loop.step == 0 || e->loop.laps < 2)
        return false;
    e->loop.step = -e->loop.step;
    return true;
}

static bool forwarded_from_afar(const struct target *t, struct table_entry *e) {
    if (!is_op(e) || e->forward != FORWARD_NOT || plane_target(t)->sections == 1)
        return false;
    e->forward = FORWARD_RULE;
    return true;
}

static bool position_off_by_one(const struct target *t, struct table_entry *e) {
    (void)t;
    e->move.value += e->kind == ENTRY_MOVE;
    return e->kind == ENTRY_MOVE;
}

static bool sequence_that_is_not_there(const struct target *t, struct table_entry *e) {
    (void)t;
    if (e->kind != ENTRY_POINTER)
        return false;
    e->pointer = TABLE_POINTERS;
    return true;
}

/* The same row in every lap. */
static bool row_that_stays(const struct target *t, struct table_entry *e) {
    for (unsigned i = 0; is_op(e) && i < plane_target(t)->ops[e->op].nsrc; i++)
        if (e->operands[i].class == PLANE_SCRATCH && e->operands[i].mode == MODE_FOLLOWS) {
            e->operands[i].mode = MODE_PLAIN;
            e->operands[i].number = 0;
            return true;
        }
    return false;
}

static bool lap_around_ignored(const struct target *t, struct table_entry *e) {
    for (unsigned i = 0; is_op(e) && i < plane_target(t)->ops[e->op].nsrc; i++)
        if (e->operands[i].outer) {
            e->operands[i].outer = 0;
            return true;
        }
    return false;
}

static const struct template_damage template_damages[] = {
    {"wrong gate", wrong_gate, false},
    {"operand replaced by a constant", operand_replaced, true},
    {"constant inverted", constant_inverted, true},
    {"operand of the neighbour", operand_of_the_neighbour, false},
    {"result into a source", result_into_a_source, false},
    {"result in the wrong bit", result_in_the_wrong_bit, false},
    {"scratch never written", scratch_never_written, false},
    {"crossing into the other buffer", other_buffer, false},
    {"row that does not exist", row_that_does_not_exist, false},
    {"a lap too many", lap_too_many, true},
    {"a lap too few", lap_too_few, false},
    {"wrong direction", wrong_direction, false},
    {"forwarded from another section", forwarded_from_afar, true},
    {"position off by one", position_off_by_one, true},
    {"pointer that is not there", sequence_that_is_not_there, false},
    {"row that stays", row_that_stays, false},
    {"lap around ignored", lap_around_ignored, false},
};
#define TEMPLATE_DAMAGES (sizeof template_damages / sizeof *template_damages)

/* --- damages to what stands around the templates --- */

struct table_damage {
    const char *what;
    bool (*change)(struct recipe_table *table);
};

static bool other_instruction(struct recipe_table *table) {
    table->forms[0].opcode++;
    return true;
}

static bool other_width(struct recipe_table *table) {
    table->forms[0].width++;
    return table->forms[0].width > 1;
}

static bool templates_left_out(struct recipe_table *table) {
    table->forms[0].count--;
    return true;
}

static bool begins_too_late(struct recipe_table *table) {
    table->forms[0].first++;
    return true;
}

static bool last_template_lost(struct recipe_table *table) {
    table->template_count--;
    return true;
}

/* Neighbours may be exchanged for good. */
static bool ends_exchanged(struct recipe_table *table) {
    uint32_t *w = table->templates, last = table->forms[0].count - 1, word = w[0];
    w[0] = w[last];
    w[last] = word;
    return last > 0 && w[0] != word;
}

static bool kind_without_meaning(struct recipe_table *table) {
    table->templates[0] |= UINT32_C(0xf) << 20;
    return true;
}

static bool pointer_too_far(struct recipe_table *table) {
    if (table->pointer_count)
        table->pointers[0] |= UINT32_C(1023) << 10;
    return table->pointer_count > 0;
}

static bool pointer_too_short(struct recipe_table *table) {
    if (!table->pointer_count || !(table->pointers[0] & 1023))
        return false;
    table->pointers[0]--;
    return true;
}

static bool pointers_into_themselves(struct recipe_table *table) {
    if (table->pointer_count)
        table->pointers[0] = 1023;
    return table->pointer_count > 0;
}

static bool constant_elsewhere(struct recipe_table *table) {
    if (table->forms[0].constant == CONSTANT_NONE)
        return false;
    if (table->forms[0].constant == CONSTANT_ONE)
        table->forms[0].imm++;
    else
        table->forms[0].shift++;
    return true;
}

static bool only_without_mask(struct recipe_table *table) {
    if (table->forms[0].masking == MASKING_OFF)
        return false;
    table->forms[0].masking = MASKING_OFF;
    return true;
}

static const struct table_damage table_damages[] = {
    {"recipe of another instruction", other_instruction},
    {"recipe of another width", other_width},
    {"templates left out", templates_left_out},
    {"begins too late", begins_too_late},
    {"last template lost", last_template_lost},
    {"first and last template exchanged", ends_exchanged},
    {"kind without a meaning", kind_without_meaning},
    {"pointer too far", pointer_too_far},
    {"pointer too short", pointer_too_short},
    {"pointer to what it is in", pointers_into_themselves},
    {"constant elsewhere", constant_elsewhere},
    {"mask ignored", only_without_mask},
};
#define TABLE_DAMAGES (sizeof table_damages / sizeof *table_damages)

/* --- who refuses --- */

struct table_case {
    const struct table_fixture *f;
    const struct recipe_table *whole;
    struct insn insn;
};

/* Expanded as the emulator does it, looked at, and run, with and without a mask. */
static bool lists_are_refused(const struct table_case *c, const struct recipe_table *table) {
    bool refused = false;
    for (unsigned masked = 0; masked < 2 && !refused; masked++) {
        struct diag *d = diag_new(NULL, NULL);
        struct uop_list list = {0};
        refused = !recipe_table_expand(table, &c->insn, masked, &list, d) ||
                  !verify_list(c->f->t, &c->insn, masked, &list, true, d) ||
                  !plane_verify_run(c->f->t, &c->insn, masked, &list, 3, d);
        vec_free(&list);
        diag_free(d);
    }
    return refused;
}

/* From its bytes on. */
static bool table_is_refused(const struct table_case *c, const struct recipe_table *damaged) {
    struct str bytes = {0};
    const char *problem = NULL;
    recipe_table_write(damaged, &bytes);
    struct recipe_table *table = recipe_table_read(bytes.text, bytes.len, &problem);
    bool refused =
        !table || !recipe_table_open(table, c->f->t, &problem) || lists_are_refused(c, table);
    recipe_table_free(table);
    str_free(&bytes);
    return refused;
}

static struct recipe_table *copy_table(const struct recipe_table *table) {
    struct str bytes = {0};
    const char *problem;
    recipe_table_write(table, &bytes);
    struct recipe_table *copy = recipe_table_read(bytes.text, bytes.len, &problem);
    assert_non_null(copy);
    str_free(&bytes);
    return copy;
}

/* --- the damages, one by one --- */

/* The entry at a template, changed; in `words` as it is written then.  False if the damage does
 * not fit there or takes another number of templates. */
static bool change_entry(const struct table_case *c, const struct template_damage *how,
                         const struct table_entry *entry, struct word_list *words) {
    struct table_entry e = *entry;
    words->len = 0;
    if (!how->change(c->f->t, &e) || table_entry_words(&c->whole->code->layout, &e) != entry->words)
        return false;
    table_entry_encode(&c->whole->code->layout, &e, words);
    return words->len == entry->words;
}

struct tally {
    unsigned done, survivors;
};

static void damage_entry(const struct table_case *c, const struct template_damage *how, size_t at,
                         const struct table_entry *entry, struct tally *tally) {
    struct word_list words = {0};
    if (change_entry(c, how, entry, &words)) {
        struct recipe_table *damaged = copy_table(c->whole);
        memcpy(damaged->templates + at, words.data, words.len * sizeof *words.data);
        bool refused = table_is_refused(c, damaged);
        tally->done++;
        tally->survivors += !refused;
        if (!refused && !how->hides)
            print_error("%s: '%s' at template %zu is not refused\n", isa_info(c->insn.op)->name,
                        how->what, at);
        recipe_table_free(damaged);
    }
    vec_free(&words);
}

/* At every template where it fits. */
static struct tally damage_templates(const struct table_case *c,
                                     const struct template_damage *how) {
    const struct table_code *code = c->whole->code;
    struct tally tally = {0};
    size_t at = 0;
    for (size_t i = 0; i < code->entries.len; i++) {
        damage_entry(c, how, at, &code->entries.data[i], &tally);
        at += code->entries.data[i].words;
    }
    return tally;
}

static struct tally damage_table(const struct table_case *c, const struct table_damage *how) {
    struct tally tally = {0};
    struct recipe_table *damaged = copy_table(c->whole);
    if (how->change(damaged)) {
        tally = (struct tally){1, !table_is_refused(c, damaged)};
        if (tally.survivors)
            print_error("%s: '%s' is not refused\n", isa_info(c->insn.op)->name, how->what);
    }
    recipe_table_free(damaged);
    return tally;
}

/* How many ways of damage there were. */
static unsigned damage_case(const struct table_case *c, unsigned *survivors) {
    unsigned ways = 0, done = 0;
    for (size_t i = 0; i < TEMPLATE_DAMAGES; i++) {
        const struct template_damage *how = &template_damages[i];
        struct tally tally = damage_templates(c, how);
        bool unnoticed =
            how->hides ? tally.done && tally.survivors == tally.done : tally.survivors > 0;
        *survivors += unnoticed;
        if (unnoticed)
            print_error("%s: '%s': %u of %u not refused\n", isa_info(c->insn.op)->name, how->what,
                        tally.survivors, tally.done);
        ways += tally.done > 0;
        done += tally.done;
    }
    for (size_t i = 0; i < TABLE_DAMAGES; i++) {
        struct tally tally = damage_table(c, &table_damages[i]);
        *survivors += tally.survivors;
        ways += tally.done;
        done += tally.done;
    }
    print_message("%-6s damaged in %u ways at %u places\n", isa_info(c->insn.op)->name, ways, done);
    return ways;
}

static void damage_tables_of(const char *target, const struct insn *insns, size_t count) {
    struct table_fixture f = open_tables_of(target);
    unsigned survivors = 0;
    for (size_t i = 0; i < count; i++) {
        struct table_case c = {.f = &f, .insn = insns[i]};
        struct recipe_table *table = build_table(&f, &insns[i], 1);
        c.whole = table;
        assert_false(lists_are_refused(&c, table));
        assert_true(damage_case(&c, &survivors) >= 10);
        recipe_table_free(table);
    }
    assert_int_equal(survivors, 0);
    close_tables(&f);
}

void test_damaged_tables(void **state) {
    (void)state;
    /* One of each kind; the division has pointers. */
    struct insn insns[] = {table_insn(OP_XOR, 5, 0),   table_insn(OP_ADD, 5, 0),
                           table_insn(OP_CMPLT, 5, 0), table_insn(OP_MIN, 5, 0),
                           table_insn(OP_SHLI, 5, 2),  table_insn(OP_ADDI, 5, 5),
                           table_insn(OP_MUL, 4, 0),   table_insn(OP_QDIV, 4, 0)};
    struct insn rows[] = {table_insn(OP_ADD, 6, 0), table_insn(OP_MUL, 6, 0),
                          table_insn(OP_SHL, 5, 0)};
    damage_tables_of("racer", insns, sizeof insns / sizeof *insns);
#ifdef MPU_SANITIZED
    damage_tables_of("mimdram", rows, 1);
#else
    damage_tables_of("mimdram", rows, sizeof rows / sizeof *rows);
#endif
}
