/* SPDX-License-Identifier: MIT
 * Templates of the table (dialect.h) to instructions. */
#include "ezpim/erc/translate.h"

#include <string.h>

struct template {
    struct translator *t;
    const struct erc_insn *insn;
    const int32_t *operand;
    unsigned width, narrow, half; /* w, n, h */
    const char *at;
};

static unsigned least(unsigned left, unsigned right) {
    return left < right ? left : right;
}

/* The next word, up to a blank, a semicolon or the end. */
static size_t word(struct template *template, const char **text) {
    template->at += strspn(template->at, " ");
    *text = template->at;
    template->at += strcspn(template->at, " ;");
    return (size_t)(template->at - *text);
}

static unsigned width_of(const struct template *template, const char *text, size_t size) {
    const char *dot = memchr(text, '.', size);
    if (!dot)
        return 0;
    return dot[1] == 'w'   ? template->width
           : dot[1] == 'n' ? template->narrow
                           : (unsigned)(dot[1] - '0');
}

static unsigned reg(struct template *template) {
    const char *text;
    word(template, &text);
    if (*text == 'x' || *text == 'y')
        return erc_scratch(template->t, *text == 'x' ? SCRATCH_X : SCRATCH_Y);
    return (unsigned)template
        ->operand[strchr(template->insn->operands, *text) - template->insn->operands];
}

static int32_t number(struct template *template) {
    const char *text;
    word(template, &text);
    switch (*text) {
    case 'h':
        return (int32_t) template->half;
    case 'n':
        return (int32_t) template->narrow;
    case 't':
        return (int32_t) template->width - 1;
    default:
        return *text - '0';
    }
}

static void put_one(struct template *template) {
    const char *text;
    size_t size = word(template, &text);
    bool optional = *text == '+';
    text += optional;
    size -= optional;
    const char *dot = memchr(text, '.', size);
    struct insn i = {.op = isa_find(text, dot ? (size_t)(dot - text) : size)};
    const struct isa_info *info = isa_info(i.op);
    i.width = (uint8_t)width_of(template, text, size);
    for (unsigned k = 0; k < info->operand_count; k++) {
        if (info->operands[k] == ROLE_RS)
            i.rs = (uint8_t)reg(template);
        else if (info->operands[k] == ROLE_RT)
            i.rt = (uint8_t)reg(template);
        else if (info->operands[k] == ROLE_RD)
            i.rd = (uint8_t)reg(template);
        else
            i.imm = number(template);
    }
    if (!optional || template->narrow < template->width)
        erc_put_insn(template->t, &i);
}

void erc_put_template(struct translator *translator, const struct erc_insn *insn,
                      const int32_t *operand) {
    struct template p = {
        translator,           insn,         operand, translator->u->width, translator->u->width,
        translator->u->width, insn->becomes};
    if (insn->fixed) {
        p.narrow = least(insn->fixed, p.width);
        p.half = least(insn->fixed / 2u, p.narrow);
    }
    while (*p.at) {
        put_one(&p);
        p.at += strspn(p.at, "; ");
    }
}
