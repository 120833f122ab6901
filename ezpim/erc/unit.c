/* SPDX-License-Identifier: MIT
 * What all stages use: tokens and their places, messages. */
#include "ezpim/erc/unit.h"

#include <stdio.h>
#include <string.h>

const char *erc_token_text(const struct erc_unit *unit, uint32_t token, size_t *size) {
    const struct erc_token *t = &unit->tokens.data[token];
    *size = t->end - t->begin;
    return unit->text + t->begin;
}

bool erc_token_is(const struct erc_unit *unit, uint32_t token, const char *text) {
    size_t size;
    const char *found = erc_token_text(unit, token, &size);
    return strlen(text) == size && memcmp(found, text, size) == 0;
}

char *erc_token_name(struct erc_unit *unit, uint32_t token) {
    size_t size;
    const char *text = erc_token_text(unit, token, &size);
    return arena_strndup(&unit->arena, text, size);
}

struct span erc_token_span(const struct erc_unit *unit, uint32_t token) {
    const struct erc_token *t = &unit->tokens.data[token];
    return (struct span){unit->source, t->begin, t->end};
}

struct span erc_line_span(const struct erc_unit *unit, uint32_t line) {
    const struct erc_line *l = &unit->lines.data[line];
    return (struct span){unit->source, unit->tokens.data[l->first].begin,
                         unit->tokens.data[l->first + l->count - 1].end};
}

bool erc_first_time(struct erc_unit *unit, uint32_t token, uint8_t severity) {
    bool first = !(unit->told[token] & 1 << severity);
    unit->told[token] |= (uint8_t)(1 << severity);
    return first;
}

bool erc_error(struct erc_unit *unit, uint32_t token, const char *format, ...) {
    if (!erc_first_time(unit, token, SEVERITY_ERROR))
        return false;
    va_list args;
    va_start(args, format);
    diag_verror(unit->diag, erc_token_span(unit, token), format, args);
    va_end(args);
    return true;
}

bool erc_warn(struct erc_unit *unit, uint32_t line, const char *format, ...) {
    char text[400];
    if (!erc_first_time(unit, unit->lines.data[line].first, SEVERITY_WARNING))
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_warning(unit->diag, W_DIALECT, erc_line_span(unit, line), "%s", text);
    return true;
}

uint64_t erc_item_registers(const struct erc_item *item) {
    uint64_t registers = 0;
    const char *letters = item->kind == ITEM_INSN ? item->insn->operands : "";
    for (unsigned k = 0; letters[k]; k++)
        if (letters[k] >= 'a' && letters[k] <= 'c')
            registers |= UINT64_C(1) << item->operand[k];
    if (item->kind == ITEM_IF || item->kind == ITEM_ELIF || item->kind == ITEM_WHILE ||
        item->kind == ITEM_ENDWHILE)
        registers |= UINT64_C(1) << item->operand[CONDITION_A] | UINT64_C(1)
                                                                     << item->operand[CONDITION_B];
    return registers;
}
