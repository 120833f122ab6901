/* SPDX-License-Identifier: MIT
 * What of an instruction is known before it is issued, and what it takes of energy. */
#include "machines/core/simt/time/step_plans.h"
#include "machines/core/simt/time/launch_time.h"

#include "support/alloc.h"
#include "support/saturate.h"

/* ---- operands ---- */

static void add(struct simt_set *set, uint8_t kind, uint8_t number) {
    if (kind == SIMT_OPERAND_PREDICATE && number < SIMT_PREDICATES)
        set->predicates |= UINT32_C(1) << number;
    else if (kind == SIMT_OPERAND_UNIT && number != SIMT_RZ)
        set->units |= UINT64_C(1) << number;
    else if (kind == SIMT_OPERAND_PAIR && number != SIMT_RZ)
        set->units |= UINT64_C(3) << number;
}

static void join(struct simt_set *to, const struct simt_set *from) {
    to->units |= from->units;
    to->predicates |= from->predicates;
}

static bool is_access(const struct simt_insn *x) {
    return x->op == SIMT_LD || x->op == SIMT_ST || x->op == SIMT_ATOM;
}

static void operands(const struct simt_insn *x, struct simt_plan *p) {
    for (unsigned i = 0; i < x->result_count; i++)
        add(&p->results, x->result_kind[i], x->result[i]);
    add(&p->results, SIMT_OPERAND_PREDICATE, x->second);
    for (unsigned i = 0; i < x->source_count; i++) {
        add(i == 0 && is_access(x) ? &p->address : &p->sources, x->source_kind[i], x->source[i]);
        if (x->source_kind[i] == SIMT_OPERAND_NUMBER && !is_access(x))
            p->number_bytes = (uint8_t)(p->number_bytes + (x->source_bits[i] > 32 ? 8 : 4));
    }
    add(&p->guard, SIMT_OPERAND_PREDICATE, x->guard);
    join(&p->needs, &p->sources);
    join(&p->needs, &p->address);
    join(&p->needs, &p->results);
    join(&p->needs, &p->guard);
}

static uint32_t registers_of(const struct simt_insn *x) {
    uint32_t count = 0;
    for (unsigned i = 0; i < x->result_count; i++)
        if (x->result[i] != SIMT_RZ)
            count += x->result_kind[i] == SIMT_OPERAND_UNIT   ? 1
                     : x->result_kind[i] == SIMT_OPERAND_PAIR ? 2
                                                              : 0;
    for (unsigned i = 0; i < x->source_count; i++)
        if (x->source[i] != SIMT_RZ)
            count += x->source_kind[i] == SIMT_OPERAND_UNIT   ? 1
                     : x->source_kind[i] == SIMT_OPERAND_PAIR ? 2
                                                              : 0;
    return count;
}

/* ---- what carries it out ---- */

static enum simt_unit access_unit(const struct simt_insn *x) {
    switch (x->m.space) {
    case PTX_SHARED:
        return SIMT_UNIT_SHARED;
    case PTX_CONST:
    case PTX_PARAM:
        return SIMT_UNIT_CONST;
    default:
        return SIMT_UNIT_MEMORY;
    }
}

static enum simt_unit unit_of(const struct simt_insn *x) {
    switch ((enum simt_op)x->op) {
    case SIMT_LD:
    case SIMT_ST:
    case SIMT_ATOM:
        return access_unit(x);
    case SIMT_BAR:
        return SIMT_UNIT_BARRIER;
    case SIMT_MEMBAR:
        return SIMT_UNIT_FENCE;
    case SIMT_BRA:
    case SIMT_EXIT:
    case SIMT_TRAP:
    case SIMT_NOP:
        return SIMT_UNIT_FRONT;
    default:
        return SIMT_UNIT_ALU;
    }
}

bool simt_reaches_banks(const struct simt_insn *insn) {
    return unit_of(insn) == SIMT_UNIT_MEMORY;
}

static bool is_slow(const struct simt_insn *x) {
    switch ((enum simt_op)x->op) {
    case SIMT_DIV:
    case SIMT_REM:
    case SIMT_RCP:
    case SIMT_SQRT:
    case SIMT_RSQRT:
    case SIMT_SIN:
    case SIMT_COS:
    case SIMT_LG2:
    case SIMT_EX2:
    case SIMT_TANH:
        return true;
    default:
        return false;
    }
}

static bool is_product(const struct simt_insn *x) {
    switch ((enum simt_op)x->op) {
    case SIMT_MUL:
    case SIMT_MAD:
    case SIMT_FMA:
    case SIMT_MADC:
    case SIMT_MUL24:
    case SIMT_MAD24:
    case SIMT_DP4A:
        return true;
    default:
        return false;
    }
}

/* Of the 415 pJ: thousandths of an operation of the ALU; 0: it has no part in it. */
static uint32_t alu_permille(const struct simt_keys *k, const struct simt_insn *x) {
    return unit_of(x) != SIMT_UNIT_ALU ? 0
           : is_slow(x)                ? k->time.slow_permille
           : is_product(x)             ? k->time.product_permille
                                       : 1000;
}

/* Where it goes by the policy, if neither side has to have it. */
static uint8_t place(const struct simt_insn *x, enum simt_unit unit, const struct simt_keys *k) {
    if (unit == SIMT_UNIT_SHARED)
        return simt_near_shared(k) ? SIMT_NEAR : SIMT_FAR;
    if ((unit != SIMT_UNIT_ALU && unit != SIMT_UNIT_CONST) || !k->time.near_units)
        return SIMT_FAR;
    switch ((enum simt_policy)k->time.policy) {
    case SIMT_POLICY_HARDWARE:
        return SIMT_BOTH;
    case SIMT_POLICY_NEAR:
        return SIMT_NEAR;
    case SIMT_POLICY_FAR:
        return SIMT_FAR;
    default:
        return x->location;
    }
}

struct simt_plan *simt_plans(const struct simt_kernel *k, const struct simt_keys *keys) {
    struct simt_plan *plans = xcalloc((size_t)k->insn_count + 1, sizeof *plans);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct simt_insn *x = &k->insns[i];
        struct simt_plan *p = &plans[i];
        operands(x, p);
        p->unit = (uint8_t)unit_of(x);
        p->location = place(x, (enum simt_unit)p->unit, keys);
        p->slow = is_slow(x);
        p->stores = x->op == SIMT_ST;
        p->atomic = x->op == SIMT_ATOM;
        p->has_sources = p->sources.units || p->sources.predicates;
        p->registers = (uint8_t)registers_of(x);
        p->result_units = (uint8_t)__builtin_popcountll(p->results.units);
        p->line = 4 * k->places[i] / keys->time.icache_line;
    }
    return plans;
}

/* ---- energy ---- */

const char *const simt_part_names[SIMT_PARTS] = {
    [SIMT_PART_ALU] = "alu", [SIMT_PART_REGISTERS] = "registers", [SIMT_PART_DRAM] = "dram",
    [SIMT_PART_TSV] = "tsv", [SIMT_PART_NETWORK] = "mesh",        [SIMT_PART_OTHER] = "other"};
const char *const simt_act_names[SIMT_ACTS] = {[SIMT_ACT_ALU] = "ALU",
                                               [SIMT_ACT_COLLECT] = "COLLECT",
                                               [SIMT_ACT_REGISTER] = "REGISTER",
                                               [SIMT_ACT_READ] = "READ",
                                               [SIMT_ACT_WRITE] = "WRITE",
                                               [SIMT_ACT_ACTIVATE] = "ACTIVATE",
                                               [SIMT_ACT_PRECHARGE] = "PRECHARGE",
                                               [SIMT_ACT_REFRESH] = "REFRESH",
                                               [SIMT_ACT_TSV] = "TSV",
                                               [SIMT_ACT_HOP] = "HOP",
                                               [SIMT_ACT_LINK] = "LINK",
                                               [SIMT_ACT_SHARED] = "SHARED",
                                               [SIMT_ACT_EXTENSION] = "EXTENSION"};

enum simt_part simt_part_of(enum simt_act act) {
    switch (act) {
    case SIMT_ACT_ALU:
        return SIMT_PART_ALU;
    case SIMT_ACT_COLLECT:
    case SIMT_ACT_REGISTER:
        return SIMT_PART_REGISTERS;
    case SIMT_ACT_READ:
    case SIMT_ACT_WRITE:
    case SIMT_ACT_ACTIVATE:
    case SIMT_ACT_PRECHARGE:
    case SIMT_ACT_REFRESH:
        return SIMT_PART_DRAM;
    case SIMT_ACT_TSV:
        return SIMT_PART_TSV;
    case SIMT_ACT_HOP:
    case SIMT_ACT_LINK:
        return SIMT_PART_NETWORK;
    default:
        return SIMT_PART_OTHER;
    }
}

static void charge(uint64_t *count, uint64_t *fj, enum simt_act act, uint64_t n, uint64_t each) {
    count[act] += n;
    fj[act] = sat_add(fj[act], sat_mul(n, each));
}

static void charge_bytes(uint64_t *count, uint64_t *fj, enum simt_act act, uint64_t n,
                         uint64_t bytes, uint64_t bit_fj) {
    count[act] += n;
    fj[act] = sat_add(fj[act], sat_mul(sat_mul(bytes, 8), bit_fj));
}

void simt_place_energy(const struct simt_keys *keys, const struct simt_insn *x,
                       const struct simt_place_time *p, uint64_t *count, uint64_t *fj) {
    const struct simt_time_keys *k = &keys->time;
    const uint64_t alu = alu_permille(keys, x), registers = registers_of(x);
    if (alu)
        charge(count, fj, SIMT_ACT_ALU, p->worked, sat_scale(k->alu_fj, alu, 1000));
    charge(count, fj, SIMT_ACT_COLLECT, registers ? p->worked : 0, k->collector_fj);
    charge(count, fj, SIMT_ACT_REGISTER, p->worked * registers + 2 * p->moved_registers, k->rf_fj);
    charge(count, fj, SIMT_ACT_READ, p->reads, k->column_fj);
    charge(count, fj, SIMT_ACT_WRITE, p->writes, k->column_fj);
    charge(count, fj, SIMT_ACT_ACTIVATE, p->activates, k->row_fj);
    charge(count, fj, SIMT_ACT_PRECHARGE, p->precharges, k->row_fj);
    charge_bytes(count, fj, SIMT_ACT_TSV, p->messages, p->tsv_bytes, k->tsv_bit_fj);
    charge_bytes(count, fj, SIMT_ACT_HOP, p->hops, p->hop_bytes, k->mesh_bit_fj);
    charge_bytes(count, fj, SIMT_ACT_LINK, p->links, p->link_bytes, k->link_bit_fj);
    charge(count, fj, SIMT_ACT_SHARED, p->passes, k->shared_fj);
    charge(count, fj, SIMT_ACT_EXTENSION, p->extension, k->extension_fj);
}
