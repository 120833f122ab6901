/* SPDX-License-Identifier: MIT
 * Texts with names: $F is the format's name, $C that of its cores, $G the
 * function's, $H that of the one that it uses, $(P + 3) the number that the
 * sum has.  An expression has names, numbers, + - * and << (loosest, to the left), and parentheses.
 * $IF(n) leaves the rest of its line out where n is 0. */
#include "tools/float-gen/gen.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gen_define(struct gen_names *names, const char *name, int64_t value) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i].name, name) == 0) {
            names->list[i].value = value;
            return;
        }
    assert(names->count < GEN_MAX_NAMES);
    names->list[names->count].name = name;
    names->list[names->count++].value = value;
}

struct expression_reader {
    const char *at;
    const struct gen_names *names;
    const char *problem;
};

static void skip(struct expression_reader *reader) {
    while (*reader->at == ' ')
        reader->at++;
}

static int64_t read_sum(struct expression_reader *reader);

static int64_t read_shift(struct expression_reader *reader) {
    int64_t value = read_sum(reader);
    for (skip(reader); strncmp(reader->at, "<<", 2) == 0; skip(reader)) {
        reader->at += 2;
        value = (int64_t)((uint64_t)value << (read_sum(reader) & 63));
    }
    return value;
}

static int64_t read_atom(struct expression_reader *reader) {
    skip(reader);
    if (*reader->at == '-') {
        reader->at++;
        return -read_atom(reader);
    }
    if (*reader->at == '(') {
        reader->at++;
        int64_t value = read_shift(reader);
        skip(reader);
        if (*reader->at++ != ')')
            reader->problem = "a parenthesis is missing";
        return value;
    }
    if (isdigit((unsigned char)*reader->at)) {
        char *end;
        int64_t value = strtoll(reader->at, &end, 10);
        reader->at = end;
        return value;
    }
    size_t length = strspn(reader->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    for (size_t i = 0; length && i < reader->names->count; i++)
        if (strlen(reader->names->list[i].name) == length &&
            memcmp(reader->names->list[i].name, reader->at, length) == 0) {
            reader->at += length;
            return reader->names->list[i].value;
        }
    reader->problem = "no number and no name";
    return 0;
}

static int64_t read_product(struct expression_reader *reader) {
    int64_t value = read_atom(reader);
    for (skip(reader); *reader->at == '*' && !reader->problem; skip(reader)) {
        reader->at++;
        value *= read_atom(reader);
    }
    return value;
}

static int64_t read_sum(struct expression_reader *reader) {
    int64_t value = read_product(reader);
    for (skip(reader); (*reader->at == '+' || *reader->at == '-') && !reader->problem;
         skip(reader)) {
        bool minus = *reader->at++ == '-';
        int64_t other = read_product(reader);
        value += minus ? -other : other;
    }
    return value;
}

bool gen_expand(const char *text, const struct gen_names *names, struct str *out,
                const char **problem) {
    struct expression_reader reader = {.names = names};
    while (*text && !reader.problem) {
        if (*text != '$') {
            str_char(out, *text++);
            continue;
        }
        const char *name = text[1] == 'F'   ? names->format
                           : text[1] == 'C' ? names->core
                           : text[1] == 'G' ? names->function
                           : text[1] == 'H' ? names->share
                                            : NULL;
        if (name && !isupper((unsigned char)text[2])) {
            str_append(out, name);
            text += 2;
            continue;
        }
        if (strncmp(text + 1, "IF(", 3) == 0) { /* the line stands where the number is not 0 */
            reader.at = text + 3;
            text = read_atom(&reader) ? reader.at : reader.at + strcspn(reader.at, "\n") + 1;
            continue;
        }
        reader.at = text + 1;
        str_printf(out, "%" PRId64, read_atom(&reader));
        text = reader.at;
    }
    *problem = reader.problem;
    return !reader.problem;
}
