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

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* The next word, up to a blank, a semicolon or the end. */
static size_t word(struct template *p, const char **text) {
    p->at += strspn(p->at, " ");
    *text = p->at;
    p->at += strcspn(p->at, " ;");
    return (size_t)(p->at - *text);
}

static unsigned width_of(const struct template *p, const char *text, size_t size) {
    const char *dot = memchr(text, '.', size);
    if (!dot)
        return 0;
    return dot[1] == 'w' ? p->width : dot[1] == 'n' ? p->narrow : (unsigned)(dot[1] - '0');
}

static unsigned reg(struct template *p) {
    const char *text;
    word(p, &text);
    if (*text == 'x' || *text == 'y')
        return erc_scratch(p->t, *text == 'x' ? SCRATCH_X : SCRATCH_Y);
    return (unsigned)p->operand[strchr(p->insn->operands, *text) - p->insn->operands];
}

static int32_t number(struct template *p) {
    const char *text;
    word(p, &text);
    switch (*text) {
    case 'h':
        return (int32_t)p->half;
    case 'n':
        return (int32_t)p->narrow;
    case 't':
        return (int32_t)p->width - 1;
    default:
        return *text - '0';
    }
}

static void put_one(struct template *p) {
    const char *text;
    size_t size = word(p, &text);
    bool optional = *text == '+';
    text += optional;
    size -= optional;
    const char *dot = memchr(text, '.', size);
    struct insn i = {.op = isa_find(text, dot ? (size_t)(dot - text) : size)};
    const struct isa_info *info = isa_info(i.op);
    i.width = (uint8_t)width_of(p, text, size);
    for (unsigned k = 0; k < info->operand_count; k++) {
        if (info->operands[k] == ROLE_RS)
            i.rs = (uint8_t)reg(p);
        else if (info->operands[k] == ROLE_RT)
            i.rt = (uint8_t)reg(p);
        else if (info->operands[k] == ROLE_RD)
            i.rd = (uint8_t)reg(p);
        else
            i.imm = number(p);
    }
    if (!optional || p->narrow < p->width)
        erc_put_insn(p->t, &i);
}

void erc_put_template(struct translator *t, const struct erc_insn *insn, const int32_t *operand) {
    struct template p = {t, insn, operand, t->u->width, t->u->width, t->u->width, insn->becomes};
    if (insn->fixed) {
        p.narrow = least(insn->fixed, p.width);
        p.half = least(insn->fixed / 2u, p.narrow);
    }
    while (*p.at) {
        put_one(&p);
        p.at += strspn(p.at, "; ");
    }
}
