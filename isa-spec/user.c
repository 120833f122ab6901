/* SPDX-License-Identifier: MIT
 * Scans recipe files for the instructions that they declare: a name has one opcode, and an opcode
 * one name, or an error says why not. */
#include "isa-spec/user.h"

#include <string.h>

static bool is_letter(char character) {
    return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') ||
           character == '_';
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static char upper(char character) {
    return (char)(character >= 'a' && character <= 'z' ? character - 'a' + 'A' : character);
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

static const struct isa_user *named(const struct isa_users *users, const char *name,
                                    size_t length) {
    for (unsigned i = 0; i < ISA_USERS; i++)
        if (users->by_opcode[i].name && same_name(users->by_opcode[i].name, name, length))
            return &users->by_opcode[i];
    return NULL;
}

static bool refuse(struct diag *diag, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct diag *diag, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (diag)
        diag_verror(diag, at, format, args);
    va_end(args);
    return false;
}

static bool refuse_taken(struct diag *diag, struct span at, const struct isa_user *by,
                         const char *format, const char *what) {
    if (!diag)
        return false;
    diag_error(diag, at, "%s%s'%s'", what, format, by->name);
    diag_note(diag, by->at, "'%s' is declared here", by->name);
    return false;
}

void isa_warn_taken(struct diag *diag, struct span at, const char *what, const char *name,
                    size_t length) {
    enum isa_op op = isa_find(name, length);
    if (op == OP_COUNT || isa_is_qualified(name, length))
        return;
    diag_warning(diag, W_MNEMONIC, at, "the ISA has an instruction called '%.*s' too", (int)length,
                 name);
    diag_note(diag, at, "the name means this %s; the ISA's is '" ISA_QUALIFIER "%s'", what,
              isa_info(op)->name);
}

bool isa_users_add(struct isa_users *users, struct arena *arena, const char *name, size_t length,
                   uint64_t opcode, struct span name_at, struct span opcode_at, struct diag *diag) {
    const struct isa_user *same = named(users, name, length);
    char code[32];
    snprintf(code, sizeof code, "opcode 0x%02llX", (unsigned long long)opcode);
    if (!is_mnemonic(name, length))
        return refuse(diag, name_at,
                      "an instruction is called by upper-case letters, digits and '_', at most 64");
    if (isa_is_qualified(name, length))
        return refuse(diag, name_at, "names that begin with " ISA_QUALIFIER " are the ISA's");
    if (opcode < ISA_USER_FIRST || opcode > 0xFF)
        return refuse(diag, opcode_at, "%s is not a user's: those are 0xC0 to 0xFF", code);
    struct isa_user *place = &users->by_opcode[opcode - ISA_USER_FIRST];
    if (same)
        return refuse_taken(diag, name_at, same, "there are two instructions called ", "");
    if (place->name)
        return refuse_taken(diag, opcode_at, place, " is taken by ", code);
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

static void skip_blank(struct scan *scan) {
    while (scan->at < scan->size) {
        if (scan->text[scan->at] == '#')
            while (scan->at < scan->size && scan->text[scan->at] != '\n')
                scan->at++;
        else if (strchr(" \t\r\n", scan->text[scan->at]) && scan->text[scan->at])
            scan->at++;
        else
            return;
    }
}

static void next(struct scan *scan) {
    skip_blank(scan);
    scan->begin = scan->at;
    scan->kind = WORD_END;
    if (scan->at == scan->size) {
        scan->length = 0;
        return;
    }
    char c = scan->text[scan->at++];
    scan->kind = is_letter(c) ? WORD_NAME : is_digit(c) ? WORD_NUMBER : WORD_OTHER;
    while (scan->kind != WORD_OTHER && scan->at < scan->size &&
           (is_letter(scan->text[scan->at]) || is_digit(scan->text[scan->at])))
        scan->at++;
    scan->length = scan->at - scan->begin;
}

static bool at_word(const struct scan *scan, const char *word) {
    return scan->kind != WORD_END && strlen(word) == scan->length &&
           memcmp(scan->text + scan->begin, word, scan->length) == 0;
}

static struct span span_of(const struct scan *scan) {
    return (struct span){scan->source, (uint32_t)scan->begin,
                         (uint32_t)(scan->begin + scan->length)};
}

/* The value of a number in decimal or with 0x; false if it is none or larger than 2^32. */
static bool number_of(const struct scan *scan, uint64_t *value) {
    const char *t = scan->text + scan->begin;
    bool hex = scan->length > 2 && t[0] == '0' && (t[1] | 0x20) == 'x';
    *value = 0;
    for (size_t i = hex ? 2 : 0; i < scan->length; i++) {
        char c = (char)(t[i] | 0x20);
        unsigned digit = is_digit(t[i])                ? (unsigned)(t[i] - '0')
                         : hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                       : 16;
        if (digit == 16 || *value >> 32)
            return false;
        *value = *value * (hex ? 16 : 10) + digit;
    }
    return scan->kind == WORD_NUMBER;
}

/* The word `instruction` is at hand.  What stands between name and opcode is not looked at. */
static bool read_declaration(struct isa_users *users, struct arena *arena, struct scan *scan,
                             struct diag *diag) {
    struct span at = span_of(scan);
    next(scan);
    const char *name = scan->text + scan->begin;
    size_t length = scan->length;
    struct span name_at = span_of(scan);
    bool fine = scan->kind == WORD_NAME;
    uint64_t opcode;
    while (fine && scan->kind != WORD_END && !at_word(scan, "opcode") && !at_word(scan, "{"))
        next(scan);
    fine = fine && at_word(scan, "opcode");
    if (fine)
        next(scan);
    if (!fine || !number_of(scan, &opcode))
        return refuse(diag, at,
                      "expected: instruction NAME(sources) -> results opcode 0xC0 { ... }");
    return isa_users_add(users, arena, name, length, opcode, name_at, span_of(scan), diag);
}

bool isa_users_read(struct isa_users *users, struct arena *arena, uint32_t source, const char *text,
                    size_t size, struct diag *diag) {
    struct scan s = {.text = text, .size = size, .source = source};
    unsigned depth = 0;
    bool fine = true;
    for (next(&s); s.kind != WORD_END; next(&s)) {
        if (depth == 0 && at_word(&s, "instruction"))
            fine &= read_declaration(users, arena, &s, diag);
        depth += at_word(&s, "{");
        depth -= depth && at_word(&s, "}");
    }
    return fine;
}

void isa_users_warn(const struct isa_users *users, uint32_t source, struct diag *diag) {
    for (const struct isa_user *x = users->by_opcode; x < users->by_opcode + ISA_USERS; x++)
        if (x->name && x->at.source == source)
            isa_warn_taken(diag, x->at, "instruction", x->name, strlen(x->name));
}

enum isa_op isa_users_find(const struct isa_users *users, const char *name, size_t length) {
    const struct isa_user *x = named(users, name, length);
    return x ? (enum isa_op)(OP_USER_C0 + (x - users->by_opcode)) : isa_find(name, length);
}

const char *isa_users_name(const struct isa_users *users, enum isa_op op) {
    const char *name =
        isa_info(op)->flags & ISA_USER ? users->by_opcode[op - OP_USER_C0].name : NULL;
    return name ? name : isa_info(op)->name;
}

void isa_users_format(const struct isa_users *users, const struct insn *insn, const char *symbol,
                      struct str *out) {
    const char *name = isa_users_name(users, insn->op);
    bool taken = !(isa_info(insn->op)->flags & ISA_USER) && named(users, name, strlen(name));
    struct str qualified = {0};
    if (taken)
        str_printf(&qualified, ISA_QUALIFIER "%s", name);
    isa_format_named(insn, taken ? str_text(&qualified) : name, symbol, out);
    str_free(&qualified);
}

size_t isa_users_names(const struct isa_users *users, const char *names[ISA_USERS]) {
    size_t n = 0;
    for (unsigned i = 0; i < ISA_USERS; i++)
        if (users->by_opcode[i].name)
            names[n++] = users->by_opcode[i].name;
    return n;
}
