/* SPDX-License-Identifier: MIT
 * What a thread has gathered comes to the result: by an atomic operation that PTX has, or else the
 * thread computes what becomes of the element that it sees and puts it there if nobody has changed
 * it in between, once more until then.  Of elements of 8 and 16 bits there are words, with zeros or
 * the sign above what bits of them count. */
#include "machines/core/simt/runs/stage_writer.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct stage_stage *simt_stage_of(const struct stage_kernel *k, const struct stage_param *q) {
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *p = s->params; p; p = p->next)
            if (p == q)
                return s;
    return NULL;
}

/* NULL: PTX has none. */
static const char *atomic_of(const struct stage_param *q) {
    const bool is_signed = q->type.kind == TYPE_INT, wide = q->type.bits == 64;
    if (!stage_is_integer(q->type) ||
        (q->type.bits != 32 && !wide && object_element_bytes(q->type) >= 4))
        return NULL;
    switch (q->fold) {
    case STAGE_ADD:
        return wide ? "add.u64" : "add.u32";
    case STAGE_AND:
        return wide ? "and.b64" : "and.b32";
    case STAGE_OR:
        return wide ? "or.b64" : "or.b32";
    case STAGE_XOR:
        return wide ? "xor.b64" : "xor.b32";
    case STAGE_MIN:
        return is_signed ? (wide ? "min.s64" : "min.s32") : wide ? "min.u64" : "min.u32";
    case STAGE_MAX:
        return is_signed ? (wide ? "max.s64" : "max.s32") : wide ? "max.u64" : "max.u32";
    default:
        return NULL;
    }
}

/* ---- any operation ---- */

/* The element and the part as values of their own, joined; a register, or a number. */
static bool joined(struct simt_stage_writer *w, const struct stage_param *q, uint32_t now,
                   const char *part, struct simt_operand_text *out) {
    struct simt_values y = w->x;
    struct scalar_body b = {.calls = w->x.body->calls, .source = (uint16_t)w->x.source};
    const bool wide = q->type.bits > 32;
    const scalar_id first = scalar_argument(&b, 0, wide, wide ? 64 : 32),
                    second = scalar_argument(&b, 1, wide, wide ? 64 : 32);
    const scalar_id result = scalar_stage_fold(&b, q->fold, q->type, first, second);
    bool fine = result != 0;
    if (fine) {
        scalar_store(&b, 0, wide ? 8 : 4, result);
        scalar_finish(&b);
        y.body = &b;
        y.made = xcalloc(b.values.len + 1, sizeof *y.made);
        y.made[first - 1].reg = now;
        y.made[second - 1].reg = (uint32_t)strtoul(part + 2, NULL, 10);
        for (scalar_id id = 1; id <= b.values.len && fine; id++) {
            const struct scalar_value *v = scalar_at(&b, id);
            if (scalar_is_live(v) && v->op != SCALAR_CONST && v->op != SCALAR_ARGUMENT &&
                v->op != SCALAR_STORE)
                fine = simt_emit(&y, id);
        }
        if (fine)
            *out = simt_operand_of(&y, result);
        struct simt_made *made = w->x.made;
        free(y.made);
        y.made = made;
        y.body = w->x.body;
        w->x = y;
    }
    scalar_free(&b);
    return fine || simt_stage_refuse(w, q->line, "these cores have no code for what it gathers by");
}

/* Until nobody else was faster. */
static bool compare_and_swap(struct simt_stage_writer *w, const struct stage_param *q,
                             const char *at, const char *part) {
    struct simt_values *x = &w->x;
    const bool wide = q->type.bits > 32;
    const unsigned bits = wide ? 64 : 32;
    const char kind = wide ? 'd' : 'r';
    const uint32_t label = ++w->labels, other = ++x->masks;
    struct simt_operand_text next;
    uint32_t *file = wide ? &x->pairs : &x->words;
    const uint32_t old = ++*file, got = ++*file, put = ++*file;
    simt_line_put(x, "ld.global.u%u %%%c%" PRIu32 ", [%s];", bits, kind, old, at);
    simt_line_put(x, "again%" PRIu32 ":", label);
    if (!joined(w, q, old, part, &next))
        return false;
    simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", %s;", bits, kind, put, next.text);
    simt_line_put(x, "atom.global.cas.b%u %%%c%" PRIu32 ", [%s], %%%c%" PRIu32 ", %%%c%" PRIu32 ";",
                  bits, kind, got, at, kind, old, kind, put);
    simt_line_put(x, "setp.ne.u%u %%p%" PRIu32 ", %%%c%" PRIu32 ", %%%c%" PRIu32 ";", bits, other,
                  kind, got, kind, old);
    simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", %%%c%" PRIu32 ";", bits, kind, old, kind, got);
    simt_line_put(x, "@%%p%" PRIu32 " bra again%" PRIu32 ";", other, label);
    return true;
}

/* With zeros, or its sign, above what counts of it. */
static struct simt_operand_text clean(struct simt_values *x, struct simt_operand_text a,
                                      struct lane_type t) {
    const unsigned above = 32u - t.bits;
    if (t.bits >= 32)
        return a;
    simt_line_put(x, "shl.b32 %%r%" PRIu32 ", %s, %u;", ++x->words, a.text, above);
    simt_line_put(x, "shr.%c32 %%r%" PRIu32 ", %%r%" PRIu32 ", %u;", t.kind == TYPE_INT ? 's' : 'u',
                  x->words, x->words, above);
    snprintf(a.text, sizeof a.text, "%%r%" PRIu32, x->words);
    return a;
}

/* The part in a register as wide as its type asks for. */
static struct simt_operand_text part_text(struct simt_values *x, scalar_id id, bool wide) {
    const bool pair = scalar_at(x->body, id)->wide;
    struct simt_operand_text t =
        pair && !wide ? simt_half_of(x, id, false) : simt_operand_of(x, id);
    if (t.text[0] == '%' && pair >= wide)
        return t;
    const struct simt_operand_text from = t;
    if (wide)
        simt_line_put(x, pair ? "mov.b64 %%d%" PRIu32 ", %s;" : "cvt.u64.u32 %%d%" PRIu32 ", %s;",
                      ++x->pairs, from.text);
    else
        simt_line_put(x, "mov.b32 %%r%" PRIu32 ", %s;", ++x->words, from.text);
    snprintf(t.text, sizeof t.text, "%%%c%" PRIu32, wide ? 'd' : 'r', wide ? x->pairs : x->words);
    return t;
}

bool simt_stage_gather(struct simt_stage_writer *w, const struct stage_param *q, const char *at,
                       uint32_t mask, scalar_id value) {
    struct simt_values *x = &w->x;
    const char *atomic = atomic_of(q);
    const struct simt_operand_text part = part_text(x, value, q->type.bits > 32);
    if (atomic) {
        const struct simt_operand_text own = clean(x, part, q->type);
        char when[16] = "";
        if (mask)
            snprintf(when, sizeof when, "@%%p%" PRIu32 " ", mask);
        simt_line_put(x, "%sred.global.%s [%s], %s;", when, atomic, at, own.text);
        return true;
    }
    const uint32_t label = ++w->labels;
    if (mask)
        simt_line_put(x, "@!%%p%" PRIu32 " bra over%" PRIu32 ";", mask, label);
    const bool fine = compare_and_swap(w, q, at, part.text);
    if (mask)
        simt_line_put(x, "over%" PRIu32 ":", label);
    return fine;
}
