/* SPDX-License-Identifier: MIT
 * Values of the scalar IR as PTX, one after another. */
#include "machines/core/simt/runs/run_values.h"

#include "support/bits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void simt_line_put(struct simt_values *x, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&x->out, format, args);
    va_end(args);
    str_char(&x->out, '\n');
}

static const struct scalar_value *value_of(const struct simt_values *x, scalar_id id) {
    return scalar_at(x->body, id);
}

/* ---- registers ---- */

uint32_t simt_new(struct simt_values *x, scalar_id id) {
    return x->made[id - 1].reg = value_of(x, id)->wide ? ++x->pairs : ++x->words;
}

struct simt_operand_text simt_operand_of(struct simt_values *x, scalar_id id) {
    const struct scalar_value *v = value_of(x, id);
    struct simt_made *m = &x->made[id - 1];
    struct simt_operand_text t;
    if (v->op == SCALAR_CONST) {
        snprintf(t.text, sizeof t.text, "0x%" PRIx64, v->k);
        return t;
    }
    if (!m->reg && m->mask) {
        m->reg = ++x->words;
        simt_line_put(x, "selp.u32 %%r%" PRIu32 ", 1, 0, %%p%" PRIu32 ";", m->reg, m->mask);
    }
    snprintf(t.text, sizeof t.text, "%%%c%" PRIu32, v->wide ? 'd' : 'r', m->reg);
    return t;
}

/* Of a value of any kind as a predicate, %p. */
uint32_t simt_mask_of(struct simt_values *x, scalar_id id) {
    struct simt_made *m = &x->made[id - 1];
    if (!m->mask) {
        const struct simt_operand_text a = simt_operand_of(x, id);
        m->mask = ++x->masks;
        simt_line_put(x, "setp.ne.u32 %%p%" PRIu32 ", %s, 0;", m->mask, a.text);
    }
    return m->mask;
}

/* Words of a pair. */
struct simt_operand_text simt_half_of(struct simt_values *x, scalar_id id, bool high) {
    const struct scalar_value *v = value_of(x, id);
    struct simt_made *m = &x->made[id - 1];
    struct simt_operand_text t;
    if (v->op == SCALAR_CONST) {
        snprintf(t.text, sizeof t.text, "0x%" PRIx64, high ? v->k >> 32 : v->k & UINT32_MAX);
        return t;
    }
    if (v->op == SCALAR_PAIR)
        return simt_operand_of(x, high ? v->b : v->a);
    if (!m->low) {
        m->low = ++x->words;
        m->high = ++x->words;
        simt_line_put(x, "mov.b64 {%%r%" PRIu32 ", %%r%" PRIu32 "}, %%d%" PRIu32 ";", m->low,
                      m->high, m->reg);
    }
    snprintf(t.text, sizeof t.text, "%%r%" PRIu32, high ? m->high : m->low);
    return t;
}

/* ---- memory ---- */

/* Of an element in a row: "[%d7+4096]". */
static struct simt_operand_text address(struct simt_values *x, unsigned bytes, uint32_t row) {
    const uint64_t at = simt_layout_to_row(x->layout, row);
    struct simt_operand_text t;
    uint32_t base = x->at[bytes];
    if (!base) {
        base = x->at[bytes] = ++x->pairs;
        simt_line_put(x, "mad.wide.u32 %%d%" PRIu32 ", %%r3, %u, %%d4;", base, bytes);
    }
    if (at > INT32_MAX) {
        simt_line_put(x, "add.u64 %%d%" PRIu32 ", %%d%" PRIu32 ", %" PRIu64 ";", ++x->pairs, base,
                      at);
        snprintf(t.text, sizeof t.text, "[%%d%" PRIu32 "]", x->pairs);
    } else {
        snprintf(t.text, sizeof t.text, "[%%d%" PRIu32 "+%" PRIu64 "]", base, at);
    }
    return t;
}
/* Of an array's low row, or its high one. */
static struct simt_operand_text row_of(struct simt_values *x, uint32_t array, bool high) {
    const struct simt_layout *l = x->layout;
    const unsigned bytes = l->bytes[array] > 4 ? 4 : l->bytes[array];
    return address(x, bytes, high ? l->high[array] : l->low[array]);
}

static const char *type_of(unsigned bytes, bool sign) {
    return bytes == 1 ? (sign ? "s8" : "u8") : bytes == 2 ? (sign ? "s16" : "u16") : "u32";
}

static void emit_load(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const struct simt_operand_text low = row_of(x, v.array, false);
    if (v.bytes <= 4 && !v.wide) {
        simt_line_put(x, "ld.global.%s %%r%" PRIu32 ", %s;", type_of(v.bytes, v.op == SCALAR_LOADS),
                      simt_new(x, id), low.text);
        return;
    }
    const struct simt_operand_text high = row_of(x, v.array, true);
    struct simt_made *m = &x->made[id - 1];
    m->low = ++x->words;
    m->high = ++x->words;
    simt_line_put(x, "ld.global.u32 %%r%" PRIu32 ", %s;", m->low, low.text);
    simt_line_put(x, "ld.global.u32 %%r%" PRIu32 ", %s;", m->high, high.text);
    simt_line_put(x, "mov.b64 %%d%" PRIu32 ", {%%r%" PRIu32 ", %%r%" PRIu32 "};", simt_new(x, id),
                  m->low, m->high);
}

static void store_word(struct simt_values *x, uint32_t mask, unsigned bytes, const char *to,
                       const char *from) {
    char guard[16] = "";
    if (mask)
        snprintf(guard, sizeof guard, "@%%p%" PRIu32 " ", mask);
    /* A number goes through a register. */
    if (*from != '%') {
        simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %s;", ++x->words, from);
        simt_line_put(x, "%sst.global.%s %s, %%r%" PRIu32 ";", guard, type_of(bytes, false), to,
                      x->words);
    } else {
        simt_line_put(x, "%sst.global.%s %s, %s;", guard, type_of(bytes, false), to, from);
    }
}
static void emit_store(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const uint32_t mask = v.a ? simt_mask_of(x, v.a) : 0;
    const bool wide = value_of(x, v.b)->wide;
    const struct simt_operand_text to = row_of(x, v.array, false),
                                   from =
                                       wide ? simt_half_of(x, v.b, false) : simt_operand_of(x, v.b);
    store_word(x, mask, v.bytes > 4 ? 4 : v.bytes, to.text, from.text);
    if (v.bytes <= 4)
        return;
    const struct simt_operand_text high = row_of(x, v.array, true);
    store_word(x, mask, 4, high.text, simt_half_of(x, v.b, true).text);
}

static uint32_t table_of(const struct simt_values *x, const struct scalar_value *v) {
    uint32_t i = 0;
    while (x->tables.data[i].lut != v->array || x->tables.data[i].bytes != v->bytes)
        i++;
    return i;
}
/* Of a table that its core has: a chunk is in one place, the next one a round of all cores on. */
static void emit_lookup(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const struct simt_layout *l = x->layout;
    const uint32_t n = table_of(x, &v), base = ++x->pairs;
    const struct simt_operand_text index = simt_operand_of(x, v.a);
    uint32_t offset = ++x->words, at = ++x->pairs;
    simt_line_put(x, "ld.param.u64 %%d%" PRIu32 ", [tables+%" PRIu32 "];", base, 8 * n);
    simt_line_put(x, "cvt.u64.u32 %%d%" PRIu32 ", %%r6;", ++x->pairs);
    simt_line_put(x, "mad.lo.u64 %%d%" PRIu32 ", %%d%" PRIu32 ", %" PRIu64 ", %%d%" PRIu32 ";", at,
                  x->pairs, l->chunk, base);
    simt_line_put(x, "shl.b32 %%r%" PRIu32 ", %s, %u;", offset, index.text,
                  (unsigned)__builtin_ctz(v.bytes));
    if ((uint64_t)x->tables.data[n].entries * v.bytes > l->chunk) {
        const uint32_t chunk = ++x->words, inner = ++x->words, wide = ++x->pairs;
        simt_line_put(x, "shr.u32 %%r%" PRIu32 ", %%r%" PRIu32 ", %u;", chunk, offset,
                      (unsigned)__builtin_ctzll(l->chunk));
        simt_line_put(x, "and.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", %" PRIu64 ";", inner, offset,
                      l->chunk - 1);
        simt_line_put(x, "cvt.u64.u32 %%d%" PRIu32 ", %%r%" PRIu32 ";", wide, chunk);
        simt_line_put(x, "mad.lo.u64 %%d%" PRIu32 ", %%d%" PRIu32 ", %" PRIu64 ", %%d%" PRIu32 ";",
                      ++x->pairs, wide, l->chunk * l->cores, at);
        at = x->pairs;
        offset = inner;
    }
    simt_line_put(x, "mad.wide.u32 %%d%" PRIu32 ", %%r%" PRIu32 ", 1, %%d%" PRIu32 ";", ++x->pairs,
                  offset, at);
    at = x->pairs;
    if (v.wide)
        simt_line_put(x, "ld.global.u64 %%d%" PRIu32 ", [%%d%" PRIu32 "];", simt_new(x, id), at);
    else
        simt_line_put(x, "ld.global.%s %%r%" PRIu32 ", [%%d%" PRIu32 "];", type_of(v.bytes, false),
                      simt_new(x, id), at);
}

/* ---- what is computed ---- */

/* Of one result and operands a, b; comparisons have a predicate for it. */
static const struct {
    const char *word, *pair;
    uint8_t operands;
    bool by_k; /* the second is k */
} plain[SCALAR_OPS] = {
    [SCALAR_ADD] = {"add.u32", "add.u64", 2, false},
    [SCALAR_SUB] = {"sub.u32", "sub.u64", 2, false},
    [SCALAR_MUL] = {"mul.lo.u32", "mul.lo.u64", 2, false},
    [SCALAR_AND] = {"and.b32", "and.b64", 2, false},
    [SCALAR_OR] = {"or.b32", "or.b64", 2, false},
    [SCALAR_XOR] = {"xor.b32", "xor.b64", 2, false},
    [SCALAR_NOT] = {"not.b32", "not.b64", 1, false},
    [SCALAR_SHL] = {"shl.b32", "shl.b64", 1, true},
    [SCALAR_SHR] = {"shr.u32", "shr.u64", 1, true},
    [SCALAR_SAR] = {"shr.s32", "shr.s64", 1, true},
    [SCALAR_SHLV] = {"shl.b32", "shl.b64", 2, false},
    [SCALAR_SHRV] = {"shr.u32", "shr.u64", 2, false},
    [SCALAR_SARV] = {"shr.s32", "shr.s64", 2, false},
    [SCALAR_EQ] = {"setp.eq.u32", "setp.eq.u64", 2, false},
    [SCALAR_NE] = {"setp.ne.u32", "setp.ne.u64", 2, false},
    [SCALAR_LTU] = {"setp.lt.u32", "setp.lt.u64", 2, false},
    [SCALAR_GEU] = {"setp.ge.u32", "setp.ge.u64", 2, false},
    [SCALAR_LTS] = {"setp.lt.s32", "setp.lt.s64", 2, false},
    [SCALAR_GES] = {"setp.ge.s32", "setp.ge.s64", 2, false},
    [SCALAR_ONES] = {"popc.b32", NULL, 1, false},
    [SCALAR_ZEROS] = {"clz.b32", NULL, 1, false},
};
static bool compares(uint8_t op) {
    return op >= SCALAR_EQ && op <= SCALAR_GES;
}

/* Logic of predicates: of what both are. */
static bool emit_mask(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    if (v.wide || (v.op != SCALAR_AND && v.op != SCALAR_OR && v.op != SCALAR_XOR))
        return false;
    const bool one = value_of(x, v.b)->op == SCALAR_CONST && value_of(x, v.b)->k == 1;
    if (!x->made[v.a - 1].mask || (!x->made[v.b - 1].mask && !(one && v.op == SCALAR_XOR)))
        return false;
    const uint32_t to = x->made[id - 1].mask = ++x->masks;
    if (one)
        simt_line_put(x, "not.pred %%p%" PRIu32 ", %%p%" PRIu32 ";", to, x->made[v.a - 1].mask);
    else
        simt_line_put(x, "%s.pred %%p%" PRIu32 ", %%p%" PRIu32 ", %%p%" PRIu32 ";",
                      v.op == SCALAR_AND  ? "and"
                      : v.op == SCALAR_OR ? "or"
                                          : "xor",
                      to, x->made[v.a - 1].mask, x->made[v.b - 1].mask);
    return true;
}

static bool emit_plain(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const char *name = value_of(x, v.a)->wide ? plain[v.op].pair : plain[v.op].word;
    if (!name)
        return false;
    const struct simt_operand_text a = simt_operand_of(x, v.a);
    struct simt_operand_text b = {""};
    if (plain[v.op].by_k)
        snprintf(b.text, sizeof b.text, "%" PRIu64, v.k);
    else if (plain[v.op].operands == 2)
        b = simt_operand_of(x, v.b);
    char kind = v.wide ? 'd' : 'r';
    uint32_t to;
    if (compares(v.op)) {
        kind = 'p';
        to = x->made[id - 1].mask = ++x->masks;
    } else {
        to = simt_new(x, id);
    }
    simt_line_put(x, "%s %%%c%" PRIu32 ", %s%s%s;", name, kind, to, a.text, *b.text ? ", " : "",
                  b.text);
    return true;
}

static void emit_select(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const uint32_t mask = simt_mask_of(x, v.a);
    const struct simt_operand_text yes = simt_operand_of(x, v.b), no = simt_operand_of(x, v.d);
    simt_line_put(x, "selp.b%u %%%c%" PRIu32 ", %s, %s, %%p%" PRIu32 ";", v.wide ? 64 : 32,
                  v.wide ? 'd' : 'r', simt_new(x, id), yes.text, no.text, mask);
}

static void emit_extend(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const struct simt_operand_text a = simt_operand_of(x, v.a);
    const uint32_t to = simt_new(x, id);
    if (v.op == SCALAR_ZERO_EXTEND)
        simt_line_put(x, "and.b%u %%%c%" PRIu32 ", %s, 0x%" PRIx64 ";", v.wide ? 64 : 32,
                      v.wide ? 'd' : 'r', to, a.text, low_bits((unsigned)v.k));
    else
        simt_line_put(x, "bfe.s%u %%%c%" PRIu32 ", %s, 0, %" PRIu64 ";", v.wide ? 64 : 32,
                      v.wide ? 'd' : 'r', to, a.text, v.k);
}

/* By 0 the quotient is all ones and the rest the dividend, whatever `div` makes of it. */
static void emit_divide(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id), q = v.op == SCALAR_REST ? *value_of(x, v.a) : v;
    const unsigned bits = v.wide ? 64 : 32;
    const char kind = v.wide ? 'd' : 'r';
    const struct simt_operand_text a = simt_operand_of(x, q.a), b = simt_operand_of(x, q.b);
    const bool known = value_of(x, q.b)->op == SCALAR_CONST && value_of(x, q.b)->k;
    uint32_t to = simt_new(x, id);
    simt_line_put(x, "%s.u%u %%%c%" PRIu32 ", %s, %s;", v.op == SCALAR_REST ? "rem" : "div", bits,
                  kind, to, a.text, b.text);
    if (known)
        return;
    const uint32_t zero = ++x->masks, was = to;
    to = simt_new(x, id);
    simt_line_put(x, "setp.eq.u%u %%p%" PRIu32 ", %s, 0;", bits, zero, b.text);
    simt_line_put(x, "selp.b%u %%%c%" PRIu32 ", %s, %%%c%" PRIu32 ", %%p%" PRIu32 ";", bits, kind,
                  to,
                  v.op == SCALAR_REST ? a.text
                  : v.wide            ? "0xffffffffffffffff"
                                      : "0xffffffff",
                  kind, was, zero);
}

static void emit_half(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    struct simt_made *m = &x->made[v.a - 1];
    simt_half_of(x, v.a, v.op == SCALAR_HIGH);
    x->made[id - 1].reg = v.op == SCALAR_HIGH ? m->high : m->low;
}

static void emit_pair(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const struct simt_operand_text low = simt_operand_of(x, v.a), high = simt_operand_of(x, v.b);
    if (value_of(x, v.b)->op == SCALAR_CONST && !value_of(x, v.b)->k)
        simt_line_put(x, "cvt.u64.u32 %%d%" PRIu32 ", %s;", simt_new(x, id), low.text);
    else
        simt_line_put(x, "mov.b64 %%d%" PRIu32 ", {%s, %s};", simt_new(x, id), low.text, high.text);
}

static void emit_scaled(struct simt_values *x, scalar_id id) {
    const struct scalar_value v = *value_of(x, id);
    const struct simt_operand_text a = simt_operand_of(x, v.a), b = simt_operand_of(x, v.b);
    simt_line_put(x, "mad.lo.u32 %%r%" PRIu32 ", %s, %" PRIu64 ", %s;", simt_new(x, id), b.text,
                  UINT64_C(1) << v.k, a.text);
}

void simt_source_put(struct simt_values *x, uint32_t source) {
    if (x->source != source)
        simt_line_put(x, ".loc 1 %" PRIu32 " 0", source);
    x->source = source;
}

bool simt_emit(struct simt_values *x, scalar_id id) {
    simt_source_put(x, value_of(x, id)->source);
    switch ((enum scalar_op)value_of(x, id)->op) {
    case SCALAR_LOAD:
    case SCALAR_LOADS:
        emit_load(x, id);
        return true;
    case SCALAR_STORE:
        emit_store(x, id);
        return true;
    case SCALAR_LOOKUP:
        emit_lookup(x, id);
        return true;
    case SCALAR_SELECT:
        emit_select(x, id);
        return true;
    case SCALAR_ZERO_EXTEND:
    case SCALAR_SIGN_EXTEND:
        emit_extend(x, id);
        return true;
    case SCALAR_DIVIDE:
    case SCALAR_REST:
        emit_divide(x, id);
        return true;
    case SCALAR_LOW:
    case SCALAR_HIGH:
        emit_half(x, id);
        return true;
    case SCALAR_PAIR:
        emit_pair(x, id);
        return true;
    case SCALAR_SCALED:
        emit_scaled(x, id);
        return true;
    case SCALAR_CALL:
        simt_emit_call(x, id);
        return true;
    default:
        return emit_mask(x, id) || emit_plain(x, id);
    }
}
