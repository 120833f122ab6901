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
    struct erc_access *access; /* not NULL: nothing is put, this is filled in */
};

/* Stand for x and y where nothing is put. */
enum { ACCESS_X = 62, ACCESS_Y = 63 };

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
    if (template->access && (*text == 'x' || *text == 'y'))
        return *text == 'x' ? ACCESS_X : ACCESS_Y;
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

static void note_access(struct erc_access *access, const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    const struct {
        uint32_t reads, writes;
        uint8_t reg;
    } operands[] = {{READS_RS, WRITES_RS, insn->rs},
                    {READS_RT, WRITES_RT, insn->rt},
                    {READS_RD, WRITES_RD, insn->rd}};
    for (size_t i = 0; i < 3; i++)
        if (flags & operands[i].reads && operands[i].reg < ERC_OPERANDS)
            access->reads |= (uint8_t)((1u << operands[i].reg) & ~access->writes);
    for (size_t i = 0; i < 3; i++)
        if (flags & operands[i].writes && operands[i].reg < ERC_OPERANDS)
            access->writes |= (uint8_t)(1u << operands[i].reg);
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
    if (optional && template->narrow >= template->width)
        return;
    if (template->access)
        note_access(template->access, &i);
    else
        erc_put_insn(template->t, &i);
}

static void put_all(struct template *template) {
    const struct erc_insn *insn = template->insn;
    if (insn->fixed) {
        template->narrow = least(insn->fixed, template->width);
        template->half = least(insn->fixed / 2u, template->narrow);
    }
    for (template->at = insn->becomes; *template->at; template->at += strspn(template->at, "; "))
        put_one(template);
}

static struct template template_of(unsigned width, const struct erc_insn *insn,
                                   const int32_t *operand) {
    return (struct template){
        .insn = insn, .operand = operand, .width = width, .narrow = width, .half = width};
}

void erc_put_template(struct translator *translator, const struct erc_insn *insn,
                      const int32_t *operand) {
    struct template p = template_of(translator->u->width, insn, operand);
    p.t = translator;
    put_all(&p);
}

struct erc_access erc_template_access(const struct erc_insn *insn, unsigned width) {
    static const int32_t places[ERC_OPERANDS] = {0, 1, 2, 3, 4};
    struct erc_access access = {0};
    struct template p = template_of(width, insn, places);
    p.access = &access;
    put_all(&p);
    return access;
}
