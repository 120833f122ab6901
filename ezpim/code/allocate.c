/* SPDX-License-Identifier: MIT
 * Registers by liveness.  A virtual register that is written anew in its home region starts a new
 * web: a stretch of code in which one register must hold it.  What is written in a region inside
 * keeps its value in other lanes, so the web goes on; and a web that a loop touches, from outside
 * of which it comes, lives to the loop's end.  Where a lap of a REPEAT that no lane leaves writes
 * it anew, the web has a hole from the last reading in front of that on, in which its register is
 * free.  Instruction i reads at time 2i and writes at 2i + 1; a web lives in [begin, end).
 * Variables have their register for good, but between a last read and the next write it is free for
 * others, and behind the last read of one that dies here. */
#include "ezpim/code/code.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct web {
    uint32_t begin, end;
    uint32_t touched;               /* up to here it is read or written, loops inside included */
    uint32_t first_hole, last_hole; /* of allocation.holes, ascending in time; IR_NONE */
    uint32_t vreg;
    int8_t reg;       /* -1: not given yet */
    int8_t hint;      /* a register that would save a move, or -1 */
    uint32_t forward; /* the web that this one is moved to, or IR_NONE */
};

/* Time [begin, end) in which a web needs no register. */
struct hole {
    uint32_t begin, end;
    uint32_t next; /* of the same web, or IR_NONE */
};

struct allocation {
    const struct ir_code *ir;
    struct code *code;
    VEC(struct web) webs;
    VEC(struct hole) holes;
    struct ir_sub *sub; /* whose body this is, or NULL */
    bool *left;         /* regions that some lane leaves before their end */
    uint32_t *current;  /* by virtual register: its web, or IR_NONE */
    uint32_t *in_webs;  /* [sub->in_count] */
    uint32_t *webs_of;  /* [insns * CODE_FIELDS]: read web, except what is only written */
    uint32_t *order;    /* webs by begin */
    uint64_t usable;    /* registers that webs may get */
    uint32_t free_at[IR_REGISTERS];
    /* Webs of variables by register, ascending; next[r] is the first that has not ended. */
    VEC(uint32_t) fixed[IR_REGISTERS];
    size_t next[IR_REGISTERS];
};

static uint32_t new_web(struct allocation *allocation, uint32_t vreg, uint32_t begin) {
    struct web w = {.begin = begin,
                    .end = begin + 1,
                    .touched = begin + 1,
                    .first_hole = IR_NONE,
                    .last_hole = IR_NONE,
                    .vreg = vreg,
                    .reg = allocation->ir->vregs.data[vreg].fixed,
                    .hint = -1,
                    .forward = IR_NONE};
    vec_push(&allocation->webs, w);
    uint32_t index = (uint32_t)allocation->webs.len - 1;
    if (w.reg >= 0)
        vec_push(&allocation->fixed[w.reg], index);
    allocation->current[vreg] = index;
    return index;
}

static bool is_loop(const struct allocation *allocation, uint32_t region) {
    uint8_t op = allocation->ir->regions.data[region].op;
    return op == IR_LOOP || op == IR_REPEAT;
}

/* The outermost loop around `region` that the virtual register comes into from outside, or
 * IR_NONE. */
static uint32_t loop_around(const struct allocation *allocation, uint32_t vreg, uint32_t region) {
    uint32_t loop = IR_NONE;
    for (uint32_t r = region; r != allocation->ir->vregs.data[vreg].home && r != IR_NONE;
         r = allocation->ir->regions.data[r].parent)
        if (is_loop(allocation, r))
            loop = r;
    return loop;
}

/* The innermost one likewise. */
static uint32_t loop_inside(const struct allocation *allocation, uint32_t vreg, uint32_t region) {
    uint32_t r = region;
    while (r != allocation->ir->vregs.data[vreg].home && r != IR_NONE && !is_loop(allocation, r))
        r = allocation->ir->regions.data[r].parent;
    return r == allocation->ir->vregs.data[vreg].home ? IR_NONE : r;
}

static uint32_t later(uint32_t left, uint32_t right) {
    return left > right ? left : right;
}

/* The web that instruction `insn` goes on with, up to `time` and the end of the loops around. */
static uint32_t touch_web(struct allocation *allocation, uint32_t vreg,
                          const struct code_insn *insn, uint32_t time) {
    uint32_t w = allocation->current[vreg], loop = loop_around(allocation, vreg, insn->region);
    const struct code_stretch *lap = loop == IR_NONE ? NULL : &allocation->code->stretches[loop];
    bool before = lap && allocation->ir->vregs.data[vreg].fixed < 0;
    if (w == IR_NONE) /* its value comes from before the loop or the ensemble */
        w = new_web(allocation, vreg, before ? 2 * lap->begin : 0);
    struct web *web = &allocation->webs.data[w];
    web->end = later(web->end, lap ? 2 * lap->end + 1 : time + 1);
    web->touched = later(web->touched, time + 1);
    return w;
}

/* True if the instruction leaves nothing of what the virtual register held. */
static bool replaces(const struct allocation *allocation, const struct code_insn *insn,
                     uint32_t vreg) {
    return insn->every_lane || allocation->ir->vregs.data[vreg].home == insn->region;
}

/* True if it stands in laps of REPEATs alone that all lanes of the register's home go through: of
 * what the register held, nothing is left either, but what the next lap reads is written here. */
static bool replaces_in_lap(const struct allocation *allocation, const struct code_insn *insn,
                            uint32_t vreg) {
    uint32_t r = insn->region, home = allocation->ir->vregs.data[vreg].home;
    while (r != home && r != IR_NONE && allocation->ir->regions.data[r].op == IR_REPEAT &&
           !allocation->left[r])
        r = allocation->ir->regions.data[r].parent;
    return r == home;
}

/* A register that instruction `insn`, at 2 * at, replaces in a lap has a hole in front of that,
 * from where it was touched last: in this lap, for the innermost loop may not run at all.  Where an
 * inner loop touched it, that one has been left, and all of it counts. */
static void make_hole(struct allocation *allocation, uint32_t vreg, const struct code_insn *insn,
                      uint32_t at) {
    struct web *w = &allocation->webs.data[allocation->current[vreg]];
    uint32_t loop = loop_inside(allocation, vreg, insn->region);
    uint32_t begin = later(w->touched, 2 * allocation->code->stretches[loop].begin),
             end = 2 * at + 1;
    if (begin >= end)
        return;
    uint32_t hole = (uint32_t)allocation->holes.len;
    vec_push(&allocation->holes, ((struct hole){begin, end, IR_NONE}));
    if (w->first_hole == IR_NONE)
        w->first_hole = hole;
    else
        allocation->holes.data[w->last_hole].next = hole;
    w->last_hole = hole;
}

/* Loops that were left touch what they name up to their ends. */
static void close_loops(struct allocation *allocation, uint32_t index) {
    const struct ir_region *regions = allocation->ir->regions.data;
    uint32_t before = index ? allocation->code->insns.data[index - 1].region : 0;
    uint32_t now = allocation->code->insns.data[index].region;
    for (uint32_t r = before; r != IR_NONE && !ir_region_within(allocation->ir, now, r);
         r = regions[r].parent)
        if (is_loop(allocation, r))
            for (uint32_t v = 0; v < allocation->ir->vregs.len; v++) {
                struct web *w = allocation->current[v] == IR_NONE
                                    ? NULL
                                    : &allocation->webs.data[allocation->current[v]];
                if (w && w->touched > 2 * allocation->code->stretches[r].begin)
                    w->touched = later(w->touched, 2 * index);
            }
}

/* A time in which a register is not free, whatever holds it. */
static struct web taken_web(unsigned reg, uint32_t begin, uint32_t end) {
    return (struct web){.begin = begin,
                        .end = end,
                        .vreg = IR_NONE,
                        .reg = (int8_t)reg,
                        .hint = -1,
                        .first_hole = IR_NONE,
                        .last_hole = IR_NONE,
                        .forward = IR_NONE};
}

/* A register that the callee writes is nobody's while it runs; what it takes and gives are webs of
 * their own. */
static void scan_call(struct allocation *allocation, uint32_t index, const struct code_insn *insn) {
    const struct ir_sub *sub = insn->call->sub;
    for (uint32_t k = 0; k < sub->in_count; k++)
        touch_web(allocation, insn->call->in[k], insn, 2 * index);
    for (unsigned r = 0; r < IR_REGISTERS; r++) {
        if (!(sub->writes >> r & 1))
            continue;
        vec_push(&allocation->fixed[r], (uint32_t)allocation->webs.len);
        vec_push(&allocation->webs, taken_web(r, 2 * index, 2 * index + 2));
    }
    for (uint32_t k = 0; k < sub->out_count; k++)
        new_web(allocation, insn->call->out[k], 2 * index + 1);
}

static void scan_insn(struct allocation *allocation, uint32_t index) {
    const struct code_insn *insn = &allocation->code->insns.data[index];
    close_loops(allocation, index);
    if (insn->kind == CODE_CALL)
        scan_call(allocation, index, insn);
    uint32_t *webs = allocation->webs_of + (size_t)index * CODE_FIELDS;
    for (enum code_field f = 0; f < CODE_FIELDS; f++)
        webs[f] =
            code_reads(insn, f) ? touch_web(allocation, insn->field[f], insn, 2 * index) : IR_NONE;
    for (enum code_field f = 0; f < CODE_FIELDS; f++) {
        if (!code_writes(insn, f))
            continue;
        uint32_t vreg = insn->field[f];
        if (webs[f] == IR_NONE && replaces(allocation, insn, vreg)) {
            webs[f] = new_web(allocation, vreg, 2 * index + 1);
            continue;
        }
        if (webs[f] == IR_NONE && allocation->current[vreg] != IR_NONE && !insn->partial &&
            replaces_in_lap(allocation, insn, vreg))
            make_hole(allocation, vreg, insn, index);
        webs[f] = touch_web(allocation, insn->field[f], insn, 2 * index + 1);
    }
}

static bool is_variable(const struct ir_vreg *vreg) {
    return vreg->fixed >= 0 && !vreg->pinned;
}

static void live_at_end(struct allocation *allocation, uint32_t value) {
    if (allocation->current[value] == IR_NONE)
        new_web(allocation, value, 0);
    allocation->webs.data[allocation->current[value]].end =
        2 * (uint32_t)allocation->code->insns.len + 2;
}

/* What a subroutine is given is there at its first instruction, what it gives at its last. */
static void open_sub(struct allocation *allocation) {
    for (uint32_t k = 0; allocation->sub && k < allocation->sub->in_count; k++)
        allocation->in_webs[k] = new_web(allocation, allocation->sub->in[k], 0);
}

static void close_sub(struct allocation *allocation) {
    for (uint32_t k = 0; allocation->sub && k < allocation->sub->out_count; k++)
        live_at_end(allocation, allocation->sub->out[k]);
}

/* Variables live on behind the end, but for those that die here. */
static void close_variables(struct allocation *allocation) {
    for (uint32_t v = 0; v < allocation->ir->vregs.len; v++)
        if (is_variable(&allocation->ir->vregs.data[v]) && !allocation->ir->vregs.data[v].dies)
            live_at_end(allocation, v);
}

static bool is_move(const struct code_insn *insn) {
    return insn->kind == CODE_INSN && insn->op == OP_MOV && !insn->partial;
}

static void hint_move(struct allocation *allocation, const uint32_t *webs) {
    struct web *from = &allocation->webs.data[webs[CODE_RS]];
    const struct web *to = &allocation->webs.data[webs[CODE_RD]];
    from->hint = to->reg >= 0 ? to->reg : to->hint;
    from->forward = webs[CODE_RD];
}

static unsigned bits_of_web(const struct allocation *allocation, const struct web *web) {
    return web->vreg == IR_NONE ? 0 : allocation->ir->vregs.data[web->vreg].type.bits;
}

/* A value that is used up where a variable is written may lie in its register up to there: beside
 * other values it would be in the way of none. */
static void hint_operands(struct allocation *allocation, const struct code_insn *insn,
                          const uint32_t *webs, uint32_t at) {
    const struct web *to = webs[CODE_RD] == IR_NONE ? NULL : &allocation->webs.data[webs[CODE_RD]];
    if (!to || to->reg < 0 || to->begin != 2 * at + 1 || !code_writes(insn, CODE_RD))
        return;
    for (enum code_field f = CODE_RS; f < CODE_RD; f++) {
        struct web *from = webs[f] == IR_NONE ? NULL : &allocation->webs.data[webs[f]];
        if (from && from->reg < 0 && from->hint < 0 && from->end <= 2 * at + 1 &&
            bits_of_web(allocation, from) <= bits_of_web(allocation, to))
            from->hint = to->reg;
    }
}

/* A value that ends in a move would best be made where it goes; found from the end backwards. */
static void find_hints(struct allocation *allocation) {
    for (size_t i = allocation->code->insns.len; i-- > 0;) {
        const struct code_insn *insn = &allocation->code->insns.data[i];
        if (is_move(insn))
            hint_move(allocation, allocation->webs_of + i * CODE_FIELDS);
        else if (insn->kind == CODE_INSN)
            hint_operands(allocation, insn, allocation->webs_of + i * CODE_FIELDS, (uint32_t)i);
    }
}

static void mark_usable(struct allocation *allocation) {
    allocation->usable = ~allocation->ir->reserved;
    for (size_t v = 0; v < allocation->ir->vregs.len; v++)
        if (is_variable(&allocation->ir->vregs.data[v]) &&
            (!allocation->ir->vregs.data[v].clean || allocation->ir->vregs.data[v].dies))
            allocation->usable |= (uint64_t)1 << allocation->ir->vregs.data[v].fixed;
}

/* Webs of variables from there on; it begins behind those that ended before. */
static void insert_fixed(struct allocation *allocation, unsigned r, struct web rest) {
    vec_push(&allocation->fixed[r], 0);
    size_t at = allocation->fixed[r].len - 1;
    for (; at > allocation->next[r] &&
           allocation->webs.data[allocation->fixed[r].data[at - 1]].begin > rest.begin;
         at--)
        allocation->fixed[r].data[at] = allocation->fixed[r].data[at - 1];
    allocation->fixed[r].data[at] = (uint32_t)allocation->webs.len;
    vec_push(&allocation->webs, rest);
}

/* The register of a web is free in its holes: what is behind them counts among the webs of
 * variables.  Gives the end of the first piece. */
static uint32_t split_at_holes(struct allocation *allocation, const struct web *web) {
    uint32_t end = web->end, first = web->first_hole;
    unsigned r = (unsigned)web->reg;
    for (uint32_t h = first; h != IR_NONE; h = allocation->holes.data[h].next) {
        uint32_t next = allocation->holes.data[h].next;
        uint32_t behind = next == IR_NONE ? end : allocation->holes.data[next].begin;
        insert_fixed(allocation, r, taken_web(r, allocation->holes.data[h].end, behind));
    }
    return first == IR_NONE ? end : allocation->holes.data[first].begin;
}

static void split_variables(struct allocation *allocation) {
    size_t count = allocation->webs.len;
    for (size_t w = 0; w < count; w++) {
        struct web web = allocation->webs.data[w];
        if (web.reg < 0 || web.vreg == IR_NONE)
            continue;
        uint32_t end = split_at_holes(allocation, &web); /* may move the list */
        allocation->webs.data[w].end = end;
    }
}

/* Webs were found by their ends; few begin earlier than those found before. */
static void sort_webs(struct allocation *allocation) {
    uint32_t n = (uint32_t)allocation->webs.len,
             times = 2 * (uint32_t)allocation->code->insns.len + 3;
    uint32_t *next = xcalloc(times + 1, sizeof *next);
    allocation->order = xcalloc(n + 1, sizeof *allocation->order);
    for (uint32_t w = 0; w < n; w++)
        next[allocation->webs.data[w].begin + 1]++;
    for (uint32_t t = 0; t < times; t++)
        next[t + 1] += next[t];
    for (uint32_t w = 0; w < n; w++)
        allocation->order[next[allocation->webs.data[w].begin]++] = w;
    free(next);
}

static void build_webs(struct allocation *allocation) {
    size_t insns = allocation->code->insns.len;
    allocation->current = xcalloc(allocation->ir->vregs.len + 1, sizeof *allocation->current);
    memset(allocation->current, 0xFF, allocation->ir->vregs.len * sizeof *allocation->current);
    allocation->left = xcalloc(allocation->ir->regions.len + 1, sizeof *allocation->left);
    for (size_t i = 0; i < allocation->ir->insns.len; i++)
        if (allocation->ir->insns.data[i].op == IR_TEST ||
            allocation->ir->insns.data[i].op == IR_EXIT)
            allocation->left[allocation->ir->insns.data[i].region] = true;
    allocation->in_webs =
        xcalloc((allocation->sub ? allocation->sub->in_count : 0) + 1, sizeof *allocation->in_webs);
    open_sub(allocation);
    allocation->webs_of = xcalloc(insns * CODE_FIELDS + 1, sizeof *allocation->webs_of);
    for (uint32_t i = 0; i < insns; i++)
        scan_insn(allocation, i);
    close_variables(allocation);
    close_sub(allocation);
    find_hints(allocation);
    split_variables(allocation);
    mark_usable(allocation);
    sort_webs(allocation);
}

static void free_allocation(struct allocation *allocation) {
    for (unsigned r = 0; r < IR_REGISTERS; r++)
        if (allocation->fixed[r].data)
            vec_free(&allocation->fixed[r]);
    vec_free(&allocation->webs);
    vec_free(&allocation->holes);
    free(allocation->current);
    free(allocation->left);
    free(allocation->webs_of);
    free(allocation->in_webs);
    free(allocation->order);
}

static bool is_free(struct allocation *allocation, unsigned r, const struct web *web) {
    if (!(allocation->usable >> r & 1) || allocation->free_at[r] > web->begin)
        return false;
    while (allocation->next[r] < allocation->fixed[r].len &&
           allocation->webs.data[allocation->fixed[r].data[allocation->next[r]]].end <= web->begin)
        allocation->next[r]++;
    return allocation->next[r] == allocation->fixed[r].len ||
           allocation->webs.data[allocation->fixed[r].data[allocation->next[r]]].begin >= web->end;
}

/* How long the register, which is free during the web, stays so. */
static uint32_t free_behind(const struct allocation *allocation, unsigned r,
                            const struct web *web) {
    if (allocation->next[r] == allocation->fixed[r].len)
        return UINT32_MAX;
    return allocation->webs.data[allocation->fixed[r].data[allocation->next[r]]].begin - web->end;
}

static bool is_extreme(uint16_t op) {
    return op == OP_MIN || op == OP_MAX || op == OP_MINS || op == OP_MAXS;
}

/* Minima, shifts by constants and extensions cost less in place. */
static bool saves_in_place(uint16_t op) {
    return is_extreme(op) || op == OP_SHLI || op == OP_SHRI || op == OP_SARI || op == OP_ZEXT ||
           op == OP_SEXT;
}

/* What an instruction pays for a result in the register of an operand that ends there, of which
 * most machines then keep a copy; 2: more, 1: nothing, 0: less. */
static unsigned price_of_operand(const struct allocation *allocation, unsigned r,
                                 const struct web *web) {
    uint32_t next = (uint32_t)allocation->next[r];
    bool ends =
        allocation->free_at[r] == web->begin ||
        (next && allocation->webs.data[allocation->fixed[r].data[next - 1]].end == web->begin);
    if (!ends || web->begin % 2 == 0 || web->begin / 2 >= allocation->code->insns.len)
        return 1;
    const struct code_insn *i = &allocation->code->insns.data[web->begin / 2];
    if (i->kind != CODE_INSN)
        return 1;
    bool two = code_reads(i, CODE_RS) && code_reads(i, CODE_RT);
    return saves_in_place(i->op) ? 0 : two || i->op == OP_INV ? 2 : 1;
}

/* Least new bits first (apart: as many of an old register as of a new one), then the tightest fit
 * in width; where rows are no matter, what the instruction pays before that. */
static unsigned cost_of(const struct allocation *allocation, unsigned r, const struct web *web,
                        const struct register_widths *widths) {
    enum { MORE_THAN_BITS = 1024 };
    unsigned have = widths->bits[r], bits = allocation->ir->vregs.data[web->vreg].type.bits;
    unsigned new_bits = have < bits ? bits - have + (widths->apart ? 0 : 64) : 0;
    unsigned fit = have >= bits ? have - bits : new_bits;
    return widths->roomy ? fit + MORE_THAN_BITS * price_of_operand(allocation, r, web) : fit;
}

/* Of as much cost the tightest fit in time. */
static int best_register(struct allocation *allocation, const struct web *web,
                         const struct register_widths *widths) {
    unsigned best_cost = UINT_MAX;
    uint32_t best_behind = 0;
    int best = -1;
    for (unsigned r = 0; r < IR_REGISTERS; r++) {
        if (!is_free(allocation, r, web))
            continue;
        unsigned cost = cost_of(allocation, r, web, widths);
        uint32_t behind = free_behind(allocation, r, web);
        if (cost > best_cost || (cost == best_cost && best >= 0 && behind >= best_behind))
            continue;
        best_cost = cost;
        best_behind = behind;
        best = (int)r;
    }
    return best;
}

static bool place_web(struct allocation *allocation, struct web *web,
                      struct register_widths *widths) {
    if (web->vreg == IR_NONE)
        return true;
    unsigned bits = allocation->ir->vregs.data[web->vreg].type.bits;
    int r = web->reg;
    if (r < 0) {
        r = web->hint >= 0 && is_free(allocation, (unsigned)web->hint, web)
                ? web->hint
                : best_register(allocation, web, widths);
        if (r < 0)
            return false;
        web->reg = (int8_t)r;
        allocation->free_at[r] = split_at_holes(allocation, web);
    }
    if (widths->bits[r] < bits)
        widths->bits[r] = (uint8_t)bits;
    if (web->forward != IR_NONE && allocation->webs.data[web->forward].hint < 0)
        allocation->webs.data[web->forward].hint = web->reg;
    return true;
}

static bool place_webs(struct allocation *allocation, struct register_widths *widths) {
    size_t count = allocation->webs.len; /* what is behind holes is added on the way */
    vec_reserve(&allocation->webs, count + allocation->holes.len);
    for (size_t i = 0; i < count; i++)
        if (!place_web(allocation, &allocation->webs.data[allocation->order[i]], widths))
            return false;
    return true;
}

/* Where an operand has the result's register it is the second one, if both do: sums and extremes
 * cost less so, or as much. */
static void order_operands(struct code_insn *insn) {
    bool either = insn->op == OP_ADD || is_extreme(insn->op);
    uint32_t rs = insn->field[CODE_RS];
    if (insn->kind != CODE_INSN || !either || rs != insn->field[CODE_RD])
        return;
    insn->field[CODE_RS] = insn->field[CODE_RT];
    insn->field[CODE_RT] = rs;
}

static void write_registers(struct allocation *allocation, bool roomy) {
    for (size_t i = 0; i < allocation->code->insns.len; i++) {
        struct code_insn *insn = &allocation->code->insns.data[i];
        for (enum code_field f = 0; f < CODE_FIELDS; f++) {
            uint32_t w = allocation->webs_of[i * CODE_FIELDS + f];
            if (w != IR_NONE)
                insn->field[f] = (uint32_t)allocation->webs.data[w].reg;
        }
        if (roomy)
            order_operands(insn);
    }
}

/* Where the body found in and out, and what it writes. */
static void describe_sub(const struct allocation *allocation, struct ir_sub *sub) {
    sub->writes = 0;
    for (size_t w = 0; w < allocation->webs.len; w++)
        if (allocation->webs.data[w].vreg == IR_NONE ||
            !is_variable(&allocation->ir->vregs.data[allocation->webs.data[w].vreg]))
            sub->writes |= (uint64_t)1 << allocation->webs.data[w].reg;
    for (uint32_t k = 0; k < sub->in_count; k++)
        sub->in_registers[k] = (uint8_t)allocation->webs.data[allocation->in_webs[k]].reg;
    for (uint32_t k = 0; k < sub->out_count; k++)
        sub->out_registers[k] =
            (uint8_t)allocation->webs.data[allocation->current[sub->out[k]]].reg;
}

static bool allocate(const struct ir_code *ir, struct ir_sub *sub, struct code *code,
                     struct register_widths *widths) {
    struct allocation a = {.ir = ir, .sub = sub, .code = code};
    struct register_widths wider = *widths;
    build_webs(&a);
    bool good = place_webs(&a, &wider);
    if (good) {
        write_registers(&a, widths->roomy);
        *widths = wider;
    }
    if (good && sub)
        describe_sub(&a, sub);
    free_allocation(&a);
    return good;
}

bool code_allocate(const struct ir_code *ir, struct code *code, struct register_widths *widths) {
    return allocate(ir, NULL, code, widths);
}

bool code_allocate_sub(struct ir_sub *sub, struct code *code, struct register_widths *widths) {
    return allocate(sub->code, sub, code, widths);
}

/* How many webs live while instruction i runs; the reserved registers come on top. */
static uint32_t worst_insn(struct allocation *allocation, uint32_t *live) {
    size_t times = 2 * allocation->code->insns.len + 4;
    int32_t *change = xcalloc(times, sizeof *change);
    for (size_t w = 0; w < allocation->webs.len; w++) {
        change[allocation->webs.data[w].begin]++;
        change[allocation->webs.data[w].end]--;
    }
    int32_t now = 0, most = 0;
    uint32_t worst = 0;
    for (uint32_t t = 0; t < times; t++) {
        now += change[t];
        if (now > most && t / 2 < allocation->code->insns.len) {
            most = now;
            worst = t;
        }
    }
    free(change);
    *live = (uint32_t)most;
    return worst;
}

/* One line for a variable, or for a stretch of the registers of an array. */
static void note_stretch(const struct ir_vreg *first, const struct ir_vreg *last,
                         struct diag *diag) {
    char type[8];
    struct str from = {0}, to = {0};
    object_type_text(first->type, type);
    ir_append_name(first, &from);
    ir_append_name(last, &to);
    if (first == last)
        diag_note(diag, first->at, "`%s`, %s, is live", str_text(&from), type);
    else
        diag_note(diag, first->at, "`%s` to `%s`, %s, are live", str_text(&from), str_text(&to),
                  type);
    str_free(&from);
    str_free(&to);
}

static bool *find_live(struct allocation *allocation, uint32_t time) {
    bool *live = xcalloc(allocation->ir->vregs.len + 1, sizeof *live);
    for (size_t i = 0; i < allocation->webs.len; i++)
        if (allocation->webs.data[i].vreg != IR_NONE && allocation->webs.data[i].begin <= time &&
            allocation->webs.data[i].end > time)
            live[allocation->webs.data[i].vreg] = true;
    return live;
}

static void note_live(struct allocation *allocation, uint32_t time, struct diag *diag) {
    unsigned temporaries = 0;
    bool *live = find_live(allocation, time);
    const struct ir_vreg *v = allocation->ir->vregs.data;
    for (size_t i = 0; i < allocation->ir->vregs.len; i++) {
        size_t first = i;
        if (!live[i])
            continue;
        if (!v[i].name) {
            temporaries++;
            continue;
        }
        while (live[i + 1] && v[i + 1].name && v[i + 1].at.begin == v[first].at.begin)
            i++;
        note_stretch(&v[first], &v[i], diag);
    }
    if (temporaries)
        diag_note(diag, allocation->code->insns.data[time / 2].at,
                  "%u value%s without a name %s live", temporaries, temporaries == 1 ? "" : "s",
                  temporaries == 1 ? "is" : "are");
    free(live);
}

void code_report_pressure(const struct ir_code *ir, const struct code *code, struct diag *diag) {
    struct code copy = *code;
    struct allocation a = {.ir = ir, .code = &copy};
    uint32_t live;
    build_webs(&a);
    uint32_t time = worst_insn(&a, &live);
    unsigned others = (unsigned)__builtin_popcountll(~a.usable);
    diag_error(diag, code->insns.data[time / 2].at,
               "%u registers are needed here, and a lane has %d", live + others, IR_REGISTERS);
    note_live(&a, time, diag);
    if (others)
        diag_note(diag, code->insns.data[time / 2].at,
                  "%u registers hold variables that this `compute` does not use", others);
    free_allocation(&a);
}
