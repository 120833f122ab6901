/* SPDX-License-Identifier: MIT
 * -Wlane-dependent: instructions that make results depend on which elements share a VRF or a
 * batch.  A loop is the text from the target of a backward JUMP_COND to it; behind a forward
 * JUMP_NONE is the text up to its target.  What is judged is the innermost of these. */
#include "asm/assembler.h"

#include <stdlib.h>

struct text_region {
    uint32_t head, end; /* inclusive */
    bool loop;
};

struct judge {
    struct assembler *a;
    const struct object *o;
    VEC(struct text_region) regions; /* by head */
    VEC(struct text_region) open;    /* the last is the innermost */
    size_t next;
    int64_t compared;   /* the last instruction that wrote C, or -1 */
    int64_t origin[64]; /* per register: the last GETMASK that its value stems from, or -1 */
};

/* Where the jump at `index` goes, or -1 if that is not in this object. */
static int64_t target_of(const struct object *o, uint32_t index) {
    size_t low = 0, high = o->relocs.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->relocs.data[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == o->relocs.len || o->relocs.data[low].index != index)
        return -1;
    const struct reloc *r = &o->relocs.data[low];
    const struct symbol *s = &o->symbols.data[r->target];
    return s->defined ? s->value + r->addend : -1;
}

static void add_region(struct judge *j, const struct mark *m, enum mpu_op op) {
    int64_t to = target_of(j->o, m->index);
    bool backward = to >= 0 && to <= m->index;
    struct text_region r = {(uint32_t)to, m->index, true};
    if (to < 0 || (op != OP_JUMP_COND && op != OP_JUMP_NONE))
        return;
    if (op == OP_JUMP_COND && !backward) {
        diag_warning(j->a->d, W_LANE_DEPENDENT, m->at,
                     "a forward JUMP_COND switches no VRF off: VRFs without an enabled lane skip "
                     "with the others of their batch");
        return;
    }
    if (op == OP_JUMP_NONE && backward) {
        diag_warning(j->a->d, W_LANE_DEPENDENT, m->at,
                     "a backward JUMP_NONE switches no VRF off: VRFs repeat with the others of "
                     "their batch");
        return;
    }
    if (op == OP_JUMP_NONE)
        r = (struct text_region){m->index + 1, (uint32_t)to - 1, false};
    if (r.head <= r.end)
        vec_push(&j->regions, r);
}

static int compare_regions(const void *x, const void *y) {
    const struct text_region *a = x, *b = y;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

static bool decode(const struct judge *j, uint32_t index, struct insn *i) {
    return isa_decode(j->o->text.data[index], i) == ISA_OK;
}

/* The innermost region around an instruction, or NULL. */
static const struct text_region *region_at(struct judge *j, uint32_t index) {
    while (j->next < j->regions.len && j->regions.data[j->next].head <= index)
        vec_push(&j->open, j->regions.data[j->next++]);
    while (j->open.len && vec_last(&j->open).end < index)
        j->open.len--;
    return j->open.len ? &vec_last(&j->open) : NULL;
}

static void judge_mark(struct judge *j, const struct mark *m, const struct text_region *r,
                       const struct insn *i) {
    const char *where = r->loop ? "in a loop of JUMP_COND" : "behind a JUMP_NONE";
    struct diag *d = j->a->d;
    if (i->op == OP_UNMASK)
        diag_warning(d, W_LANE_DEPENDENT, m->at, "UNMASK %s enables lanes that were done", where);
    else if (i->op == OP_SETMASK_COND && j->compared < r->head)
        diag_warning(d, W_LANE_DEPENDENT, m->at,
                     "SETMASK cond %s with no comparison before it there may enable lanes that "
                     "were done",
                     where);
    else if (i->op == OP_SETMASK && j->origin[i->rs] < r->head)
        diag_warning(d, W_LANE_DEPENDENT, m->at,
                     "SETMASK r%u %s may enable lanes that were done: r%u does not stem from a "
                     "GETMASK there",
                     (unsigned)i->rs, where, (unsigned)i->rs);
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What the registers stem from, after this instruction. */
static void follow(struct judge *j, uint32_t index, const struct insn *i) {
    uint32_t flags = isa_info(i->op)->flags;
    int64_t from = i->op == OP_GETMASK ? (int64_t)index : -1;
    if (flags & READS_RS)
        from = later(from, j->origin[i->rs]);
    if (flags & READS_RT)
        from = later(from, j->origin[i->rt]);
    if (flags & READS_RD)
        from = later(from, j->origin[i->rd]);
    if (flags & WRITES_RS)
        j->origin[i->rs] = from;
    if (flags & WRITES_RT)
        j->origin[i->rt] = from;
    if (flags & WRITES_RD)
        j->origin[i->rd] = from;
    if (flags & WRITES_C)
        j->compared = index;
}

static void judge_text(struct judge *j) {
    const struct assembler *a = j->a;
    size_t mark = 0;
    j->compared = -1;
    for (size_t r = 0; r < 64; r++)
        j->origin[r] = -1;
    for (uint32_t i = 0; i < j->o->text.len; i++) {
        struct insn insn;
        const struct text_region *r = region_at(j, i);
        if (!decode(j, i, &insn))
            continue;
        while (mark < a->marks.len && a->marks.data[mark].index < i)
            mark++;
        if (r && mark < a->marks.len && a->marks.data[mark].index == i)
            judge_mark(j, &a->marks.data[mark], r, &insn);
        follow(j, i, &insn);
    }
}

void asm_check_lane_dependence(struct assembler *a, const struct object *o) {
    struct judge j = {.a = a, .o = o};
    for (size_t i = 0; i < a->marks.len; i++) {
        struct insn insn;
        if (decode(&j, a->marks.data[i].index, &insn))
            add_region(&j, &a->marks.data[i], insn.op);
    }
    if (j.regions.len) {
        qsort(j.regions.data, j.regions.len, sizeof *j.regions.data, compare_regions);
        judge_text(&j);
    }
    vec_free(&j.regions);
    vec_free(&j.open);
}
