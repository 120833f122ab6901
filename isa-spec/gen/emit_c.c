/* SPDX-License-Identifier: MIT
 * What isa.c is compiled with. */
#include "isa-spec/gen/gen.h"
#include "isa-spec/name_hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void banner(struct gen_text *out, const char *what) {
    gen_text_printf(out,
                    "/* SPDX-License-Identifier: MIT\n * %s\n"
                    " * Generated from isa-spec/ by isa-gen; changes are lost. */\n",
                    what);
}

static const char *upper(const struct isa_table *table, const char *text) {
    char *u = gen_strndup(table->pool, text, strlen(text));
    for (char *c = u; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return u;
}

static const char *lower(const struct isa_table *table, const char *text) {
    char *u = gen_strndup(table->pool, text, strlen(text));
    for (char *c = u; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return u;
}

static void quoted(struct gen_text *out, const char *text) {
    gen_text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            gen_text_add(out, "\\");
        gen_text_add_n(out, text, 1);
    }
    gen_text_add(out, "\"");
}

static bool emit_ops(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    banner(&o, "The operations, by opcode.");
    gen_text_add(&o, "#ifndef ISA_OPS_H\n#define ISA_OPS_H\n\nenum isa_op {\n");
    for (unsigned i = 0; i < table->instruction_count; i++)
        gen_text_printf(&o, "    OP_%s,\n", table->instructions[i].op_name);
    gen_text_add(&o, "    OP_COUNT\n};\n\n#endif\n");
    return gen_text_write(&o, dir, "isa_ops.h");
}

static bool emit_fields(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    banner(&o, "Position and size of every field: FORMAT_FIELD_SHIFT, FORMAT_FIELD_BITS.");
    gen_text_add(&o, "enum {\n");
    for (unsigned i = 0; i < table->format_count; i++) {
        const struct format *f = &table->formats[i];
        for (unsigned k = 0; k < f->count; k++) {
            const char *name = upper(table, f->fields[k].name);
            gen_text_printf(&o, "    %s_%s_SHIFT = %u,\n    %s_%s_BITS = %u,\n", f->name, name,
                            f->fields[k].low, f->name, name,
                            f->fields[k].high - f->fields[k].low + 1);
        }
    }
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_fields.inc");
}

static void emit_flag(struct gen_text *out, bool set, const char *name, bool *any) {
    if (!set)
        return;
    gen_text_printf(out, "%s%s", *any ? " | " : "", name);
    *any = true;
}

static void emit_flags(struct gen_text *out, const struct instruction *in) {
    static const char *const effects[] = {"RS", "RT", "RD", "C", "M"};
    static const struct {
        unsigned attribute;
        const char *flag;
    } flags[] = {
        {ATTR_VECTOR, "ISA_VECTOR"},
        {ATTR_UNMASKED, "ISA_UNMASKED"},
        {ATTR_PREDICATE_ON, "ISA_PREDICATE_ON"},
        {ATTR_PREDICATE_OFF, "ISA_PREDICATE_OFF"},
        {ATTR_RESERVED, "ISA_RESERVED"},
        {ATTR_CUTS, "ISA_CUTS_RUN"},
        {ATTR_USER, "ISA_USER"},
        {ATTR_FLOAT, "ISA_FLOAT"},
        {ATTR_BFLOAT, "ISA_BFLOAT"},
    };
    bool any = false;
    for (unsigned i = 0; i < 5; i++)
        emit_flag(out, in->reads >> i & 1, gen_printf(out->pool, "READS_%s", effects[i]), &any);
    for (unsigned i = 0; i < 5; i++)
        emit_flag(out, in->writes >> i & 1, gen_printf(out->pool, "WRITES_%s", effects[i]), &any);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        emit_flag(out, in->attributes & flags[i].attribute, flags[i].flag, &any);
    emit_flag(out, in->has_width, "ISA_WIDTH", &any);
    gen_text_add(out, any ? "" : "0");
}

static void emit_info(const struct isa_table *table, struct gen_text *out,
                      const struct instruction *in) {
    gen_text_printf(out, "    [OP_%s] = {.name = \"%s\", .opcode = 0x%02X, .format = FORMAT_%s,\n",
                    in->op_name, in->name, in->opcode, table->formats[in->format].name);
    gen_text_printf(out, "        .set = SET_%s, .operand_count = %u, .operands = {",
                    upper(table, table->extensions[in->set].name), in->operand_count);
    for (unsigned i = 0; i < in->operand_count; i++)
        gen_text_printf(out, "%sROLE_%s", i ? ", " : "", table->operands[in->operands[i]].role);
    gen_text_add(out, in->operand_count ? "},\n        .flags = " : "0},\n        .flags = ");
    emit_flags(out, in);
    gen_text_printf(out, ", .fixed_width = %u,", in->fixed_width);
    if (*in->prose.golden)
        gen_text_printf(out, " .golden = lane_%s,", lower(table, in->op_name));
    gen_text_add(out, "\n        .operation = ");
    quoted(out, in->prose.operation);
    gen_text_add(out, ",\n        .text = ");
    quoted(out, in->prose.text);
    gen_text_add(out, ",\n        .decision = ");
    quoted(out, *in->prose.decision
                    ? gen_printf(out->pool, "%s %s", in->prose.decision, in->prose.reason)
                    : "");
    gen_text_add(out, "},\n");
}

static bool emit_table(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    banner(&o, "The table behind isa_info().");
    gen_text_add(&o, "static const struct isa_info info_rows[OP_COUNT] = {\n");
    for (unsigned i = 0; i < table->instruction_count; i++)
        emit_info(table, &o, &table->instructions[i]);
    gen_text_add(&o, "};\n\nstatic const char *const set_names[SET_COUNT] = {\n");
    for (unsigned i = 0; i < table->extension_count; i++)
        gen_text_printf(&o, "    [SET_%s] = \"%s\",\n", upper(table, table->extensions[i].name),
                        table->extensions[i].name);
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_table.inc");
}

static bool emit_golden(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    banner(&o, "The golden functions, one for each lane-wise instruction.");
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *in = &table->instructions[i];
        if (*in->prose.golden)
            gen_text_printf(&o, "static void lane_%s(struct golden_lane *x) {\n    %s\n}\n",
                            lower(table, in->op_name), in->prose.golden);
    }
    return gen_text_write(&o, dir, "isa_golden.inc");
}

/* What is left to check of a word once its zero bits are. */
static const char *check_kind(const struct isa_table *table, const struct instruction *in) {
    for (unsigned i = 0; i < in->operand_count; i++) {
        const char *word = table->operands[in->operands[i]].word;
        if (strcmp(word, "source") == 0)
            return "CHECK_SOURCE";
        if (strcmp(word, "imm") == 0)
            return "CHECK_PIECE";
        if (strcmp(word, "vrf") == 0)
            return "CHECK_VRF";
        if (strcmp(word, "lanemap") == 0)
            return "CHECK_LANEMAP";
        if (strcmp(word, "conversion") == 0)
            return "CHECK_CONVERSION";
    }
    if (in->attributes & ATTR_FLOAT)
        return "CHECK_FLOAT";
    if (in->attributes & ATTR_BFLOAT)
        return "CHECK_BFLOAT";
    return in->attributes & ATTR_DISTINCT ? "CHECK_DISTINCT" : "CHECK_NONE";
}

static const char *constant_kind(const struct isa_table *table, const struct instruction *in) {
    for (unsigned i = 0; i < in->operand_count; i++) {
        const char *word = table->operands[in->operands[i]].word;
        if (strcmp(word, "count") == 0 || strcmp(word, "conversion") == 0)
            return "CONSTANT_COUNT";
        if (strcmp(word, "source") == 0)
            return "CONSTANT_SOURCE";
    }
    return "CONSTANT_NONE";
}

static bool emit_decode(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    banner(&o, "What the decoder knows of each opcode.");
    gen_text_add(&o, "static const struct decode_row decode_rows[256] = {\n");
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *in = &table->instructions[i];
        if (in->attributes & ATTR_RESERVED)
            gen_text_printf(&o, "    [0x%02X] = {.state = OPCODE_RESERVED},\n", in->opcode);
        else
            gen_text_printf(
                &o,
                "    [0x%02X] = {0x%06X, OPCODE_LEGAL, OP_%s, FORMAT_%s, %s, %s, %u, %u, "
                "%u},\n",
                in->opcode, (unsigned)gen_zero_bits(table, in), in->op_name,
                table->formats[in->format].name, check_kind(table, in), constant_kind(table, in),
                in->piece, in->has_width, in->fixed_width);
    }
    for (unsigned i = 0; i < table->reserve_count; i++)
        for (unsigned op = table->reserves[i].low; op <= table->reserves[i].high; op++)
            gen_text_printf(&o, "    [0x%02X] = {.state = OPCODE_RESERVED},\n", op);
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_decode.inc");
}

static int by_name(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

unsigned gen_mnemonics(const struct isa_table *table, const char *out[MAX_INSTRUCTIONS]) {
    unsigned count = 0, distinct = 0;
    for (unsigned i = 0; i < table->instruction_count; i++)
        if (!(table->instructions[i].attributes & (ATTR_RESERVED | ATTR_USER)))
            out[count++] = table->instructions[i].name;
    qsort(out, count, sizeof *out, by_name);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || strcmp(out[i], out[i - 1]) != 0)
            out[distinct++] = out[i];
    return distinct;
}

/* The next instruction with the name of number index, or their number. */
static unsigned next_form(const struct isa_table *table, unsigned index) {
    const char *name = table->instructions[index++].name;
    while (index < table->instruction_count && strcmp(table->instructions[index].name, name) != 0)
        index++;
    return index;
}

static void fill_slots(const struct isa_table *table, unsigned slots[NAME_SLOTS]) {
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const char *name = table->instructions[i].name;
        uint32_t h = name_hash(name, strlen(name)) % NAME_SLOTS;
        while (slots[h] && strcmp(table->instructions[slots[h] - 1].name, name) != 0)
            h = (h + 1) % NAME_SLOTS;
        if (!slots[h])
            slots[h] = i + 1;
    }
}

static bool emit_names(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    const char *names[MAX_INSTRUCTIONS];
    unsigned slots[NAME_SLOTS] = {0}, count = gen_mnemonics(table, names);
    banner(&o, "Mnemonics: a hash table of op + 1 (name_hash.h), further forms, the list.");
    gen_text_add(&o, "static const uint16_t name_slots[NAME_SLOTS] = {\n");
    fill_slots(table, slots);
    for (unsigned i = 0; i < NAME_SLOTS; i++)
        if (slots[i])
            gen_text_printf(&o, "    [%u] = OP_%s + 1,\n", i,
                            table->instructions[slots[i] - 1].op_name);
    gen_text_add(&o, "};\n\nstatic const uint16_t next_forms[OP_COUNT] = {\n");
    for (unsigned i = 0; i < table->instruction_count; i++) {
        unsigned next = next_form(table, i);
        gen_text_printf(&o, "    [OP_%s] = OP_%s,\n", table->instructions[i].op_name,
                        next < table->instruction_count ? table->instructions[next].op_name
                                                        : "COUNT");
    }
    gen_text_add(&o, "};\n\nstatic const char *const mnemonic_names[] = {\n");
    for (unsigned i = 0; i < count; i++)
        gen_text_printf(&o, "    \"%s\",\n", names[i]);
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_names.inc");
}

bool gen_emit_c(const struct isa_table *table, const char *dir) {
    return emit_ops(table, dir) && emit_fields(table, dir) && emit_golden(table, dir) &&
           emit_table(table, dir) && emit_decode(table, dir) && emit_names(table, dir);
}
