/* SPDX-License-Identifier: MIT
 * A recipe table as bytes: numbers of so many bits one behind the other, lowest bit first. */
#include "recipe/table/forms.h"
#include "recipe/table/parts.h"

#include "support/alloc.h"

#include <stdlib.h>

enum { COUNT_BITS = 32, FORM_BYTES = 16 };

/* ---- writing ---- */

struct bit_writer {
    struct str *out;
    uint64_t pending;
    unsigned count; /* bits of `pending` */
};

static void put_bits(struct bit_writer *w, uint32_t value, unsigned bits) {
    w->pending |= (uint64_t)value << w->count;
    for (w->count += bits; w->count >= 8; w->count -= 8, w->pending >>= 8)
        str_char(w->out, (char)(unsigned char)(w->pending & 255));
}

/* Up to a whole byte. */
static void put_padding(struct bit_writer *w) {
    if (w->count)
        put_bits(w, 0, 8 - w->count);
}

static void put_form(struct bit_writer *w, const struct recipe_form *f) {
    put_bits(w, f->opcode, 8);
    put_bits(w, f->width, 8);
    put_bits(w, f->alias, 3);
    put_bits(w, f->constant, 2);
    put_bits(w, f->masking, 2);
    put_bits(w, 0, 1);
    put_bits(w, f->shift, 8);
    put_bits(w, (uint32_t)f->imm, 32);
    put_bits(w, f->first, 32);
    put_bits(w, f->count, 32);
}

static void put_list(struct bit_writer *w, const uint32_t *values, size_t count, unsigned bits) {
    put_bits(w, (uint32_t)count, COUNT_BITS);
    for (size_t i = 0; i < count; i++)
        put_bits(w, values[i], bits);
    put_padding(w);
}

void recipe_table_write(const struct recipe_table *table, struct str *out) {
    struct bit_writer w = {.out = out};
    put_bits(&w, (uint32_t)table->form_count, COUNT_BITS);
    for (size_t i = 0; i < table->form_count; i++)
        put_form(&w, &table->forms[i]);
    put_list(&w, table->pointers, table->pointer_count, TABLE_POINTER_BITS);
    put_list(&w, table->templates, table->template_count, TABLE_TEMPLATE_BITS);
}

/* ---- reading ---- */

struct bit_reader {
    const unsigned char *bytes;
    uint64_t bits, at; /* at <= bits */
    const char *problem;
};

static void fail(struct bit_reader *r, const char *problem) {
    if (!r->problem)
        r->problem = problem;
}

/* bits <= 32 */
static uint32_t take_bits(struct bit_reader *r, unsigned bits) {
    uint32_t value = 0;
    if (r->bits - r->at < bits) {
        fail(r, "the recipe table is truncated");
        return 0;
    }
    for (unsigned done = 0; done < bits;) {
        unsigned from = r->at % 8, n = 8 - from < bits - done ? 8 - from : bits - done;
        uint32_t part = (uint32_t)r->bytes[r->at / 8] >> from & ((1u << n) - 1);
        value |= part << done;
        done += n;
        r->at += n;
    }
    return value;
}

static void take_padding(struct bit_reader *r) {
    if (r->at % 8 && take_bits(r, 8 - (unsigned)(r->at % 8)))
        fail(r, "unused bits of the recipe table are not zero");
}

/* A number of records of so many bits that may follow. */
static size_t take_count(struct bit_reader *r, unsigned bits_each) {
    uint32_t n = take_bits(r, COUNT_BITS);
    if (n <= (r->bits - r->at) / bits_each)
        return n;
    fail(r, "the recipe table is truncated");
    return 0;
}

static struct recipe_form take_form(struct bit_reader *r) {
    struct recipe_form f = {0};
    f.opcode = (uint8_t)take_bits(r, 8);
    f.width = (uint8_t)take_bits(r, 8);
    f.alias = (uint8_t)take_bits(r, 3);
    f.constant = (uint8_t)take_bits(r, 2);
    f.masking = (uint8_t)take_bits(r, 2);
    if (take_bits(r, 1))
        fail(r, "a reserved bit of a recipe is not zero");
    f.shift = (uint8_t)take_bits(r, 8);
    f.imm = (int32_t)take_bits(r, 32);
    f.first = take_bits(r, 32);
    f.count = take_bits(r, 32);
    return f;
}

/* A vector instruction that can be encoded, and nothing said about a constant that it lacks. */
static bool form_possible(const struct recipe_form *f) {
    enum mpu_op op = table_form_op(f->opcode);
    uint32_t word;
    if (op == OP_COUNT || f->constant > CONSTANT_BITS || f->masking > MASKING_ON || f->shift > 63 ||
        (f->constant != CONSTANT_ONE && f->imm) || (f->constant != CONSTANT_BITS && f->shift) ||
        (f->constant != CONSTANT_NONE) != table_form_has_constant(op) ||
        (f->constant == CONSTANT_BITS && !table_form_has_immediate(op)))
        return false;
    struct insn insn = table_form_insn(f);
    return isa_encode(&insn, &word) == ISA_OK && table_form_alias(&insn) == f->alias;
}

static void take_forms(struct bit_reader *r, struct recipe_table *table) {
    size_t n = take_count(r, FORM_BYTES * 8);
    table->forms = xcalloc(n + 1, sizeof *table->forms);
    for (size_t i = 0; i < n && !r->problem; i++) {
        table->forms[table->form_count++] = take_form(r);
        if (!r->problem && !form_possible(&table->forms[i]))
            fail(r, "a recipe is for an instruction that does not exist");
        if (!r->problem && i && table_form_compare(&table->forms[i - 1], &table->forms[i]) >= 0)
            fail(r, "the recipes are not in order");
    }
}

static uint32_t *take_list(struct bit_reader *r, unsigned bits, size_t *count) {
    size_t n = take_count(r, bits);
    uint32_t *values = xcalloc(n + 1, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = take_bits(r, bits);
    take_padding(r);
    *count = n;
    return values;
}

struct recipe_table *recipe_table_read(const void *bytes, size_t size, const char **problem) {
    struct recipe_table *table = xcalloc(1, sizeof *table);
    struct bit_reader r = {.bytes = bytes, .bits = (uint64_t)size * 8};
    take_forms(&r, table);
    table->pointers = take_list(&r, TABLE_POINTER_BITS, &table->pointer_count);
    table->templates = take_list(&r, TABLE_TEMPLATE_BITS, &table->template_count);
    if (r.at != r.bits)
        fail(&r, "something follows the recipe table");
    if (table->pointer_count > TABLE_POINTERS)
        fail(&r, "the recipe table has more pointers than there are");
    *problem = r.problem;
    if (!r.problem)
        return table;
    recipe_table_free(table);
    return NULL;
}
