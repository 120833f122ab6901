/* SPDX-License-Identifier: MIT */
#include "isa-spec/user.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char upper(char c) {
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool is_mnemonic(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!(name[i] >= 'A' && name[i] <= 'Z') && name[i] != '_' && !(i && is_digit(name[i])))
            return false;
    return length > 0 && length <= 64;
}

/* User names are in upper case. */
static bool same_name(const char *known, const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (known[i] != upper(name[i])) /* also where known ends */
            return false;
    return known[length] == '\0';
}

static const struct isa_user *named(const struct isa_users *u, const char *name, size_t length) {
    for (unsigned i = 0; i < ISA_USERS; i++)
        if (u->by_opcode[i].name && same_name(u->by_opcode[i].name, name, length))
            return &u->by_opcode[i];
    return NULL;
}

static bool refuse(struct diag *d, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct diag *d, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (d)
        diag_verror(d, at, format, args);
    va_end(args);
    return false;
}

static bool refuse_taken(struct diag *d, struct span at, const struct isa_user *by,
                         const char *format, const char *what) {
    if (!d)
        return false;
    diag_error(d, at, "%s%s'%s'", what, format, by->name);
    diag_note(d, by->at, "'%s' is declared here", by->name);
    return false;
}

void isa_warn_taken(struct diag *d, struct span at, const char *what, const char *name,
                    size_t length) {
    enum mpu_op op = isa_find(name, length);
    if (op == OP_COUNT || isa_is_qualified(name, length))
        return;
    diag_warning(d, W_MNEMONIC, at, "the ISA has an instruction called '%.*s' too", (int)length,
                 name);
    diag_note(d, at, "the name means this %s; the ISA's is '" ISA_QUALIFIER "%s'", what,
              isa_info(op)->name);
}

bool isa_users_add(struct isa_users *u, struct arena *arena, const char *name, size_t length,
                   uint64_t opcode, struct span name_at, struct span opcode_at, struct diag *d) {
    const struct isa_user *same = named(u, name, length);
    char code[32];
    snprintf(code, sizeof code, "opcode 0x%02llX", (unsigned long long)opcode);
    if (!is_mnemonic(name, length))
        return refuse(d, name_at,
                      "an instruction is called by upper-case letters, digits and '_', at most 64");
    if (isa_is_qualified(name, length))
        return refuse(d, name_at, "names that begin with " ISA_QUALIFIER " are the ISA's");
    if (opcode < ISA_USER_FIRST || opcode > 0xFF)
        return refuse(d, opcode_at, "%s is not a user's: those are 0xC0 to 0xFF", code);
    struct isa_user *place = &u->by_opcode[opcode - ISA_USER_FIRST];
    if (same)
        return refuse_taken(d, name_at, same, "there are two instructions called ", "");
    if (place->name)
        return refuse_taken(d, opcode_at, place, " is taken by ", code);
    *place = (struct isa_user){arena_strndup(arena, name, length), name_at};
    return true;
}

/* --- the scanner: words, numbers, single characters --- */

enum user_word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_OTHER };
struct scan {
    const char *text;
    size_t size, at;
    uint32_t source;
    enum user_word_kind kind; /* of the word at hand */
    size_t begin, length;
};

static void skip_blank(struct scan *s) {
    while (s->at < s->size) {
        if (s->text[s->at] == '#')
            while (s->at < s->size && s->text[s->at] != '\n')
                s->at++;
        else if (strchr(" \t\r\n", s->text[s->at]) && s->text[s->at])
            s->at++;
        else
            return;
    }
}

static void next(struct scan *s) {
    skip_blank(s);
    s->begin = s->at;
    s->kind = WORD_END;
    if (s->at == s->size) {
        s->length = 0;
        return;
    }
    char c = s->text[s->at++];
    s->kind = is_letter(c) ? WORD_NAME : is_digit(c) ? WORD_NUMBER : WORD_OTHER;
    while (s->kind != WORD_OTHER && s->at < s->size &&
           (is_letter(s->text[s->at]) || is_digit(s->text[s->at])))
        s->at++;
    s->length = s->at - s->begin;
}

static bool at_word(const struct scan *s, const char *word) {
    return s->kind != WORD_END && strlen(word) == s->length &&
           memcmp(s->text + s->begin, word, s->length) == 0;
}

static struct span span_of(const struct scan *s) {
    return (struct span){s->source, (uint32_t)s->begin, (uint32_t)(s->begin + s->length)};
}

/* The value of a number in decimal or with 0x; false if it is none or larger than 2^32. */
static bool number_of(const struct scan *s, uint64_t *value) {
    const char *t = s->text + s->begin;
    bool hex = s->length > 2 && t[0] == '0' && (t[1] | 0x20) == 'x';
    *value = 0;
    for (size_t i = hex ? 2 : 0; i < s->length; i++) {
        char c = (char)(t[i] | 0x20);
        unsigned digit = is_digit(t[i])                ? (unsigned)(t[i] - '0')
                         : hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                       : 16;
        if (digit == 16 || *value >> 32)
            return false;
        *value = *value * (hex ? 16 : 10) + digit;
    }
    return s->kind == WORD_NUMBER;
}

/* The word `instruction` is at hand.  What stands between name and opcode is not looked at. */
static bool read_declaration(struct isa_users *u, struct arena *arena, struct scan *s,
                             struct diag *d) {
    struct span at = span_of(s);
    next(s);
    const char *name = s->text + s->begin;
    size_t length = s->length;
    struct span name_at = span_of(s);
    bool fine = s->kind == WORD_NAME;
    uint64_t opcode;
    while (fine && s->kind != WORD_END && !at_word(s, "opcode") && !at_word(s, "{"))
        next(s);
    fine = fine && at_word(s, "opcode");
    if (fine)
        next(s);
    if (!fine || !number_of(s, &opcode))
        return refuse(d, at, "expected: instruction NAME(sources) -> results opcode 0xC0 { ... }");
    return isa_users_add(u, arena, name, length, opcode, name_at, span_of(s), d);
}

bool isa_users_read(struct isa_users *u, struct arena *arena, uint32_t source, const char *text,
                    size_t size, struct diag *d) {
    struct scan s = {.text = text, .size = size, .source = source};
    unsigned depth = 0;
    bool fine = true;
    for (next(&s); s.kind != WORD_END; next(&s)) {
        if (depth == 0 && at_word(&s, "instruction"))
            fine &= read_declaration(u, arena, &s, d);
        depth += at_word(&s, "{");
        depth -= depth && at_word(&s, "}");
    }
    return fine;
}

void isa_users_warn(const struct isa_users *u, uint32_t source, struct diag *d) {
    for (const struct isa_user *x = u->by_opcode; x < u->by_opcode + ISA_USERS; x++)
        if (x->name && x->at.source == source)
            isa_warn_taken(d, x->at, "instruction", x->name, strlen(x->name));
}

enum mpu_op isa_users_find(const struct isa_users *u, const char *name, size_t length) {
    const struct isa_user *x = named(u, name, length);
    return x ? (enum mpu_op)(OP_USER_C0 + (x - u->by_opcode)) : isa_find(name, length);
}

const char *isa_users_name(const struct isa_users *u, enum mpu_op op) {
    const char *name = isa_info(op)->flags & ISA_USER ? u->by_opcode[op - OP_USER_C0].name : NULL;
    return name ? name : isa_info(op)->name;
}

void isa_users_format(const struct isa_users *u, const struct insn *insn, const char *symbol,
                      struct str *out) {
    const char *name = isa_users_name(u, insn->op);
    bool taken = !(isa_info(insn->op)->flags & ISA_USER) && named(u, name, strlen(name));
    struct str qualified = {0};
    if (taken)
        str_printf(&qualified, ISA_QUALIFIER "%s", name);
    isa_format_named(insn, taken ? str_text(&qualified) : name, symbol, out);
    str_free(&qualified);
}

size_t isa_users_names(const struct isa_users *u, const char *names[ISA_USERS]) {
    size_t n = 0;
    for (unsigned i = 0; i < ISA_USERS; i++)
        if (u->by_opcode[i].name)
            names[n++] = u->by_opcode[i].name;
    return n;
}
