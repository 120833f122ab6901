/* SPDX-License-Identifier: MIT
 * In the plainest way, not the fastest. */
#include "tests/dpu/plain.h"

#include <string.h>

void plain_load(struct plain_dpu *d, const struct dpu_program *p) {
    memset(d, 0, sizeof *d);
    d->words = (uint32_t)p->words.len;
    for (uint32_t i = 0; i < d->words; i++)
        dpu_decode(p->words.data[i], false, &d->code[i]);
    for (size_t i = 0; i < p->sections.len; i++)
        if (p->sections.data[i].space == DPU_IN_WRAM && p->sections.data[i].bytes.len)
            memcpy(d->wram + p->sections.data[i].address, p->sections.data[i].bytes.text,
                   p->sections.data[i].size);
    for (uint32_t t = 0; t < 24; t++) {
        d->t[t].s.id = t;
        d->t[t].last = -11;
    }
}

/* Operands by their role, as numbers; `has` tells which there are. */
struct operands {
    uint32_t v[DPU_ROLES];
    bool has[DPU_ROLES];
    const char *condition;
};
static struct operands operands_of(const struct dpu_insn *insn, const struct dpu_form *f) {
    struct operands o = {0};
    for (uint32_t i = 0; i < f->count; i++) {
        enum dpu_role role = f->operands[i]->role;
        o.has[role] = f->operands[i]->kind != DPU_ZERO;
        o.v[role] = (uint32_t)insn->values[i];
        if (role == DPU_CC)
            o.condition = dpu_cc_name(f->operands[i]->cc, o.v[role]);
    }
    return o;
}
static bool is(const char *name, const char *text) {
    return strcmp(name, text) == 0;
}

static void put_result(struct reference_state *s, const struct dpu_form *f, uint32_t to,
                       uint32_t value) {
    if (f->wide == DPU_PLAIN) {
        s->r[to] = value;
    } else {
        s->r[to] = f->wide == DPU_SIGNED && (int32_t)value < 0 ? 0xffffffffu : 0;
        s->r[to + 1] = value;
    }
}
static bool load(struct plain_dpu *d, struct reference_state *s, const struct dpu_form *f,
                 const struct operands *o) {
    uint8_t bytes[8] = {0};
    uint32_t at = reference_register(s, o->v[DPU_A]) + o->v[DPU_OFF];
    uint32_t size = f->mnemonic[1] == 'b'   ? 1
                    : f->mnemonic[1] == 'h' ? 2
                    : f->mnemonic[1] == 'w' ? 4
                                            : 8;
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = d->wram[at + (o->v[DPU_ENDIAN] ? size - 1 - i : i)];
    if (f->mnemonic[2] == 's' && bytes[size - 1] >= 128)
        memset(bytes + size, 255, 8 - size);
    uint32_t low =
        bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    uint32_t high =
        bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 24;
    if (size == 8) {
        s->r[o->v[DPU_C]] = high;
        s->r[o->v[DPU_C] + 1] = low;
    } else {
        put_result(s, f, o->v[DPU_C], low);
    }
    return true;
}
static bool store(struct plain_dpu *d, struct reference_state *s, const struct dpu_form *f,
                  const struct operands *o) {
    uint32_t at = reference_register(s, o->v[DPU_A]) + o->v[DPU_OFF];
    uint32_t size = f->mnemonic[1] == 'b'   ? 1
                    : f->mnemonic[1] == 'h' ? 2
                    : f->mnemonic[1] == 'w' ? 4
                                            : 8;
    uint64_t value = o->has[DPU_B] ? reference_register(s, o->v[DPU_B])
                                   : (uint64_t)(int64_t)(int32_t)o->v[DPU_IMM];
    if (o->has[DPU_B] && size == 8)
        value = value << 32 | s->r[o->v[DPU_B] + 1];
    if (strstr(f->mnemonic, "_id"))
        value |= s->id;
    for (uint32_t i = 0; i < size; i++)
        d->wram[at + (o->v[DPU_ENDIAN] ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    return true;
}
static void transfer(struct plain_dpu *d, struct plain_tasklet *t, bool out,
                     const struct operands *o) {
    uint32_t a = reference_register(&t->s, o->v[DPU_A]), b = reference_register(&t->s, o->v[DPU_B]);
    uint32_t size = 8 * (1 + (o->v[DPU_IMM] + a / 0x1000000) % 256);
    uint8_t *near = d->wram + a % 0x1000000 / 8 * 8, *far = d->mram + (b - 0x08000000) / 8 * 8;
    if (out)
        memcpy(far, near, size);
    else
        memcpy(near, far, size);
    long begin = d->cycle * 1000;
    if (begin < d->engine_milli)
        begin = d->engine_milli;
    d->engine_milli = begin + 34400 + 527 * (long)size;
    long done = begin + (out ? 61000 : 77000) + 500 * (long)size;
    t->ready = done / 1000 + (done % 1000 != 0);
    t->in_transfer = true;
}
static bool wake(struct plain_dpu *d, struct plain_tasklet *other, bool boots) {
    if (other->runs)
        return false;
    other->runs = true;
    if (boots)
        other->s.pc = 0;
    other->ready = d->cycle + 1;
    if (other->ready < other->last + 11)
        other->ready = other->last + 11;
    return true;
}
static uint32_t counter(struct plain_dpu *d) {
    return (uint32_t)((d->counting == 1   ? d->cycle - d->counter_from
                       : d->counting == 2 ? d->instructions - d->counter_from
                                          : 0) /
                      16);
}
/* After what has no result of the usual kind: a condition of true, false, z, nz. */
static void go_on(struct reference_state *s, const struct operands *o, uint32_t result) {
    bool yes = o->condition && (is(o->condition, "true") || (is(o->condition, "z") && !result) ||
                                (is(o->condition, "nz") && result));
    s->pc = yes ? o->v[DPU_PC] : s->pc + 1;
}

static bool other(struct plain_dpu *d, struct plain_tasklet *t, const struct dpu_insn *insn) {
    struct dpu_form f;
    struct reference_state *s = &t->s;
    dpu_form_get(insn->form, &f);
    struct operands o = operands_of(insn, &f);
    const char *name = f.mnemonic;
    uint32_t a = reference_register(s, o.v[DPU_A]), result = 0;
    if (is(name, "ldma") || is(name, "sdma")) {
        transfer(d, t, *name == 's', &o);
    } else if (is(name, "acquire") || is(name, "release")) {
        bool *bit = &d->atomic[(a + o.v[DPU_IMM]) % 256];
        result = *name == 'r' || *bit;
        *bit = *name == 'a';
        s->zero = result == 0;
        s->carry = false;
    } else if (is(name, "boot") || is(name, "resume")) {
        result = !wake(d, &d->t[a + o.v[DPU_IMM]], *name == 'b');
        s->zero = result == 0;
        s->carry = false;
    } else if (is(name, "stop")) {
        t->runs = false;
        t->was_stopped = true;
    } else if (is(name, "mul_step")) {
        uint32_t left = s->r[o.v[DPU_B]], sum = s->r[o.v[DPU_B] + 1];
        if (left % 2)
            s->r[o.v[DPU_C] + 1] = sum + a * (1u << o.v[DPU_IMM]);
        result = s->r[o.v[DPU_C]] = left / 2;
        s->zero = result == 0;
        s->carry = false;
    } else if (is(name, "div_step")) {
        uint32_t rest = s->r[o.v[DPU_B] + 1], part = a * (1u << o.v[DPU_IMM]);
        s->r[o.v[DPU_C]] = s->r[o.v[DPU_B]] * 2 + (rest >= part);
        if (rest >= part)
            s->r[o.v[DPU_C] + 1] = rest - part;
    } else if (is(name, "movd") || is(name, "swapd")) {
        uint32_t x = s->r[o.v[DPU_B]], y = s->r[o.v[DPU_B] + 1];
        s->r[o.v[DPU_C]] = *name == 'm' ? x : y;
        s->r[o.v[DPU_C] + 1] = *name == 'm' ? y : x;
    } else if (is(name, "time")) {
        s->r[o.v[DPU_C]] = counter(d);
    } else if (is(name, "time_cfg")) {
        d->counting = (int)(reference_register(s, o.v[DPU_B]) / 2);
        d->counter_from = d->counting == 1 ? d->cycle : d->instructions;
    } else if (is(name, "call")) {
        uint32_t to = a + (o.has[DPU_B] ? reference_register(s, o.v[DPU_B]) : o.v[DPU_OFF]);
        if (o.has[DPU_C])
            s->r[o.v[DPU_C]] = s->pc + 1;
        s->pc = to % 65536;
        return true;
    } else if (*name == 'l' && o.has[DPU_OFF]) {
        load(d, s, &f, &o);
    } else if (*name == 's' && o.has[DPU_OFF]) {
        store(d, s, &f, &o);
    } else if (!is(name, "nop")) {
        return false;
    }
    go_on(s, &o, result);
    return true;
}

static void count_idle(struct plain_dpu *d) {
    bool transfers = false, stopped = false;
    for (int i = 0; i < 24; i++) {
        transfers |= d->t[i].runs && d->t[i].in_transfer;
        stopped |= !d->t[i].runs && d->t[i].was_stopped;
    }
    d->idle[transfers ? 1 : stopped ? 2 : 0]++;
}
bool plain_run(struct plain_dpu *d, long most_cycles) {
    for (int i = 0; i < 24; i++) {
        d->t[i].runs = d->t[i].was_stopped = false;
        d->t[i].last = d->cycle - 11;
    }
    d->engine_milli = 0;
    d->t[0].s.pc = 0;
    d->t[0].runs = true;
    d->t[0].ready = d->cycle;
    for (; d->cycle < most_cycles; d->cycle++) {
        struct plain_tasklet *next = NULL;
        bool any = false;
        for (int i = 0; i < 24; i++) {
            any |= d->t[i].runs;
            if (d->t[i].runs && d->t[i].ready <= d->cycle && (!next || d->t[i].ready < next->ready))
                next = &d->t[i];
        }
        if (!any)
            return true;
        if (!next) {
            count_idle(d);
            continue;
        }
        next->in_transfer = false;
        next->last = d->cycle;
        next->ready = d->cycle + 11;
        if (next->s.pc >= d->words)
            return false;
        const struct dpu_insn *insn = &d->code[next->s.pc];
        struct dpu_form f;
        dpu_form_get(insn->form, &f);
        d->executed[next->s.pc]++;
        if (!reference_step(&next->s, insn) && !other(d, next, insn))
            return false;
        d->instructions++;
    }
    return false;
}
