/* SPDX-License-Identifier: MIT
 * Bodies that are equal, found by a hash of all that passes look at; the code of one is that of
 * all. */
#include "ezpim/code/memo.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

struct known_body {
    uint64_t reserved, named; /* registers that it had to leave, and that its code names: bit r */
    struct ir_insn *insns;
    struct ir_vreg *vregs;
    struct ir_region *regions;
    size_t insn_count, vreg_count, region_count;
    struct code_insn *made;
    size_t made_count;
    uint32_t labels;
    uint32_t next; /* of the same hash, counted from 1; 0: none */
};

struct code_memo {
    HASH_TABLE(uint64_t, uint32_t) latest; /* by hash: the latest known, counted from 1 */
    VEC(struct known_body) known;
};

struct code_memo *code_memo_new(void) {
    return xcalloc(1, sizeof(struct code_memo));
}

void code_memo_free(struct code_memo *memo) {
    for (size_t i = 0; i < memo->known.len; i++) {
        free(memo->known.data[i].insns);
        free(memo->known.data[i].vregs);
        free(memo->known.data[i].regions);
        free(memo->known.data[i].made);
    }
    vec_free(&memo->known);
    hash_table_free(&memo->latest);
    free(memo);
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

static bool same_insn(const struct ir_insn *left, const struct ir_insn *right) {
    return left->op == right->op && left->dst == right->dst && left->a == right->a &&
           left->b == right->b && left->c == right->c && left->imm == right->imm &&
           ir_same_type(left->type, right->type) && ir_same_type(left->from, right->from) &&
           left->size == right->size && left->region == right->region &&
           left->machine == right->machine && left->width == right->width &&
           left->partial == right->partial && left->kept == right->kept;
}

static bool same_vreg(const struct ir_vreg *left, const struct ir_vreg *right) {
    return ir_same_type(left->type, right->type) && left->home == right->home &&
           left->fixed == right->fixed && left->clean == right->clean &&
           left->dies == right->dies && left->pinned == right->pinned &&
           left->given == right->given && left->result == right->result &&
           !left->name == !right->name;
}

/* What the code names it may have here, too. */
static bool is_equal(const struct known_body *body, const struct ir_code *ir) {
    if (body->named & ~body->reserved & ir->reserved || body->insn_count != ir->insns.len ||
        body->vreg_count != ir->vregs.len || body->region_count != ir->regions.len)
        return false;
    for (size_t i = 0; i < body->insn_count; i++)
        if (!same_insn(&body->insns[i], &ir->insns.data[i]))
            return false;
    for (size_t i = 0; i < body->vreg_count; i++)
        if (!same_vreg(&body->vregs[i], &ir->vregs.data[i]))
            return false;
    for (size_t i = 0; i < body->region_count; i++)
        if (body->regions[i].op != ir->regions.data[i].op ||
            body->regions[i].parent != ir->regions.data[i].parent)
            return false;
    return true;
}

bool code_memo_find(const struct code_memo *memo, const struct ir_code *ir, struct code *code) {
    if (ir->is_sub || !may_be_known(ir->insns.data, ir->insns.len))
        return false;
    uint64_t h = hash(ir->insns.data, ir->insns.len);
    const uint32_t *latest = hash_table_get(&memo->latest, &h);
    uint32_t at = latest ? *latest : 0;
    while (at && !is_equal(&memo->known.data[at - 1], ir))
        at = memo->known.data[at - 1].next;
    if (!at)
        return false;
    const struct known_body *k = &memo->known.data[at - 1];
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
    void *copy = xreallocarray(NULL, count + 1, size);
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

void code_memo_keep(struct code_memo *memo, struct ir_insn *insns, size_t insn_count,
                    struct ir_vreg *vregs, size_t vreg_count, const struct ir_code *ir,
                    const struct code *code) {
    if (ir->is_sub || !may_be_known(insns, insn_count)) {
        free(insns);
        free(vregs);
        return;
    }
    uint64_t h = hash(insns, insn_count);
    uint32_t *latest = hash_table_put(&memo->latest, &h);
    struct known_body k = {
        .reserved = ir->reserved,
        .named = named_by(code),
        .insns = insns,
        .vregs = vregs,
        .regions = copy_of(ir->regions.data, ir->regions.len, sizeof *ir->regions.data),
        .insn_count = insn_count,
        .vreg_count = vreg_count,
        .region_count = ir->regions.len,
        .made = copy_of(code->insns.data, code->insns.len, sizeof *code->insns.data),
        .made_count = code->insns.len,
        .labels = code->labels,
        .next = *latest};
    vec_push(&memo->known, k);
    *latest = (uint32_t)memo->known.len;
}
