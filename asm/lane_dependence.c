/* SPDX-License-Identifier: MIT
 * -Wlane-dependent: instructions that make results depend on which elements share a VRF or a batch.
 * Two kinds of text are looked at: a loop, from the target of a backward JUMP_COND to the jump, and
 * what a forward JUMP_NONE jumps over.  An instruction is judged by the innermost of these that it
 * stands in. */
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
static int64_t target_of(const struct object *object, uint32_t index) {
    size_t low = 0, high = object->relocs.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->relocs.data[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == object->relocs.len || object->relocs.data[low].index != index)
        return -1;
    const struct reloc *r = &object->relocs.data[low];
    const struct symbol *s = &object->symbols.data[r->target];
    return s->defined ? s->value + r->addend : -1;
}

static void add_region(struct judge *judge, const struct mark *mark, enum isa_op op) {
    int64_t to = target_of(judge->o, mark->index);
    bool backward = to >= 0 && to <= mark->index;
    struct text_region r = {(uint32_t)to, mark->index, true};
    if (to < 0 || (op != OP_JUMP_COND && op != OP_JUMP_NONE))
        return;
    if (op == OP_JUMP_COND && !backward) {
        diag_warning(judge->a->d, W_LANE_DEPENDENT, mark->at,
                     "a forward JUMP_COND switches no VRF off: VRFs without an enabled lane skip "
                     "with the others of their batch");
        return;
    }
    if (op == OP_JUMP_NONE && backward) {
        diag_warning(judge->a->d, W_LANE_DEPENDENT, mark->at,
                     "a backward JUMP_NONE switches no VRF off: VRFs repeat with the others of "
                     "their batch");
        return;
    }
    if (op == OP_JUMP_NONE)
        r = (struct text_region){mark->index + 1, (uint32_t)to - 1, false};
    if (r.head <= r.end)
        vec_push(&judge->regions, r);
}

static int compare_regions(const void *left, const void *right) {
    const struct text_region *a = left, *b = right;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

static bool decode(const struct judge *judge, uint32_t index, struct insn *insn) {
    return isa_decode(judge->o->text.data[index], insn) == ISA_OK;
}

/* The innermost region around an instruction, or NULL. */
static const struct text_region *region_at(struct judge *judge, uint32_t index) {
    while (judge->next < judge->regions.len && judge->regions.data[judge->next].head <= index)
        vec_push(&judge->open, judge->regions.data[judge->next++]);
    while (judge->open.len && vec_last(&judge->open).end < index)
        judge->open.len--;
    return judge->open.len ? &vec_last(&judge->open) : NULL;
}

static void judge_mark(struct judge *judge, const struct mark *mark,
                       const struct text_region *region, const struct insn *insn) {
    const char *where = region->loop ? "in a loop of JUMP_COND" : "behind a JUMP_NONE";
    struct diag *d = judge->a->d;
    if (insn->op == OP_UNMASK)
        diag_warning(d, W_LANE_DEPENDENT, mark->at, "UNMASK %s enables lanes that were done",
                     where);
    else if (insn->op == OP_SETMASK_COND && judge->compared < region->head)
        diag_warning(d, W_LANE_DEPENDENT, mark->at,
                     "SETMASK cond %s with no comparison before it there may enable lanes that "
                     "were done",
                     where);
    else if (insn->op == OP_SETMASK && judge->origin[insn->rs] < region->head)
        diag_warning(d, W_LANE_DEPENDENT, mark->at,
                     "SETMASK r%u %s may enable lanes that were done: r%u does not stem from a "
                     "GETMASK there",
                     (unsigned)insn->rs, where, (unsigned)insn->rs);
}

static int64_t later(int64_t left, int64_t right) {
    return left > right ? left : right;
}

/* What the registers stem from, after this instruction. */
static void follow(struct judge *judge, uint32_t index, const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    int64_t from = insn->op == OP_GETMASK ? (int64_t)index : -1;
    if (flags & READS_RS)
        from = later(from, judge->origin[insn->rs]);
    if (flags & READS_RT)
        from = later(from, judge->origin[insn->rt]);
    if (flags & READS_RD)
        from = later(from, judge->origin[insn->rd]);
    if (flags & WRITES_RS)
        judge->origin[insn->rs] = from;
    if (flags & WRITES_RT)
        judge->origin[insn->rt] = from;
    if (flags & WRITES_RD)
        judge->origin[insn->rd] = from;
    if (flags & WRITES_C)
        judge->compared = index;
}

static void judge_text(struct judge *judge) {
    const struct assembler *a = judge->a;
    size_t mark = 0;
    judge->compared = -1;
    for (size_t r = 0; r < 64; r++)
        judge->origin[r] = -1;
    for (uint32_t i = 0; i < judge->o->text.len; i++) {
        struct insn insn;
        const struct text_region *r = region_at(judge, i);
        if (!decode(judge, i, &insn))
            continue;
        while (mark < a->marks.len && a->marks.data[mark].index < i)
            mark++;
        if (r && mark < a->marks.len && a->marks.data[mark].index == i)
            judge_mark(judge, &a->marks.data[mark], r, &insn);
        follow(judge, i, &insn);
    }
}

void asm_check_lane_dependence(struct assembler *assembler, const struct object *object) {
    struct judge j = {.a = assembler, .o = object};
    for (size_t i = 0; i < assembler->marks.len; i++) {
        struct insn insn;
        if (decode(&j, assembler->marks.data[i].index, &insn))
            add_region(&j, &assembler->marks.data[i], insn.op);
    }
    if (j.regions.len) {
        qsort(j.regions.data, j.regions.len, sizeof *j.regions.data, compare_regions);
        judge_text(&j);
    }
    vec_free(&j.regions);
    vec_free(&j.open);
}
