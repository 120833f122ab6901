/* SPDX-License-Identifier: MIT
 * What isa.c is compiled with. */
#include "isa-spec/gen/gen.h"
#include "isa-spec/name_hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void banner(struct gen_text *o, const char *what) {
    gen_text_printf(o,
                    "/* SPDX-License-Identifier: MIT\n * %s\n"
                    " * Generated from isa-spec/ by isa-gen; changes are lost. */\n",
                    what);
}

static const char *upper(const struct isa_table *t, const char *s) {
    char *u = gen_strndup(t->pool, s, strlen(s));
    for (char *c = u; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return u;
}

static const char *lower(const struct isa_table *t, const char *s) {
    char *u = gen_strndup(t->pool, s, strlen(s));
    for (char *c = u; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return u;
}

static void quoted(struct gen_text *o, const char *s) {
    gen_text_add(o, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            gen_text_add(o, "\\");
        gen_text_add_n(o, s, 1);
    }
    gen_text_add(o, "\"");
}

static bool emit_ops(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    banner(&o, "The operations, by opcode.");
    gen_text_add(&o, "#ifndef ISA_OPS_H\n#define ISA_OPS_H\n\nenum mpu_op {\n");
    for (unsigned i = 0; i < t->instruction_count; i++)
        gen_text_printf(&o, "    OP_%s,\n", t->instructions[i].op_name);
    gen_text_add(&o, "    OP_COUNT\n};\n\n#endif\n");
    return gen_text_write(&o, dir, "isa_ops.h");
}

static bool emit_fields(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    banner(&o, "Position and size of every field: FORMAT_FIELD_SHIFT, FORMAT_FIELD_BITS.");
    gen_text_add(&o, "enum {\n");
    for (unsigned i = 0; i < t->format_count; i++) {
        const struct format *f = &t->formats[i];
        for (unsigned k = 0; k < f->count; k++) {
            const char *name = upper(t, f->fields[k].name);
            gen_text_printf(&o, "    %s_%s_SHIFT = %u,\n    %s_%s_BITS = %u,\n", f->name, name,
                            f->fields[k].low, f->name, name,
                            f->fields[k].high - f->fields[k].low + 1);
        }
    }
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_fields.inc");
}

static void emit_flag(struct gen_text *o, bool set, const char *name, bool *any) {
    if (!set)
        return;
    gen_text_printf(o, "%s%s", *any ? " | " : "", name);
    *any = true;
}

static void emit_flags(struct gen_text *o, const struct instruction *in) {
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
    };
    bool any = false;
    for (unsigned i = 0; i < 5; i++)
        emit_flag(o, in->reads >> i & 1, gen_printf(o->pool, "READS_%s", effects[i]), &any);
    for (unsigned i = 0; i < 5; i++)
        emit_flag(o, in->writes >> i & 1, gen_printf(o->pool, "WRITES_%s", effects[i]), &any);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        emit_flag(o, in->attributes & flags[i].attribute, flags[i].flag, &any);
    emit_flag(o, in->has_width, "ISA_WIDTH", &any);
    gen_text_add(o, any ? "" : "0");
}

static void emit_info(const struct isa_table *t, struct gen_text *o, const struct instruction *in) {
    gen_text_printf(o, "    [OP_%s] = {.name = \"%s\", .opcode = 0x%02X, .format = FORMAT_%s,\n",
                    in->op_name, in->name, in->opcode, t->formats[in->format].name);
    gen_text_printf(o, "        .set = SET_%s, .operand_count = %u, .operands = {",
                    upper(t, t->extensions[in->set].name), in->operand_count);
    for (unsigned i = 0; i < in->operand_count; i++)
        gen_text_printf(o, "%sROLE_%s", i ? ", " : "", t->operands[in->operands[i]].role);
    gen_text_add(o, in->operand_count ? "},\n        .flags = " : "0},\n        .flags = ");
    emit_flags(o, in);
    gen_text_printf(o, ", .fixed_width = %u,", in->fixed_width);
    if (*in->prose.golden)
        gen_text_printf(o, " .golden = lane_%s,", lower(t, in->op_name));
    gen_text_add(o, "\n        .operation = ");
    quoted(o, in->prose.operation);
    gen_text_add(o, ",\n        .text = ");
    quoted(o, in->prose.text);
    gen_text_add(o, ",\n        .decision = ");
    quoted(o, *in->prose.decision
                  ? gen_printf(o->pool, "%s %s", in->prose.decision, in->prose.reason)
                  : "");
    gen_text_add(o, "},\n");
}

static bool emit_table(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    banner(&o, "The table behind isa_info().");
    gen_text_add(&o, "static const struct isa_info info_rows[OP_COUNT] = {\n");
    for (unsigned i = 0; i < t->instruction_count; i++)
        emit_info(t, &o, &t->instructions[i]);
    gen_text_add(&o, "};\n\nstatic const char *const set_names[SET_COUNT] = {\n");
    for (unsigned i = 0; i < t->extension_count; i++)
        gen_text_printf(&o, "    [SET_%s] = \"%s\",\n", upper(t, t->extensions[i].name),
                        t->extensions[i].name);
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_table.inc");
}

static bool emit_golden(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    banner(&o, "The golden functions, one for each lane-wise instruction.");
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const struct instruction *in = &t->instructions[i];
        if (*in->prose.golden)
            gen_text_printf(&o, "static void lane_%s(struct golden_lane *x) {\n    %s\n}\n",
                            lower(t, in->op_name), in->prose.golden);
    }
    return gen_text_write(&o, dir, "isa_golden.inc");
}

/* What is left to check of a word once its zero bits are. */
static const char *check_kind(const struct isa_table *t, const struct instruction *in) {
    for (unsigned i = 0; i < in->operand_count; i++) {
        const char *word = t->operands[in->operands[i]].word;
        if (strcmp(word, "source") == 0)
            return "CHECK_SOURCE";
        if (strcmp(word, "imm") == 0)
            return "CHECK_PIECE";
        if (strcmp(word, "vrf") == 0)
            return "CHECK_VRF";
        if (strcmp(word, "lanemap") == 0)
            return "CHECK_LANEMAP";
    }
    return in->attributes & ATTR_DISTINCT ? "CHECK_DISTINCT" : "CHECK_NONE";
}

static const char *constant_kind(const struct isa_table *t, const struct instruction *in) {
    for (unsigned i = 0; i < in->operand_count; i++) {
        const char *word = t->operands[in->operands[i]].word;
        if (strcmp(word, "count") == 0)
            return "CONSTANT_COUNT";
        if (strcmp(word, "source") == 0)
            return "CONSTANT_SOURCE";
    }
    return "CONSTANT_NONE";
}

static bool emit_decode(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    banner(&o, "What the decoder knows of each opcode.");
    gen_text_add(&o, "static const struct decode_row decode_rows[256] = {\n");
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const struct instruction *in = &t->instructions[i];
        if (in->attributes & ATTR_RESERVED)
            gen_text_printf(&o, "    [0x%02X] = {.state = OPCODE_RESERVED},\n", in->opcode);
        else
            gen_text_printf(
                &o,
                "    [0x%02X] = {0x%06X, OPCODE_LEGAL, OP_%s, FORMAT_%s, %s, %s, %u, %u, "
                "%u},\n",
                in->opcode, (unsigned)gen_zero_bits(t, in), in->op_name,
                t->formats[in->format].name, check_kind(t, in), constant_kind(t, in), in->piece,
                in->has_width, in->fixed_width);
    }
    for (unsigned i = 0; i < t->reserve_count; i++)
        for (unsigned op = t->reserves[i].low; op <= t->reserves[i].high; op++)
            gen_text_printf(&o, "    [0x%02X] = {.state = OPCODE_RESERVED},\n", op);
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_decode.inc");
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

unsigned gen_mnemonics(const struct isa_table *t, const char *out[MAX_INSTRUCTIONS]) {
    unsigned count = 0, distinct = 0;
    for (unsigned i = 0; i < t->instruction_count; i++)
        if (!(t->instructions[i].attributes & (ATTR_RESERVED | ATTR_USER)))
            out[count++] = t->instructions[i].name;
    qsort(out, count, sizeof *out, by_name);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || strcmp(out[i], out[i - 1]) != 0)
            out[distinct++] = out[i];
    return distinct;
}

/* The next instruction with the name of number i, or their number. */
static unsigned next_form(const struct isa_table *t, unsigned i) {
    const char *name = t->instructions[i++].name;
    while (i < t->instruction_count && strcmp(t->instructions[i].name, name) != 0)
        i++;
    return i;
}

static void fill_slots(const struct isa_table *t, unsigned slots[NAME_SLOTS]) {
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const char *name = t->instructions[i].name;
        uint32_t h = name_hash(name, strlen(name)) % NAME_SLOTS;
        while (slots[h] && strcmp(t->instructions[slots[h] - 1].name, name) != 0)
            h = (h + 1) % NAME_SLOTS;
        if (!slots[h])
            slots[h] = i + 1;
    }
}

static bool emit_names(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    const char *names[MAX_INSTRUCTIONS];
    unsigned slots[NAME_SLOTS] = {0}, count = gen_mnemonics(t, names);
    banner(&o, "Mnemonics: a hash table of op + 1 (name_hash.h), further forms, the list.");
    gen_text_add(&o, "static const uint16_t name_slots[NAME_SLOTS] = {\n");
    fill_slots(t, slots);
    for (unsigned i = 0; i < NAME_SLOTS; i++)
        if (slots[i])
            gen_text_printf(&o, "    [%u] = OP_%s + 1,\n", i,
                            t->instructions[slots[i] - 1].op_name);
    gen_text_add(&o, "};\n\nstatic const uint16_t next_forms[OP_COUNT] = {\n");
    for (unsigned i = 0; i < t->instruction_count; i++) {
        unsigned next = next_form(t, i);
        gen_text_printf(&o, "    [OP_%s] = OP_%s,\n", t->instructions[i].op_name,
                        next < t->instruction_count ? t->instructions[next].op_name : "COUNT");
    }
    gen_text_add(&o, "};\n\nstatic const char *const mnemonic_names[] = {\n");
    for (unsigned i = 0; i < count; i++)
        gen_text_printf(&o, "    \"%s\",\n", names[i]);
    gen_text_add(&o, "};\n");
    return gen_text_write(&o, dir, "isa_names.inc");
}

bool gen_emit_c(const struct isa_table *t, const char *dir) {
    return emit_ops(t, dir) && emit_fields(t, dir) && emit_golden(t, dir) && emit_table(t, dir) &&
           emit_decode(t, dir) && emit_names(t, dir);
}
