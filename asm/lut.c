/* SPDX-License-Identifier: MIT
 * .lut, and the table that a LUT names (docs/assembly.md, "Tables"). */
#include "asm/operand.h"
#include "support/bits.h"

#include <string.h>

static struct lut_text *named(struct assembler *assembler, const struct asm_token *name) {
    const uint64_t *known =
        map_get_n(&assembler->lut_names, asm_token_text(assembler, name), token_length(name));
    return known ? &assembler->luts.data[*known] : NULL;
}

/* "k=8" and "width=8", in either order; false after reporting. */
static bool parse_shape(struct assembler *assembler, const struct asm_token *name,
                        struct isa_lut *table) {
    wide k = 0, width = 0;
    while (assembler->token.kind == TOKEN_NAME) {
        bool is_k = asm_at_name(assembler, "k");
        if (!is_k && !asm_at_name(assembler, "width"))
            break;
        asm_scan(assembler);
        if (!asm_expect_char(assembler, '=') ||
            !(is_k ? asm_parse_number_in(assembler, "k, the bits of the index,", 1,
                                         ISA_LUT_MAX_INDEX_BITS, &k)
                   : asm_parse_number_in(assembler, "the width of the elements", 1, 64, &width)))
            return false;
        asm_take_operator(assembler, ',');
    }
    table->index_bits = (uint8_t)k;
    table->width = (uint8_t)width;
    if (k && width)
        return true;
    asm_error_token(assembler, name,
                    "the first .lut of a table says how large it is: .lut %.*s k=8 width=8",
                    (int)token_length(name), asm_token_text(assembler, name));
    return false;
}

/* A declaration of a name that has none.  A wrong one counts as a table with a single bit, so that
 * what names it is not reported as well. */
static struct lut_text *declare(struct assembler *assembler, const struct asm_token *name) {
    struct lut_text t = {
        .decl = {.name = asm_keep(assembler, asm_token_text(assembler, name), token_length(name)),
                 .place = asm_place(assembler, name->begin)}};
    if (!parse_shape(assembler, name, &t.decl.table))
        t.decl.table = (struct isa_lut){.index_bits = 1, .width = 1};
    t.decl.element_bits = t.decl.table.width;
    assembler->lut_entries += UINT64_C(1) << t.decl.table.index_bits;
    if (assembler->luts.len == OBJECT_MAX_LUTS)
        asm_error_token(assembler, name, "a program has at most %d tables", OBJECT_MAX_LUTS);
    else if (assembler->lut_entries > OBJECT_MAX_LUT_ENTRIES)
        asm_error_token(assembler, name, "the tables of a program have at most 2^22 elements");
    else {
        map_put(&assembler->lut_names, t.decl.name, assembler->luts.len);
        vec_push(&assembler->luts, t);
        return &vec_last(&assembler->luts);
    }
    return NULL;
}

/* One element, a number or what is known later; it fits the table's elements as a signed or as an
 * unsigned number. */
static bool parse_element(struct assembler *assembler, const struct lut_text *lut,
                          struct asm_value *value) {
    struct asm_token first = assembler->token;
    unsigned bits = lut->decl.table.width;
    if (!asm_parse_value(assembler, value) ||
        (value->kind == VALUE_LABEL && !asm_label_number(assembler, value)))
        return false;
    first.end = assembler->previous_end;
    wide most = (wide)OBJECT_MAX_EXTENT, low = -((wide)1 << (bits - 1)),
         high = ((wide)1 << bits) - 1;
    if (value->kind == VALUE_SIZE && (value->number < -most || value->number > most))
        asm_error_token(assembler, &first, "the number added to a size must be in -2^40..2^40");
    else if (value->kind == VALUE_NUMBER && (value->number < low || value->number > high))
        asm_report_out_of_range(assembler, &first, "the element", value->number, low, high);
    return !assembler->failed;
}

static void push_fill(struct lut_text *lut, const struct asm_value *value) {
    struct lut_fill f = {.source = value->kind == VALUE_SIZE ? LUT_SIZE : LUT_VALUE,
                         .first = (uint32_t)lut->entries.len,
                         .count = 1,
                         .target = value->size,
                         .addend = (int64_t)value->number};
    vec_push(&lut->fills, f);
}

static void push_element(struct lut_text *lut, const struct asm_value *value) {
    bool is_number = value->kind == VALUE_NUMBER;
    if (!is_number)
        push_fill(lut, value);
    vec_push(&lut->entries,
             is_number ? (uint64_t)value->number & low_bits(lut->decl.table.width) : 0);
}

/* V or dup(N, V); false after reporting. */
static bool parse_elements(struct assembler *assembler, struct lut_text *lut) {
    struct asm_token first = assembler->token;
    size_t room = ((size_t)1 << lut->decl.table.index_bits) - lut->entries.len;
    struct asm_value value;
    wide count;
    bool dup;
    if (!asm_take_dup(assembler, &dup, &count) || !parse_element(assembler, lut, &value) ||
        (dup && !asm_expect_char(assembler, ')')))
        return false;
    first.end = assembler->previous_end;
    if (count > (wide)room) {
        asm_error_token(assembler, &first, "table '%s' has more than 2^%u elements", lut->decl.name,
                        lut->decl.table.index_bits);
        return false;
    }
    for (wide i = 0; i < count; i++)
        push_element(lut, &value);
    return true;
}

void asm_declare_lut(struct assembler *assembler) {
    struct asm_token name;
    if (!asm_take_name(assembler, "the name of a table", &name))
        return;
    struct lut_text *lut = named(assembler, &name);
    if (!lut)
        lut = declare(assembler, &name);
    else if (!asm_at_operator(assembler, '='))
        asm_error_token(
            assembler, &name,
            "table '%s' is declared already; further lines give its next elements: .lut %s = ...",
            lut->decl.name, lut->decl.name);
    if (!lut || assembler->failed || !asm_take_operator(assembler, '='))
        return;
    do {
        if (!parse_elements(assembler, lut))
            return;
    } while (asm_take_operator(assembler, ','));
}

void asm_finish_luts(struct assembler *assembler) {
    for (size_t i = 0; i < assembler->luts.len; i++) {
        struct lut_text *t = &assembler->luts.data[i];
        while (t->entries.len < (size_t)1 << t->decl.table.index_bits)
            vec_push(&t->entries, 0);
        t->decl.table.entries = t->entries.data;
        t->decl.fills = t->fills.data;
        t->decl.fill_count = (uint32_t)t->fills.len;
        builder_lut(assembler->b, &t->decl);
    }
}

bool asm_parse_table(struct assembler *assembler, struct asm_operand *operand) {
    const struct lut_text *lut =
        assembler->token.kind == TOKEN_NAME ? named(assembler, &assembler->token) : NULL;
    if (!lut)
        return false;
    operand->kind = OPERAND_VALUE;
    operand->value =
        (struct asm_value){.kind = VALUE_NUMBER, .number = (wide)(lut - assembler->luts.data)};
    asm_scan(assembler);
    return true;
}

bool asm_set_table(struct assembler *assembler, const struct asm_operand *operand,
                   struct insn *insn) {
    const struct asm_value *v = &operand->value;
    if (v->kind == VALUE_NUMBER && v->number >= 0 && v->number < (wide)assembler->luts.len) {
        insn->lut = (uint16_t)v->number;
        return true;
    }
    if (v->kind == VALUE_LABEL) {
        asm_error_token(assembler, &operand->at, "there is no table '%s'", v->label);
        asm_suggest(assembler, &operand->at, &assembler->lut_names);
    } else {
        asm_error_token(assembler, &operand->at,
                        "LUT takes the name of a table that .lut declares before, or its number");
    }
    return false;
}
