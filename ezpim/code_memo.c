/* SPDX-License-Identifier: MIT */
#include "ezpim/code_memo.h"
#include "support/map.h"

#include <string.h>

struct known {
    uint64_t reserved, named; /* registers that it had to leave, and that its code names: bit r */
    struct ir_insn *insns;
    struct ir_vreg *vregs;
    struct ir_region *regions;
    size_t insn_count, vreg_count, region_count;
    struct code_insn *made;
    size_t made_count;
    uint32_t labels;
    uint32_t next; /* of the same hash, or IR_NONE */
};

struct code_memo {
    struct map first; /* hashes to the latest known */
    VEC(struct known) known;
};

struct code_memo *code_memo_new(void) {
    return xcalloc(1, sizeof(struct code_memo));
}

void code_memo_free(struct code_memo *m) {
    for (size_t i = 0; i < m->known.len; i++) {
        free(m->known.data[i].insns);
        free(m->known.data[i].vregs);
        free(m->known.data[i].regions);
        free(m->known.data[i].made);
    }
    vec_free(&m->known);
    map_free(&m->first);
    free(m);
}

/* Long ones are seldom equal. */
enum { LONGEST = 1024 };

static bool may_be_known(const struct ir_insn *insns, size_t count) {
    if (!count || count > LONGEST)
        return false;
    for (size_t i = 0; i < count; i++)
        if (insns[i].op == IR_CALL || insns[i].at.begin != insns[0].at.begin ||
            insns[i].at.source != insns[0].at.source)
            return false;
    return true;
}

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    return h ^ h >> 29;
}

static uint64_t hash(const struct ir_insn *insns, size_t count) {
    uint64_t h = count;
    for (size_t i = 0; i < count; i++) {
        h = mix(h, (uint64_t)insns[i].dst << 32 | insns[i].a);
        h = mix(h, insns[i].imm << 16 ^ (uint64_t)insns[i].op << 8 ^ insns[i].type.bits);
    }
    return h;
}

static bool same_insn(const struct ir_insn *a, const struct ir_insn *b) {
    return a->op == b->op && a->dst == b->dst && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->imm == b->imm && ir_same_type(a->type, b->type) && ir_same_type(a->from, b->from) &&
           a->size == b->size && a->region == b->region && a->machine == b->machine &&
           a->width == b->width && a->partial == b->partial && a->kept == b->kept;
}

static bool same_vreg(const struct ir_vreg *a, const struct ir_vreg *b) {
    return ir_same_type(a->type, b->type) && a->home == b->home && a->fixed == b->fixed &&
           a->clean == b->clean && a->dies == b->dies && a->pinned == b->pinned &&
           a->given == b->given && a->result == b->result && !a->name == !b->name;
}

/* What the code names it may have here, too. */
static bool is_equal(const struct known *k, const struct ir_code *ir) {
    if (k->named & ~k->reserved & ir->reserved || k->insn_count != ir->insns.len ||
        k->vreg_count != ir->vregs.len || k->region_count != ir->regions.len)
        return false;
    for (size_t i = 0; i < k->insn_count; i++)
        if (!same_insn(&k->insns[i], &ir->insns.data[i]))
            return false;
    for (size_t i = 0; i < k->vreg_count; i++)
        if (!same_vreg(&k->vregs[i], &ir->vregs.data[i]))
            return false;
    for (size_t i = 0; i < k->region_count; i++)
        if (k->regions[i].op != ir->regions.data[i].op ||
            k->regions[i].parent != ir->regions.data[i].parent)
            return false;
    return true;
}

bool code_memo_find(const struct code_memo *m, const struct ir_code *ir, struct code *code) {
    if (ir->is_sub || !may_be_known(ir->insns.data, ir->insns.len))
        return false;
    uint64_t h = hash(ir->insns.data, ir->insns.len);
    const uint64_t *first = map_get_n(&m->first, (const char *)&h, sizeof h);
    uint32_t at = first ? (uint32_t)*first : IR_NONE;
    while (at != IR_NONE && !is_equal(&m->known.data[at], ir))
        at = m->known.data[at].next;
    if (at == IR_NONE)
        return false;
    const struct known *k = &m->known.data[at];
    vec_reserve(&code->insns, k->made_count);
    code->insns.len = k->made_count;
    code->labels = k->labels;
    for (size_t i = 0; i < k->made_count; i++) {
        code->insns.data[i] = k->made[i];
        code->insns.data[i].at = ir->insns.data[0].at;
    }
    return true;
}

static void *copy_of(const void *data, size_t count, size_t size) {
    void *copy = xcalloc(count + 1, size);
    if (count)
        memcpy(copy, data, count * size);
    return copy;
}

static uint64_t named_by(const struct code *code) {
    uint64_t named = 0;
    for (size_t i = 0; i < code->insns.len; i++)
        for (enum code_field f = 0; f < CODE_FIELDS; f++)
            if (code_reads(&code->insns.data[i], f) || code_writes(&code->insns.data[i], f))
                named |= (uint64_t)1 << code->insns.data[i].field[f];
    return named;
}

void code_memo_keep(struct code_memo *m, const struct ir_insn *insns, size_t insn_count,
                    const struct ir_vreg *vregs, size_t vreg_count, const struct ir_code *ir,
                    const struct code *code) {
    if (ir->is_sub || !may_be_known(insns, insn_count))
        return;
    uint64_t h = hash(insns, insn_count);
    uint64_t *first = map_get_n(&m->first, (const char *)&h, sizeof h);
    struct known k = {.reserved = ir->reserved,
                      .named = named_by(code),
                      .insns = copy_of(insns, insn_count, sizeof *insns),
                      .vregs = copy_of(vregs, vreg_count, sizeof *vregs),
                      .regions =
                          copy_of(ir->regions.data, ir->regions.len, sizeof *ir->regions.data),
                      .insn_count = insn_count,
                      .vreg_count = vreg_count,
                      .region_count = ir->regions.len,
                      .made = copy_of(code->insns.data, code->insns.len, sizeof *code->insns.data),
                      .made_count = code->insns.len,
                      .labels = code->labels,
                      .next = first ? (uint32_t)*first : IR_NONE};
    map_put_n(&m->first, (const char *)&h, sizeof h, m->known.len);
    vec_push(&m->known, k);
}
