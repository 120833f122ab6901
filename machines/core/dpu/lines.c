/* SPDX-License-Identifier: MIT
 * Line tables of ELF files, as DWARF 2 to 5 have them in .debug_line (DWARF 5, section 6.2), and
 * those that are written (DWARF 4).  Only where instructions come from is taken; a table that is
 * damaged says nothing of what follows, and no program is refused for it.
 *
 * (LLVM's reader would bring its whole object library into every tool, and libdw a dependency.) */
#include "machines/core/dpu/lines.h"
#include "object/bytes.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

enum {
    LNS_COPY = 1,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_CONST_ADD_PC = 8,
    LNS_FIXED_ADVANCE_PC,
    LNE_END_SEQUENCE = 1,
    LNE_SET_ADDRESS,
    LNCT_PATH = 1,
    LNCT_DIRECTORY
};

/* ---- bytes ---- */

struct cursor {
    const unsigned char *at, *end;
    bool bad; /* something was asked for that is not there */
};
static const unsigned char *take(struct cursor *c, uint64_t bytes) {
    static const unsigned char none[8] = {0};
    if (c->bad || (uint64_t)(c->end - c->at) < bytes) {
        c->bad = true;
        return none;
    }
    c->at += bytes;
    return c->at - bytes;
}
static uint64_t number(struct cursor *c, unsigned bytes) {
    const unsigned char *b = take(c, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)b[i] << 8 * i;
    return value;
}
/* LEB128, of which 64 bits count. */
static uint64_t unsigned_leb(struct cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0; !c->bad; shift += 7) {
        uint64_t byte = *take(c, 1);
        value |= shift < 64 ? (byte & 127) << shift : 0;
        if (byte < 128)
            break;
    }
    return value;
}
static int64_t signed_leb(struct cursor *c) {
    uint64_t value = 0, byte = 128;
    unsigned shift = 0;
    for (; byte >= 128 && !c->bad; shift += 7) {
        byte = *take(c, 1);
        value |= shift < 64 ? (byte & 127) << shift : 0;
    }
    return (int64_t)(byte & 64 && shift < 64 ? value | ~UINT64_C(0) << shift : value);
}
static const char *text(struct cursor *c) {
    const unsigned char *begin = c->at;
    const unsigned char *zero = c->bad ? NULL : memchr(begin, 0, (size_t)(c->end - begin));
    if (!zero) {
        c->bad = true;
        return "";
    }
    c->at = zero + 1;
    return (const char *)begin;
}
static const char *text_at(struct cursor *c, const struct dpu_bytes *strings, uint64_t offset) {
    if (offset >= strings->size) {
        c->bad = true;
        return "";
    }
    struct cursor s = {strings->at + offset, strings->at + strings->size, false};
    const char *found = text(&s);
    c->bad |= s.bad;
    return found;
}

/* ---- files ---- */

struct table_file {
    const char *name;
    uint64_t directory;
    uint32_t source; /* its number in the program + 1; 0: no instruction is from there yet */
};
struct line_table {
    struct cursor c;
    const struct dpu_line_sections *sections;
    struct dpu_program *p;
    uint64_t *fills; /* that are left for all tables of a file */
    unsigned version, address_bytes, opcode_base, line_range;
    int line_base;
    uint64_t least; /* bytes of an instruction */
    unsigned char operands[256];
    VEC(const char *) directories;
    VEC(struct table_file) files;
};

/* Before DWARF 5: directory and file 0 are the compilation's own. */
static void read_old_names(struct line_table *t) {
    vec_push(&t->directories, "");
    vec_push(&t->files, ((struct table_file){.name = ""}));
    for (const char *name = text(&t->c); *name; name = text(&t->c))
        vec_push(&t->directories, name);
    for (const char *name = text(&t->c); *name; name = text(&t->c)) {
        uint64_t directory = unsigned_leb(&t->c);
        unsigned_leb(&t->c);
        unsigned_leb(&t->c);
        vec_push(&t->files, ((struct table_file){.name = name, .directory = directory}));
    }
}
/* What an entry has in a form: a text, or a number. */
static const char *form_text(struct line_table *t, uint64_t form, uint64_t *value) {
    *value = 0;
    switch (form) {
    case 0x08: /* string */
        return text(&t->c);
    case 0x0e: /* strp */
        return text_at(&t->c, &t->sections->str, number(&t->c, 4));
    case 0x1f: /* line_strp */
        return text_at(&t->c, &t->sections->line_str, number(&t->c, 4));
    case 0x0f: /* udata */
        *value = unsigned_leb(&t->c);
        break;
    case 0x0b: /* data1, 2, 4, 8, 16 */
        *value = number(&t->c, 1);
        break;
    case 0x05:
        *value = number(&t->c, 2);
        break;
    case 0x06:
        *value = number(&t->c, 4);
        break;
    case 0x07:
        *value = number(&t->c, 8);
        break;
    case 0x1e:
        take(&t->c, 16);
        break;
    case 0x09: /* block */
        take(&t->c, unsigned_leb(&t->c));
        break;
    default:
        t->c.bad = true;
    }
    return "";
}
static void read_entries(struct line_table *t, bool files) {
    uint64_t kinds[256], forms[256], value;
    unsigned count = (unsigned)number(&t->c, 1);
    for (unsigned i = 0; i < count; i++) {
        kinds[i] = unsigned_leb(&t->c);
        forms[i] = unsigned_leb(&t->c);
    }
    uint64_t entries = unsigned_leb(&t->c);
    for (uint64_t e = 0; e < entries && count && !t->c.bad; e++) {
        struct table_file f = {.name = ""};
        const unsigned char *before = t->c.at;
        for (unsigned i = 0; i < count; i++) {
            const char *name = form_text(t, forms[i], &value);
            f.name = kinds[i] == LNCT_PATH ? name : f.name;
            f.directory = kinds[i] == LNCT_DIRECTORY ? value : f.directory;
        }
        t->c.bad |= t->c.at == before; /* entries of no bytes: there may be 2^64 */
        if (files)
            vec_push(&t->files, f);
        else
            vec_push(&t->directories, f.name);
    }
}

/* The number of a file's name in the program. */
static uint32_t source_of(struct line_table *t, uint64_t file) {
    if (file >= t->files.len)
        return DPU_NO_SOURCE;
    struct table_file *f = &t->files.data[file];
    if (f->source)
        return f->source - 1;
    struct str name = {0};
    if (f->directory && f->directory < t->directories.len && f->name[0] != '/')
        str_printf(&name, "%s/", t->directories.data[f->directory]);
    str_append(&name, f->name);
    uint32_t i = 0;
    while (i < t->p->sources.len && strcmp(t->p->sources.data[i], str_text(&name)) != 0)
        i++;
    if (i == t->p->sources.len)
        vec_push(&t->p->sources, xstrdup(str_text(&name)));
    str_free(&name);
    f->source = i + 1;
    return i;
}

/* ---- the line program ---- */

struct line_row {
    uint64_t address, file;
    int64_t line;
    bool there; /* the row before has begun */
};

/* Instructions from the row to the next one at `end` come from its line; what an earlier sequence
 * says stays. */
static void fill(struct line_table *t, const struct line_row *row, uint64_t end) {
    if (!row->there || row->address < DPU_AT_TEXT || end < row->address)
        return;
    uint64_t first = (row->address - DPU_AT_TEXT + 7) / 8, to = (end - DPU_AT_TEXT + 7) / 8;
    to = to < t->p->words.len ? to : t->p->words.len;
    if (first >= to || row->line < 1 || row->line > UINT32_MAX)
        return;
    if (*t->fills < to - first) {
        t->c.bad = true;
        return;
    }
    *t->fills -= to - first;
    /* A file has a number once an instruction is from there, so that no more than these have. */
    for (uint64_t i = first; i < to; i++) {
        struct dpu_place *place = &t->p->places.data[i];
        uint32_t source = place->line ? DPU_NO_SOURCE : source_of(t, row->file);
        if (source != DPU_NO_SOURCE)
            *place = (struct dpu_place){source, (uint32_t)row->line};
    }
}

static void add_lines(struct line_row *row, int64_t lines) {
    row->line = (int64_t)((uint64_t)row->line + (uint64_t)lines);
}
static void copy(struct line_table *t, const struct line_row *now, struct line_row *last) {
    fill(t, last, now->address);
    *last = *now;
    last->there = true;
}
static void extended(struct line_table *t, struct line_row *now, struct line_row *last) {
    uint64_t size = unsigned_leb(&t->c);
    const unsigned char *begin = take(&t->c, size);
    struct cursor c = {begin, t->c.at, false};
    if (t->c.bad || !size)
        return;
    switch (number(&c, 1)) {
    case LNE_END_SEQUENCE:
        fill(t, last, now->address);
        *now = (struct line_row){.file = 1, .line = 1};
        *last = (struct line_row){.there = false};
        break;
    case LNE_SET_ADDRESS:
        now->address = number(&c, size == 9 ? 8 : 4);
        t->c.bad |= c.bad;
        break;
    default:
        break;
    }
}
static void standard(struct line_table *t, unsigned op, struct line_row *now,
                     struct line_row *last) {
    const uint64_t longest = (255u - t->opcode_base) / t->line_range * t->least;
    switch (op) {
    case LNS_COPY:
        copy(t, now, last);
        return;
    case LNS_ADVANCE_PC:
        now->address += unsigned_leb(&t->c) * t->least;
        return;
    case LNS_ADVANCE_LINE:
        add_lines(now, signed_leb(&t->c));
        return;
    case LNS_SET_FILE:
        now->file = unsigned_leb(&t->c);
        return;
    case LNS_CONST_ADD_PC:
        now->address += longest;
        return;
    case LNS_FIXED_ADVANCE_PC:
        now->address += number(&t->c, 2);
        return;
    default: /* columns and the like: operands are passed over */
        for (unsigned i = 0; i < t->operands[op]; i++)
            unsigned_leb(&t->c);
    }
}
static void run(struct line_table *t) {
    struct line_row now = {.file = 1, .line = 1}, last = {.there = false};
    while (t->c.at < t->c.end && !t->c.bad) {
        unsigned op = *take(&t->c, 1);
        if (op >= t->opcode_base) {
            unsigned special = op - t->opcode_base;
            now.address += special / t->line_range * t->least;
            add_lines(&now, t->line_base + (int64_t)(special % t->line_range));
            copy(t, &now, &last);
        } else if (op) {
            standard(t, op, &now, &last);
        } else {
            extended(t, &now, &last);
        }
    }
}

/* ---- tables ---- */

/* What stands before the line program; the cursor is then at it. */
static void read_header(struct line_table *t) {
    t->version = (unsigned)number(&t->c, 2);
    if (t->version < 2 || t->version > 5) {
        t->c.bad = true;
        return;
    }
    if (t->version == 5)
        take(&t->c, 2); /* sizes of addresses and segment selectors */
    uint64_t size = number(&t->c, 4);
    struct cursor rest = t->c;
    take(&rest, size);
    t->least = number(&t->c, 1);
    if (t->version >= 4)
        t->c.bad |= number(&t->c, 1) > 1; /* operations of a very long instruction word */
    take(&t->c, 1);
    t->line_base = (int8_t)number(&t->c, 1);
    t->line_range = (unsigned)number(&t->c, 1);
    t->opcode_base = (unsigned)number(&t->c, 1);
    t->c.bad |= !t->line_range || !t->opcode_base;
    for (unsigned i = 1; i < t->opcode_base; i++)
        t->operands[i] = (unsigned char)number(&t->c, 1);
    if (t->version == 5) {
        read_entries(t, false);
        read_entries(t, true);
    } else {
        read_old_names(t);
    }
    t->c.bad |= rest.bad;
    t->c.at = rest.at;
}

void dpu_lines_read(const struct dpu_line_sections *sections, struct dpu_program *p) {
    struct cursor all = {sections->line.at, sections->line.at + sections->line.size, false};
    uint64_t fills = UINT64_C(64) * DPU_IRAM_WORDS;
    if (!sections->line.size)
        return;
    for (size_t i = 0; i < p->words.len; i++)
        vec_push(&p->places, ((struct dpu_place){0, 0}));
    while (all.at < all.end && !all.bad) {
        uint64_t size = number(&all, 4);
        struct line_table t = {.sections = sections, .p = p, .fills = &fills};
        t.c.at = take(&all, size); /* 64-bit DWARF has 2^32 - 1 there, which no file has */
        t.c.end = all.at;
        t.c.bad = all.bad;
        if (!t.c.bad)
            read_header(&t);
        if (!t.c.bad)
            run(&t);
        all.bad |= !fills;
        vec_free(&t.directories);
        vec_free(&t.files);
    }
}

/* ---- writing ---- */

static void put_unsigned(struct str *out, uint64_t value) {
    for (; value >= 128; value >>= 7)
        str_char(out, (char)(128 | (value & 127)));
    str_char(out, (char)value);
}
static void put_signed(struct str *out, int64_t value) {
    while (value < -64 || value > 63) {
        str_char(out, (char)(128 | (value & 127)));
        value = (value - (value & 127)) / 128;
    }
    str_char(out, (char)(value & 127));
}
static void put_header(const struct dpu_program *p, struct str *out) {
    static const char fixed[] = {8, 1, 1, (char)-5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    str_append_n(out, fixed, sizeof fixed);
    str_char(out, '\0');
    for (size_t i = 0; i < p->sources.len; i++) {
        str_append_n(out, p->sources.data[i], strlen(p->sources.data[i]) + 1);
        str_append_n(out, "\0\0\0", 3);
    }
    str_char(out, '\0');
}
/* One sequence over all instructions; a line of 0 is none. */
static void put_rows(const struct dpu_program *p, struct str *out) {
    static const char set_address[] = {0, 5, LNE_SET_ADDRESS}, end[] = {0, 1, LNE_END_SEQUENCE};
    struct dpu_place last = {0, 1};
    uint64_t at = 0;
    str_append_n(out, set_address, sizeof set_address);
    put_u32(out, DPU_AT_TEXT);
    for (uint64_t i = 0; i < p->places.len; i++) {
        const struct dpu_place now = p->places.data[i];
        if (i && now.source == last.source && now.line == last.line)
            continue;
        str_char(out, LNS_ADVANCE_PC);
        put_unsigned(out, i - at);
        str_char(out, LNS_SET_FILE);
        put_unsigned(out, (uint64_t)now.source + 1);
        str_char(out, LNS_ADVANCE_LINE);
        put_signed(out, (int64_t)now.line - (int64_t)last.line);
        str_char(out, LNS_COPY);
        last = now;
        at = i;
    }
    str_char(out, LNS_ADVANCE_PC);
    put_unsigned(out, p->places.len - at);
    str_append_n(out, end, sizeof end);
}
void dpu_lines_write(const struct dpu_program *p, struct str *out) {
    struct str header = {0}, rows = {0};
    put_header(p, &header);
    put_rows(p, &rows);
    put_u32(out, (uint32_t)(2 + 4 + header.len + rows.len));
    str_append_n(out, "\4\0", 2); /* DWARF 4 */
    put_u32(out, (uint32_t)header.len);
    str_append_n(out, header.text, header.len);
    str_append_n(out, rows.text, rows.len);
    str_free(&header);
    str_free(&rows);
}

bool dpu_program_line(const struct dpu_program *p, uint32_t pc, struct str *out) {
    if (!p || pc >= p->places.len || !p->places.data[pc].line)
        return false;
    str_visible(out, p->sources.data[p->places.data[pc].source]);
    str_printf(out, ":%u", (unsigned)p->places.data[pc].line);
    return true;
}
