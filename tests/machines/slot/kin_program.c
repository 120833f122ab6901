/* SPDX-License-Identifier: MIT */
#include "kin_program.h"

#include "support/bits.h"

#include <string.h>

static uint32_t below(struct kin_program *k, uint32_t n) {
    return (uint32_t)(splitmix64(&k->state) >> 33) % n;
}

static void widen(void *context, unsigned reg, unsigned bits) {
    unsigned *width = context;
    (void)reg;
    *width = bits > *width ? bits : *width;
}

static struct insn draw_lookup(struct kin_program *k, unsigned width) {
    uint8_t rs = (uint8_t)below(k, KIN_REGS), rd = (uint8_t)below(k, KIN_REGS);
    return (struct insn){.op = OP_LUT,
                         .width = (uint8_t)(1 + below(k, width)),
                         .rs = rs,
                         .rd = rd,
                         .lut = (uint16_t)below(k, KIN_LUTS)};
}

/* A product of operands and a result of at most `width` bits; false: of no such shape. */
static bool draw_product(struct kin_program *k, unsigned width, struct insn *x) {
    unsigned widest = 0;
    uint8_t first = (uint8_t)below(k, KIN_REGS);
    *x = (struct insn){.op = OP_MULP,
                       .rs = first,
                       .rt = (uint8_t)((first + 1) % KIN_REGS),
                       .rd = (uint8_t)((first + 2) % KIN_REGS),
                       .shape = (uint8_t)below(k, KIN_SHAPES)};
    isa_set_product(x, &k->shapes[x->shape]);
    isa_visit_registers(x, widen, &widest);
    return widest <= width;
}

/* One of at most `width` bits, on registers that differ. */
static struct insn draw_insn(struct kin_program *k, unsigned width) {
    struct insn product;
    if (k->luts && below(k, 8) == 0)
        return draw_lookup(k, width);
    if (k->has(OP_MULP) && below(k, 16) == 0 && draw_product(k, width, &product))
        return product;
    for (;;) {
        enum isa_op op = (enum isa_op)below(k, OP_COUNT);
        uint32_t flags = isa_info(op)->flags, word;
        uint8_t first = (uint8_t)below(k, KIN_REGS);
        struct insn x = {.op = op, .imm = (int32_t)below(k, width + 2) - 1}, back;
        if (!k->has(op) || isa_has_shape(op))
            continue;
        x.width = flags & ISA_WIDTH ? (uint8_t)(1 + below(k, width)) : 0;
        x.rs = flags & (READS_RS | WRITES_RS) ? first : 0;
        x.rt = (uint8_t)(flags & (READS_RT | WRITES_RT) ? (first + 1) % KIN_REGS : 0);
        x.rd = (uint8_t)(flags & (READS_RD | WRITES_RD) ? (first + 2) % KIN_REGS : 0);
        unsigned widest = 0;
        if (isa_encode(&x, &word) != ISA_OK || isa_decode(word, &back) != ISA_OK)
            continue;
        isa_visit_registers(&back, widen, &widest);
        if (widest <= width)
            return back;
    }
}

static void add_line(struct kin_program *k, const struct insn *x) {
    if (x->op == OP_LUT)
        str_printf(&k->text, "LUT.%u r%u t%u r%u", x->width, x->rs, x->lut, x->rd);
    else if (isa_has_shape(x->op))
        str_printf(&k->text, "MULP p%u r%u r%u r%u", x->shape, x->rs, x->rt, x->rd);
    else
        isa_format_insn(x, NULL, &k->text);
    str_char(&k->text, '\n');
}

static void add_shapes(struct kin_program *k) {
    for (unsigned i = 0; i < KIN_SHAPES; i++) {
        struct isa_product *p = &k->shapes[i];
        unsigned most = 1 + below(k, 64);
        *p = (struct isa_product){.a = (uint8_t)(1 + below(k, most)),
                                  .b = (uint8_t)(1 + below(k, most)),
                                  .width = (uint8_t)(1 + below(k, most)),
                                  .signed_a = below(k, 2),
                                  .signed_b = below(k, 2)};
        p->lo = (uint8_t)below(k, (uint32_t)p->a + p->b);
        str_printf(&k->text, ".product p%u %u, %u, %u, %u", i, p->a, p->b, p->lo, p->width);
        if (*isa_product_signs(p))
            str_printf(&k->text, ", %s", isa_product_signs(p));
        str_char(&k->text, '\n');
    }
}

/* Indices of 1 to 12 bits, elements of 1 to 64. */
static void add_luts(struct kin_program *k) {
    for (unsigned t = 0; t < KIN_LUTS; t++) {
        unsigned bits = t > 1 ? 1 + below(k, 8) : 9 + below(k, 4 - t), width = 1 + below(k, 64);
        k->lut_bits[t] = (uint8_t)bits;
        str_printf(&k->text, ".lut t%u k=%u width=%u = 1", t, bits, width);
        for (unsigned i = 1; i < 1u << bits; i++)
            str_printf(&k->text, ", %llu",
                       (unsigned long long)(splitmix64(&k->state) & low_bits(width)));
        str_char(&k->text, '\n');
    }
}

/* What an owner's VRFs carry out. */
static void carry_out(struct kin_program *k, uint32_t owner, const struct insn *x, bool *masked) {
    uint32_t flags = isa_info(x->op)->flags;
    isa_visit_registers(x, widen, &k->width[owner]);
    vec_push(&k->done, ((struct done){owner, *x, *masked}));
    *masked = (*masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
}

/* Its footer is missing. */
static void add_header(struct kin_program *k, uint32_t owner) {
    if (owner == KIN_FIXED)
        str_append(&k->text, "COMPUTE RFH0 VRF1\nCOMPUTE RFH1 VRF0\n");
    else
        str_printf(&k->text, "COMPUTEG @g%u\n", owner);
}

static void add_body(struct kin_program *k) {
    uint32_t owners[2] = {below(k, k->groups), 0}, count = 1;
    if (k->fixed && below(k, 3) == 0)
        owners[0] = KIN_FIXED;
    if (below(k, 3) == 0 && k->groups > 1) /* one body for two */
        owners[count++] = owners[0] == KIN_FIXED ? 0 : (owners[0] + 1) % k->groups;
    unsigned width = 64;
    bool masked[2] = {false, false};
    for (uint32_t i = 0; i < count; i++) {
        add_header(k, owners[i]);
        width = k->width[owners[i]] < width ? k->width[owners[i]] : width;
    }
    for (uint32_t n = 1 + below(k, 4); n; n--) {
        struct kin_insns list = {0};
        uint32_t sub = below(k, KIN_SUBS);
        bool calls = below(k, 3) == 0;
        struct insn x = draw_insn(k, width);
        if (calls) /* it may be wider than what the owners have beside */
            str_printf(&k->text, "JUMP s%u\n", sub);
        else
            add_line(k, &x);
        if (!calls)
            vec_push(&list.list, x);
        const struct kin_insns *what = calls ? &k->subs[sub] : &list;
        for (size_t i = 0; i < what->list.len; i++)
            for (uint32_t o = 0; o < count; o++)
                carry_out(k, owners[o], &what->list.data[i], &masked[o]);
        vec_free(&list.list);
    }
    str_append(&k->text, "COMPUTE_DONE\n");
}

static void add_groups(struct kin_program *k, bool seven) {
    static const unsigned powers[KIN_GROUPS] = {1, 2, 4, 8, 16, 32, 64};
    k->groups = seven ? KIN_GROUPS : 1 + below(k, 4);
    uint32_t most = k->rounds_wanted ? 2000 : seven ? 16 : 40;
    for (uint32_t g = 0; g < k->groups; g++) {
        k->width[g] = seven ? powers[g] : 1 + below(k, 1 + below(k, 64));
        k->elements[g] = 1 + below(k, most);
        str_printf(&k->text, ".group g%u[%u]\n", g, (unsigned)k->elements[g]);
        for (unsigned r = 0; r < KIN_REGS; r++)
            str_printf(&k->text, ".var v%u_%u: u%u @g%u = r%u\n", g, r, 1 + below(k, k->width[g]),
                       g, r);
        str_printf(&k->text, ".var w%u: u%u @g%u = r%u\n", g, k->width[g], g, KIN_REGS);
    }
}

void kin_program_make(struct kin_program *k, uint64_t seed, bool seven) {
    *k = (struct kin_program){.has = k->has, .luts = k->luts, .state = seed * 77 + seven};
    if (k->luts)
        add_luts(k);
    add_shapes(k);
    k->fixed = below(k, 4) == 0;
    k->rounds_wanted = !k->fixed && below(k, 4) == 0;
    if (k->fixed)
        str_append(&k->text, ".geometry lanes=8, vrfs=2, rfhs=2\n");
    add_groups(k, seven);
    k->width[KIN_FIXED] = 64;
    for (uint32_t s = 0; s < KIN_SUBS; s++) {
        unsigned width = k->width[below(k, k->groups)];
        for (uint32_t n = 1 + below(k, 3); n; n--)
            vec_push(&k->subs[s].list, draw_insn(k, width));
    }
    str_append(&k->text, ".global main\nmain:\n");
    for (uint32_t n = 2 + below(k, 4); n; n--)
        add_body(k);
    str_append(&k->text, "HALT\n");
    for (uint32_t s = 0; s < KIN_SUBS; s++) {
        str_printf(&k->text, ".sub s%u\n", s);
        for (size_t i = 0; i < k->subs[s].list.len; i++)
            add_line(k, &k->subs[s].list.data[i]);
        str_append(&k->text, "RETURN\n.endsub\n");
    }
    for (uint32_t g = 0; g < k->groups; g++)
        k->most = k->width[g] > k->most ? k->width[g] : k->most;
    for (uint32_t s = 0; s < KIN_SUBS; s++) /* also one that nobody calls */
        for (size_t i = 0; i < k->subs[s].list.len; i++)
            isa_visit_registers(&k->subs[s].list.data[i], widen, &k->most);
    unsigned in_fixed = 0;
    for (size_t i = 0; i < k->done.len; i++)
        if (k->done.data[i].owner == KIN_FIXED)
            isa_visit_registers(&k->done.data[i].insn, widen, &in_fixed);
    k->most = in_fixed > k->most ? in_fixed : k->most;
    k->width[KIN_FIXED] = k->most;
}

void kin_program_free(struct kin_program *k) {
    for (uint32_t s = 0; s < KIN_SUBS; s++)
        vec_free(&k->subs[s].list);
    vec_free(&k->done);
    str_free(&k->text);
}
