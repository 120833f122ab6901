/* SPDX-License-Identifier: MIT
 * Where jumps go: to labels by name, in .rc also to lines by number; and which items belong to one
 * block. */
#include "ezpim/erc/unit.h"

#include <string.h>

/* Of a label's name: where it stands, how often, and where last up to the jump at hand. */
struct definition {
    uint32_t first, last, count;
};

struct resolver {
    struct erc_unit *u;
    struct map names; /* to indices of definitions */
    VEC(struct definition) definitions;
};

static void define(struct resolver *resolver, uint32_t item) {
    const char *name = resolver->u->items.data[item].name;
    uint64_t *known = map_get(&resolver->names, name);
    if (known) {
        resolver->definitions.data[*known].count++;
        return;
    }
    struct definition d = {item, NO_INDEX, 1};
    map_put(&resolver->names, name, resolver->definitions.len);
    vec_push(&resolver->definitions, d);
}

/* The first item of a line or of one behind it. */
static uint32_t item_of_line(const struct erc_unit *unit, uint64_t number) {
    uint32_t low = 0, high = (uint32_t)unit->items.len - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (unit->lines.data[unit->items.data[middle].line].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t name_token(const struct erc_unit *unit, const struct erc_item *jump) {
    return unit->lines.data[jump->line].first + 1;
}

static void unknown_label(struct resolver *resolver, const struct erc_item *jump) {
    const char *names[64];
    size_t count = 0;
    for (; count < resolver->names.len && count < 64; count++)
        names[count] = resolver->names.entries[count].key;
    uint32_t token = name_token(resolver->u, jump);
    if (erc_error(resolver->u, token, "there is no label '%s'", jump->name))
        diag_suggest(resolver->u->diag, erc_token_span(resolver->u, token), jump->name, names,
                     count);
}

static void ambiguous(struct resolver *resolver, const struct erc_item *jump,
                      const struct definition *definition) {
    if (!erc_error(resolver->u, name_token(resolver->u, jump), "the label '%s' stands in %u places",
                   jump->name, definition->count))
        return;
    diag_note(resolver->u->diag,
              erc_line_span(resolver->u, resolver->u->items.data[definition->first].line),
              "one of them is here; JUMP_COND alone takes the nearest one before it");
}

static void resolve_jump(struct resolver *resolver, struct erc_item *jump) {
    struct erc_unit *u = resolver->u;
    const uint64_t *known = map_get(&resolver->names, jump->name);
    uint64_t line;
    if (!known && u->options->assembly && number_parse_u64(jump->name, strlen(jump->name), &line) &&
        line <= vec_last(&u->lines).number) {
        jump->target = item_of_line(u, line);
        jump->name = NULL;
        return;
    }
    if (!known) {
        unknown_label(resolver, jump);
        return;
    }
    const struct definition *d = &resolver->definitions.data[*known];
    if (d->count > 1 && (jump->insn->does != DOES_JUMP_COND || d->last == NO_INDEX))
        ambiguous(resolver, jump, d);
    jump->target = d->count > 1 ? d->last : d->first;
}

static void close_part(struct erc_unit *unit, uint32_t part, uint32_t next) {
    struct erc_item *items = unit->items.data;
    items[part].target = next;
    if (items[part].kind != ITEM_WHILE)
        return;
    items[next].target = part;
    memcpy(items[next].operand, items[part].operand, sizeof items[next].operand);
}

static void join_blocks(struct erc_unit *unit) {
    VEC(uint32_t) open = {0};
    for (uint32_t i = 0; i < unit->items.len; i++) {
        uint8_t kind = unit->items.data[i].kind;
        bool begins = kind == ITEM_IF || kind == ITEM_WHILE;
        bool divides = kind == ITEM_ELIF || kind == ITEM_ELSE;
        if (divides || kind == ITEM_ENDIF || kind == ITEM_ENDWHILE)
            close_part(unit, open.data[--open.len], i);
        if (begins || divides)
            vec_push(&open, i);
    }
    vec_free(&open);
}

void erc_resolve(struct erc_unit *unit) {
    struct resolver r = {.u = unit};
    for (uint32_t i = 0; i < unit->items.len; i++)
        if (unit->items.data[i].kind == ITEM_LABEL)
            define(&r, i);
    for (uint32_t i = 0; i < unit->items.len && !diag_full(unit->diag); i++) {
        struct erc_item *item = &unit->items.data[i];
        if (item->kind == ITEM_LABEL)
            r.definitions.data[*map_get(&r.names, item->name)].last = i;
        else if (item->kind == ITEM_INSN &&
                 (item->insn->does == DOES_JUMP || item->insn->does == DOES_JUMP_COND))
            resolve_jump(&r, item);
    }
    map_free(&r.names);
    vec_free(&r.definitions);
    /* After an error a block may lack its begin or its end. */
    if (diag_errors(unit->diag) == unit->errors_before)
        join_blocks(unit);
}
