/* SPDX-License-Identifier: MIT
 * .signature NAME in r0: u32, ... out r2: u32, ... clobber r3, ... */
#include "asm/assembler.h"

#include <string.h>

static bool take_word(struct assembler *a, const char *word) {
    if (!asm_at_name(a, word))
        return false;
    asm_scan(a);
    return true;
}

/* REG: TYPE, ... into the list. */
static bool parse_passed(struct assembler *a, struct passed_register *list, uint32_t *count) {
    do {
        struct asm_token at = a->token;
        struct passed_register p;
        if (!asm_parse_register(a, &p.reg) || !asm_expect_char(a, ':') ||
            !asm_parse_type(a, &p.type))
            return false;
        if (*count == SIGNATURE_MAX_REGISTERS) {
            asm_error_token(a, &at, "at most %d registers are passed in one direction",
                            SIGNATURE_MAX_REGISTERS);
            return false;
        }
        list[(*count)++] = p;
    } while (asm_take_operator(a, ','));
    return true;
}

static bool parse_clobbers(struct assembler *a, uint64_t *writes) {
    do {
        uint8_t reg;
        if (!asm_parse_register(a, &reg))
            return false;
        *writes |= (uint64_t)1 << reg;
    } while (asm_take_operator(a, ','));
    return true;
}

static bool parse_lists(struct assembler *a, struct sub_signature *s) {
    if (take_word(a, "in") && !parse_passed(a, s->in, &s->in_count))
        return false;
    if (take_word(a, "out") && !parse_passed(a, s->out, &s->out_count))
        return false;
    for (uint32_t i = 0; i < s->out_count; i++)
        s->writes |= (uint64_t)1 << s->out[i].reg;
    return !take_word(a, "clobber") || parse_clobbers(a, &s->writes);
}

/* The signature of this name that stands before, or NULL. */
static const struct sub_signature *find(const struct assembler *a, const char *name) {
    for (size_t i = 0; i < a->o->signatures.len; i++)
        if (strcmp(a->o->signatures.data[i].name, name) == 0)
            return &a->o->signatures.data[i];
    return NULL;
}

void asm_declare_signature(struct assembler *a) {
    struct sub_signature s = {0};
    struct asm_token name;
    if (!asm_take_name(a, "the name of a subroutine", &name))
        return;
    s.name = asm_label_name(a, asm_token_text(a, &name), token_length(&name));
    s.place = asm_place(a, name.begin);
    if (!parse_lists(a, &s))
        return;
    const char *problem =
        find(a, s.name) ? "has a signature already" : object_signature_problem(&s);
    if (problem)
        asm_error_token(a, &name, "'%s' %s", s.name, problem);
    else
        builder_signature(a->b, &s);
}
