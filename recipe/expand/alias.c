/* SPDX-License-Identifier: MIT
 * Operands that are the same register.
 *
 * A body is written for distinct operands.  Where a destination is the register of a source, a
 * bit of the source that is still read at or after the first write of that bit is copied to
 * scratch just before that write, and read there from then on.  (A micro-op whose destination is
 * its own source counts as such a read: arrays preset the destination.)  Of two results in one
 * register the later operand's is there in the end; the other one goes to scratch.  A copy of a
 * bit onto itself is left out. */
#include "recipe/expand/rewrite.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Micro-op numbers, NO_UOP for none. */
struct bit_use {
    uint32_t overwritten; /* first write of the bit through the other operand */
    uint32_t last_read;
    uint32_t copy; /* value that holds the copy, or NO_UOP */
};

static unsigned field_register(const struct expansion *x, uint8_t field) {
    return field == FIELD_RS ? x->insn->rs : field == FIELD_RT ? x->insn->rt : x->insn->rd;
}

static bool field_is_used(const struct expansion *x, uint8_t field) {
    static const uint32_t flags[] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                     READS_RD | WRITES_RD};
    return (x->info->flags & flags[field]) != 0;
}

/* Field and bit of a register place; -1 for other places. */
static int field_of(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER ? (int)(PLACE_PAYLOAD(place) >> 6) : -1;
}

/* An identity of one register bit onto itself under the operands' real registers. */
static bool is_identity(const struct expansion *x, const struct sym_uop *u) {
    const struct target_op *op = &plane_target(x->set->target)->ops[u->kind];
    if (op->nsrc != 1 || op->ndst != 1 || op->reads_old || op->tied[0] || op->truth[0] != 2)
        return false;
    int a = field_of(u->src[0]), d = field_of(u->dst[0]);
    return a >= 0 && d >= 0 && (u->src[0] & 63) == (u->dst[0] & 63) &&
           field_register(x, (uint8_t)a) == field_register(x, (uint8_t)d);
}

/* Such a copy is idle as long as nothing has written the register's bit. */
static void mark_idle(struct expansion *x) {
    uint64_t written[64] = {0}; /* [register] */
    for (size_t i = 0; i < x->list.uops.len; i++) {
        struct sym_uop *u = &x->list.uops.data[i];
        for (unsigned k = 0; k < u->ndst; k++) {
            int field = field_of(u->dst[k]);
            if (field < 0)
                continue;
            uint64_t bit = (uint64_t)1 << (u->dst[k] & 63);
            uint64_t *bits = &written[field_register(x, (uint8_t)field)];
            u->idle = is_identity(x, u) && !(*bits & bit);
            *bits |= u->idle ? 0 : bit;
        }
    }
}

/* Where the bits of `source` are overwritten through `dest`, and read. */
static void find_uses(const struct expansion *x, uint8_t source, uint8_t dest,
                      struct bit_use *uses) {
    for (unsigned b = 0; b < 64; b++)
        uses[b] = (struct bit_use){NO_UOP, NO_UOP, NO_UOP};
    for (uint32_t i = 0; i < x->list.uops.len; i++) {
        const struct sym_uop *u = &x->list.uops.data[i];
        if (u->idle)
            continue;
        for (unsigned k = 0; k < u->nsrc; k++)
            if (field_of(u->src[k]) == source)
                uses[u->src[k] & 63].last_read = i;
        for (unsigned k = 0; k < u->ndst; k++) {
            struct bit_use *b = &uses[u->dst[k] & 63];
            if (field_of(u->dst[k]) == dest && b->overwritten == NO_UOP)
                b->overwritten = i;
        }
    }
}

/* Copies of the bits of one source, keyed by the micro-op that they go before. */
struct copies {
    struct expansion *x;
    uint8_t source;
    struct bit_use uses[64];
    struct sym_list *to;
    uint32_t *moved;    /* new index of each old micro-op */
    uint32_t *inserted; /* new index of the copy before an old micro-op, NO_UOP if none */
};

static bool add_copy(struct copies *c, uint32_t index, unsigned bit) {
    struct expansion *x = c->x;
    const struct sym_uop *before = &x->list.uops.data[index];
    uint32_t from = PLACE(PLANE_REGISTER, (uint32_t)c->source << 6 | bit);
    struct uop_value v = {.section = (uint16_t)(bit % plane_target(x->set->target)->sections)};
    vec_push(&x->list.values, v);
    c->uses[bit].copy = (uint32_t)x->list.values.len - 1;
    struct copy_list steps;
    if (!expand_make_copy(x, from, PLACE(PLANE_SCRATCH, c->uses[bit].copy), v.section, &steps)) {
        expand_error(x, &x->recipe->unit, x->recipe->unit.at,
                     "an operand must be copied to scratch, but no micro-op of '%s' copies",
                     x->set->target->name);
        return false;
    }
    /* It is forwarded where the micro-op it serves is, and that one has such a copy too. */
    uint32_t like = before->counterpart == NO_UOP ? NO_UOP : c->inserted[before->counterpart];
    c->inserted[index] = (uint32_t)c->to->uops.len;
    for (unsigned i = 0; i < steps.count; i++) {
        struct sym_uop u = steps.uops[i];
        u.path = before->path;
        u.stmt = before->stmt;
        u.unit = before->unit;
        u.counterpart = like == NO_UOP ? NO_UOP : like + i;
        vec_push(&c->to->uops, u);
    }
    return true;
}

static void redirect(const struct copies *c, struct sym_uop *u, uint32_t index) {
    for (unsigned k = 0; k < u->nsrc; k++) {
        if (field_of(u->src[k]) != c->source)
            continue;
        const struct bit_use *b = &c->uses[u->src[k] & 63];
        if (b->copy != NO_UOP && index >= b->overwritten)
            u->src[k] = PLACE(PLANE_SCRATCH, b->copy);
    }
}

static bool needs_copy(const struct bit_use *b, uint32_t index) {
    return b->overwritten == index && b->last_read != NO_UOP && b->last_read >= index;
}

static bool rebuild(struct copies *c) {
    const struct expansion *x = c->x;
    for (uint32_t i = 0; i < x->list.uops.len; i++) {
        struct sym_uop u = x->list.uops.data[i];
        c->inserted[i] = NO_UOP;
        if (!u.idle)
            for (unsigned k = 0; k < u.ndst; k++)
                if (PLANE_CLASS(u.dst[k]) == PLANE_REGISTER &&
                    needs_copy(&c->uses[u.dst[k] & 63], i) && !add_copy(c, i, u.dst[k] & 63))
                    return false;
        redirect(c, &u, i);
        if (u.counterpart != NO_UOP)
            u.counterpart = c->moved[u.counterpart];
        c->moved[i] = (uint32_t)c->to->uops.len;
        vec_push(&c->to->uops, u);
    }
    return true;
}

static bool copy_source(struct expansion *x, uint8_t source, uint8_t dest) {
    struct sym_list made = {0};
    struct copies c = {.x = x, .source = source, .to = &made};
    find_uses(x, source, dest, c.uses);
    c.moved = xcalloc(x->list.uops.len + 1, sizeof *c.moved);
    c.inserted = xcalloc(x->list.uops.len + 1, sizeof *c.inserted);
    bool fine = rebuild(&c);
    vec_free(&x->list.uops);
    x->list.uops.data = made.uops.data;
    x->list.uops.len = made.uops.len;
    x->list.uops.cap = made.uops.cap;
    free(c.moved);
    free(c.inserted);
    return fine;
}

static void drop_idle(struct expansion *x) {
    uint32_t *moved = xcalloc(x->list.uops.len + 1, sizeof *moved);
    size_t kept = 0;
    for (size_t i = 0; i < x->list.uops.len; i++) {
        struct sym_uop u = x->list.uops.data[i];
        bool drop = u.idle;
        moved[i] = drop ? NO_UOP : (uint32_t)kept;
        if (u.counterpart != NO_UOP)
            u.counterpart = moved[u.counterpart];
        if (!drop)
            x->list.uops.data[kept++] = u;
    }
    x->list.uops.len = kept;
    free(moved);
}

/* Two sources that are one register are read through one of them, and copied once. */
static void unite_sources(struct expansion *x) {
    if (expand_place_is_written(x, FIELD_RS) || expand_place_is_written(x, FIELD_RT) ||
        !field_is_used(x, FIELD_RS) || !field_is_used(x, FIELD_RT) || x->insn->rs != x->insn->rt)
        return;
    for (size_t i = 0; i < x->list.uops.len; i++) {
        struct sym_uop *u = &x->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            if (field_of(u->src[k]) == FIELD_RT)
                u->src[k] = PLACE(PLANE_REGISTER, FIELD_RS << 6 | (u->src[k] & 63));
    }
}

/* Results in one register: all but the last operand's go to scratch. */
static bool unite_results(struct expansion *x, unsigned *scratch) {
    for (uint8_t later = FIELD_RT; later <= FIELD_RD; later++)
        for (uint8_t field = FIELD_RS; field < later; field++)
            if (expand_place_is_written(x, field) && expand_place_is_written(x, later) &&
                field_register(x, field) == field_register(x, later))
                *scratch |= 1u << field;
    if (!*scratch)
        return true;
    struct redirect *s = xcalloc(1, sizeof *s);
    s->fields = *scratch;
    bool fine = expand_redirect_all(s, x);
    expand_rewrite_finish(&s->r);
    free(s);
    return fine;
}

bool expand_aliases(struct expansion *x) {
    unsigned scratch = 0;
    bool any = false;
    unite_sources(x);
    if (!unite_results(x, &scratch))
        return false;
    mark_idle(x);
    for (uint8_t dest = FIELD_RS; dest <= FIELD_RD; dest++)
        for (uint8_t source = FIELD_RS; source <= FIELD_RD; source++) {
            if (source == dest || !expand_place_is_written(x, dest) || scratch >> dest & 1 ||
                !field_is_used(x, source) || field_register(x, source) != field_register(x, dest))
                continue;
            any = true;
            if (!copy_source(x, source, dest))
                return false;
        }
    x->aliased = any;
    if (any)
        drop_idle(x);
    return true;
}
