/* SPDX-License-Identifier: MIT
 * The DWARF 4 line table (DWARF Debugging Information Format, version 4, section 6.2). */
#include "object/bytes.h"
#include "object/layout.h"
#include "object/line_table.h"

#include <string.h>

static void put_uleb(struct str *s, uint64_t v) {
    do {
        unsigned byte = v & 0x7f;
        v >>= 7;
        put_u8(s, byte | (v ? 0x80u : 0));
    } while (v);
}

static void put_sleb(struct str *s, int64_t v) {
    for (;;) {
        unsigned byte = (unsigned)((uint64_t)v & 0x7f);
        int64_t rest = v < 0 ? ~(~v >> 7) : v >> 7;
        bool last = (rest == 0 && !(byte & 0x40)) || (rest == -1 && (byte & 0x40));
        put_u8(s, last ? byte : byte | 0x80u);
        if (last)
            return;
        v = rest;
    }
}

static void patch_u32(struct str *s, size_t at, size_t value) {
    for (unsigned i = 0; i < 4; i++)
        s->text[at + i] = (char)(unsigned char)(value >> (8 * i));
}

static void put_header(const struct object *o, struct str *s) {
    put_u8(s, 4); /* bytes per instruction: the unit of address advances */
    put_u8(s, 1); /* operations per instruction */
    put_u8(s, 1); /* every row is a statement */
    put_u8(s, (unsigned char)LINE_BASE);
    put_u8(s, LINE_RANGE);
    put_u8(s, LINE_OPCODE_BASE);
    for (unsigned i = 0; i < LINE_OPCODE_BASE - 1; i++)
        put_u8(s, line_opcode_operands[i]);
    put_u8(s, 0); /* no folders: files are named in full */
    for (size_t i = 0; i < o->files.len; i++) {
        str_append_n(s, o->files.data[i], strlen(o->files.data[i]) + 1);
        str_append_n(s, "\0\0", 3); /* folder, time, length: not given */
    }
    put_u8(s, 0);
}

static void put_extended(struct str *s, unsigned length, unsigned opcode) {
    put_u8(s, 0);
    put_uleb(s, length);
    put_u8(s, opcode);
}

/* The row's address and line in one special opcode if they are near, else in three. */
static void put_row(struct str *s, uint64_t advance, int64_t delta) {
    int64_t low = delta - LINE_BASE;
    if (low >= 0 && low < LINE_RANGE &&
        (uint64_t)low + LINE_RANGE * advance + LINE_OPCODE_BASE <= 255 && advance < 256) {
        put_u8(s, (unsigned)((uint64_t)low + LINE_RANGE * advance + LINE_OPCODE_BASE));
        return;
    }
    put_u8(s, LINE_ADVANCE_PC);
    put_uleb(s, advance);
    put_u8(s, LINE_ADVANCE_LINE);
    put_sleb(s, delta);
    put_u8(s, LINE_COPY);
}

/* Unknown places have line 0, as DWARF says for code without a source. */
static struct place known(struct place p) {
    return p.file == NO_INDEX || p.line == 0 ? (struct place){0, 0, 0} : p;
}

static void put_program(const struct object *o, struct str *s) {
    struct line_entry last = {0, {0, 1, 0}};
    put_extended(s, 9, LINE_SET_ADDRESS);
    put_u64(s, 0);
    for (size_t i = 0; i < o->lines.len; i++) {
        struct line_entry e = o->lines.data[i];
        e.place = known(e.place);
        if (e.place.file != last.place.file) {
            put_u8(s, LINE_SET_FILE);
            put_uleb(s, (uint64_t)e.place.file + 1);
        }
        if (e.place.column != last.place.column) {
            put_u8(s, LINE_SET_COLUMN);
            put_uleb(s, e.place.column);
        }
        put_row(s, e.index - last.index, (int64_t)e.place.line - (int64_t)last.place.line);
        last = e;
    }
    put_u8(s, LINE_ADVANCE_PC);
    put_uleb(s, o->text.len - last.index);
    put_extended(s, 1, LINE_END_SEQUENCE);
}

void elf_line_table_write(const struct object *o, struct str *out) {
    size_t start = out->len;
    put_u32(out, 0); /* length, patched below */
    put_u8(out, 4);
    put_u8(out, 0);
    put_u32(out, 0); /* length of the header's rest, patched below */
    size_t header = out->len;
    put_header(o, out);
    patch_u32(out, header - 4, out->len - header);
    put_program(o, out);
    patch_u32(out, start, out->len - start - 4);
}
