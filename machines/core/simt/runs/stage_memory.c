/* SPDX-License-Identifier: MIT
 * Arrays of stage kernels in PTX: buffers in the banks, numbers of the launch, arrays of a body in
 * the thread's own memory, what is kept and gathered in the launch's arrays.
 *
 * An address of the IR is a word: here it is how many bytes lie in front of it in its array.  That
 * of what a filter keeps begins with 0 in each row; where the row's own begins is known from the
 * sums over the rows in front of it. */
#include "machines/core/simt/runs/stage_writer.h"

#include "support/bits.h"

#include <inttypes.h>
#include <stdio.h>

const char *simt_stage_type(unsigned bytes, bool sign) {
    return bytes == 1   ? (sign ? "s8" : "u8")
           : bytes == 2 ? (sign ? "s16" : "u16")
           : bytes == 4 ? (sign ? "s32" : "u32")
                        : "u64";
}

/* ---- loads ---- */

/* The value becomes what such an address holds; `guard`: %p, or 0; without it is 0. */
static void load_from(struct simt_stage_writer *w, scalar_id id, const char *space, const char *at,
                      uint32_t guard) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const bool sign = v.op == SCALAR_LOADS, long_one = v.bytes > 4;
    char when[16] = "";
    const uint32_t to = long_one ? ++x->pairs : ++x->words;
    const char kind = long_one ? 'd' : 'r';
    if (guard) {
        snprintf(when, sizeof when, "@%%p%" PRIu32 " ", guard);
        simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", 0;", long_one ? 64 : 32, kind, to);
    }
    simt_line_put(x, "%sld.%s.%s %%%c%" PRIu32 ", [%s];", when, space,
                  simt_stage_type(v.bytes, sign), kind, to, at);
    if (v.wide == long_one)
        x->made[id - 1].reg = to;
    else if (v.wide)
        simt_line_put(x, "cvt.%c64.%c32 %%d%" PRIu32 ", %%r%" PRIu32 ";", sign ? 's' : 'u',
                      sign ? 's' : 'u', simt_new(x, id), to);
    else
        simt_line_put(x, "cvt.u32.u64 %%r%" PRIu32 ", %%d%" PRIu32 ";", simt_new(x, id), to);
}
static void load_number(struct simt_stage_writer *w, scalar_id id, uint64_t k) {
    const bool wide = simt_stage_value_at(w, id)->wide;
    simt_line_put(&w->x, "mov.b%u %%%c%" PRIu32 ", 0x%" PRIx64 ";", wide ? 64 : 32,
                  wide ? 'd' : 'r', simt_new(&w->x, id), k & low_bits(wide ? 64 : 32));
}

/* %p: the element of the row is there, which is `more` (a register, or none) further than element
 * `element`; 0: it always is. */
static uint32_t there(struct simt_stage_writer *w, const struct scalar_stage_array *a,
                      uint32_t element, const char *more) {
    struct simt_values *x = &w->x;
    const uint32_t length = w->kernel->arrays[a->index]->length;
    if (!length && !element && !more)
        return 0;
    const uint32_t at = ++x->words, count = ++x->words, is = ++x->masks;
    simt_line_put(x, "mad.lo.u32 %%r%" PRIu32 ", %%r4, %" PRIu32 ", %" PRIu32 ";", at, a->count,
                  element);
    if (more)
        simt_line_put(x, "add.u32 %%r%" PRIu32 ", %%r%" PRIu32 ", %s;", at, at, more);
    simt_line_put(x, "ld.param.u32 %%r%" PRIu32 ", [p+%" PRIu32 "];", count,
                  8 * simt_stage_length_at(w->kernel, length));
    simt_line_put(x, "setp.lt.u32 %%p%" PRIu32 ", %%r%" PRIu32 ", %%r%" PRIu32 ";", is, at, count);
    return is;
}

bool simt_stage_load(struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const struct scalar_stage_array *a = simt_stage_array_at(w, v.array);
    const struct stage_param *q = a->of;
    char at[64];
    snprintf(at, sizeof at, "%%d%" PRIu32 "+%" PRIu64, w->places[v.array].base,
             (uint64_t)v.element * a->bytes);
    switch (a->kind) {
    case SCALAR_BLOCK:
        load_from(w, id, "global", at, there(w, a, v.element, NULL));
        return true;
    case SCALAR_NUMBER:
        snprintf(at, sizeof at, "p+%" PRIu32, 8 * a->index);
        load_from(w, id, "param", at, 0);
        return true;
    case SCALAR_LEFT:
        snprintf(at, sizeof at, "p+%" PRIu32, 8 * simt_stage_length_at(w->kernel, a->index));
        load_from(w, id, "param", at, 0);
        return true;
    case SCALAR_END:     /* the counter is the row itself */
    case SCALAR_KEPT:    /* nothing yet of this row */
    case SCALAR_KEPT_AT: /* likewise */
        load_number(w, id, 0);
        return true;
    case SCALAR_GATHERED: /* a part begins with what changes nothing */
        load_number(w, id, q->begin);
        return true;
    case SCALAR_SEEN:
        load_from(w, id, "global", at, 0);
        return true;
    default:
        return simt_stage_refuse(w, 0, "such a load has no code on these cores");
    }
}

/* Number `from` of 8-byte words, or of those behind it up to `end` the one that bits of the index
 * say, of which %p masks[level] is number level: a tree that halves them by its highest bit.  Bytes
 * behind the last element are 0. */
struct packed_table {
    const uint64_t *elements;
    uint32_t count, bytes; /* elements; of one */
    uint32_t masks[32];
};
static uint64_t packed_word(const struct packed_table *t, uint32_t number) {
    const uint32_t each = 8 / t->bytes;
    uint64_t word = 0;
    for (uint32_t i = 0; i < each && number * each + i < t->count; i++)
        word |= (t->elements[number * each + i] & low_bits(8 * t->bytes)) << 8 * t->bytes * i;
    return word;
}
static uint32_t choose_word(struct simt_values *x, const struct packed_table *t, uint32_t from,
                            uint32_t end, unsigned level) {
    if (level == 0 || from + 1 == end) {
        simt_line_put(x, "mov.b64 %%d%" PRIu32 ", 0x%" PRIx64 ";", ++x->pairs,
                      packed_word(t, from));
        return x->pairs;
    }
    const uint32_t middle = from + (UINT32_C(1) << (level - 1));
    const uint32_t low = choose_word(x, t, from, middle < end ? middle : end, level - 1);
    if (middle >= end)
        return low;
    const uint32_t high = choose_word(x, t, middle, end, level - 1);
    simt_line_put(x, "selp.b64 %%d%" PRIu32 ", %%d%" PRIu32 ", %%d%" PRIu32 ", %%p%" PRIu32 ";",
                  ++x->pairs, high, low, t->masks[level - 1]);
    return x->pairs;
}

/* Many constants: a word of 8 bytes by the upper bits of the index, and in it the element. */
static void look_up_packed(struct simt_stage_writer *w, scalar_id id, const struct stage_name *n,
                           const char *index) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    struct packed_table t = {.elements = n->elements, .count = n->count, .bytes = v.bytes};
    const uint32_t each = 8 / t.bytes, words = (n->count + each - 1) / each;
    const unsigned shift = (unsigned)__builtin_ctz(each);
    const uint32_t i = ++x->words, bit = ++x->words;
    unsigned levels = 0;
    simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %s;", i, index);
    for (; UINT32_C(1) << levels < words; levels++) {
        simt_line_put(x, "and.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", 0x%" PRIx32 ";", bit, i,
                      UINT32_C(1) << (levels + shift));
        simt_line_put(x, "setp.ne.u32 %%p%" PRIu32 ", %%r%" PRIu32 ", 0;", ++x->masks, bit);
        t.masks[levels] = x->masks;
    }
    uint32_t word = choose_word(x, &t, 0, words, levels);
    if (each > 1) {
        simt_line_put(x, "and.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", %" PRIu32 ";", bit, i, each - 1);
        simt_line_put(x, "mul.lo.u32 %%r%" PRIu32 ", %%r%" PRIu32 ", %" PRIu32 ";", bit, bit,
                      8 * t.bytes);
        simt_line_put(x, "shr.u64 %%d%" PRIu32 ", %%d%" PRIu32 ", %%r%" PRIu32 ";", x->pairs + 1,
                      word, bit);
        word = ++x->pairs;
        simt_line_put(x, "and.b64 %%d%" PRIu32 ", %%d%" PRIu32 ", 0x%" PRIx64 ";", x->pairs + 1,
                      word, low_bits(8 * t.bytes));
        word = ++x->pairs;
    }
    if (v.wide)
        x->made[id - 1].reg = word;
    else
        simt_line_put(x, "cvt.u32.u64 %%r%" PRIu32 ", %%d%" PRIu32 ";", simt_new(x, id), word);
}

/* Of constants one after another, or if there are many by halves; of what is seen whole the
 * element. */
bool simt_stage_lookup(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const struct scalar_stage_array *a = simt_stage_array_at(w, v.array);
    const struct simt_operand_text index = simt_operand_of(x, v.a);
    if (a->kind == SCALAR_SEEN) {
        char at[32];
        const uint32_t i = ++x->words, to = ++x->pairs;
        simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %s;", i, index.text);
        simt_line_put(x, "mad.wide.u32 %%d%" PRIu32 ", %%r%" PRIu32 ", %u, %%d%" PRIu32 ";", to, i,
                      (unsigned)a->bytes, w->places[v.array].base);
        snprintf(at, sizeof at, "%%d%" PRIu32, to);
        load_from(w, id, "global", at, 0);
        return true;
    }
    const struct stage_name *n = a->of;
    if (a->kind != SCALAR_TABLE || n->count > SIMT_STAGE_MOST_PACKED || !n->elements)
        return simt_stage_refuse(
            w, 0, "a choice among so many elements is not in the code of these cores");
    if (n->count > SIMT_STAGE_MOST_CHOSEN) {
        look_up_packed(w, id, n, index.text);
        return true;
    }
    const unsigned bits = v.wide ? 64 : 32;
    const char kind = v.wide ? 'd' : 'r';
    uint32_t was = simt_new(x, id);
    simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", 0x%" PRIx64 ";", bits, kind, was,
                  n->elements[0] & low_bits(8u * v.bytes));
    for (uint32_t i = 1; i < n->count; i++) {
        const uint32_t is = ++x->masks, to = simt_new(x, id);
        simt_line_put(x, "setp.eq.u32 %%p%" PRIu32 ", %s, %" PRIu32 ";", is, index.text, i);
        simt_line_put(x,
                      "selp.b%u %%%c%" PRIu32 ", 0x%" PRIx64 ", %%%c%" PRIu32 ", %%p%" PRIu32 ";",
                      bits, kind, to, n->elements[i] & low_bits(8u * v.bytes), kind, was, is);
        was = to;
    }
    return true;
}

/* ---- by an index that is data ---- */

uint32_t simt_stage_root(const struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_value *v = simt_stage_value_at(w, id);
    const uint32_t kind = v->op == SCALAR_ADDRESS || v->op == SCALAR_LOAD
                              ? (uint32_t)simt_stage_array_at(w, v->array)->kind
                              : SCALAR_NUMBER;
    if (v->op == SCALAR_ADDRESS)
        return kind == SCALAR_COUNTER ? NO_INDEX : v->array;
    if (v->op == SCALAR_LOAD)
        return kind == SCALAR_KEPT_AT ? v->array : NO_INDEX;
    if (v->op != SCALAR_ADD && v->op != SCALAR_SCALED)
        return NO_INDEX;
    const uint32_t first = simt_stage_root(w, v->a);
    return first == NO_INDEX ? simt_stage_root(w, v->b) : first;
}

bool simt_stage_address(struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const struct scalar_stage_array *a = simt_stage_array_at(w, v.array);
    const uint64_t at = w->places[v.array].room + (uint64_t)v.element * a->bytes;
    if (a->kind == SCALAR_COUNTER)
        simt_line_put(&w->x, "mov.u32 %%r%" PRIu32 ", %%r4;", simt_new(&w->x, id));
    else
        load_number(w, id, at);
    return true;
}

/* An address of FETCH or PUT, which lies in that array, as text. */
static struct simt_operand_text place_of(struct simt_stage_writer *w, uint32_t array,
                                         scalar_id address) {
    struct simt_values *x = &w->x;
    const struct simt_operand_text offset = simt_operand_of(x, address);
    struct simt_operand_text t;
    const uint32_t word = ++x->words, to = ++x->pairs;
    simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %s;", word, offset.text);
    if (simt_stage_in_words(w, simt_stage_array_at(w, array)))
        simt_line_put(x, "shl.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", %u;", word, word,
                      2u - (unsigned)__builtin_ctz(simt_stage_array_at(w, array)->bytes));
    simt_line_put(x, "cvt.u64.u32 %%d%" PRIu32 ", %%r%" PRIu32 ";", to, word);
    if (simt_stage_array_at(w, array)->kind == SCALAR_ROOM)
        simt_line_put(x, "mov.u64 %%d%" PRIu32 ", room;", ++x->pairs);
    simt_line_put(x, "add.u64 %%d%" PRIu32 ", %%d%" PRIu32 ", %%d%" PRIu32 ";", to, to,
                  simt_stage_array_at(w, array)->kind == SCALAR_ROOM ? x->pairs
                                                                     : w->places[array].base);
    snprintf(t.text, sizeof t.text, "%%d%" PRIu32, to);
    return t;
}

bool simt_stage_fetch(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const scalar_id address = simt_stage_value_at(w, id)->a;
    const uint32_t array = simt_stage_root(w, address);
    if (array == NO_INDEX)
        return simt_stage_refuse(w, 0, "what is at such an address has no code on these cores");
    const struct scalar_stage_array *a = simt_stage_array_at(w, array);
    const struct stage_param *q = a->of;
    uint32_t guard = 0;
    if (a->kind == SCALAR_GATHERED && !simt_stage_of(w->kernel, q)->combine) {
        load_number(w, id, q->begin);
        return true;
    }
    if (a->kind == SCALAR_BLOCK) {
        const struct simt_operand_text offset = simt_operand_of(x, address);
        char more[16];
        const uint32_t word = ++x->words;
        simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %s;", word, offset.text);
        simt_line_put(x, "shr.u32 %%r%" PRIu32 ", %%r%" PRIu32 ", %u;", word, word,
                      (unsigned)__builtin_ctz(a->bytes));
        snprintf(more, sizeof more, "%%r%" PRIu32, word);
        guard = there(w, a, 0, more);
    }
    const struct simt_operand_text at = place_of(w, array, address);
    load_from(w, id, a->kind == SCALAR_ROOM ? "local" : "global", at.text, guard);
    return true;
}

/* ---- stores ---- */

/* The low bytes of a value in a register: %r or %d. */
static void stored(struct simt_stage_writer *w, scalar_id id, unsigned bytes, char out[32]) {
    struct simt_values *x = &w->x;
    const bool wide = simt_stage_value_at(w, id)->wide;
    const struct simt_operand_text a =
        wide && bytes <= 4 ? simt_half_of(x, id, false) : simt_operand_of(x, id);
    if (wide == (bytes > 4) && a.text[0] == '%') {
        snprintf(out, 32, "%s", a.text);
    } else if (bytes > 4) {
        simt_line_put(x, wide ? "mov.b64 %%d%" PRIu32 ", %s;" : "cvt.u64.u32 %%d%" PRIu32 ", %s;",
                      ++x->pairs, a.text);
        snprintf(out, 32, "%%d%" PRIu32, x->pairs);
    } else if (a.text[0] == '%') {
        snprintf(out, 32, "%s", a.text);
    } else {
        simt_line_put(x, "mov.b32 %%r%" PRIu32 ", %s;", ++x->words, a.text);
        snprintf(out, 32, "%%r%" PRIu32, x->words);
    }
}

static void store_to(struct simt_stage_writer *w, scalar_id value, unsigned bytes,
                     const char *space, const char *at, uint32_t mask) {
    char from[32], when[16] = "";
    stored(w, value, bytes, from);
    if (mask)
        snprintf(when, sizeof when, "@%%p%" PRIu32 " ", mask);
    simt_line_put(&w->x, "%sst.%s.%s [%s], %s;", when, space, simt_stage_type(bytes, false), at,
                  from);
}

bool simt_stage_store(struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const struct scalar_stage_array *a = simt_stage_array_at(w, v.array);
    const uint32_t mask = v.a ? simt_mask_of(&w->x, v.a) : 0;
    char at[64], from[32];
    snprintf(at, sizeof at, "%%d%" PRIu32 "+%" PRIu64, w->places[v.array].base,
             (uint64_t)v.element * (simt_stage_in_words(w, a) ? 4 : a->bytes));
    switch (a->kind) {
    case SCALAR_CELL_AT:
        if (mask)
            break;
        stored(w, v.b, v.bytes, from);
        simt_stage_put_cell(w, v.array, v.bytes, from);
        return true;
    case SCALAR_BLOCK:
        store_to(w, v.b, v.bytes, "global", at, mask);
        return true;
    case SCALAR_GATHERED:
        if (!simt_stage_of(w->kernel, a->of)->combine)
            return simt_stage_gather(w, a->of, at, mask, v.b);
        store_to(w, v.b, v.bytes, "global", at, mask);
        return true;
    case SCALAR_KEPT: /* the sums are there already */
        if (w->part == SIMT_STAGE_COUNT)
            store_to(w, v.b, 4, "global", at, mask);
        return true;
    case SCALAR_KEPT_AT:
        return true;
    default:
        break;
    }
    return simt_stage_refuse(w, 0, "such a store has no code on these cores");
}

bool simt_stage_put(struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const uint32_t array = simt_stage_root(w, v.d);
    if (array == NO_INDEX)
        return simt_stage_refuse(w, 0, "a store to such an address has no code on these cores");
    const struct scalar_stage_array *a = simt_stage_array_at(w, array);
    const uint32_t mask = v.a ? simt_mask_of(&w->x, v.a) : 0;
    const struct simt_operand_text at = place_of(w, array, v.d);
    if (a->kind == SCALAR_GATHERED && !simt_stage_of(w->kernel, a->of)->combine)
        return simt_stage_gather(w, a->of, at.text, mask, v.b);
    store_to(w, v.b, v.bytes, a->kind == SCALAR_ROOM ? "local" : "global", at.text, mask);
    return true;
}

/* The first thread that comes here, of a warp that of the first element, leaves what is wrong, and
 * stops all of the launch. */
void simt_stage_stop(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const uint32_t mask = v.a ? simt_mask_of(x, v.a) : 0, label = ++w->labels, base = ++x->pairs,
                   told = ++x->pairs, before = ++x->pairs, site = ++x->words, first = ++x->masks;
    char from[32];
    stored(w, v.b, 8, from);
    simt_source_put(x, w->s->sites.data[v.k - 1].line);
    if (mask)
        simt_line_put(x, "@!%%p%" PRIu32 " bra fine%" PRIu32 ";", mask, label);
    simt_line_put(x, "ld.param.u64 %%d%" PRIu32 ", [p+%" PRIu32 "];", base,
                  8 * simt_stage_wrong_at(w->kernel));
    simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %" PRIu64 ";", site, v.k);
    simt_line_put(x, "mov.b64 %%d%" PRIu32 ", {%%r%" PRIu32 ", %%r4};", told, site);
    simt_line_put(x, "atom.global.cas.b64 %%d%" PRIu32 ", [%%d%" PRIu32 "+8], 0, %%d%" PRIu32 ";",
                  before, base, told);
    simt_line_put(x, "setp.eq.u64 %%p%" PRIu32 ", %%d%" PRIu32 ", 0;", first, before);
    simt_line_put(x, "@%%p%" PRIu32 " st.global.u64 [%%d%" PRIu32 "], %s;", first, base, from);
    simt_line_put(x, "trap;");
    simt_line_put(x, "fine%" PRIu32 ":", label);
}
