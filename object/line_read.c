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

static void fail(struct line_reader *r, const char *problem) {
    if (!r->problem)
        r->problem = problem;
}

static const unsigned char *take(struct line_reader *r, size_t n) {
    static const unsigned char zeros[8];
    if (r->problem || r->end - r->at < n) {
        fail(r, "the line table ends early");
        return zeros;
    }
    r->at += n;
    return r->bytes + r->at - n;
}

static unsigned take_u8(struct line_reader *r) {
    return take(r, 1)[0];
}

/* Bits above 63 must be zero. */
static uint64_t take_uleb(struct line_reader *r) {
    uint64_t v = 0;
    for (unsigned shift = 0; !r->problem; shift += 7) {
        unsigned byte = take_u8(r);
        if (shift > 63 || (shift == 63 && (byte & 0x7e)))
            fail(r, "a number of the line table is too large");
        else
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return v;
}

static int64_t take_sleb(struct line_reader *r) {
    uint64_t v = 0;
    for (unsigned shift = 0; !r->problem; shift += 7) {
        unsigned byte = take_u8(r);
        if (shift > 56)
            fail(r, "a number of the line table is too large");
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

static const char *take_string(struct line_reader *r) {
    const unsigned char *start = r->bytes + r->at;
    const unsigned char *zero = r->problem ? NULL : memchr(start, 0, r->end - r->at);
    if (!zero) {
        fail(r, "the line table ends early");
        return "";
    }
    r->at += (size_t)(zero - start) + 1;
    return (const char *)start;
}

static void read_files(struct line_reader *r) {
    size_t count = 0;
    while (*take_string(r))
        fail(r, "the line table names folders");
    for (;;) {
        const char *name = take_string(r);
        if (r->problem || !*name)
            break;
        if (count >= r->o->files.len || strcmp(name, r->o->files.data[count]) != 0)
            fail(r, "the line table names other files than .mpu.files");
        for (int i = 0; i < 3; i++)
            take_uleb(r);
        count++;
    }
    if (count != r->o->files.len)
        fail(r, "the line table names other files than .mpu.files");
}

static void read_header(struct line_reader *r) {
    if (get_u32(take(r, 4)) != r->end - 4)
        fail(r, "the line table's length is wrong");
    if (get_u16(take(r, 2)) != 4)
        fail(r, "the line table is not DWARF 4");
    uint32_t length = get_u32(take(r, 4));
    size_t start = r->at;
    r->unit = (uint8_t)take_u8(r);
    if (take_u8(r) != 1)
        fail(r, "the line table is for a machine with wide instructions");
    take_u8(r); /* whether rows are statements does not matter */
    r->line_base = (int8_t)take_u8(r);
    r->line_range = (uint8_t)take_u8(r);
    r->opcode_base = (uint8_t)take_u8(r);
    if (!r->problem && (r->line_range == 0 || r->opcode_base == 0 || r->unit == 0))
        fail(r, "the line table's header has a zero where none may be");
    for (unsigned i = 1; i < r->opcode_base; i++)
        r->operands[i] = (uint8_t)take_u8(r);
    read_files(r);
    if (!r->problem && r->at - start != length)
        fail(r, "the line table's header has another length than it says");
}

static void emit(struct line_reader *r) {
    struct object *o = r->o;
    struct line_entry e = {(uint32_t)(r->address / 4),
                           {(uint32_t)r->file - 1, (uint32_t)r->line, (uint32_t)r->column}};
    if (r->address % 4 != 0 || r->address / 4 >= o->text.len)
        fail(r, "a line of the line table is for no instruction");
    else if (r->line > UINT32_MAX || r->column > UINT32_MAX)
        fail(r, "a number of the line table is too large");
    else if (r->line != 0 && (r->file < 1 || r->file > o->files.len))
        fail(r, "a line of the line table is in no file");
    else if (o->lines.len && vec_last(&o->lines).index >= e.index)
        fail(r, "the line table does not ascend");
    if (r->problem)
        return;
    if (r->line == 0)
        e.place = (struct place){NO_INDEX, 0, 0};
    vec_push(&o->lines, e);
}

/* The address cannot wrap: it stays below 2^40 or the table is refused. */
static void advance(struct line_reader *r, uint64_t operations) {
    if (operations > (uint64_t)1 << 30)
        fail(r, "an address of the line table is too large");
    else
        r->address += operations * r->unit;
    if (r->address > (uint64_t)1 << 40)
        fail(r, "an address of the line table is too large");
}

static void advance_line(struct line_reader *r, int64_t delta) {
    if (delta < -(int64_t)UINT32_MAX || delta > (int64_t)UINT32_MAX)
        fail(r, "a number of the line table is too large");
    else
        r->line = (uint64_t)((int64_t)r->line + delta);
    if (r->line > UINT32_MAX)
        fail(r, "a number of the line table is too large");
}

static void extended(struct line_reader *r) {
    uint64_t length = take_uleb(r);
    if (r->problem || length == 0 || length > r->end - r->at) {
        fail(r, "the line table ends early");
        return;
    }
    size_t next = r->at + (size_t)length;
    switch (take_u8(r)) {
    case LINE_END_SEQUENCE:
        r->ended = true;
        break;
    case LINE_SET_ADDRESS:
        r->address = length == 9 ? get_u64(take(r, 8)) : UINT64_MAX;
        advance(r, 0);
        break;
    case LINE_DEFINE_FILE:
        fail(r, "the line table names other files than .mpu.files");
        break;
    }
    if (!r->problem)
        r->at = next;
}

static void special(struct line_reader *r, unsigned opcode) {
    unsigned adjusted = opcode - r->opcode_base;
    advance(r, adjusted / r->line_range);
    advance_line(r, r->line_base + (int64_t)(adjusted % r->line_range));
    emit(r);
}

static void skip_operands(struct line_reader *r, unsigned opcode) {
    for (unsigned i = 0; i < r->operands[opcode]; i++)
        take_uleb(r);
}

static void standard(struct line_reader *r, unsigned opcode) {
    switch (opcode) {
    case LINE_COPY:
        emit(r);
        break;
    case LINE_ADVANCE_PC:
        advance(r, take_uleb(r));
        break;
    case LINE_ADVANCE_LINE:
        advance_line(r, take_sleb(r));
        break;
    case LINE_SET_FILE:
        r->file = take_uleb(r);
        break;
    case LINE_SET_COLUMN:
        r->column = take_uleb(r);
        break;
    case LINE_CONST_ADD_PC:
        advance(r, (255u - r->opcode_base) / r->line_range);
        break;
    case LINE_FIXED_ADVANCE_PC:
        r->address += get_u16(take(r, 2));
        advance(r, 0);
        break;
    default:
        skip_operands(r, opcode);
    }
}

static void read_program(struct line_reader *r) {
    r->file = r->line = 1;
    while (!r->problem && !r->ended) {
        unsigned opcode = take_u8(r);
        if (r->problem)
            break;
        if (opcode == 0)
            extended(r);
        else if (opcode >= r->opcode_base)
            special(r, opcode);
        else
            standard(r, opcode);
    }
    if (!r->problem && r->at != r->end)
        fail(r, "the line table goes on after its end");
}

bool elf_line_table_read(struct object *o, const unsigned char *bytes, size_t size,
                         const char **problem, size_t *offset) {
    struct line_reader r = {.o = o, .bytes = bytes, .end = size};
    read_header(&r);
    if (!r.problem)
        read_program(&r);
    *problem = r.problem;
    *offset = r.at;
    o->debug_lines = true;
    return r.problem == NULL;
}
