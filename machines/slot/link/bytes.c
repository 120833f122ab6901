/* SPDX-License-Identifier: MIT
 * The code part of a package: numbers of kin and forms; then these, little-endian. */
#include "machines/slot/link/link.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct slot_code *slot_code_new(void) {
    struct slot_code *c = xcalloc(1, sizeof *c);
    c->base.machine = &slot_kind_machine;
    return c;
}

void slot_code_discard(struct machine_code *code) {
    struct slot_code *c = (struct slot_code *)(void *)code;
    for (size_t i = 0; i < c->kins.len; i++)
        row_pool_free(&c->kins.data[i].pool);
    for (size_t i = 0; i < c->forms.len; i++)
        row_program_free(&c->forms.data[i].program);
    vec_free(&c->kins);
    vec_free(&c->forms);
    free(c->parts);
    free(c);
}

static int order(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

int slot_form_order(const void *left, const void *right) {
    const struct slot_form *a = left, *b = right;
    int by = order(a->kin, b->kin);
    by = by ? by : order(a->opcode, b->opcode);
    by = by ? by : order(a->width, b->width);
    by = by ? by : (a->imm > b->imm) - (a->imm < b->imm);
    by = by ? by : order(a->lut, b->lut);
    by = by ? by : order(a->masked, b->masked);
    return by ? by : order(a->none_above, b->none_above);
}

static void put(struct str *out, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        str_char(out, (char)(value >> 8 * i & 0xff));
}

void slot_code_write(const struct machine_code *code, struct str *out) {
    const struct slot_code *c = slot_code_of(code);
    put(out, c->kins.len, 4);
    put(out, c->forms.len, 4);
    for (size_t i = 0; i < c->kins.len; i++) {
        put(out, c->kins.data[i].slot, 1);
        for (unsigned r = 0; r < 64; r++)
            put(out, c->kins.data[i].reg_bits[r], 1);
        put(out, c->kins.data[i].rows, 4);
        put(out, c->kins.data[i].first_pair, 4);
        put(out, c->kins.data[i].pairs, 4);
        put(out, c->kins.data[i].own_pairs, 4);
        row_pool_write(&c->kins.data[i].pool, out);
    }
    for (size_t i = 0; i < c->forms.len; i++) {
        const struct slot_form *f = &c->forms.data[i];
        put(out, f->kin, 4);
        put(out, f->opcode, 1);
        put(out, f->width, 1);
        put(out, f->masked, 1);
        put(out, f->none_above, 1);
        put(out, f->lut, 2);
        put(out, (uint32_t)f->imm, 4);
        row_program_write(&f->program, out);
    }
}

struct reading {
    const unsigned char *at, *end;
    const char *problem;
};

static uint64_t take(struct reading *r, unsigned bytes) {
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->problem = "it ends too early";
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)*r->at++ << 8 * i;
    return value;
}

static bool is_slot(unsigned bits) {
    return bits && bits <= 64 && !(bits & (bits - 1));
}

static void take_kin(struct reading *r, struct slot_code *c) {
    struct slot_kin k = {.slot = (uint8_t)take(r, 1)};
    bool wide = false;
    for (unsigned reg = 0; reg < 64; reg++) {
        k.reg_bits[reg] = (uint8_t)take(r, 1);
        wide |= k.reg_bits[reg] > 64;
    }
    k.rows = (uint32_t)take(r, 4);
    k.first_pair = (uint32_t)take(r, 4);
    k.pairs = (uint32_t)take(r, 4);
    k.own_pairs = (uint32_t)take(r, 4);
    const char *problem = NULL; /* of no meaning where there is none */
    if (r->problem)
        return;
    if (!row_pool_read(&k.pool, &r->at, r->end, &problem)) {
        r->problem = problem;
        return;
    }
    if (!is_slot(k.slot) || k.pool.slot != k.slot || !k.rows || wide ||
        k.slot < slot_width(k.reg_bits))
        r->problem = "there are no such slots";
    vec_push(&c->kins, k);
}

/* The opcode's instruction; OP_COUNT where it is none that machines carry out. */
static enum isa_op op_of(uint8_t opcode) {
    for (enum isa_op op = (enum isa_op)0; op < OP_COUNT; op = (enum isa_op)(op + 1))
        if (isa_info(op)->opcode == opcode)
            return isa_info(op)->flags & ISA_VECTOR ? op : OP_COUNT;
    return OP_COUNT;
}

/* Row widths are the target's, so that what a query compares divides its row is asked with the
 * least row that there can be, and again when the code is made ready. */
static void take_form(struct reading *r, struct slot_code *c) {
    struct slot_form f = {.kin = (uint32_t)take(r, 4)};
    f.opcode = (uint8_t)take(r, 1);
    f.width = (uint8_t)take(r, 1);
    f.masked = (uint8_t)take(r, 1);
    f.none_above = (uint8_t)take(r, 1);
    f.lut = (uint16_t)take(r, 2);
    f.imm = (int32_t)(uint32_t)take(r, 4);
    const char *problem = NULL;
    if (r->problem)
        return;
    if (!row_program_read(&f.program, &r->at, r->end, &problem)) {
        r->problem = problem;
        return;
    }
    enum isa_op op = op_of(f.opcode);
    if (f.kin >= c->kins.len || f.masked > 1 || f.none_above > 1 || op == OP_COUNT)
        r->problem = "a row program leads outside";
    else if (c->forms.len && slot_form_order(&vec_last(&c->forms), &f) >= 0)
        r->problem = "row programs are out of order";
    else
        r->problem =
            row_program_check(&f.program, &c->kins.data[f.kin].pool, isa_info(op)->flags, 64);
    vec_push(&c->forms, f);
}

struct machine_code *slot_code_read(const void *bytes, size_t size, const char **problem) {
    struct reading r = {bytes, (const unsigned char *)bytes + size, NULL};
    struct slot_code *c = slot_code_new();
    uint64_t kins = take(&r, 4), forms = take(&r, 4);
    for (uint64_t i = 0; i < kins && !r.problem; i++)
        take_kin(&r, c);
    for (uint64_t i = 0; i < forms && !r.problem; i++)
        take_form(&r, c);
    if (!r.problem && r.at != r.end)
        r.problem = "its lists do not fill it";
    *problem = r.problem;
    if (!r.problem)
        return &c->base;
    slot_code_discard(&c->base);
    return NULL;
}
