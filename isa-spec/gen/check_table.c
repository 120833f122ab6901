/* SPDX-License-Identifier: MIT
 * Checks across the tables: every bit of every format has one owner, every opcode one meaning,
 * every golden function touches what its line says. */
#include "isa-spec/gen/gen.h"
#include "isa-spec/name_hash.h"

#include <stdlib.h>
#include <string.h>

const struct field *gen_find_field(const struct format *format, const char *name) {
    for (unsigned i = 0; i < format->count; i++)
        if (strcmp(format->fields[i].name, name) == 0)
            return &format->fields[i];
    return NULL;
}

/* The bits of a field within a word. */
static uint32_t gen_field_mask(const struct field *field) {
    return ((2u << (field->high - field->low)) - 1) << field->low;
}

uint32_t gen_zero_bits(const struct isa_table *table, const struct instruction *in) {
    const struct format *f = &table->formats[in->format];
    uint32_t used = 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct field *field = gen_find_field(f, table->operands[in->operands[i]].field);
        used |= field ? gen_field_mask(field) : 0;
    }
    const struct field *w = gen_find_field(f, "w"), *mode = gen_find_field(f, "mode");
    if (w && in->has_width)
        used |= gen_field_mask(w);
    if (mode && in->attributes & (ATTR_MODES | ATTR_RESERVED))
        used |= gen_field_mask(mode);
    return 0xFFFFFF & ~used;
}

const char *gen_heading(const struct isa_table *table, const struct instruction *in) {
    if (in->fixed_width)
        return gen_printf(table->pool, "%s.%u", in->name, in->fixed_width);
    return in->name;
}

static void check_format(struct isa_table *table, const struct format *format) {
    uint32_t seen = 0;
    for (unsigned i = 0; i < format->count; i++) {
        uint32_t mask = gen_field_mask(&format->fields[i]);
        if (seen & mask)
            gen_table_error(table, format->at, "field '%s' overlaps another",
                            format->fields[i].name);
        seen |= mask;
    }
    if (format->count && seen != 0xFFFFFF)
        gen_table_error(table, format->at, "bits %06x of format %s belong to no field",
                        (unsigned)(0xFFFFFF & ~seen), format->name);
}

static void check_operands(struct isa_table *table, const struct instruction *in) {
    const struct format *f = &table->formats[in->format];
    uint32_t seen = 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct operand_word *o = &table->operands[in->operands[i]];
        const struct field *field = gen_find_field(f, o->field);
        if (!field && strcmp(o->field, "-") != 0)
            gen_table_error(table, in->at, "format %s has no field '%s'", f->name, o->field);
        if (field && seen & gen_field_mask(field))
            gen_table_error(table, in->at, "field '%s' is used twice", o->field);
        seen |= field ? gen_field_mask(field) : 0;
    }
    if (in->has_width && !gen_find_field(f, "w") && !gen_find_field(f, "lut") &&
        !gen_find_field(f, "shape"))
        gen_table_error(table, in->at, "format %s has no width", f->name);
}

/* A register that is read or written must be named by an operand. */
static void check_effects(struct isa_table *table, const struct instruction *in) {
    static const char *const names[] = {"rs", "rt", "rd"};
    unsigned effects = in->reads | in->writes;
    for (unsigned i = 0; i < 3; i++) {
        bool named = false;
        for (unsigned k = 0; k < in->operand_count; k++)
            named |= strcmp(table->operands[in->operands[k]].word, names[i]) == 0;
        if (named != ((effects >> i & 1) != 0))
            gen_table_error(table, in->at, "%s is %s", names[i],
                            named ? "an operand without an effect" : "no operand");
    }
}

/* What a golden body reads and assigns: "x->NAME" behind which " = " stands is assigned. */
static void scan_golden(struct isa_table *table, const struct instruction *in, unsigned *reads,
                        unsigned *writes) {
    static const char *const names[] = {"rs", "rt", "rd", "c", "m", "valid", "w", "imm", "lut"};
    for (const char *s = in->prose.golden; (s = strstr(s, "x->")) != NULL;) {
        s += 3;
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz_"), i = 0;
        while (i < 9 && (strlen(names[i]) != n || strncmp(names[i], s, n) != 0))
            i++;
        if (i == 9)
            gen_table_error(table, in->at, "golden uses 'x->%.*s', which does not exist", (int)n,
                            s);
        s += n;
        bool assigned = strncmp(s, " = ", 3) == 0;
        *(assigned ? writes : reads) |= i < 9 ? 1u << i : 0;
    }
}

static void check_golden(struct isa_table *table, const struct instruction *in) {
    unsigned reads = 0, writes = 0;
    bool wanted = in->attributes & ATTR_VECTOR && !(in->attributes & ATTR_USER);
    if ((*in->prose.golden != '\0') != wanted) {
        gen_table_error(table, in->at,
                        wanted ? "a vector instruction needs golden:"
                               : "golden: is for vector instructions");
        return;
    }
    if (!wanted)
        return;
    scan_golden(table, in, &reads, &writes);
    if ((reads & 31) != in->reads)
        gen_table_error(table, in->at, "golden reads other things than the line says");
    if (writes != in->writes)
        gen_table_error(table, in->at, "golden writes other things than the line says");
    if (reads & 1u << 8 && !gen_find_field(&table->formats[in->format], "lut"))
        gen_table_error(table, in->at, "golden uses a table that the instruction does not have");
    if (reads & 1u << 6 && !in->has_width)
        gen_table_error(table, in->at, "golden uses a width that the instruction does not have");
}

/* All opcodes of a `user` record share the prose of the first, which comes before them. */
static void check_prose(struct isa_table *table, struct instruction *in) {
    if (in->attributes & ATTR_USER && in->opcode != in->user_first)
        in->prose = in[-1].prose;
    if (!*in->prose.text || !*in->prose.operation)
        gen_table_error(table, in->at, "text: and operation: are needed");
    if (!*in->prose.decision != !*in->prose.reason)
        gen_table_error(table, in->at, "decision: and reason: belong together");
    else if (!*in->prose.decision && !(in->attributes & ATTR_RESERVED))
        gen_table_error(table, in->at, "decision: and reason: are needed");
}

static void check_opcode(struct isa_table *table, const struct instruction *in) {
    unsigned classes = 0;
    for (unsigned i = 0; i < table->class_count; i++)
        classes += in->opcode >= table->classes[i].low && in->opcode <= table->classes[i].high;
    if (classes != 1)
        gen_table_error(table, in->at, "opcode 0x%02X lies in %u classes, not in one", in->opcode,
                        classes);
    for (unsigned i = 0; i < table->reserve_count; i++)
        if (in->opcode >= table->reserves[i].low && in->opcode <= table->reserves[i].high)
            gen_table_error(table, in->at, "opcode 0x%02X is reserved", in->opcode);
}

static bool has_operand(const struct isa_table *table, const struct instruction *in,
                        const char *word) {
    for (unsigned i = 0; i < in->operand_count; i++)
        if (strcmp(table->operands[in->operands[i]].word, word) == 0)
            return true;
    return false;
}

/* MEMCPY_8; SETMASK_COND where SETMASK has another form; else the mnemonic. */
static void name_op(struct isa_table *table, struct instruction *in) {
    bool other_form = false;
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *o = &table->instructions[i];
        other_form |= o != in && strcmp(o->name, in->name) == 0;
    }
    in->op_name = in->name;
    if (in->fixed_width)
        in->op_name = gen_printf(table->pool, "%s_%u", in->name, in->fixed_width);
    else if (other_form && has_operand(table, in, "cond"))
        in->op_name = gen_printf(table->pool, "%s_COND", in->name);
}

static int by_opcode(const void *left, const void *right) {
    const struct instruction *x = left, *y = right;
    return (x->opcode > y->opcode) - (x->opcode < y->opcode);
}

static void check_neighbours(struct isa_table *table) {
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *in = &table->instructions[i];
        if (in->opcode == 0)
            gen_table_error(table, in->at, "opcode 0 must stay illegal");
        if (i && in->opcode == in[-1].opcode)
            gen_table_error(table, in->at, "opcode 0x%02X is also %s", in->opcode, in[-1].name);
        for (unsigned k = 0; k < i; k++)
            if (strcmp(table->instructions[k].op_name, in->op_name) == 0)
                gen_table_error(table, in->at, "%s is defined twice", in->op_name);
    }
}

void gen_table_check(struct isa_table *table) {
    for (unsigned i = 0; i < table->format_count; i++)
        check_format(table, &table->formats[i]);
    qsort(table->instructions, table->instruction_count, sizeof *table->instructions, by_opcode);
    for (unsigned i = 0; i < table->instruction_count; i++) {
        struct instruction *in = &table->instructions[i];
        name_op(table, in);
        check_opcode(table, in);
        check_operands(table, in);
        check_effects(table, in);
        check_golden(table, in);
        check_prose(table, in);
    }
    for (unsigned i = 0; i < table->topic_count; i++)
        if (!*table->topics[i].prose.text || !*table->topics[i].prose.decision ||
            !*table->topics[i].prose.reason)
            gen_table_error(table, table->topics[i].at,
                            "a topic needs text:, decision: and reason:");
    check_neighbours(table);
    if (3 * table->instruction_count > NAME_SLOTS && table->instruction_count)
        gen_table_error(table, table->instructions[0].at, "NAME_SLOTS in name_hash.h is too small");
}
