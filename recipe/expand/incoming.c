/* SPDX-License-Identifier: MIT
 * What comes into the buffers of a mapped recipe's sections.
 *
 * A walk through a body gives each carry a buffer of its own at each position; the array has one
 * for each direction of a section.  Where nothing comes into that while its value is still to be
 * read, all is well in the order of the list, and so in every order that keeps to its dependences.
 * Else a value that would be lost is copied to scratch as soon as it is there, and read from that
 * copy. */
#include "recipe/expand/rewrite.h"
#include "recipe/expand/route.h"

#include "support/alloc.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

struct incoming {
    struct rewrite r;
    uint32_t *value;      /* [micro-op]: 1 + scratch value that saves what it sends; 0: not saved */
    uint32_t *saved_at;   /* [micro-op]: new index of the first step that saves it */
    uint32_t held[64][2]; /* 1 + the micro-op that wrote a section's buffer last */
    HASH_TABLE(uint32_t, uint32_t) sent; /* buffer, as the walk names it -> the same */
};

static bool is_buffer(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_BUFFER;
}

static unsigned section_of(uint32_t place) {
    return PLACE_PAYLOAD(place) >> 16;
}

static uint32_t *held_by(struct incoming *incoming, uint32_t place) {
    return &incoming->held[section_of(place)][place >> 8 & 1];
}

/* The micro-op that sent what is read there. */
static uint32_t sender_of(struct incoming *incoming, uint32_t place) {
    uint32_t *sent = hash_table_put(&incoming->sent, &place);
    return *sent ? *sent - 1 : NO_UOP;
}

static void send(struct incoming *incoming, uint32_t place, size_t index) {
    *(uint32_t *)hash_table_put(&incoming->sent, &place) = (uint32_t)index + 1;
    *held_by(incoming, place) = (uint32_t)index + 1;
}

static void forget(struct incoming *incoming) {
    hash_table_free(&incoming->sent);
    memset(incoming->held, 0, sizeof incoming->held);
}

/* Which micro-ops send what is overwritten before it is read: each is to be saved. */
static void find_lost(struct incoming *incoming) {
    struct expansion *x = incoming->r.x;
    for (size_t i = 0; i < x->list.uops.len; i++) {
        const struct sym_uop *u = &x->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++) {
            uint32_t sender = is_buffer(u->src[k]) ? sender_of(incoming, u->src[k]) : NO_UOP;
            if (sender == NO_UOP || *held_by(incoming, u->src[k]) == sender + 1)
                continue;
            x->crossed = true;
            incoming->value[sender] = 1;
        }
        for (unsigned k = 0; k < u->ndst; k++)
            if (is_buffer(u->dst[k]))
                send(incoming, u->dst[k], i);
    }
    forget(incoming);
}

/* --- saving --- */

static bool cannot_save(struct incoming *incoming, const struct sym_uop *uop, unsigned section) {
    expand_error(incoming->r.x, uop->unit, uop->stmt->at,
                 "what comes into section %u must be kept while something else comes, but no "
                 "micro-ops of '%s' ('where') copy a buffer to a row of its section",
                 section, incoming->r.x->set->target->name);
    return false;
}

static bool is_next_to(unsigned left, unsigned right) {
    return left + 1 == right || right + 1 == left;
}

/* The steps of one save; they are forwarded where those of the section before are. */
static void add_save(struct incoming *incoming, const struct sym_uop *sent, uint32_t like,
                     const struct sym_uop *steps, unsigned count) {
    struct sym_list *to = &incoming->r.to;
    for (unsigned i = 0; i < count; i++) {
        struct sym_uop u = steps[i];
        u.path = ~sent->path;
        u.stmt = sent->stmt;
        u.unit = sent->unit;
        u.counterpart = NO_UOP;
        if (like != NO_UOP && to->uops.data[like + i].kind == u.kind &&
            is_next_to(to->uops.data[like + i].section, u.section))
            u.counterpart = like + i;
        vec_push(&to->uops, u);
    }
}

/* By way of gates, where no micro-op copies. */
static bool find_way(struct incoming *incoming, uint32_t from, uint32_t to, int here,
                     struct copy_list *out) {
    struct expansion *x = incoming->r.x;
    struct route way;
    bool found = expand_route_find(x, from, here, to, true, &way);
    out->count = 0;
    for (size_t i = 0; found && i < way.steps.len; i++) {
        uint32_t into = to;
        if (way.steps.data[i].into != ROUTE_END)
            into = PLACE(PLANE_SCRATCH, expand_new_scratch(x, (unsigned)here, NULL, 0, -1));
        expand_route_add(x, &way.steps.data[i], from, into, out);
        from = into;
    }
    vec_free(&way.steps);
    return found;
}

/* What brings a buffer of the section to a row before micro-op `index` of the old list. */
static bool find_copy(struct incoming *incoming, uint32_t buffer, uint32_t to, size_t index,
                      struct copy_list *out) {
    struct expansion *x = incoming->r.x;
    int here = (int)section_of(buffer);
    return expand_make_copy(x, buffer, to, here, out) ||
           find_way(incoming, buffer, to, here, out) ||
           expand_make_row_copy(x, buffer, to, here, index, out);
}

static bool save(struct incoming *incoming, size_t index, uint32_t buffer) {
    struct expansion *x = incoming->r.x;
    const struct sym_uop u = x->list.uops.data[index];
    unsigned section = section_of(buffer);
    uint32_t like = u.counterpart == NO_UOP ? NO_UOP : incoming->saved_at[u.counterpart];
    uint32_t value = expand_new_scratch(x, section, u.stmt, 0, -1), first;
    struct copy_list steps;
    if (!find_copy(incoming, buffer, PLACE(PLANE_SCRATCH, value), index + 1, &steps))
        return cannot_save(incoming, &u, section);
    incoming->value[index] = value + 1;
    first = (uint32_t)incoming->r.to.uops.len;
    add_save(incoming, &u, like, steps.uops, steps.count);
    incoming->saved_at[index] = first;
    return true;
}

/* What else it reads from buffers is copied to rows just before it, too: some gates want all of
 * their operands in rows, or all in buffers. */
static bool read_rows_alone(struct incoming *incoming, size_t index, struct sym_uop *uop) {
    struct expansion *x = incoming->r.x;
    struct sym_uop u = *uop;
    bool fine = true;
    for (unsigned k = 0; k < u.nsrc && fine; k++) {
        struct copy_list steps;
        uint32_t buffer = u.src[k], to;
        if (!is_buffer(buffer))
            continue;
        to = PLACE(PLANE_SCRATCH, expand_new_scratch(x, section_of(buffer), uop->stmt, 0, -1));
        fine = find_copy(incoming, buffer, to, index, &steps);
        if (fine)
            add_save(incoming, uop, NO_UOP, steps.uops, steps.count);
        for (unsigned same = k; same < u.nsrc; same++)
            u.src[same] = u.src[same] == buffer ? to : u.src[same];
    }
    u.counterpart = NO_UOP;
    if (!fine || !expand_settle_kind(x, &u))
        return false;
    *uop = u;
    return true;
}

/* It reads rows where it read buffers. */
static bool settle(struct incoming *incoming, size_t index, struct sym_uop *uop) {
    const struct expansion *x = incoming->r.x;
    if (expand_settle_kind(x, uop) || read_rows_alone(incoming, index, uop))
        return true;
    expand_error(x, uop->unit, uop->stmt->at,
                 "%s in section %u reads a buffer, but may not read the row ('where') that keeps "
                 "what came in while something else comes",
                 plane_target(x->set->target)->ops[uop->kind].name, uop->section);
    return false;
}

static bool rewrite_one(struct incoming *incoming, size_t index) {
    struct sym_uop u = incoming->r.x->list.uops.data[index];
    bool changed = false;
    for (unsigned k = 0; k < u.nsrc; k++) {
        uint32_t sender = is_buffer(u.src[k]) ? sender_of(incoming, u.src[k]) : NO_UOP;
        if (sender == NO_UOP || !incoming->value[sender])
            continue;
        u.src[k] = PLACE(PLANE_SCRATCH, incoming->value[sender] - 1);
        changed = true;
    }
    if (changed && !settle(incoming, index, &u))
        return false;
    expand_rewrite_keep(&incoming->r, index, u);
    incoming->saved_at[index] = NO_UOP;
    for (unsigned k = 0; k < u.ndst; k++) {
        if (!is_buffer(u.dst[k]))
            continue;
        send(incoming, u.dst[k], index);
        if (incoming->value[index] && !save(incoming, index, u.dst[k]))
            return false;
    }
    return true;
}

static bool save_lost(struct incoming *incoming) {
    bool fine = true;
    for (size_t i = 0; i < incoming->r.x->list.uops.len && fine; i++)
        fine = rewrite_one(incoming, i);
    forget(incoming);
    return fine;
}

/* --- names of buffers --- */

/* In the list a buffer's number is that of its carry; on the way of a value it is none's. */
static uint32_t settled(const struct expansion *expansion, uint32_t place) {
    if (!is_buffer(place))
        return place;
    uint32_t direction = place >> 8 & 1, number = place & 0xff;
    if (place & BUFFER_ON_THE_WAY)
        number = expansion->carries[direction];
    return PLACE(PLANE_BUFFER, section_of(place) << 16 | direction << 8 | number);
}

static void settle_names(struct expansion *expansion) {
    for (size_t i = 0; i < expansion->list.uops.len; i++) {
        struct sym_uop *u = &expansion->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            u->src[k] = settled(expansion, u->src[k]);
        for (unsigned k = 0; k < u->ndst; k++)
            u->dst[k] = settled(expansion, u->dst[k]);
    }
}

bool expand_settle_buffers(struct expansion *expansion) {
    const struct plane_target *t = plane_target(expansion->set->target);
    size_t count = expansion->list.uops.len + 1;
    struct incoming incoming = {.value = xcalloc(count, sizeof *incoming.value),
                                .saved_at = xcalloc(count, sizeof *incoming.saved_at)};
    expand_rewrite_start(&incoming.r, expansion);
    find_lost(&incoming);
    bool once = t->bit_pipelined && expand_positions(expansion) <= t->sections;
    bool fine = true, saves = expansion->crossed && (expansion->saves_carries || !once);
    if (saves) {
        expansion->saves_carries = true;
        expansion->crossed = false;
        fine = save_lost(&incoming);
        expand_rewrite_finish(&incoming.r);
    } else {
        expand_rewrite_drop(&incoming.r);
    }
    settle_names(expansion);
    free(incoming.value);
    free(incoming.saved_at);
    return fine;
}
