/* SPDX-License-Identifier: MIT
 * Cuts the definitions of a segment into blocks of at most three inputs and two outputs, each of
 * which the search turns into micro-ops as a whole. */
#include "recipe/map/mapping.h"

#include <string.h>

/* Blocks are tried up to this many definitions; more than two outputs on the way may become fewer
 * with the next definition. */
#define LOOK_AHEAD 12

/* Names that a block gives to one value, so that its entries suffice: two values with two fixed
 * writes, these and one for other blocks each. */
#define MAX_LOOSE 4

/* --- what is needed, and how early --- */

static void note_leaves(struct segment *s, const struct logic *l, bool needed, bool early) {
    if (l->op == LOGIC_LEAF) {
        s->values.data[l->ref.value].needed |= needed;
        s->values.data[l->ref.value].early |= early;
    }
    for (unsigned i = 0; i < l->count; i++)
        note_leaves(s, l->args[i], needed, early);
}

static void note_needs(struct mapping *m, struct segment *s) {
    for (size_t i = 0; i < s->writes.len; i++) {
        const struct map_write *w = &s->writes.data[i];
        struct map_value *v = &s->values.data[w->ref.value];
        v->needed = true;
        v->early |= m->names.data[w->name].kind == NAME_CARRY;
    }
    for (size_t i = s->defs.len; i-- > 0;)
        for (unsigned k = 0; k < s->defs.data[i].count; k++) {
            const struct map_value *v = &s->values.data[s->defs.data[i].values[k]];
            note_leaves(s, v->tree, v->needed, v->early);
        }
}

static bool is_needed(const struct segment *s, uint32_t def) {
    for (unsigned k = 0; k < s->defs.data[def].count; k++)
        if (s->values.data[s->defs.data[def].values[k]].needed)
            return true;
    return false;
}

/* --- writes --- */

static bool is_loose(const struct mapping *m, const struct map_write *w) {
    enum name_kind kind = m->names.data[w->name].kind;
    return kind == NAME_SCRATCH || kind == NAME_CARRY;
}

/* Outputs that a block may spend on one value: all of its two for a lone one. */
static unsigned outputs_for(const struct segment *s, uint32_t value) {
    return SEARCH_MAX_OUTPUTS / s->defs.data[s->values.data[value].def].count;
}

/* Writes that no block of definitions can do beside the others get a block of their own: of what
 * was there before the segment, of constants, inverses of what is also wanted as it is, and
 * results beyond the second.  Latches first: they may be written by a function alone. */
static void choose_moved(struct mapping *m, struct segment *s, uint32_t value) {
    unsigned free = outputs_for(s, value), plain = 0, loose = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < s->writes.len; i++) {
            struct map_write *w = &s->writes.data[i];
            bool latch = m->names.data[w->name].kind == NAME_LATCH;
            if (w->ref.value != value || is_loose(m, w) || latch != (round == 0))
                continue;
            w->moved = free == 0;
            plain += !w->moved && !latch && !w->ref.inverted;
            free -= free > 0;
        }
    for (int inverted = 0; inverted < 2; inverted++)
        for (size_t i = 0; i < s->writes.len; i++) {
            struct map_write *w = &s->writes.data[i];
            if (w->ref.value != value || !is_loose(m, w) || w->ref.inverted != (inverted == 1))
                continue;
            w->moved = inverted ? plain + loose > 0 || free == 0
                                : (plain == 0 && free == 0) || loose == MAX_LOOSE;
            loose += !w->moved;
        }
}

static void choose_all_moved(struct mapping *m, struct segment *s) {
    for (size_t i = 0; i < s->writes.len; i++) {
        struct map_write *w = &s->writes.data[i];
        if (s->values.data[w->ref.value].tree)
            choose_moved(m, s, w->ref.value);
        else
            w->moved = true;
    }
}

/* --- blocks --- */

static bool reads_value(const struct logic *l, uint32_t value) {
    if (l->op == LOGIC_LEAF)
        return l->ref.value == value;
    for (unsigned i = 0; i < l->count; i++)
        if (reads_value(l->args[i], value))
            return true;
    return false;
}

static bool def_reads(const struct segment *s, uint32_t def, uint32_t value) {
    for (unsigned k = 0; k < s->defs.data[def].count; k++)
        if (reads_value(s->values.data[s->defs.data[def].values[k]].tree, value))
            return true;
    return false;
}

/* Does something beside the definitions [first, end) and the writes that they do read the value? */
static bool read_outside(const struct segment *s, uint32_t first, uint32_t end, uint32_t value) {
    for (uint32_t d = 0; d < s->defs.len; d++)
        if ((d < first || d >= end) && is_needed(s, d) && def_reads(s, d, value))
            return true;
    for (size_t i = 0; i < s->writes.len; i++)
        if (s->writes.data[i].moved && s->writes.data[i].ref.value == value)
            return true;
    return false;
}

static bool is_inside(const struct segment *s, uint32_t first, uint32_t end, uint32_t value) {
    const struct map_value *v = &s->values.data[value];
    return v->tree && v->def >= first && v->def < end;
}

static bool list_inputs(const struct segment *s, const struct logic *l, struct map_block *b) {
    if (l->op == LOGIC_LEAF && !is_inside(s, b->first_def, b->end_def, l->ref.value)) {
        for (unsigned i = 0; i < b->input_count; i++)
            if (b->inputs[i] == l->ref.value)
                return true;
        if (b->input_count == SEARCH_MAX_INPUTS)
            return false;
        b->inputs[b->input_count++] = l->ref.value;
    }
    for (unsigned i = 0; i < l->count; i++)
        if (!list_inputs(s, l->args[i], b))
            return false;
    return true;
}

/* Outputs that the block's value takes. */
static unsigned count_outputs(struct mapping *m, const struct segment *s, const struct map_block *b,
                              uint32_t value) {
    unsigned fixed = 0, plain = 0, loose = read_outside(s, b->first_def, b->end_def, value);
    for (size_t i = 0; i < s->writes.len; i++) {
        const struct map_write *w = &s->writes.data[i];
        if (w->ref.value != value || w->moved)
            continue;
        bool is_register = m->names.data[w->name].kind == NAME_REGISTER;
        fixed += !is_loose(m, w);
        plain += is_register && !w->ref.inverted;
        loose += is_loose(m, w);
    }
    return fixed + (loose > 0 && plain == 0);
}

/* Fills in the inputs; false if there are too many of them, or of outputs. */
static bool fits(struct mapping *m, const struct segment *s, struct map_block *b) {
    unsigned outputs = 0;
    bool inputs = true;
    b->input_count = 0;
    for (uint32_t d = b->first_def; d < b->end_def; d++) {
        if (!is_needed(s, d))
            continue;
        for (unsigned k = 0; k < s->defs.data[d].count; k++) {
            uint32_t value = s->defs.data[d].values[k];
            if (!s->values.data[value].needed)
                continue;
            inputs = inputs && list_inputs(s, s->values.data[value].tree, b);
            outputs += count_outputs(m, s, b, value);
        }
    }
    return inputs && outputs <= SEARCH_MAX_OUTPUTS;
}

static void add_entry(struct map_block *b, uint32_t write, uint32_t value, bool inverted) {
    if (b->entry_count < MAX_ENTRIES)
        b->entries[b->entry_count++] = (struct block_entry){write, value, inverted};
}

static void add_entries(struct segment *s, struct map_block *b, uint32_t value) {
    for (uint32_t i = 0; i < s->writes.len; i++) {
        const struct map_write *w = &s->writes.data[i];
        if (w->ref.value == value && !w->moved)
            add_entry(b, i, value, w->ref.inverted);
    }
    if (read_outside(s, b->first_def, b->end_def, value))
        add_entry(b, NOTHING, value, false);
}

/* The longest run of definitions from `first` on that is one block; at least one is. */
static void grow_block(struct mapping *m, const struct segment *s, struct map_block *b) {
    uint32_t best = b->first_def + 1;
    for (uint32_t end = best; end <= s->defs.len && end <= b->first_def + LOOK_AHEAD; end++) {
        b->end_def = end;
        if (fits(m, s, b))
            best = end;
    }
    b->end_def = best;
    fits(m, s, b);
}

static void add_def_block(struct mapping *m, struct segment *s, uint32_t *def) {
    struct map_block b = {.first_def = *def, .at = s->defs.data[*def].at};
    grow_block(m, s, &b);
    for (uint32_t d = b.first_def; d < b.end_def; d++)
        for (unsigned k = 0; k < s->defs.data[d].count; k++) {
            uint32_t value = s->defs.data[d].values[k];
            s->values.data[value].block = (uint32_t)s->blocks.len;
            if (s->values.data[value].needed)
                add_entries(s, &b, value);
        }
    *def = b.end_def;
    vec_push(&s->blocks, b);
}

static void add_move_block(struct segment *s, uint32_t write) {
    const struct map_write *w = &s->writes.data[write];
    struct map_block b = {.first_def = 0, .at = w->at};
    if (w->ref.value != 0)
        b.inputs[b.input_count++] = w->ref.value;
    add_entry(&b, write, w->ref.value, w->ref.inverted);
    vec_push(&s->blocks, b);
}

/* --- phases --- */

static uint32_t new_phase(struct mapping *m) {
    vec_push(&m->phases, false);
    return (uint32_t)m->phases.len - 1;
}

/* Names that live between segments, once for each. */
static uint32_t phase_of_name(struct mapping *m, uint32_t name) {
    struct map_name *n = &m->names.data[name];
    bool free = n->kind == NAME_CARRY || (n->kind == NAME_SCRATCH && n->exposed);
    if (free && n->phase == NOTHING)
        n->phase = new_phase(m);
    return n->phase;
}

/* Where a value lies between blocks: in a register or latch as it is; as a name holds it; or in
 * scratch of its own. */
static uint32_t phase_of_value(struct mapping *m, const struct segment *s, uint32_t value) {
    const struct map_write *home = NULL;
    if (s->values.data[value].input)
        return phase_of_name(m, s->values.data[value].name);
    for (size_t i = 0; i < s->writes.len; i++) {
        const struct map_write *w = &s->writes.data[i];
        if (w->ref.value != value || w->ref.inverted || w->moved)
            continue;
        if (m->names.data[w->name].kind == NAME_REGISTER)
            return NOTHING;
        if (is_loose(m, w) && !home)
            home = w;
    }
    return home ? phase_of_name(m, home->name) : new_phase(m);
}

static void add_var(struct map_block *b, uint32_t var) {
    for (unsigned i = 0; i < b->var_count; i++)
        if (b->vars[i] == var)
            return;
    if (var != NOTHING)
        b->vars[b->var_count++] = var;
}

static void find_vars(struct mapping *m, struct segment *s, struct map_block *b) {
    for (unsigned i = 0; i < b->input_count; i++)
        add_var(b, s->values.data[b->inputs[i]].phase);
    for (unsigned i = 0; i < b->entry_count; i++) {
        const struct block_entry *e = &b->entries[i];
        add_var(b, e->write == NOTHING ? s->values.data[e->value].phase
                                       : phase_of_name(m, s->writes.data[e->write].name));
    }
}

/* --- the segment --- */

bool mapping_cut_blocks(struct mapping *m, struct segment *s) {
    note_needs(m, s);
    choose_all_moved(m, s);
    for (uint32_t d = 0; d < s->defs.len;)
        if (is_needed(s, d))
            add_def_block(m, s, &d);
        else
            d++;
    for (uint32_t i = 0; i < s->writes.len; i++)
        if (s->writes.data[i].moved)
            add_move_block(s, i);
    for (uint32_t i = 1; i < s->values.len; i++)
        if (s->values.data[i].input || s->values.data[i].tree)
            s->values.data[i].phase = phase_of_value(m, s, i);
    for (size_t i = 0; i < s->blocks.len; i++)
        find_vars(m, s, &s->blocks.data[i]);
    return true;
}
