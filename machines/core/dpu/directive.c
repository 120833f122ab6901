/* SPDX-License-Identifier: MIT
 * Directives of the assembler, named as GNU's. */
#include "machines/core/dpu/assembly.h"
#include "object/bytes.h"

#include <inttypes.h>
#include <string.h>

static bool begins(const char *name, size_t length, const char *with) {
    size_t n = strlen(with);
    return length >= n && memcmp(name, with, n) == 0 && (length == n || name[n] == '.');
}
static bool is(const char *name, size_t length, const char *text) {
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

/* ---- sections ---- */

static enum dpu_space space_of_name(const char *name, size_t length) {
    return begins(name, length, ".text")     ? DPU_IN_TEXT
           : begins(name, length, ".mram")   ? DPU_IN_MRAM
           : begins(name, length, ".atomic") ? DPU_IN_ATOMIC
           : begins(name, length, ".data") || begins(name, length, ".bss") ||
                   begins(name, length, ".rodata") || begins(name, length, ".dpu_host")
               ? DPU_IN_WRAM
               : DPU_IN_NOTHING;
}
uint32_t dpu_as_section_number(struct dpu_assembly *a, const char *name, size_t length) {
    enum dpu_space space = space_of_name(name, length);
    if (space == DPU_IN_TEXT) /* all code is one */
        length = strlen(".text");
    for (uint32_t i = 0; i < a->sections.len; i++)
        if (is(name, length, a->sections.data[i].name))
            return i;
    if (space == DPU_IN_NOTHING) {
        dpu_as_wrong(
            a, name, name + length,
            "sections are .text, .data, .rodata, .bss, .dpu_host, .mram, .atomic, and these "
            "with a point and more behind");
        return UINT32_MAX;
    }
    struct dpu_as_section s = {.space = space,
                               .align = space == DPU_IN_ATOMIC ? 1 : 8,
                               .zeros = begins(name, length, ".bss") ||
                                        begins(name, length, ".mram.noinit") ||
                                        space == DPU_IN_ATOMIC};
    s.name = xmalloc(length + 1);
    memcpy(s.name, name, length);
    s.name[length] = '\0';
    vec_push(&a->sections, s);
    return (uint32_t)a->sections.len - 1;
}
/* Compilers write tables for other tools, which no DPU has. */
static bool not_loaded(const char *name, size_t length) {
    return begins(name, length, ".stack_sizes") || begins(name, length, ".comment") ||
           begins(name, length, ".note") ||
           (length > 7 && memcmp(name, ".debug_", strlen(".debug_")) == 0);
}
static bool go_to(struct dpu_assembly *a, const char *name, size_t length) {
    uint32_t number = dpu_as_section_number(a, name, length);
    a->left_out = false;
    if (number != UINT32_MAX)
        a->section = number;
    return number != UINT32_MAX;
}
/* .section NAME[, "flags"[, @progbits or @nobits]] */
static bool section(struct dpu_assembly *a) {
    dpu_as_blanks(a);
    const bool quoted = a->at < a->end && *a->at == '"';
    const char *name = a->at += quoted;
    /* GNU's names of sections have hyphens */
    while (a->at < a->end && !strchr(quoted ? "\"" : " \t,", *a->at))
        a->at++;
    size_t length = (size_t)(a->at - name);
    if (!length || (quoted && a->at == a->end))
        return dpu_as_wrong(a, name, name, ".section takes a name");
    a->at += quoted;
    a->left_out = not_loaded(name, length);
    if (a->left_out) {
        a->at = a->end;
        return true;
    }
    if (!go_to(a, name, length))
        return false;
    static const char nobits[] = "@nobits";
    for (; a->at < a->end; a->at++)
        if ((size_t)(a->end - a->at) >= sizeof nobits - 1 &&
            memcmp(a->at, nobits, sizeof nobits - 1) == 0)
            dpu_as_here(a)->zeros = true;
    return true;
}
/* .at ADDRESS: where the section lies. */
static bool at(struct dpu_assembly *a) {
    int64_t address;
    dpu_as_blanks(a);
    const char *begin = a->at;
    if (!dpu_as_constant(a, &address))
        return false;
    struct dpu_as_section *s = dpu_as_here(a);
    if (s->space == DPU_IN_TEXT || address < 0 || address > UINT32_MAX)
        return dpu_as_wrong(a, begin, a->at, "a section cannot lie there");
    s->placed = true;
    s->base = (uint64_t)address - (s->space == DPU_IN_ATOMIC ? DPU_AT_ATOMIC : 0);
    return true;
}

/* ---- symbols ---- */

bool dpu_as_define(struct dpu_assembly *a, const char *name, size_t length, int32_t section,
                   int64_t value, bool again) {
    if (dpu_is_register_name(name, length))
        return dpu_as_wrong(a, name, name + length,
                            "'%.*s' is a register: instructions would not take it as a name",
                            (int)length, name);
    struct dpu_as_symbol *s = dpu_as_symbol(a, name, length);
    if (!a->second && s->defined && !(again && s->redefined))
        return dpu_as_wrong(a, name, name + length, "'%s' is defined already", s->name);
    s->defined = true;
    s->redefined = again;
    s->reading = (uint8_t)(1 + a->second);
    s->section = section;
    s->value = value;
    return true;
}
static bool take_name(struct dpu_assembly *a, const char **name, size_t *length) {
    dpu_as_blanks(a);
    *name = a->at;
    *length = dpu_as_name(a);
    a->at += *length;
    return *length || dpu_as_wrong(a, a->at, a->at, "a name is expected here");
}
static bool expect(struct dpu_assembly *a, char c) {
    dpu_as_blanks(a);
    if (a->at == a->end || *a->at != c)
        return dpu_as_wrong(a, a->at, a->at, "'%c' is expected here", c);
    a->at++;
    dpu_as_blanks(a);
    return true;
}
static bool more(struct dpu_assembly *a) {
    dpu_as_blanks(a);
    if (a->at == a->end || *a->at != ',')
        return false;
    a->at++;
    return true;
}
bool dpu_as_set(struct dpu_assembly *a, char between) {
    const char *name;
    size_t length;
    struct dpu_as_value v;
    if (!take_name(a, &name, &length) || !expect(a, between) || !dpu_as_expression(a, &v))
        return false;
    if (!v.known)
        return !a->second && (dpu_as_symbol(a, name, length), true);
    /* An address stays one of its section. */
    const struct dpu_as_symbol *s = dpu_as_symbol(a, name, length);
    if (a->second && s->section >= 0) {
        v.section = s->section;
        v.value -= (int64_t)a->sections.data[s->section].base;
    }
    return dpu_as_define(a, name, length, v.section, v.value, true);
}
static struct dpu_as_symbol *named(struct dpu_assembly *a) {
    const char *name;
    size_t length;
    if (!take_name(a, &name, &length))
        return NULL;
    return dpu_as_symbol(a, name, length);
}
static bool global(struct dpu_assembly *a) {
    do {
        struct dpu_as_symbol *s = named(a);
        if (!s)
            return false;
        s->global = true;
    } while (more(a));
    return true;
}
static bool type(struct dpu_assembly *a) {
    struct dpu_as_symbol *s = named(a);
    if (!s || !expect(a, ','))
        return false;
    const char *begin = a->at;
    if (a->at < a->end && (*a->at == '@' || *a->at == '%'))
        a->at++;
    size_t length = dpu_as_name(a);
    const char *name = a->at;
    a->at += length;
    s->function = is(name, length, "function");
    s->object = is(name, length, "object");
    return s->function || s->object || is(name, length, "notype") ||
           dpu_as_wrong(a, begin, a->at, "a symbol is @function, @object or @notype");
}
static bool size(struct dpu_assembly *a) {
    struct dpu_as_symbol *s = named(a);
    struct dpu_as_value v;
    if (!s || !expect(a, ','))
        return false;
    uint32_t number = (uint32_t)(s - a->symbols.data);
    if (!dpu_as_expression(a, &v))
        return false;
    s = &a->symbols.data[number]; /* the expression may have added some */
    bool code = s->section >= 0 && a->sections.data[s->section].space == DPU_IN_TEXT;
    s->size = (uint32_t)v.value * (code ? 8 : 1);
    return true;
}

/* ---- bytes ---- */

static bool check_data(struct dpu_assembly *a, const char *begin) {
    if (dpu_as_here(a)->space == DPU_IN_TEXT)
        return dpu_as_wrong(a, begin, a->end, "code is instructions alone; .data has data");
    return true;
}
/* Bytes that are no zeros need a section that has bytes. */
static bool put_bytes(struct dpu_assembly *a, const char *begin, const void *bytes, size_t count) {
    struct dpu_as_section *s = dpu_as_here(a);
    s->at += count;
    if (s->at > DPU_MRAM_BYTES)
        return dpu_as_wrong(a, begin, a->at, "the section is larger than any memory");
    if (!a->second)
        return true;
    if (!s->zeros) {
        str_append_n(&s->bytes, bytes, count);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (((const char *)bytes)[i])
            return dpu_as_wrong(a, begin, a->at, "section '%s' has zeros alone", s->name);
    return true;
}
static bool values(struct dpu_assembly *a, uint32_t bytes) {
    do {
        struct dpu_as_value v;
        dpu_as_blanks(a);
        const char *begin = a->at;
        if (!dpu_as_expression(a, &v))
            return false;
        int64_t most = bytes < 8 ? INT64_C(1) << 8 * bytes : 0;
        if (bytes < 8 && v.known && v.section < 0 && (v.value >= most || v.value < -most / 2))
            return dpu_as_wrong(a, begin, a->at, "%" PRId64 " has no room in %" PRIu32 " byte%s",
                                v.value, bytes, bytes > 1 ? "s" : "");
        struct str word = {0};
        put_u64(&word, (uint64_t)v.value);
        bool fine = put_bytes(a, begin, word.text, bytes);
        str_free(&word);
        if (!fine)
            return false;
    } while (more(a));
    return true;
}

bool dpu_as_escape(struct dpu_assembly *a, char *out) {
    static const char names[] = "nrtbf\\\"'", characters[] = "\n\r\t\b\f\\\"'";
    const char *found = a->at < a->end && *a->at ? strchr(names, *a->at) : NULL;
    if (found) {
        *out = characters[found - names];
        a->at++;
        return true;
    }
    unsigned value = 0, digits = 0;
    while (digits < 3 && a->at < a->end && *a->at >= '0' && *a->at <= '7') {
        value = value * 8 + (unsigned)(*a->at++ - '0');
        digits++;
    }
    *out = (char)(unsigned char)value;
    return (digits && value < 256) ||
           dpu_as_wrong(a, a->at - 1, a->at, "unknown escape in a string");
}
bool dpu_as_string(struct dpu_assembly *a, struct str *out) {
    dpu_as_blanks(a);
    const char *begin = a->at;
    bool fine = a->at < a->end && *a->at == '"';
    for (a->at += fine; fine && a->at < a->end && *a->at != '"';) {
        char c = *a->at++;
        fine = c != '\\' || dpu_as_escape(a, &c);
        str_char(out, c);
    }
    if (fine && a->at < a->end)
        a->at++;
    else if (fine || a->at == begin)
        return dpu_as_wrong(a, begin, a->at, "a string in quotes is expected here");
    return fine;
}
static bool string(struct dpu_assembly *a, bool zero) {
    do {
        struct str bytes = {0};
        dpu_as_blanks(a);
        const char *begin = a->at;
        bool fine = dpu_as_string(a, &bytes);
        if (zero)
            str_char(&bytes, '\0');
        fine = fine && put_bytes(a, begin, str_text(&bytes), bytes.len);
        str_free(&bytes);
        if (!fine)
            return false;
    } while (more(a));
    return true;
}
static bool put_many(struct dpu_assembly *a, const char *begin, int64_t count, int64_t value) {
    if (count < 0 || count > DPU_MRAM_BYTES)
        return dpu_as_wrong(a, begin, a->at, "%" PRId64 " bytes are no room in any memory", count);
    struct str bytes = {0};
    memset(str_extend(&bytes, (size_t)count), (int)(value & 0xff), (size_t)count);
    bool fine = put_bytes(a, begin, bytes.text, bytes.len);
    str_free(&bytes);
    return fine;
}
static bool space(struct dpu_assembly *a) {
    dpu_as_blanks(a);
    const char *begin = a->at;
    int64_t count, value = 0;
    return dpu_as_constant(a, &count) && (!more(a) || dpu_as_constant(a, &value)) &&
           put_many(a, begin, count, value);
}
/* .fill COUNT[, BYTES[, VALUE]] */
static bool fill(struct dpu_assembly *a) {
    dpu_as_blanks(a);
    const char *begin = a->at;
    int64_t count, bytes = 1, value = 0;
    if (!dpu_as_constant(a, &count) ||
        (more(a) && (!dpu_as_constant(a, &bytes) || (more(a) && !dpu_as_constant(a, &value)))))
        return false;
    if (bytes < 0 || bytes > 8 || count < 0 || count > DPU_MRAM_BYTES)
        return dpu_as_wrong(a, begin, a->at,
                            "values are of 0 to 8 bytes, as many as a memory has room for");
    struct str word = {0};
    bool fine = true;
    put_u64(&word, (uint64_t)value);
    for (int64_t i = 0; i < count && fine; i++)
        fine = put_bytes(a, begin, word.text, (size_t)bytes);
    str_free(&word);
    return fine;
}
static bool align_to(struct dpu_assembly *a, const char *begin, int64_t n, int64_t value) {
    struct dpu_as_section *s = dpu_as_here(a);
    if (n < 1 || n > 65536 || (n & (n - 1)))
        return dpu_as_wrong(a, begin, a->at, "alignment is to a power of two, 65536 at most");
    if (s->space == DPU_IN_TEXT) /* an instruction has 8 bytes, and nothing asks for more */
        return n <= 8 || dpu_as_wrong(a, begin, a->at, "code is aligned to 8 bytes");
    if ((uint64_t)n > s->align)
        s->align = (uint32_t)n;
    return put_many(a, begin, (int64_t)(-s->at & (uint64_t)(n - 1)), value);
}
/* .comm and .lcomm NAME, BYTES[, ALIGNMENT]: room with zeros in .bss. */
static bool common(struct dpu_assembly *a, bool global) {
    const char *name;
    size_t length;
    int64_t bytes, alignment = 8;
    const uint32_t outside = a->section;
    if (!take_name(a, &name, &length) || !expect(a, ',') || !dpu_as_constant(a, &bytes) ||
        (more(a) && !dpu_as_constant(a, &alignment)))
        return false;
    if (!go_to(a, ".bss", strlen(".bss")))
        return false;
    bool fine =
        align_to(a, name, alignment, 0) &&
        dpu_as_define(a, name, length, (int32_t)a->section, (int64_t)dpu_as_here(a)->at, false) &&
        put_many(a, name, bytes, 0);
    struct dpu_as_symbol *s = dpu_as_symbol(a, name, length);
    s->global |= global;
    s->object = true;
    s->size = (uint32_t)bytes;
    a->section = outside;
    return fine;
}
static bool align(struct dpu_assembly *a, bool power) {
    dpu_as_blanks(a);
    const char *begin = a->at;
    int64_t n, value = 0;
    if (!dpu_as_constant(a, &n) || (more(a) && !dpu_as_constant(a, &value)))
        return false;
    if (power)
        n = n < 0 || n > 16 ? 0 : INT64_C(1) << n;
    return align_to(a, begin, n, value);
}

/* ---- all ---- */

enum directive {
    TEXT,
    DATA,
    BSS,
    MRAM,
    SECTION,
    AT,
    SET,
    GLOBAL,
    LOCAL,
    TYPE,
    SIZE,
    BYTE,
    HALF,
    WORD,
    QUAD,
    ASCII,
    ASCIZ,
    SPACE,
    BALIGN,
    P2ALIGN,
    FILL,
    COMM,
    LCOMM,
    IGNORED,
    DIRECTIVES
};
static const struct {
    const char *name;
    enum directive is;
} directives[] = {
    {".text", TEXT},       {".data", DATA},       {".bss", BSS},
    {".mram", MRAM},       {".section", SECTION}, {".at", AT},
    {".set", SET},         {".equ", SET},         {".globl", GLOBAL},
    {".global", GLOBAL},   {".local", LOCAL},     {".type", TYPE},
    {".size", SIZE},       {".byte", BYTE},       {".half", HALF},
    {".short", HALF},      {".2byte", HALF},      {".word", WORD},
    {".long", WORD},       {".int", WORD},        {".4byte", WORD},
    {".quad", QUAD},       {".8byte", QUAD},      {".ascii", ASCII},
    {".asciz", ASCIZ},     {".string", ASCIZ},    {".space", SPACE},
    {".skip", SPACE},      {".zero", SPACE},      {".balign", BALIGN},
    {".p2align", P2ALIGN}, {".file", IGNORED},    {".ident", IGNORED},
    {".loc", IGNORED},     {".weak", GLOBAL},     {".hidden", IGNORED},
    {".extern", IGNORED},  {".addrsig", IGNORED}, {".addrsig_sym", IGNORED},
    {".fill", FILL},       {".comm", COMM},       {".lcomm", LCOMM},
};
#define COUNT (sizeof directives / sizeof *directives)

static bool carry_out(struct dpu_assembly *a, enum directive what, const char *name,
                      size_t length) {
    switch (what) {
    case TEXT:
    case DATA:
    case BSS:
    case MRAM:
        return go_to(a, name, length);
    case SECTION:
        return section(a);
    case AT:
        return at(a);
    case SET:
        return dpu_as_set(a, ',');
    case GLOBAL:
        return global(a);
    case TYPE:
        return type(a);
    case SIZE:
        return size(a);
    case BYTE:
    case HALF:
    case WORD:
    case QUAD:
        return check_data(a, name) && values(a, 1u << (what - BYTE));
    case ASCII:
    case ASCIZ:
        return check_data(a, name) && string(a, what == ASCIZ);
    case SPACE:
        return check_data(a, name) && space(a);
    case BALIGN:
    case P2ALIGN:
        return align(a, what == P2ALIGN);
    case FILL:
        return check_data(a, name) && fill(a);
    case COMM:
    case LCOMM:
        return common(a, what == COMM);
    default: /* .local x, and what only says where text comes from */
        a->at = a->end;
        return true;
    }
}
bool dpu_as_directive(struct dpu_assembly *a, const char *name, size_t length) {
    const char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = directives[i].name;
        if (is(name, length, names[i]))
            return carry_out(a, directives[i].is, name, length);
    }
    if (length > 5 && memcmp(name, ".cfi_", 5) == 0) {
        a->at = a->end;
        return true;
    }
    dpu_as_wrong(a, name, name + length, "unknown directive '%.*s'", (int)length, name);
    struct str text = {0};
    str_append_n(&text, name, length);
    diag_suggest(a->d, dpu_as_span(a, name, name + length), text.text, names, COUNT);
    str_free(&text);
    return false;
}
