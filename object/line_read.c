/* SPDX-License-Identifier: MIT
 * Reads back the DWARF 4 line table of one unit.  Any table that the standard allows and that
 * names the object's files is read, not only what line_write.c writes. */
#include "object/bytes.h"
#include "object/layout.h"
#include "object/line_table.h"

#include <string.h>

struct line_reader {
    struct object *o;
    const unsigned char *bytes;
    size_t at, end;
    const char *problem; /* NULL while all is well */
    uint8_t line_range, opcode_base, unit;
    int8_t line_base;
    uint8_t operands[256];
    uint64_t address; /* bytes */
    uint64_t line, file, column;
    bool ended;
};

static void fail(struct line_reader *reader, const char *problem) {
    if (!reader->problem)
        reader->problem = problem;
}

static const unsigned char *take(struct line_reader *reader, size_t n) {
    static const unsigned char zeros[8];
    if (reader->problem || reader->end - reader->at < n) {
        fail(reader, "the line table ends early");
        return zeros;
    }
    reader->at += n;
    return reader->bytes + reader->at - n;
}

static unsigned take_u8(struct line_reader *reader) {
    return take(reader, 1)[0];
}

/* Bits above 63 must be zero. */
static uint64_t take_uleb(struct line_reader *reader) {
    uint64_t v = 0;
    for (unsigned shift = 0; !reader->problem; shift += 7) {
        unsigned byte = take_u8(reader);
        if (shift > 63 || (shift == 63 && (byte & 0x7e)))
            fail(reader, "a number of the line table is too large");
        else
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return v;
}

static int64_t take_sleb(struct line_reader *reader) {
    uint64_t v = 0;
    for (unsigned shift = 0; !reader->problem; shift += 7) {
        unsigned byte = take_u8(reader);
        if (shift > 56)
            fail(reader, "a number of the line table is too large");
        else
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if ((byte & 0x40) && shift < 57)
            v |= ~(uint64_t)0 << (shift + 7);
        break;
    }
    return (int64_t)v;
}

static const char *take_string(struct line_reader *reader) {
    bool some =
        !reader->problem && reader->at < reader->end; /* else there may be no bytes at all */
    const unsigned char *start = some ? reader->bytes + reader->at : NULL;
    const unsigned char *zero = some ? memchr(start, 0, reader->end - reader->at) : NULL;
    if (!zero) {
        fail(reader, "the line table ends early");
        return "";
    }
    reader->at += (size_t)(zero - start) + 1;
    return (const char *)start;
}

static void read_files(struct line_reader *reader) {
    size_t count = 0;
    while (*take_string(reader))
        fail(reader, "the line table names folders");
    for (;;) {
        const char *name = take_string(reader);
        if (reader->problem || !*name)
            break;
        if (count >= reader->o->files.len || strcmp(name, reader->o->files.data[count]) != 0)
            fail(reader, "the line table names other files than .mpu.files");
        for (int i = 0; i < 3; i++)
            take_uleb(reader);
        count++;
    }
    if (count != reader->o->files.len)
        fail(reader, "the line table names other files than .mpu.files");
}

static void read_header(struct line_reader *reader) {
    if (get_u32(take(reader, 4)) != reader->end - 4)
        fail(reader, "the line table's length is wrong");
    if (get_u16(take(reader, 2)) != 4)
        fail(reader, "the line table is not DWARF 4");
    uint32_t length = get_u32(take(reader, 4));
    size_t start = reader->at;
    reader->unit = (uint8_t)take_u8(reader);
    if (take_u8(reader) != 1)
        fail(reader, "the line table is for a machine with wide instructions");
    take_u8(reader); /* whether rows are statements does not matter */
    reader->line_base = (int8_t)take_u8(reader);
    reader->line_range = (uint8_t)take_u8(reader);
    reader->opcode_base = (uint8_t)take_u8(reader);
    if (!reader->problem &&
        (reader->line_range == 0 || reader->opcode_base == 0 || reader->unit == 0))
        fail(reader, "the line table's header has a zero where none may be");
    for (unsigned i = 1; i < reader->opcode_base; i++)
        reader->operands[i] = (uint8_t)take_u8(reader);
    read_files(reader);
    if (!reader->problem && reader->at - start != length)
        fail(reader, "the line table's header has another length than it says");
}

static void emit(struct line_reader *reader) {
    struct object *o = reader->o;
    struct line_entry e = {
        (uint32_t)(reader->address / 4),
        {(uint32_t)reader->file - 1, (uint32_t)reader->line, (uint32_t)reader->column}};
    if (reader->address % 4 != 0 || reader->address / 4 >= o->text.len)
        fail(reader, "a line of the line table is for no instruction");
    else if (reader->line > UINT32_MAX || reader->column > UINT32_MAX)
        fail(reader, "a number of the line table is too large");
    else if (reader->line != 0 && (reader->file < 1 || reader->file > o->files.len))
        fail(reader, "a line of the line table is in no file");
    else if (o->lines.len && vec_last(&o->lines).index >= e.index)
        fail(reader, "the line table does not ascend");
    if (reader->problem)
        return;
    if (reader->line == 0)
        e.place = (struct place){NO_INDEX, 0, 0};
    vec_push(&o->lines, e);
}

/* The address cannot wrap: it stays below 2^40 or the table is refused. */
static void advance(struct line_reader *reader, uint64_t operations) {
    if (operations > (uint64_t)1 << 30)
        fail(reader, "an address of the line table is too large");
    else
        reader->address += operations * reader->unit;
    if (reader->address > (uint64_t)1 << 40)
        fail(reader, "an address of the line table is too large");
}

static void advance_line(struct line_reader *reader, int64_t delta) {
    if (delta < -(int64_t)UINT32_MAX || delta > (int64_t)UINT32_MAX)
        fail(reader, "a number of the line table is too large");
    else
        reader->line = (uint64_t)((int64_t)reader->line + delta);
    if (reader->line > UINT32_MAX)
        fail(reader, "a number of the line table is too large");
}

static void extended(struct line_reader *reader) {
    uint64_t length = take_uleb(reader);
    if (reader->problem || length == 0 || length > reader->end - reader->at) {
        fail(reader, "the line table ends early");
        return;
    }
    size_t next = reader->at + (size_t)length;
    switch (take_u8(reader)) {
    case LINE_END_SEQUENCE:
        reader->ended = true;
        break;
    case LINE_SET_ADDRESS:
        reader->address = length == 9 ? get_u64(take(reader, 8)) : UINT64_MAX;
        advance(reader, 0);
        break;
    case LINE_DEFINE_FILE:
        fail(reader, "the line table names other files than .mpu.files");
        break;
    }
    if (!reader->problem)
        reader->at = next;
}

static void special(struct line_reader *reader, unsigned opcode) {
    unsigned adjusted = opcode - reader->opcode_base;
    advance(reader, adjusted / reader->line_range);
    advance_line(reader, reader->line_base + (int64_t)(adjusted % reader->line_range));
    emit(reader);
}

static void skip_operands(struct line_reader *reader, unsigned opcode) {
    for (unsigned i = 0; i < reader->operands[opcode]; i++)
        take_uleb(reader);
}

static void standard(struct line_reader *reader, unsigned opcode) {
    switch (opcode) {
    case LINE_COPY:
        emit(reader);
        break;
    case LINE_ADVANCE_PC:
        advance(reader, take_uleb(reader));
        break;
    case LINE_ADVANCE_LINE:
        advance_line(reader, take_sleb(reader));
        break;
    case LINE_SET_FILE:
        reader->file = take_uleb(reader);
        break;
    case LINE_SET_COLUMN:
        reader->column = take_uleb(reader);
        break;
    case LINE_CONST_ADD_PC:
        advance(reader, (255u - reader->opcode_base) / reader->line_range);
        break;
    case LINE_FIXED_ADVANCE_PC:
        reader->address += get_u16(take(reader, 2));
        advance(reader, 0);
        break;
    default:
        skip_operands(reader, opcode);
    }
}

static void read_program(struct line_reader *reader) {
    reader->file = reader->line = 1;
    while (!reader->problem && !reader->ended) {
        unsigned opcode = take_u8(reader);
        if (reader->problem)
            break;
        if (opcode == 0)
            extended(reader);
        else if (opcode >= reader->opcode_base)
            special(reader, opcode);
        else
            standard(reader, opcode);
    }
    if (!reader->problem && reader->at != reader->end)
        fail(reader, "the line table goes on after its end");
}

bool elf_line_table_read(struct object *object, const unsigned char *bytes, size_t size,
                         const char **problem, size_t *offset) {
    struct line_reader r = {.o = object, .bytes = bytes, .end = size};
    read_header(&r);
    if (!r.problem)
        read_program(&r);
    *problem = r.problem;
    *offset = r.at;
    object->debug_lines = true;
    return r.problem == NULL;
}
