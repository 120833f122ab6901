/* SPDX-License-Identifier: MIT
 * .signature NAME in r0: u32, ... out r2: u32, ... clobber r3, ... */
#include "asm/assembler.h"

#include <string.h>

static bool take_word(struct assembler *assembler, const char *word) {
    if (!asm_at_name(assembler, word))
        return false;
    asm_scan(assembler);
    return true;
}

/* REG: TYPE, ... into the list. */
static bool parse_passed(struct assembler *assembler, struct passed_register *list,
                         uint32_t *count) {
    do {
        struct asm_token at = assembler->token;
        struct passed_register p;
        if (!asm_parse_register(assembler, &p.reg) || !asm_expect_char(assembler, ':') ||
            !asm_parse_type(assembler, &p.type))
            return false;
        if (*count == SIGNATURE_MAX_REGISTERS) {
            asm_error_token(assembler, &at, "at most %d registers are passed in one direction",
                            SIGNATURE_MAX_REGISTERS);
            return false;
        }
        list[(*count)++] = p;
    } while (asm_take_operator(assembler, ','));
    return true;
}

static bool parse_clobbers(struct assembler *assembler, uint64_t *writes) {
    do {
        uint8_t reg;
        if (!asm_parse_register(assembler, &reg))
            return false;
        *writes |= (uint64_t)1 << reg;
    } while (asm_take_operator(assembler, ','));
    return true;
}

static bool parse_lists(struct assembler *assembler, struct sub_signature *signature) {
    if (take_word(assembler, "in") && !parse_passed(assembler, signature->in, &signature->in_count))
        return false;
    if (take_word(assembler, "out") &&
        !parse_passed(assembler, signature->out, &signature->out_count))
        return false;
    for (uint32_t i = 0; i < signature->out_count; i++)
        signature->writes |= (uint64_t)1 << signature->out[i].reg;
    return !take_word(assembler, "clobber") || parse_clobbers(assembler, &signature->writes);
}

/* The signature of this name that stands before, or NULL. */
static const struct sub_signature *find(const struct assembler *assembler, const char *name) {
    for (size_t i = 0; i < assembler->o->signatures.len; i++)
        if (strcmp(assembler->o->signatures.data[i].name, name) == 0)
            return &assembler->o->signatures.data[i];
    return NULL;
}

void asm_declare_signature(struct assembler *assembler) {
    struct sub_signature s = {0};
    struct asm_token name;
    if (!asm_take_name(assembler, "the name of a subroutine", &name))
        return;
    s.name = asm_label_name(assembler, asm_token_text(assembler, &name), token_length(&name));
    s.place = asm_place(assembler, name.begin);
    if (!parse_lists(assembler, &s))
        return;
    const char *problem =
        find(assembler, s.name) ? "has a signature already" : object_signature_problem(&s);
    if (problem)
        asm_error_token(assembler, &name, "'%s' %s", s.name, problem);
    else
        builder_signature(assembler->b, &s);
}
