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

static void put_bits(struct bit_writer *writer, uint32_t value, unsigned bits) {
    writer->pending |= (uint64_t)value << writer->count;
    for (writer->count += bits; writer->count >= 8; writer->count -= 8, writer->pending >>= 8)
        str_char(writer->out, (char)(unsigned char)(writer->pending & 255));
}

/* Up to a whole byte. */
static void put_padding(struct bit_writer *writer) {
    if (writer->count)
        put_bits(writer, 0, 8 - writer->count);
}

static void put_form(struct bit_writer *writer, const struct recipe_form *form) {
    put_bits(writer, form->opcode, 8);
    put_bits(writer, form->width, 8);
    put_bits(writer, form->alias, 3);
    put_bits(writer, form->constant, 2);
    put_bits(writer, form->masking, 2);
    put_bits(writer, 0, 1);
    put_bits(writer, form->shift, 8);
    put_bits(writer, (uint32_t)form->imm, 32);
    put_bits(writer, form->first, 32);
    put_bits(writer, form->count, 32);
}

static void put_list(struct bit_writer *writer, const uint32_t *values, size_t count,
                     unsigned bits) {
    put_bits(writer, (uint32_t)count, COUNT_BITS);
    for (size_t i = 0; i < count; i++)
        put_bits(writer, values[i], bits);
    put_padding(writer);
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

static void fail(struct bit_reader *reader, const char *problem) {
    if (!reader->problem)
        reader->problem = problem;
}

/* bits <= 32 */
static uint32_t take_bits(struct bit_reader *reader, unsigned bits) {
    uint32_t value = 0;
    if (reader->bits - reader->at < bits) {
        fail(reader, "the recipe table is truncated");
        return 0;
    }
    for (unsigned done = 0; done < bits;) {
        unsigned from = reader->at % 8, n = 8 - from < bits - done ? 8 - from : bits - done;
        uint32_t part = (uint32_t)reader->bytes[reader->at / 8] >> from & ((1u << n) - 1);
        value |= part << done;
        done += n;
        reader->at += n;
    }
    return value;
}

static void take_padding(struct bit_reader *reader) {
    if (reader->at % 8 && take_bits(reader, 8 - (unsigned)(reader->at % 8)))
        fail(reader, "unused bits of the recipe table are not zero");
}

/* A number of records of so many bits that may follow. */
static size_t take_count(struct bit_reader *reader, unsigned bits_each) {
    uint32_t n = take_bits(reader, COUNT_BITS);
    if (n <= (reader->bits - reader->at) / bits_each)
        return n;
    fail(reader, "the recipe table is truncated");
    return 0;
}

static struct recipe_form take_form(struct bit_reader *reader) {
    struct recipe_form f = {0};
    f.opcode = (uint8_t)take_bits(reader, 8);
    f.width = (uint8_t)take_bits(reader, 8);
    f.alias = (uint8_t)take_bits(reader, 3);
    f.constant = (uint8_t)take_bits(reader, 2);
    f.masking = (uint8_t)take_bits(reader, 2);
    if (take_bits(reader, 1))
        fail(reader, "a reserved bit of a recipe is not zero");
    f.shift = (uint8_t)take_bits(reader, 8);
    f.imm = (int32_t)take_bits(reader, 32);
    f.first = take_bits(reader, 32);
    f.count = take_bits(reader, 32);
    return f;
}

/* A vector instruction that can be encoded, and nothing said about a constant that it lacks. */
static bool form_possible(const struct recipe_form *form) {
    enum isa_op op = table_form_op(form->opcode);
    uint32_t word;
    if (op == OP_COUNT || form->constant > CONSTANT_BITS || form->masking > MASKING_ON ||
        form->shift > 63 || (form->constant != CONSTANT_ONE && form->imm) ||
        (form->constant != CONSTANT_BITS && form->shift) ||
        (form->constant != CONSTANT_NONE) != table_form_has_constant(op) ||
        (form->constant == CONSTANT_BITS && !table_form_has_immediate(op)))
        return false;
    struct insn insn = table_form_insn(form);
    return isa_encode(&insn, &word) == ISA_OK && table_form_alias(&insn) == form->alias;
}

static void take_forms(struct bit_reader *reader, struct recipe_table *table) {
    size_t n = take_count(reader, FORM_BYTES * 8);
    table->forms = xcalloc(n + 1, sizeof *table->forms);
    for (size_t i = 0; i < n && !reader->problem; i++) {
        table->forms[table->form_count++] = take_form(reader);
        if (!reader->problem && !form_possible(&table->forms[i]))
            fail(reader, "a recipe is for an instruction that does not exist");
        if (!reader->problem && i &&
            table_form_compare(&table->forms[i - 1], &table->forms[i]) >= 0)
            fail(reader, "the recipes are not in order");
    }
}

static uint32_t *take_list(struct bit_reader *reader, unsigned bits, size_t *count) {
    size_t n = take_count(reader, bits);
    uint32_t *values = xcalloc(n + 1, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = take_bits(reader, bits);
    take_padding(reader);
    *count = n;
    return values;
}

struct recipe_table *recipe_table_read_first(const void *bytes, size_t size, size_t *used,
                                             const char **problem) {
    struct recipe_table *table = xcalloc(1, sizeof *table);
    struct bit_reader r = {.bytes = bytes, .bits = (uint64_t)size * 8};
    take_forms(&r, table);
    table->pointers = take_list(&r, TABLE_POINTER_BITS, &table->pointer_count);
    table->templates = take_list(&r, TABLE_TEMPLATE_BITS, &table->template_count);
    if (table->pointer_count > TABLE_POINTERS)
        fail(&r, "the recipe table has more pointers than there are");
    *used = (size_t)(r.at / 8);
    *problem = r.problem;
    if (!r.problem)
        return table;
    recipe_table_free(table);
    return NULL;
}

struct recipe_table *recipe_table_read(const void *bytes, size_t size, const char **problem) {
    size_t used;
    struct recipe_table *table = recipe_table_read_first(bytes, size, &used, problem);
    if (!table || used == size)
        return table;
    *problem = "something follows the recipe table";
    recipe_table_free(table);
    return NULL;
}
