/* SPDX-License-Identifier: MIT
 * One thread, step by step. */
#include "ptx/alu.h"
#include "ptx/run.h"

#include "support/bits.h"

#include <string.h>

#define ASK_EVERY  4096                /* steps, for go_on */
#define LOOK_AFTER (1u << 16)          /* steps of a thread without a stop, for whether it spins */
#define MOST_STEPS (UINT64_C(1) << 32) /* of a thread */

/* ---- operands ---- */

uint64_t ptx_special_value(const struct ptx_where *where, enum ptx_special which) {
    const uint32_t *block = where->threads_of, *grid = where->blocks, thread = where->thread;
    unsigned lane = thread % PTX_WARP;
    uint64_t bit = (uint64_t)1 << lane;
    switch (which) {
    case PTX_SPECIAL_TID_X:
        return thread % block[0];
    case PTX_SPECIAL_TID_Y:
        return thread / block[0] % block[1];
    case PTX_SPECIAL_TID_Z:
        return thread / block[0] / block[1];
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z:
        return block[which - PTX_SPECIAL_NTID_X];
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z:
        return where->block[which - PTX_SPECIAL_CTAID_X];
    case PTX_SPECIAL_NCTAID_X:
    case PTX_SPECIAL_NCTAID_Y:
    case PTX_SPECIAL_NCTAID_Z:
        return grid[which - PTX_SPECIAL_NCTAID_X];
    case PTX_SPECIAL_LANEID:
        return lane;
    case PTX_SPECIAL_WARPID:
        return thread / PTX_WARP;
    case PTX_SPECIAL_NWARPID:
        return (where->threads + PTX_WARP - 1) / PTX_WARP;
    case PTX_SPECIAL_LANEMASK_EQ:
        return bit;
    case PTX_SPECIAL_LANEMASK_LE:
        return 2 * bit - 1;
    case PTX_SPECIAL_LANEMASK_LT:
        return bit - 1;
    case PTX_SPECIAL_LANEMASK_GE:
        return low_bits(32) & ~(bit - 1);
    case PTX_SPECIAL_LANEMASK_GT:
        return low_bits(32) & ~(2 * bit - 1);
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK64:
        return where->clock;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
        return where->dynamic_bytes;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
        return where->shared_bytes;
    case PTX_SPECIAL_WARP_SZ:
        return PTX_WARP;
    case PTX_SPECIAL_GRIDID:
    case PTX_SPECIALS:
        break;
    }
    return 0;
}

static uint64_t special_value(const struct ptx_run *run, uint32_t thread, enum ptx_special which) {
    const struct ptx_where where = {.blocks = run->blocks,
                                    .threads_of = run->threads_of,
                                    .block = run->block,
                                    .threads = run->threads,
                                    .thread = thread,
                                    .clock = run->thread[thread].steps,
                                    .dynamic_bytes = run->launch->bytes,
                                    .shared_bytes = run->shared_bytes};
    return ptx_special_value(&where, which);
}

uint64_t ptx_source_value(const struct ptx_run *run, uint32_t thread, const struct ptx_source *s) {
    uint64_t value = s->number;
    if (s->kind == PTX_FROM_SLOT)
        value = run->thread[thread].slots[s->number];
    else if (s->kind == PTX_FROM_DATA)
        value += run->launch->shared;
    else if (s->kind == PTX_FROM_SPECIAL)
        value = special_value(run, thread, (enum ptx_special)s->number);
    return (value ^ s->negated) & low_bits(s->bits);
}

/* A register that is wider than the type gets the sign of a signed one. */
void ptx_result_put(struct ptx_thread *thread, const struct ptx_result *r, enum ptx_type type,
                    uint64_t value) {
    unsigned bits = ptx_type_bits(type);
    if (r->slot == PTX_NONE)
        return;
    if (ptx_type_signed(type) && r->bits > bits)
        value = (uint64_t)sign_extend(value & low_bits(bits), bits);
    thread->slots[r->slot] = value & low_bits(r->bits);
}

/* ---- steps ---- */

static void compute(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    struct ptx_thread *t = &run->thread[thread];
    struct ptx_alu x = {.m = &s->insn->m, .op = s->op, .carry = t->carry};
    for (unsigned i = 0; i < s->source_count; i++)
        x.in[i] = ptx_source_value(run, thread, &s->source[i]);
    s->insn->form->compute(&x);
    t->carry = x.carry;
    if (s->second.slot != PTX_NONE)
        t->slots[s->second.slot] = x.second & 1;
    if (s->op == PTX_OP_CVT)
        ptx_result_put(t, &s->result[0], (enum ptx_type)s->insn->m.type[0], x.out);
    else
        ptx_result_put(t, &s->result[0], PTX_B64, x.out);
}

/* Parts of a vector lie one behind the other, the first one lowest. */
static void move(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    uint64_t value = 0;
    unsigned at = 0;
    for (unsigned i = 0; i < s->source_count; i++) {
        value |= ptx_source_value(run, thread, &s->source[i]) << at;
        at += s->source[i].bits;
    }
    unsigned each = ptx_type_bits((enum ptx_type)s->insn->m.type[0]) / s->result_count;
    for (unsigned i = 0; i < s->result_count; i++)
        ptx_result_put(&run->thread[thread], &s->result[i], PTX_B64,
                       (i * each < 64 ? value >> i * each : 0) & low_bits(each));
}

/* To a generic address, or back from one. */
static void convert_address(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    uint64_t window = ptx_window((enum ptx_space)s->insn->m.space);
    uint64_t value = ptx_source_value(run, thread, &s->source[0]);
    value = s->insn->m.flags & PTX_TO ? value - window : value + window;
    ptx_result_put(&run->thread[thread], &s->result[0], PTX_B64, value);
}

static void ask_space(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    uint64_t address = ptx_source_value(run, thread, &s->source[0]);
    enum ptx_space space = ptx_space_of(&address), asked = (enum ptx_space)s->insn->m.space;
    ptx_result_put(&run->thread[thread], &s->result[0], PTX_B64,
                   asked == PTX_CONST ? false : space == asked);
}

static bool copy_params(struct ptx_run *run, uint32_t thread, const struct ptx_step *s,
                        const struct ptx_copy *copies, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_copy *c = &copies[i];
        const unsigned char *from = ptx_param(run, thread, s, c->from, c->bytes, false);
        unsigned char *to = from ? ptx_param(run, thread, s, c->to, c->bytes, true) : NULL;
        if (!to)
            return false;
        run->changed |= memcmp(to, from, (size_t)c->bytes) != 0;
        memmove(to, from, (size_t)c->bytes);
    }
    return true;
}

/* What is called stands with its arguments; the step behind is where it comes back. */
static bool call(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    struct ptx_thread *t = &run->thread[thread];
    if (!copy_params(run, thread, s, s->copies, s->copy_count))
        return false;
    run->changed |= t->returns[s->callee] != t->pc + 1;
    t->returns[s->callee] = t->pc + 1;
    t->pc = s->target;
    return true;
}

/* From the entry: the end. */
static bool come_back(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    struct ptx_thread *t = &run->thread[thread];
    if (s->function == 0) {
        t->wait = PTX_DONE;
        return true;
    }
    t->pc = t->returns[s->function];
    const struct ptx_step *from = &run->program->steps.data[t->pc - 1];
    return copy_params(run, thread, from, from->returned, from->returned_count);
}

/* Whole warps come to a barrier that says for how many threads it is. */
static bool threads_fit(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    if (s->source_count < 2 || s->insn->m.mode == PTX_REDUCE)
        return true;
    uint64_t count = ptx_source_value(run, thread, &s->source[1]);
    return (count && count % PTX_WARP == 0) ||
           ptx_fault(run, thread, s, "a barrier of %llu threads: it is of a multiple of 32",
                     (unsigned long long)count);
}

static bool arrive(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    struct ptx_thread *t = &run->thread[thread];
    uint64_t id = ptx_source_value(run, thread, &s->source[0]);
    if (id > 15)
        return ptx_fault(run, thread, s, "barrier %llu: there are 16", (unsigned long long)id);
    if (!threads_fit(run, thread, s))
        return false;
    if (s->insn->m.mode == PTX_ARRIVE) {
        run->arrived[id]++;
        t->pc++;
    } else {
        t->wait = PTX_AT_BARRIER;
    }
    return true;
}

static bool is_of_warp(const struct ptx_step *s) {
    return strncmp(s->insn->name, "bar.warp", 8) == 0;
}

/* One step that is not skipped; pc is where it goes on. */
static bool carry_out(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    struct ptx_thread *t = &run->thread[thread];
    switch (s->op) {
    case PTX_OP_BRA:
        t->pc = s->target;
        return true;
    case PTX_OP_CALL:
        return call(run, thread, s);
    case PTX_OP_RET:
        return come_back(run, thread, s);
    case PTX_OP_EXIT:
        t->wait = PTX_DONE;
        return true;
    case PTX_OP_TRAP:
        return ptx_fault(run, thread, s, "trap");
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
        t->wait = PTX_AT_WARP;
        return true;
    case PTX_OP_BAR:
        if (!is_of_warp(s))
            return arrive(run, thread, s);
        t->wait = PTX_AT_WARP;
        return true;
    default:
        break;
    }
    t->pc++;
    switch (s->op) {
    case PTX_OP_MOV:
        move(run, thread, s);
        return true;
    case PTX_OP_CVTA:
        convert_address(run, thread, s);
        return true;
    case PTX_OP_ISSPACEP:
        ask_space(run, thread, s);
        return true;
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return ptx_load(run, thread, s);
    case PTX_OP_ST:
        return ptx_store(run, thread, s);
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return ptx_atomic_access(run, thread, s);
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_NANOSLEEP:
        return true;
    default:
        compute(run, thread, s);
        return true;
    }
}

/* ---- going round ---- */

/* At a jump back: whether the thread is where it was, with all that it was, and has changed nothing
 * meanwhile.  What it compares with is as old as it is long ago, so that any circle is found. */
static bool spins(struct ptx_run *run, const struct ptx_thread *t, uint64_t since) {
    struct ptx_snapshot *s = &run->snapshot;
    size_t bytes = run->program->slots * sizeof *s->slots;
    if (s->valid && s->pc == t->pc && !run->changed && s->carry == t->carry &&
        memcmp(s->slots, t->slots, bytes) == 0)
        return true;
    if (since & (since - 1))
        return false;
    memcpy(s->slots, t->slots, bytes);
    s->pc = t->pc;
    s->carry = t->carry;
    s->valid = true;
    run->changed = false;
    return false;
}

static bool may_go_on(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    const struct portable_launch *launch = run->launch;
    if (launch->go_on && !launch->go_on(launch->context, run->steps)) {
        run->stopped = true;
        return false;
    }
    return run->thread[thread].steps < MOST_STEPS ||
           ptx_fault(run, thread, s, "it comes to no end in %llu steps",
                     (unsigned long long)MOST_STEPS);
}

bool ptx_thread_run(struct ptx_run *run, uint32_t thread) {
    struct ptx_thread *t = &run->thread[thread];
    const struct ptx_step *steps = run->program->steps.data;
    uint64_t here = 0, back = 0;
    run->snapshot.valid = false;
    t->wait = PTX_READY;
    while (t->wait == PTX_READY) {
        const struct ptx_step *s = &steps[t->pc];
        uint32_t from = t->pc;
        t->steps++;
        run->steps++;
        if (s->guard != PTX_NONE && (t->slots[s->guard] != 0) == s->guard_not)
            t->pc++;
        else if (!carry_out(run, thread, s))
            return false;
        here++;
        if (t->steps % ASK_EVERY == 0 && !may_go_on(run, thread, s))
            return false;
        if (t->wait == PTX_READY && t->pc <= from && here > LOOK_AFTER && spins(run, t, ++back))
            t->wait = PTX_SPINNING;
    }
    return true;
}
