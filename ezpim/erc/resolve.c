/* SPDX-License-Identifier: MIT
 * Where jumps go: to labels by name, in .rc also to lines by number. */
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

static void define(struct resolver *r, uint32_t item) {
    const char *name = r->u->items.data[item].name;
    uint64_t *known = map_get(&r->names, name);
    if (known) {
        r->definitions.data[*known].count++;
        return;
    }
    struct definition d = {item, NO_INDEX, 1};
    map_put(&r->names, name, r->definitions.len);
    vec_push(&r->definitions, d);
}

/* The first item of a line or of one behind it. */
static uint32_t item_of_line(const struct erc_unit *u, uint64_t number) {
    uint32_t low = 0, high = (uint32_t)u->items.len - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (u->lines.data[u->items.data[middle].line].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t name_token(const struct erc_unit *u, const struct erc_item *jump) {
    return u->lines.data[jump->line].first + 1;
}

static void unknown_label(struct resolver *r, const struct erc_item *jump) {
    const char *names[64];
    size_t count = 0;
    for (; count < r->names.len && count < 64; count++)
        names[count] = r->names.entries[count].key;
    uint32_t token = name_token(r->u, jump);
    if (erc_error(r->u, token, "there is no label '%s'", jump->name))
        diag_suggest(r->u->diag, erc_token_span(r->u, token), jump->name, names, count);
}

static void ambiguous(struct resolver *r, const struct erc_item *jump, const struct definition *d) {
    if (!erc_error(r->u, name_token(r->u, jump), "the label '%s' stands in %u places", jump->name,
                   d->count))
        return;
    diag_note(r->u->diag, erc_line_span(r->u, r->u->items.data[d->first].line),
              "one of them is here; JUMP_COND alone takes the nearest one before it");
}

static void resolve_jump(struct resolver *r, struct erc_item *jump) {
    struct erc_unit *u = r->u;
    const uint64_t *known = map_get(&r->names, jump->name);
    uint64_t line;
    if (!known && u->options->assembly && number_parse_u64(jump->name, strlen(jump->name), &line) &&
        line <= vec_last(&u->lines).number) {
        jump->target = item_of_line(u, line);
        jump->name = NULL;
        return;
    }
    if (!known) {
        unknown_label(r, jump);
        return;
    }
    const struct definition *d = &r->definitions.data[*known];
    if (d->count > 1 && (jump->insn->does != DOES_JUMP_COND || d->last == NO_INDEX))
        ambiguous(r, jump, d);
    jump->target = d->count > 1 ? d->last : d->first;
}

void erc_resolve(struct erc_unit *u) {
    struct resolver r = {.u = u};
    for (uint32_t i = 0; i < u->items.len; i++)
        if (u->items.data[i].kind == ITEM_LABEL)
            define(&r, i);
    for (uint32_t i = 0; i < u->items.len && !diag_full(u->diag); i++) {
        struct erc_item *item = &u->items.data[i];
        if (item->kind == ITEM_LABEL)
            r.definitions.data[*map_get(&r.names, item->name)].last = i;
        else if (item->kind == ITEM_INSN &&
                 (item->insn->does == DOES_JUMP || item->insn->does == DOES_JUMP_COND))
            resolve_jump(&r, item);
    }
    map_free(&r.names);
    vec_free(&r.definitions);
}
