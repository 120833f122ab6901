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

#include "recipe/map/derive.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Micro-op numbers, NO_UOP for none. */
struct bit_use {
    uint32_t overwritten; /* first write of the bit through the other operand */
    uint32_t last_read;
    uint32_t copy;   /* value that holds the copy, or NO_UOP */
    uint32_t before; /* where the copy goes: before the first write, or earlier */
};

static unsigned field_register(const struct expansion *expansion, uint8_t field) {
    return field == FIELD_RS   ? expansion->insn->rs
           : field == FIELD_RT ? expansion->insn->rt
                               : expansion->insn->rd;
}

static bool field_is_used(const struct expansion *expansion, uint8_t field) {
    static const uint32_t flags[] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                     READS_RD | WRITES_RD};
    return (expansion->info->flags & flags[field]) != 0;
}

/* Field and bit of a register place; -1 for other places. */
static int field_of(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER ? (int)(PLACE_PAYLOAD(place) >> 6) : -1;
}

/* An identity of one register bit onto itself under the operands' real registers. */
static bool is_identity(const struct expansion *expansion, const struct sym_uop *uop) {
    const struct target_op *op = &plane_target(expansion->set->target)->ops[uop->kind];
    if (!plane_op_is_copy(op))
        return false;
    int a = field_of(uop->src[0]), d = field_of(uop->dst[0]);
    return a >= 0 && d >= 0 && (uop->src[0] & 63) == (uop->dst[0] & 63) &&
           field_register(expansion, (uint8_t)a) == field_register(expansion, (uint8_t)d);
}

/* Such a copy is idle as long as nothing has written the register's bit. */
static void mark_idle(struct expansion *expansion) {
    uint64_t written[64] = {0}; /* [register] */
    for (size_t i = 0; i < expansion->list.uops.len; i++) {
        struct sym_uop *u = &expansion->list.uops.data[i];
        for (unsigned k = 0; k < u->ndst; k++) {
            int field = field_of(u->dst[k]);
            if (field < 0)
                continue;
            uint64_t bit = (uint64_t)1 << (u->dst[k] & 63);
            uint64_t *bits = &written[field_register(expansion, (uint8_t)field)];
            u->idle = is_identity(expansion, u) && !(*bits & bit);
            *bits |= u->idle ? 0 : bit;
        }
    }
}

/* Where the bits of `source` are overwritten through `dest`, and read. */
static void find_uses(const struct expansion *expansion, uint8_t source, uint8_t dest,
                      struct bit_use *uses) {
    for (unsigned b = 0; b < 64; b++)
        uses[b] = (struct bit_use){NO_UOP, NO_UOP, NO_UOP, NO_UOP};
    for (uint32_t i = 0; i < expansion->list.uops.len; i++) {
        const struct sym_uop *u = &expansion->list.uops.data[i];
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

static unsigned section_of(const struct copies *copies, unsigned bit) {
    return bit % plane_target(copies->x->set->target)->sections;
}

static uint32_t bit_place(const struct copies *copies, unsigned bit) {
    return PLACE(PLANE_REGISTER, (uint32_t)copies->source << 6 | bit);
}

/* Where sections can be joined copies stand before all micro-ops like the one that overwrites. */
static uint32_t start_of_laps(const struct expansion *expansion, uint32_t index) {
    const struct sym_uop *uops = expansion->list.uops.data;
    while (index > 0 && uops[index - 1].stmt == uops[index].stmt &&
           uops[index - 1].kind == uops[index].kind)
        index--;
    return index;
}

/* Where the copy of a bit goes: just before it is overwritten, or as late before as the rows that
 * it passes hold nothing which is read later.  When a recipe begins they hold nothing at all. */
static bool place_copy(struct copies *copies, unsigned bit) {
    struct expansion *x = copies->x;
    struct bit_use *use = &copies->uses[bit];
    struct uop_value v = {.section = (uint16_t)section_of(copies, bit)};
    vec_push(&x->list.values, v);
    use->copy = (uint32_t)x->list.values.len - 1;
    use->before = plane_target(x->set->target)->partitioned
                      ? start_of_laps(x, use->overwritten)
                      : expand_group_start(x, use->overwritten);
    uint32_t from = bit_place(copies, bit), to = PLACE(PLANE_SCRATCH, use->copy);
    if (expand_can_copy(x, from, to, v.section))
        return true;
    for (uint32_t i = use->overwritten + 1; i-- > 0;)
        if (expand_group_start(x, i) == i && expand_can_row_copy(x, from, to, v.section, i)) {
            use->before = i;
            return true;
        }
    expand_error(x, &x->recipe->unit, x->recipe->unit.at,
                 "an operand must be copied to scratch, but no micro-ops of '%s' ('where') copy it",
                 x->set->target->name);
    return false;
}

static void add_copy(struct copies *copies, uint32_t index, unsigned bit) {
    struct expansion *x = copies->x;
    const struct sym_uop *before = &x->list.uops.data[index];
    uint32_t from = bit_place(copies, bit), to = PLACE(PLANE_SCRATCH, copies->uses[bit].copy);
    struct copy_list steps;
    int section = (int)section_of(copies, bit);
    /* It is forwarded where the micro-op it serves is, and that one has such a copy too. */
    uint32_t like = before->counterpart == NO_UOP ? NO_UOP : copies->inserted[before->counterpart];
    bool direct = expand_make_copy(x, from, to, section, &steps);
    if (direct)
        copies->inserted[index] = (uint32_t)copies->to->uops.len;
    else
        expand_make_row_copy(x, from, to, section, index, &steps);
    for (unsigned i = 0; i < steps.count; i++) {
        struct sym_uop u = steps.uops[i];
        u.path = before->path;
        u.stmt = before->stmt;
        u.unit = before->unit;
        u.counterpart = like == NO_UOP || !direct ? NO_UOP : like + i;
        vec_push(&copies->to->uops, u);
    }
}

/* The copies before a micro-op, the first steps of all of them first. */
static void add_copies_together(struct copies *copies, uint32_t index) {
    struct sym_list steps[64] = {0};
    struct sym_list *to = copies->to;
    size_t most = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        if (copies->uses[bit].before == index) {
            copies->to = &steps[bit];
            add_copy(copies, index, bit);
            most = steps[bit].uops.len > most ? steps[bit].uops.len : most;
        }
    copies->to = to;
    copies->inserted[index] = NO_UOP;
    for (size_t i = 0; i < most; i++)
        for (unsigned bit = 0; bit < 64; bit++)
            if (i < steps[bit].uops.len)
                vec_push(&to->uops, steps[bit].uops.data[i]);
    for (unsigned bit = 0; bit < 64; bit++)
        vec_free(&steps[bit].uops);
}

static void add_copies(struct copies *copies, uint32_t index) {
    if (plane_target(copies->x->set->target)->partitioned) {
        add_copies_together(copies, index);
        return;
    }
    for (unsigned bit = 0; bit < 64; bit++)
        if (copies->uses[bit].before == index)
            add_copy(copies, index, bit);
}

/* The first micro-op from `index` on before which there are copies. */
static uint32_t next_copies(const struct copies *copies, uint32_t index) {
    uint32_t next = NO_UOP;
    for (unsigned bit = 0; bit < 64; bit++)
        if (copies->uses[bit].before >= index && copies->uses[bit].before < next)
            next = copies->uses[bit].before;
    return next;
}

static void redirect(const struct copies *copies, struct sym_uop *uop, uint32_t index) {
    for (unsigned k = 0; k < uop->nsrc; k++) {
        if (field_of(uop->src[k]) != copies->source)
            continue;
        const struct bit_use *b = &copies->uses[uop->src[k] & 63];
        if (b->copy != NO_UOP && index >= b->overwritten)
            uop->src[k] = PLACE(PLANE_SCRATCH, b->copy);
    }
}

static bool needs_copy(const struct bit_use *use) {
    return use->overwritten != NO_UOP && use->last_read != NO_UOP &&
           use->last_read >= use->overwritten;
}

static bool any_needs_copy(const struct copies *copies) {
    bool any = false;
    for (unsigned bit = 0; bit < 64; bit++)
        any |= needs_copy(&copies->uses[bit]);
    return any;
}

static bool place_copies(struct copies *copies) {
    for (unsigned bit = 0; bit < 64; bit++)
        if (needs_copy(&copies->uses[bit]) && !place_copy(copies, bit))
            return false;
    return true;
}

static bool rebuild(struct copies *copies) {
    const struct expansion *x = copies->x;
    if (!place_copies(copies))
        return false;
    uint32_t next = next_copies(copies, 0);
    vec_reserve(&copies->to->uops, x->list.uops.len + 1);
    for (uint32_t i = 0; i < x->list.uops.len; i++) {
        struct sym_uop u = x->list.uops.data[i];
        copies->inserted[i] = NO_UOP;
        if (i == next) {
            add_copies(copies, i);
            next = next_copies(copies, i + 1);
        }
        redirect(copies, &u, i);
        if (u.counterpart != NO_UOP)
            u.counterpart = copies->moved[u.counterpart];
        copies->moved[i] = (uint32_t)copies->to->uops.len;
        vec_push(&copies->to->uops, u);
    }
    return true;
}

static bool copy_source(struct expansion *expansion, uint8_t source, uint8_t dest) {
    struct sym_list made = {0};
    struct copies c = {.x = expansion, .source = source, .to = &made};
    find_uses(expansion, source, dest, c.uses);
    if (!any_needs_copy(&c))
        return true;
    c.moved = xcalloc(expansion->list.uops.len + 1, sizeof *c.moved);
    c.inserted = xcalloc(expansion->list.uops.len + 1, sizeof *c.inserted);
    bool fine = rebuild(&c);
    vec_free(&expansion->list.uops);
    expansion->list.uops.data = made.uops.data;
    expansion->list.uops.len = made.uops.len;
    expansion->list.uops.cap = made.uops.cap;
    free(c.moved);
    free(c.inserted);
    return fine;
}

/* How often the list writes each value; the caller frees it. */
static uint32_t *count_writes(const struct expansion *expansion) {
    uint32_t *writes = xcalloc(expansion->list.values.len + 1, sizeof *writes);
    for (size_t i = 0; i < expansion->list.uops.len; i++)
        for (unsigned k = 0; k < expansion->list.uops.data[i].ndst; k++)
            if (PLANE_CLASS(expansion->list.uops.data[i].dst[k]) == PLANE_SCRATCH)
                writes[PLACE_PAYLOAD(expansion->list.uops.data[i].dst[k])]++;
    return writes;
}

/* A micro-op that copies a register to where gates work finds that register's copy there already,
 * and may not be able to copy it once more: what it would make is read from that copy then. */
static bool is_needless(const struct expansion *expansion, const struct sym_uop *uop,
                        const uint32_t *writes) {
    const struct target_op *op = &plane_target(expansion->set->target)->ops[uop->kind];
    return plane_op_is_copy(op) && PLANE_CLASS(uop->src[0]) == PLANE_SCRATCH &&
           PLANE_CLASS(uop->dst[0]) == PLANE_SCRATCH && writes[PLACE_PAYLOAD(uop->src[0])] == 1 &&
           writes[PLACE_PAYLOAD(uop->dst[0])] == 1 &&
           !expand_classes_allow(expansion, op, uop->src, uop->dst, uop->section);
}

static void drop_needless(struct expansion *expansion) {
    uint32_t *writes = count_writes(expansion);
    uint32_t *stands_for = xcalloc(expansion->list.values.len + 1, sizeof *stands_for);
    for (uint32_t v = 0; v < expansion->list.values.len; v++)
        stands_for[v] = v;
    for (size_t i = 0; i < expansion->list.uops.len; i++) {
        struct sym_uop *u = &expansion->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            if (PLANE_CLASS(u->src[k]) == PLANE_SCRATCH)
                u->src[k] = PLACE(PLANE_SCRATCH, stands_for[PLACE_PAYLOAD(u->src[k])]);
        if (u->idle || !is_needless(expansion, u, writes))
            continue;
        stands_for[PLACE_PAYLOAD(u->dst[0])] = PLACE_PAYLOAD(u->src[0]);
        u->idle = true;
    }
    free(writes);
    free(stands_for);
}

static void drop_idle(struct expansion *expansion) {
    uint32_t *moved = xcalloc(expansion->list.uops.len + 1, sizeof *moved);
    size_t kept = 0;
    for (size_t i = 0; i < expansion->list.uops.len; i++) {
        struct sym_uop u = expansion->list.uops.data[i];
        bool drop = u.idle;
        moved[i] = drop ? NO_UOP : (uint32_t)kept;
        if (u.counterpart != NO_UOP)
            u.counterpart = moved[u.counterpart];
        if (!drop)
            expansion->list.uops.data[kept++] = u;
    }
    expansion->list.uops.len = kept;
    free(moved);
}

/* Two sources that are one register are read through one of them, and copied once. */
static void unite_sources(struct expansion *expansion) {
    if (expand_place_is_written(expansion, FIELD_RS) ||
        expand_place_is_written(expansion, FIELD_RT) || !field_is_used(expansion, FIELD_RS) ||
        !field_is_used(expansion, FIELD_RT) || expansion->insn->rs != expansion->insn->rt)
        return;
    for (size_t i = 0; i < expansion->list.uops.len; i++) {
        struct sym_uop *u = &expansion->list.uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            if (field_of(u->src[k]) == FIELD_RT)
                u->src[k] = PLACE(PLANE_REGISTER, FIELD_RS << 6 | (u->src[k] & 63));
    }
}

/* Results in one register: all but the last operand's go to scratch. */
static bool unite_results(struct expansion *expansion, unsigned *scratch) {
    for (uint8_t later = FIELD_RT; later <= FIELD_RD; later++)
        for (uint8_t field = FIELD_RS; field < later; field++)
            if (expand_place_is_written(expansion, field) &&
                expand_place_is_written(expansion, later) &&
                field_register(expansion, field) == field_register(expansion, later))
                *scratch |= 1u << field;
    if (!*scratch)
        return true;
    struct redirect *s = xcalloc(1, sizeof *s);
    s->fields = *scratch;
    bool fine = expand_redirect_all(s, expansion);
    expand_rewrite_finish(&s->r);
    free(s);
    return fine;
}

/* Is the source's register that of the result? */
static bool is_shared(const struct expansion *expansion, uint8_t source, uint8_t dest,
                      unsigned scratch) {
    return source != dest && expand_place_is_written(expansion, dest) && !(scratch >> dest & 1) &&
           field_is_used(expansion, source) &&
           field_register(expansion, source) == field_register(expansion, dest);
}

static bool any_shared(const struct expansion *expansion, unsigned scratch) {
    bool any = false;
    for (uint8_t dest = FIELD_RS; dest <= FIELD_RD; dest++)
        for (uint8_t source = FIELD_RS; source <= FIELD_RD; source++)
            any |= is_shared(expansion, source, dest, scratch);
    return any;
}

bool expand_aliases(struct expansion *expansion) {
    unsigned scratch = 0;
    unite_sources(expansion);
    if (!unite_results(expansion, &scratch))
        return false;
    expansion->aliased = scratch || any_shared(expansion, scratch);
    if (!expansion->aliased)
        return true;
    mark_idle(expansion);
    for (uint8_t dest = FIELD_RS; dest <= FIELD_RD; dest++)
        for (uint8_t source = FIELD_RS; source <= FIELD_RD; source++)
            if (is_shared(expansion, source, dest, scratch) &&
                !copy_source(expansion, source, dest))
                return false;
    drop_needless(expansion);
    drop_idle(expansion);
    return true;
}
