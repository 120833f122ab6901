/* SPDX-License-Identifier: MIT
 * The scanner. */
#include "asm/assembler.h"

#include "support/ieee_text.h"

#include <string.h>

/* One bit per character: letters, digits, _ . $. */
static const uint64_t name_bits[4] = {
    UINT64_C(1) << '$' | UINT64_C(1) << '.' | UINT64_C(0x3ff) << '0',
    UINT64_C(0x3ffffff) << ('A' - 64) | UINT64_C(1) << ('_' - 64) |
        UINT64_C(0x3ffffff) << ('a' - 64),
    0, 0};

bool asm_name_character(char character) {
    unsigned char u = (unsigned char)character;
    return name_bits[u >> 6] >> (u & 63) & 1;
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static char look(const struct asm_input *in, size_t ahead) {
    return in->pos + ahead < in->size ? in->text[in->pos + ahead] : '\0';
}

static void newline(struct asm_input *in) {
    in->pos++;
    in->line++;
    in->line_start = in->pos;
}

static void skip_line_comment(struct asm_input *in) {
    const char *end = memchr(in->text + in->pos, '\n', in->size - in->pos);
    in->pos = end ? (size_t)(end - in->text) : in->size;
}

/* At the beginning of a block comment; false if it is not closed. */
static bool skip_block_comment(struct asm_input *in) {
    for (in->pos += 2; in->pos < in->size;) {
        if (in->text[in->pos] == '\n') {
            newline(in);
        } else if (in->text[in->pos] == '*' && look(in, 1) == '/') {
            in->pos += 2;
            return true;
        } else {
            in->pos++;
        }
    }
    return false;
}

/* Skips a comment if there is one at pos. */
static bool skip_comment(struct assembler *assembler) {
    struct asm_input *in = assembler->in;
    size_t begin = in->pos;
    char c = look(in, 0);
    if (c == ';' || (c == '/' && look(in, 1) == '/')) {
        skip_line_comment(in);
        return true;
    }
    if (c != '/' || look(in, 1) != '*')
        return false;
    if (!skip_block_comment(in))
        asm_error(assembler, begin, begin + 2, "this comment is not closed");
    return true;
}

static void skip_blanks(struct assembler *assembler) {
    struct asm_input *in = assembler->in;
    for (;;) {
        while (in->pos < in->size &&
               (in->text[in->pos] == ' ' || in->text[in->pos] == '\t' || in->text[in->pos] == '\r'))
            in->pos++;
        if (!skip_comment(assembler))
            return;
    }
}

char asm_scan_peek(const struct assembler *assembler) {
    const struct asm_input *in = assembler->in;
    size_t at = in->pos;
    while (at < in->size && (in->text[at] == ' ' || in->text[at] == '\t'))
        at++;
    return at < in->size ? in->text[at] : '\0';
}

/* Bytes of UTF-8 beyond ASCII, which belong to no name. */
static bool beyond_ascii(char character) {
    return (unsigned char)character >= 0x80;
}

/* A word with letters beyond ASCII is one wrong name, not pieces that mean something else. */
static void bad_name(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    while (in->pos < in->size &&
           (asm_name_character(in->text[in->pos]) || beyond_ascii(in->text[in->pos])))
        in->pos++;
    asm_error(assembler, token->begin, in->pos,
              "this is not a name: names are made of the ASCII letters, digits, _ . and $");
    token->kind = TOKEN_BAD;
}

static void scan_name(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    size_t at = in->pos;
    while (at < in->size && asm_name_character(in->text[at]))
        at++;
    in->pos = at;
    token->kind = TOKEN_NAME;
    if (at < in->size && beyond_ascii(in->text[at]))
        bad_name(assembler, token);
}

static size_t word_end(const struct asm_input *in, size_t at) {
    while (at < in->size && asm_name_character(in->text[at]))
        at++;
    return at;
}

static int hex_digit(char character) {
    if (is_digit(character))
        return character - '0';
    character = (char)(character | 0x20);
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* The letter of the exponent that ends a word of digits, if one does: 'e', in hexadecimal 'p'. */
static bool ends_in_exponent(const struct asm_input *in, size_t at, size_t end) {
    bool hexadecimal = end - at > 2 && in->text[at] == '0' && (in->text[at + 1] | 0x20) == 'x';
    size_t digits = hexadecimal ? at + 2 : at;
    while (digits < end &&
           ((hexadecimal ? hex_digit(in->text[digits]) >= 0 : is_digit(in->text[digits])) ||
            in->text[digits] == '.' || in->text[digits] == '_'))
        digits++;
    return digits > at && digits + 1 == end &&
           (in->text[digits] | 0x20) == (hexadecimal ? 'p' : 'e');
}

size_t asm_scan_real(const struct asm_input *in, size_t at) {
    size_t end = word_end(in, at);
    bool exponent = ends_in_exponent(in, at, end);
    if (exponent && end + 1 < in->size && strchr("+-", in->text[end]) &&
        is_digit(in->text[end + 1]))
        end = word_end(in, end + 1);
    return end - at;
}

/* Also digits alone, of which a whole number has too many. */
static bool is_real(const struct asm_input *in, size_t at) {
    uint64_t value;
    return ieee_parse(ieee_binary(64), in->text + at, asm_scan_real(in, at), &value) !=
           IEEE_NO_NUMBER;
}

/* Decimal, 0x, 0b, 0o, with _ between digits, or with a point or an exponent; letters belong to the
 * number, so that 12ab is one wrong number and not two tokens. */
static void scan_number(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    in->pos = word_end(in, in->pos);
    token->kind = TOKEN_NUMBER;
    if (number_parse_u64(in->text + token->begin, in->pos - token->begin, &token->number))
        return;
    if (is_real(in, token->begin)) {
        token->kind = TOKEN_REAL;
        in->pos = token->begin + asm_scan_real(in, token->begin);
        return;
    }
    asm_error(assembler, token->begin, in->pos, "this is not a number of up to 64 bits");
    token->kind = TOKEN_BAD;
}

/* A string ends on its line.  Escapes are resolved by asm_token_string. */
static void scan_string(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    in->pos++;
    while (in->pos < in->size && in->text[in->pos] != '"' && in->text[in->pos] != '\n')
        in->pos += in->text[in->pos] == '\\' && look(in, 1) != '\n' && look(in, 1) ? 2 : 1;
    token->kind = TOKEN_STRING;
    if (look(in, 0) == '"' && in->pos < in->size) {
        in->pos++;
        return;
    }
    in->pos = in->pos < in->size ? in->pos : in->size;
    asm_error(assembler, token->begin, in->pos, "this string is not closed on its line");
    token->kind = TOKEN_BAD;
}

/* 'a' is the number of its byte. */
static void scan_character(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    char c = look(in, 1);
    token->kind = TOKEN_NUMBER;
    if (c >= ' ' && c != '\\' && look(in, 2) == '\'') {
        token->number = (unsigned char)c;
        in->pos += 3;
        return;
    }
    in->pos++;
    asm_error(assembler, token->begin, in->pos,
              "a character is written as 'x'; others as their number");
    token->kind = TOKEN_BAD;
}

static bool two_characters(char character, char next) {
    switch (character) {
    case '<':
    case '>':
        return next == character || next == '=';
    case '=':
    case '!':
        return next == '=';
    case '&':
    case '|':
    case '.':
        return next == character;
    default:
        return false;
    }
}

static void bad_character(struct assembler *assembler, struct asm_token *token, char character) {
    if (character == '\\')
        asm_error(assembler, token->begin, assembler->in->pos,
                  "'\\' stands before a parameter of the macro around it; this is none");
    else if (character >= ' ' && character < 0x7f)
        asm_error(assembler, token->begin, assembler->in->pos,
                  "the character '%c' has no meaning here", character);
    else
        asm_error(assembler, token->begin, assembler->in->pos,
                  "the byte 0x%02x has no meaning here", (unsigned)character);
    token->kind = TOKEN_BAD;
}

static void scan_operator(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    char c = in->text[in->pos], next = look(in, 1);
    token->kind = TOKEN_OPERATOR;
    token->code = (unsigned char)c;
    in->pos++;
    if ((c == '<' || c == '>') && next == c && look(in, 1) == c) {
        token->code = c == '<' ? OP_LAUNCH : OP_LAUNCH_END;
        in->pos += 2;
    } else if (two_characters(c, next)) {
        token->code = OP2(c, next);
        in->pos++;
    } else if (beyond_ascii(c)) {
        bad_name(assembler, token);
    } else if (!strchr("+-*/%()[]{}<>&|^~!?:,=@", c) || c == '\0') {
        bad_character(assembler, token, c);
    }
}

/* In PRINT r3:u32 and 0..3 the dots are not part of the number. */
static bool range_follows(const struct asm_input *in) {
    return look(in, 0) == '.' && look(in, 1) == '.';
}

static void scan_digits_before_range(struct assembler *assembler, struct asm_token *token) {
    struct asm_input *in = assembler->in;
    size_t at = in->pos;
    while (at < in->size && is_digit(in->text[at]))
        at++;
    if (at + 1 < in->size && in->text[at] == '.' && in->text[at + 1] == '.') {
        token->kind = TOKEN_NUMBER;
        in->pos = at;
        if (number_parse_u64(in->text + token->begin, at - token->begin, &token->number))
            return;
        asm_error(assembler, token->begin, at, "this is not a number of up to 64 bits");
        token->kind = TOKEN_BAD;
        return;
    }
    scan_number(assembler, token);
}

void asm_scan(struct assembler *assembler) {
    struct asm_input *in = assembler->in;
    struct asm_token *t = &assembler->token;
    assembler->previous_end = t->end;
    skip_blanks(assembler);
    t->begin = in->pos;
    if (in->pos >= in->size || in->text[in->pos] == '\n') {
        t->kind = TOKEN_END;
        t->end = t->begin;
        return;
    }
    char c = in->text[in->pos];
    if (is_digit(c))
        scan_digits_before_range(assembler, t);
    else if (asm_name_character(c) && !range_follows(in))
        scan_name(assembler, t);
    else if (c == '"')
        scan_string(assembler, t);
    else if (c == '\'')
        scan_character(assembler, t);
    else
        scan_operator(assembler, t);
    t->end = in->pos;
}

/* Strings are passed over, for they may hold what looks like a comment. */
static void skip_string(struct asm_input *in) {
    for (in->pos++; in->pos < in->size && in->text[in->pos] != '\n'; in->pos++) {
        if (in->text[in->pos] == '"') {
            in->pos++;
            return;
        }
        if (in->text[in->pos] == '\\' && look(in, 1) != '\n' && look(in, 1))
            in->pos++;
    }
}

void asm_scan_skip(struct assembler *assembler) {
    struct asm_input *in = assembler->in;
    while (in->pos < in->size && in->text[in->pos] != '\n') {
        if (skip_comment(assembler))
            continue;
        if (in->text[in->pos] == '"')
            skip_string(in);
        else
            in->pos++;
    }
    if (in->pos < in->size)
        newline(in);
}

bool asm_at_operator(const struct assembler *assembler, uint16_t code) {
    return assembler->token.kind == TOKEN_OPERATOR && assembler->token.code == code;
}

bool asm_take_operator(struct assembler *assembler, uint16_t code) {
    if (!asm_at_operator(assembler, code))
        return false;
    asm_scan(assembler);
    return true;
}

const char *asm_token_text(const struct assembler *assembler, const struct asm_token *token) {
    return assembler->in->text + token->begin;
}

bool asm_at_name(const struct assembler *assembler, const char *text) {
    size_t n = strlen(text);
    return assembler->token.kind == TOKEN_NAME && token_length(&assembler->token) == n &&
           memcmp(asm_token_text(assembler, &assembler->token), text, n) == 0;
}

/* The byte behind a backslash at *s; *s moves on.  -1 if there is no such escape. */
static int escape(const char **s, const char *end) {
    switch (*(*s)++) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '\\':
        return '\\';
    case '"':
        return '"';
    case 'x': {
        int high = end - *s >= 2 ? hex_digit((*s)[0]) : -1;
        int low = high >= 0 ? hex_digit((*s)[1]) : -1;
        *s += low >= 0 ? 2 : 0;
        return low >= 0 && high * 16 + low ? high * 16 + low : -1;
    }
    default:
        return -1;
    }
}

const char *asm_token_string(struct assembler *assembler) {
    const struct asm_token *t = &assembler->token;
    const char *s = asm_token_text(assembler, t) + 1, *end = assembler->in->text + t->end - 1;
    char *out = arena_alloc(&assembler->arena, (size_t)(end - s) + 1), *p = out;
    while (s < end) {
        const char *at = s;
        int c = (unsigned char)*s++;
        if (c == '\\')
            c = s < end ? escape(&s, end) : -1;
        if (c <= 0) {
            size_t begin = (size_t)(at - assembler->in->text);
            asm_error(assembler, begin, begin + 2,
                      "strings know \\n \\t \\\\ \\\" and \\x01 to \\xff");
            return out;
        }
        *p++ = (char)c;
    }
    return out;
}
