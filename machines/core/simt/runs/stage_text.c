/* SPDX-License-Identifier: MIT
 * PTX of a stage kernel: values of scalar IR as runs have them (run_values.c), memory as arrays in
 * the banks, cells of loops in registers. */
#include "machines/core/simt/runs/stage_text.h"

#include "machines/core/scalar/routines.h"
#include "machines/core/simt/runs/run_values.h"
#include "machines/core/simt/runs/stage_words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of a row: more is too much code for any core. */
#define MOST_VALUES 16384u
/* Constants among which an index chooses. */
#define MOST_CHOSEN 64u

/* What is there of an array of the IR. */
struct simt_stage_place {
    uint32_t base; /* %d: address of the row's first element, or of the first of all; 0: none */
    uint32_t cell; /* %r, or of 8 bytes %d; 0: none */
};
struct simt_stage_writer {
    struct simt_values x;
    const struct stage_kernel *kernel;
    struct scalar_stage *s;
    struct simt_stage_place *places; /* [arrays] */
    struct simt_made *outer;         /* [values]: what there was in front of the loop */
    bool within;
    struct str *what;
    uint32_t *line;
};

static bool refuse(struct simt_stage_writer *w, uint32_t line, const char *what) {
    if (!w->what->len) {
        str_append(w->what, what);
        *w->line = line;
    }
    return false;
}
static const struct scalar_value *value_of(const struct simt_stage_writer *w, scalar_id id) {
    return scalar_at(w->x.body, id);
}
static const struct scalar_stage_array *array_of(const struct simt_stage_writer *w,
                                                 uint32_t array) {
    return &w->s->arrays.data[array];
}

/* ---- results ---- */

static const struct stage_param *gathered(const struct scalar_stage_array *a) {
    return a->of;
}
/* The atomic operation that puts two parts together; NULL: PTX has none. */
static const char *atomic_of(const struct stage_stage *stage, const struct stage_param *q) {
    const bool is_signed = q->type.kind == TYPE_INT, wide = q->type.bits == 64;
    if (!stage_is_integer(q->type) || (q->type.bits != 32 && !wide) || stage->combine)
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
static const struct stage_stage *stage_of(const struct stage_kernel *k,
                                          const struct stage_param *q) {
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *p = s->params; p; p = p->next)
            if (p == q)
                return s;
    return NULL;
}

/* ---- what is there ---- */

/* A window that sees what the kernel changes could see it too late. */
static bool changes_what_is_seen(const struct scalar_stage_array *a) {
    return a->kind == SCALAR_BLOCK && a->stored && a->beyond;
}
static bool stage_is_there(struct simt_stage_writer *w, const struct stage_stage *s) {
    if (s->pattern == STAGE_FILTER)
        return refuse(w, s->line, "filters are not in the code of these cores");
    for (const struct stage_param *q = s->params; q; q = q->next)
        if (q->role == STAGE_ACC && !atomic_of(s, q))
            return refuse(w, q->line,
                          "these cores gather integers of 32 and 64 bits by sums, least, greatest "
                          "and bits alone");
    return true;
}
static bool arrays_are_there(struct simt_stage_writer *w) {
    for (const struct stage_stage *s = w->kernel->stages; s; s = s->next)
        if (!stage_is_there(w, s))
            return false;
    for (size_t i = 0; i < w->s->arrays.len; i++)
        if (changes_what_is_seen(array_of(w, (uint32_t)i)))
            return refuse(w, 0,
                          "a buffer that windows see and the kernel changes is not in the code of "
                          "these cores");
    return true;
}

/* ---- the frame ---- */

/* Which row it is, %r4, and where its elements lie; threads behind the last row end. */
static void begin(struct simt_stage_writer *w) {
    struct simt_values *x = &w->x;
    x->words = 5;
    x->masks = 1;
    simt_line_put(x, "mov.u32 %%r1, %%ctaid.x;");
    simt_line_put(x, "mov.u32 %%r2, %%ntid.x;");
    simt_line_put(x, "mov.u32 %%r3, %%tid.x;");
    simt_line_put(x, "mad.lo.u32 %%r4, %%r1, %%r2, %%r3;");
    simt_line_put(x, "ld.param.u32 %%r5, [p+%" PRIu32 "];", 8 * simt_stage_rows_at(w->kernel));
    simt_line_put(x, "setp.ge.u32 %%p1, %%r4, %%r5;");
    simt_line_put(x, "@%%p1 ret;");
    for (size_t i = 0; i < w->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(w, (uint32_t)i);
        struct simt_stage_place *p = &w->places[i];
        uint32_t parameter = NO_INDEX;
        if (a->kind == SCALAR_BLOCK || a->kind == SCALAR_SEEN)
            parameter = w->kernel->arrays[a->index]->parameter;
        if (a->kind == SCALAR_GATHERED)
            parameter = w->kernel->arrays[gathered(a)->array]->parameter;
        if (a->kind == SCALAR_CELL_AT)
            p->cell = a->bytes == 8 ? ++x->pairs : 0;
        if (parameter == NO_INDEX)
            continue;
        const uint32_t first = ++x->pairs;
        p->base = first;
        simt_line_put(x, "ld.param.u64 %%d%" PRIu32 ", [p+%" PRIu32 "];", first, 8 * parameter);
        if (a->kind != SCALAR_BLOCK)
            continue;
        p->base = ++x->pairs;
        simt_line_put(x, "mad.wide.u32 %%d%" PRIu32 ", %%r4, %" PRIu32 ", %%d%" PRIu32 ";", p->base,
                      a->count * a->bytes, first);
    }
}

static void put_head(const struct stage_kernel *k, const char *name, struct str *out) {
    str_append(out, ".version 7.0\n.target sm_75\n.address_size 64\n");
    str_printf(out, ".visible .entry %s(.param .align 8 .b8 p[%" PRIu32 "])\n{\n", name,
               8 * simt_stage_parameters(k));
}
static void finish(const struct simt_stage_writer *w, struct str *out) {
    const struct simt_values *x = &w->x;
    put_head(w->kernel, "rows", out);
    str_printf(out, ".reg .b32 %%r<%" PRIu32 ">;\n", x->words + 1);
    str_printf(out, ".reg .b64 %%d<%" PRIu32 ">;\n", x->pairs + 1);
    str_printf(out, ".reg .b16 %%h<%" PRIu32 ">;\n", x->halves + 1);
    str_printf(out, ".reg .pred %%p<%" PRIu32 ">;\n", x->masks + 1);
    str_append_n(out, str_text(&x->out), x->out.len);
    str_append(out, "ret;\n}\n");
}

/* ---- loads ---- */

static const char *type_of(unsigned bytes, bool sign) {
    return bytes == 1   ? (sign ? "s8" : "u8")
           : bytes == 2 ? (sign ? "s16" : "u16")
           : bytes == 4 ? (sign ? "s32" : "u32")
                        : "u64";
}
/* The value becomes what such an address holds; `guard`: %p, or 0; without it is 0. */
static void load_from(struct simt_stage_writer *w, scalar_id id, const char *space, const char *at,
                      uint32_t guard) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    const bool sign = v.op == SCALAR_LOADS, long_one = v.bytes > 4;
    char when[16] = "";
    const uint32_t to = long_one ? ++x->pairs : ++x->words;
    const char kind = long_one ? 'd' : 'r';
    if (guard) {
        snprintf(when, sizeof when, "@%%p%" PRIu32 " ", guard);
        simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", 0;", long_one ? 64 : 32, kind, to);
    }
    simt_line_put(x, "%sld.%s.%s %%%c%" PRIu32 ", [%s];", when, space, type_of(v.bytes, sign), kind,
                  to, at);
    if (v.wide == long_one)
        x->made[id - 1].reg = to;
    else if (v.wide)
        simt_line_put(x, "cvt.%c64.%c32 %%d%" PRIu32 ", %%r%" PRIu32 ";", sign ? 's' : 'u',
                      sign ? 's' : 'u', simt_new(x, id), to);
    else
        simt_line_put(x, "cvt.u32.u64 %%r%" PRIu32 ", %%d%" PRIu32 ";", simt_new(x, id), to);
}
/* %p: the element of the row is there; 0: it always is. */
static uint32_t there(struct simt_stage_writer *w, const struct scalar_stage_array *a,
                      uint32_t element) {
    struct simt_values *x = &w->x;
    const uint32_t length = w->kernel->arrays[a->index]->length;
    if (!length && !element)
        return 0;
    const uint32_t at = ++x->words, count = ++x->words, is = ++x->masks;
    simt_line_put(x, "mad.lo.u32 %%r%" PRIu32 ", %%r4, %" PRIu32 ", %" PRIu32 ";", at, a->count,
                  element);
    simt_line_put(x, "ld.param.u32 %%r%" PRIu32 ", [p+%" PRIu32 "];", count,
                  8 * simt_stage_length_at(w->kernel, length));
    simt_line_put(x, "setp.lt.u32 %%p%" PRIu32 ", %%r%" PRIu32 ", %%r%" PRIu32 ";", is, at, count);
    return is;
}
static bool emit_load(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    const struct scalar_stage_array *a = array_of(w, v.array);
    char at[64];
    switch (a->kind) {
    case SCALAR_BLOCK:
        snprintf(at, sizeof at, "%%d%" PRIu32 "+%" PRIu64, w->places[v.array].base,
                 (uint64_t)v.element * a->bytes);
        load_from(w, id, "global", at, there(w, a, v.element));
        return true;
    case SCALAR_NUMBER:
        snprintf(at, sizeof at, "p+%" PRIu32, 8 * a->index);
        load_from(w, id, "param", at, 0);
        return true;
    case SCALAR_LEFT:
        snprintf(at, sizeof at, "p+%" PRIu32, 8 * simt_stage_length_at(w->kernel, a->index));
        load_from(w, id, "param", at, 0);
        return true;
    case SCALAR_END: /* the counter is the row itself */
        simt_line_put(x, "mov.u32 %%r%" PRIu32 ", 0;", simt_new(x, id));
        return true;
    case SCALAR_GATHERED: /* a part begins with what changes nothing */
        simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", 0x%" PRIx64 ";", v.wide ? 64 : 32,
                      v.wide ? 'd' : 'r', simt_new(x, id),
                      gathered(a)->begin & low_bits(v.wide ? 64 : 32));
        return true;
    case SCALAR_SEEN:
        snprintf(at, sizeof at, "%%d%" PRIu32 "+%" PRIu64, w->places[v.array].base,
                 (uint64_t)v.element * a->bytes);
        load_from(w, id, "global", at, 0);
        return true;
    default:
        return refuse(w, 0, "an array whose index is data is not in the code of these cores");
    }
}

/* Of constants one after another; of what is seen whole the element. */
static bool emit_lookup(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    const struct scalar_stage_array *a = array_of(w, v.array);
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
    if (a->kind != SCALAR_TABLE || n->count > MOST_CHOSEN || !n->elements)
        return refuse(w, 0, "a choice among so many elements is not in the code of these cores");
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

/* ---- stores ---- */

/* The low bytes of a value in a register: %r or %d. */
static void stored(struct simt_stage_writer *w, scalar_id id, unsigned bytes, char out[32]) {
    struct simt_values *x = &w->x;
    const bool wide = value_of(w, id)->wide;
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
/* Cells have zeros above what they hold. */
static void put_cell(struct simt_stage_writer *w, uint32_t array, unsigned bytes,
                     const char *from) {
    const uint32_t cell = w->places[array].cell;
    if (bytes > 4)
        simt_line_put(&w->x, "mov.b64 %%d%" PRIu32 ", %s;", cell, from);
    else
        simt_line_put(&w->x, "cvt.u64.u%u %%d%" PRIu32 ", %s;", 32u, cell, from);
}
static bool emit_store(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    const struct scalar_stage_array *a = array_of(w, v.array);
    char from[32], when[16] = "";
    const uint32_t mask = v.a ? simt_mask_of(x, v.a) : 0;
    stored(w, v.b, v.bytes, from);
    if (mask)
        snprintf(when, sizeof when, "@%%p%" PRIu32 " ", mask);
    if (a->kind == SCALAR_CELL_AT && !mask) {
        put_cell(w, v.array, v.bytes, from);
        return true;
    }
    if (a->kind == SCALAR_BLOCK) {
        simt_line_put(x, "%sst.global.%s [%%d%" PRIu32 "+%" PRIu64 "], %s;", when,
                      type_of(v.bytes, false), w->places[v.array].base,
                      (uint64_t)v.element * a->bytes, from);
        return true;
    }
    if (a->kind == SCALAR_GATHERED) {
        const struct stage_param *q = gathered(a);
        simt_line_put(x, "%sred.global.%s [%%d%" PRIu32 "+%" PRIu64 "], %s;", when,
                      atomic_of(stage_of(w->kernel, q), q), w->places[v.array].base,
                      (uint64_t)v.element * a->bytes, from);
        return true;
    }
    return refuse(w, 0, "an array whose index is data is not in the code of these cores");
}

/* ---- loops ---- */

static bool emit_cell(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    const uint32_t cell = w->places[v.array].cell;
    if (v.wide) {
        simt_line_put(x, "mov.b64 %%d%" PRIu32 ", %%d%" PRIu32 ";", simt_new(x, id), cell);
        return true;
    }
    const uint32_t to = simt_new(x, id);
    simt_line_put(x, "cvt.u32.u64 %%r%" PRIu32 ", %%d%" PRIu32 ";", to, cell);
    if (v.bytes < 4)
        simt_line_put(x, "and.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", 0x%" PRIx64 ";", to, to,
                      low_bits(8u * v.bytes));
    return true;
}
/* Registers that are made within a loop, of values that are in front of it, are not there behind:
 * who has no lap has not made them.  Loops that stand in one another keep what the outer one began
 * with. */
static void forget(struct simt_stage_writer *w, scalar_id first, scalar_id behind) {
    for (scalar_id i = 1; i < first; i++) {
        struct simt_made *now = &w->x.made[i - 1], *was = &w->outer[i - 1];
        *now = *was;
    }
    for (scalar_id i = first; i < behind; i++)
        w->x.made[i - 1] = (struct simt_made){0};
}
static bool emit_begin(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    if (w->within)
        return refuse(w, 0,
                      "loops in loops whose iterations are data are not in the code of these "
                      "cores");
    const uint32_t none = ++x->masks;
    if (v.a) {
        const uint32_t enters = simt_mask_of(x, v.a);
        simt_line_put(x, "not.pred %%p%" PRIu32 ", %%p%" PRIu32 ";", none, enters);
        simt_line_put(x, "@%%p%" PRIu32 " bra behind%" PRIu32 ";", none, id);
    }
    memcpy(w->outer, x->made, x->body->values.len * sizeof *w->outer);
    w->within = true;
    simt_line_put(x, "lap%" PRIu32 ":", id);
    return true;
}
static bool emit_again(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *value_of(w, id);
    if (v.a)
        simt_line_put(x, "@%%p%" PRIu32 " bra lap%" PRIu64 ";", simt_mask_of(x, v.a), v.k);
    else
        simt_line_put(x, "bra lap%" PRIu64 ";", v.k);
    simt_line_put(x, "behind%" PRIu64 ":", v.k);
    forget(w, (scalar_id)v.k, id);
    w->within = false;
    return true;
}

/* ---- one value ---- */

static bool emit_call(struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_routine r = scalar_routine_of(value_of(w, id)->k);
    if (!simt_run_has_float(&r))
        return refuse(w, 0, "an operation on floats, or a conversion, is none of these cores");
    simt_emit_call(&w->x, id);
    return true;
}
static bool emit(struct simt_stage_writer *w, scalar_id id) {
    switch (value_of(w, id)->op) {
    case SCALAR_LOAD:
    case SCALAR_LOADS:
        return emit_load(w, id);
    case SCALAR_LOOKUP:
        return emit_lookup(w, id);
    case SCALAR_ADDRESS:
        if (array_of(w, value_of(w, id)->array)->kind != SCALAR_COUNTER)
            return refuse(w, 0, "an array whose index is data is not in the code of these cores");
        simt_line_put(&w->x, "mov.u32 %%r%" PRIu32 ", %%r4;", simt_new(&w->x, id));
        return true;
    case SCALAR_STORE:
        return emit_store(w, id);
    case SCALAR_CELL:
        return emit_cell(w, id);
    case SCALAR_BEGIN:
        return emit_begin(w, id);
    case SCALAR_AGAIN:
        return emit_again(w, id);
    case SCALAR_CALL:
        return emit_call(w, id);
    case SCALAR_FETCH:
    case SCALAR_PUT:
        return refuse(w, 0, "an array whose index is data is not in the code of these cores");
    case SCALAR_STOP:
        return refuse(w, 0,
                      "what may stop, by an index or without an end, is not in the code of "
                      "these cores");
    default:
        return simt_emit(&w->x, id) || refuse(w, 0, "an operation has no code on these cores");
    }
}

static bool write_values(struct simt_stage_writer *w, struct scalar_body *b) {
    bool fine = true;
    for (scalar_id id = 1; id <= b->values.len && fine; id++)
        if (scalar_is_live(scalar_at(b, id)) && scalar_at(b, id)->op != SCALAR_CONST)
            fine = emit(w, id);
    return fine;
}

bool simt_stage_text(const struct stage_kernel *kernel, bool all_loops, struct str *out,
                     bool *large, struct str *what, uint32_t *line) {
    struct scalar_stage s;
    struct scalar_body b = {.from = 0};
    struct simt_stage_writer w = {
        .x = {.body = &b}, .kernel = kernel, .s = &s, .what = what, .line = line};
    bool fine = scalar_stage_open(&s, kernel);
    s.all_loops = all_loops;
    fine = fine && scalar_from_stage(&b, &s, 1, true);
    if (!fine) {
        str_append(what, str_text(&s.wrong));
        *line = s.line;
        *large = s.too_long;
    }
    fine = fine && arrays_are_there(&w);
    if (fine && b.values.len > MOST_VALUES) {
        *large = true;
        fine = refuse(&w, scalar_stage_largest(&s), "it has too much code for these cores");
    }
    if (fine) {
        scalar_finish(&b);
        w.places = xcalloc(s.arrays.len + 1, sizeof *w.places);
        w.x.made = xcalloc(b.values.len + 1, sizeof *w.x.made);
        w.outer = xcalloc(b.values.len + 1, sizeof *w.outer);
        begin(&w);
        fine = write_values(&w, &b);
        if (fine)
            finish(&w, out);
        free(w.places);
        free(w.x.made);
        free(w.outer);
    }
    str_free(&w.x.out);
    scalar_free(&b);
    scalar_stage_close(&s);
    return fine;
}

bool simt_stage_begin_text(const struct stage_kernel *k, struct str *out) {
    struct str body = {0};
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next) {
            if (q->role != STAGE_ACC || !q->has)
                continue;
            const unsigned bytes = object_element_bytes(q->type);
            const char kind = bytes > 4 ? 'd' : 'r';
            str_printf(&body, "ld.param.u64 %%d1, [p+%" PRIu32 "];\n",
                       8 * k->arrays[q->array]->parameter);
            str_printf(&body, "mov.b%u %%%c2, 0x%" PRIx64 ";\n", 8 * bytes, kind,
                       q->value & low_bits(8 * bytes));
            for (uint32_t i = 0; i < q->count; i++)
                str_printf(&body, "st.global.%s [%%d1+%" PRIu64 "], %%%c2;\n",
                           type_of(bytes, false), (uint64_t)i * bytes, kind);
        }
    const bool some = body.len != 0;
    if (some) {
        put_head(k, "begin", out);
        str_append(out, ".reg .b32 %r<3>;\n.reg .b64 %d<3>;\n");
        str_append_n(out, str_text(&body), body.len);
        str_append(out, "ret;\n}\n");
    }
    str_free(&body);
    return some;
}
