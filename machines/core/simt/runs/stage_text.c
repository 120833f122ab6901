/* SPDX-License-Identifier: MIT
 * PTX of a stage kernel: values of scalar IR as runs have them (run_values.c), each with the line
 * of the text that it is for. */
#include "machines/core/simt/runs/stage_text.h"

#include "machines/core/simt/runs/stage_writer.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>

/* Values of a row: more is too much code for any core. */
#define MOST_VALUES 16384u

bool simt_stage_refuse(struct simt_stage_writer *w, uint32_t line, const char *what) {
    if (!w->what->len) {
        str_append(w->what, what);
        *w->line = line ? line : w->x.source;
    }
    return false;
}

/* ---- what is there ---- */

/* A window that sees what the kernel changes could see it too late. */
static bool changes_what_is_seen(const struct scalar_stage_array *a) {
    return a->kind == SCALAR_BLOCK && a->stored && a->beyond;
}
static bool arrays_are_there(struct simt_stage_writer *w) {
    for (size_t i = 0; i < w->s->arrays.len; i++)
        if (changes_what_is_seen(simt_stage_array_at(w, (uint32_t)i)))
            return simt_stage_refuse(w, 0,
                                     "a buffer that windows see and the kernel changes is not in "
                                     "the code of these cores");
    return true;
}
static bool calls(uint64_t routine) {
    const struct scalar_routine r = scalar_routine_of(routine);
    return simt_run_has_float(&r);
}

void simt_stage_rows_open(struct scalar_stage *s, bool all_loops) {
    s->all_loops = all_loops;
    s->kept_alone = true;
    s->calls = calls;
}

/* Of the counting kernel: stores of anything but what is counted, and what that needs, are of no
 * use. */
static void leave_out(const struct simt_stage_writer *w, struct scalar_body *b) {
    for (size_t i = 0; i < b->values.len; i++) {
        struct scalar_value *v = &b->values.data[i];
        const uint32_t array = v->op == SCALAR_STORE ? v->array
                               : v->op == SCALAR_PUT ? simt_stage_root(w, v->d)
                                                     : NO_INDEX;
        if (v->op != SCALAR_STORE && v->op != SCALAR_PUT)
            continue;
        const enum scalar_stage_kind kind =
            array == NO_INDEX ? SCALAR_BLOCK : simt_stage_array_at(w, array)->kind;
        if (kind != SCALAR_KEPT && kind != SCALAR_CELL_AT && kind != SCALAR_ROOM)
            v->bytes = 0;
    }
}

/* ---- the frame ---- */

void simt_stage_head(const char *name, uint32_t parameters, struct str *out) {
    str_append(out, ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"stage\"\n");
    str_printf(out, ".visible .entry %s(.param .align 8 .b8 p[%" PRIu32 "])\n{\n", name,
               8 * parameters);
}
static uint32_t parameters_of(const struct simt_stage_writer *w) {
    return simt_stage_scratch_at(w->kernel, w->scratch_count);
}

/* Which row it is, %r4, of %r5; threads behind the last row end. */
static bool begin(struct simt_stage_writer *w) {
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
    return simt_stage_open_arrays(w);
}
static void finish(const struct simt_stage_writer *w, struct str *out) {
    const struct simt_values *x = &w->x;
    simt_stage_head(w->part == SIMT_STAGE_COUNT ? "count" : "rows", parameters_of(w), out);
    str_printf(out, ".reg .b32 %%r<%" PRIu32 ">;\n", x->words + 1);
    str_printf(out, ".reg .b64 %%d<%" PRIu32 ">;\n", x->pairs + 1);
    str_printf(out, ".reg .b16 %%h<%" PRIu32 ">;\n", x->halves + 1);
    str_printf(out, ".reg .pred %%p<%" PRIu32 ">;\n", x->masks + 1);
    if (w->room_bytes)
        str_printf(out, ".local .align 8 .b8 room[%" PRIu32 "];\n", w->room_bytes);
    str_append_n(out, str_text(&x->out), x->out.len);
    str_append(out, "ret;\n}\n");
}

/* ---- one value ---- */

static bool emit(struct simt_stage_writer *w, scalar_id id) {
    const struct scalar_value *v = simt_stage_value_at(w, id);
    simt_source_put(&w->x, v->source);
    switch (v->op) {
    case SCALAR_LOAD:
    case SCALAR_LOADS:
        return simt_stage_load(w, id);
    case SCALAR_LOOKUP:
        return simt_stage_lookup(w, id);
    case SCALAR_ADDRESS:
        return simt_stage_address(w, id);
    case SCALAR_FETCH:
        return simt_stage_fetch(w, id);
    case SCALAR_STORE:
        return simt_stage_store(w, id);
    case SCALAR_PUT:
        return simt_stage_put(w, id);
    case SCALAR_STOP:
        simt_stage_stop(w, id);
        return true;
    case SCALAR_CELL:
        simt_stage_cell(w, id);
        return true;
    case SCALAR_BEGIN:
        simt_stage_begin_loop(w, id);
        return true;
    case SCALAR_AGAIN:
        simt_stage_end_loop(w, id);
        return true;
    default:
        return simt_emit(&w->x, id) ||
               simt_stage_refuse(w, 0, "an operation has no code on these cores");
    }
}

static bool write_values(struct simt_stage_writer *w, struct scalar_body *b) {
    bool fine = true;
    for (scalar_id id = 1; id <= b->values.len && fine; id++)
        if (scalar_is_live(scalar_at(b, id)) && scalar_at(b, id)->op != SCALAR_CONST)
            fine = emit(w, id);
    return fine;
}

/* The values as text. */
static bool write_kernel(struct simt_stage_writer *w, struct scalar_body *b, struct str *out) {
    if (w->part == SIMT_STAGE_COUNT)
        leave_out(w, b);
    scalar_finish(b);
    w->places = xcalloc(w->s->arrays.len + 1, sizeof *w->places);
    w->x.made = xcalloc(b->values.len + 1, sizeof *w->x.made);
    const bool fine = begin(w) && write_values(w, b);
    if (fine)
        finish(w, out);
    for (size_t i = 0; i < w->outer.len; i++)
        free(w->outer.data[i]);
    vec_free(&w->outer);
    free(w->places);
    free(w->x.made);
    return fine;
}

bool simt_stage_text(const struct stage_kernel *kernel, enum simt_stage_part part, bool all_loops,
                     struct str *out, bool *large, struct str *what, uint32_t *line) {
    struct scalar_stage s;
    struct scalar_body b = {.from = 0};
    struct simt_stage_writer w = {
        .x = {.body = &b}, .kernel = kernel, .s = &s, .part = part, .what = what, .line = line};
    w.scratch_count = simt_stage_scratches(kernel, w.scratches);
    bool fine = scalar_stage_open(&s, kernel);
    simt_stage_rows_open(&s, all_loops);
    fine = fine && scalar_from_stage(&b, &s, 1, true);
    if (!fine) {
        str_append(what, str_text(&s.wrong));
        *line = s.line;
        *large = s.too_long;
    }
    if (fine && w.scratch_count > SIMT_STAGE_SCRATCHES)
        fine = simt_stage_refuse(&w, 0, "it has too many filters and accumulators");
    fine = fine && arrays_are_there(&w);
    if (fine && b.values.len > MOST_VALUES) {
        *large = true;
        fine =
            simt_stage_refuse(&w, scalar_stage_largest(&s), "it has too much code for these cores");
    }
    fine = fine && write_kernel(&w, &b, out);
    str_free(&w.x.out);
    scalar_free(&b);
    scalar_stage_close(&s);
    return fine;
}

/* ---- other kernels ---- */

static bool some_filter(const struct simt_stage_scratch *list, uint32_t count) {
    bool some = false;
    for (uint32_t i = 0; i < count && i < SIMT_STAGE_SCRATCHES; i++)
        some |= list[i].kind == SIMT_STAGE_KEPT;
    return some;
}

bool simt_stage_scan_text(const struct stage_kernel *k, struct str *out) {
    struct simt_stage_scratch scratches[SIMT_STAGE_SCRATCHES];
    if (!some_filter(scratches, simt_stage_scratches(k, scratches)))
        return false;
    simt_stage_head("scan", SIMT_STAGE_SCAN_PARAMETERS, out);
    str_append(out, ".reg .b32 %r<9>;\n.reg .b64 %d<6>;\n.reg .pred %p<3>;\n"
                    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
                    "mad.lo.u32 %r4, %r1, %r2, %r3;\nld.param.u32 %r5, [p+24];\n"
                    "setp.ge.u32 %p1, %r4, %r5;\n@%p1 ret;\n"
                    "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [p+8];\nld.param.u32 %r6, [p+16];\n"
                    "mad.wide.u32 %d3, %r4, 4, %d1;\nld.global.u32 %r7, [%d3];\n"
                    "mov.u32 %r8, 0;\nsetp.ge.u32 %p2, %r4, %r6;\nsub.u32 %r3, %r4, %r6;\n"
                    "mad.wide.u32 %d4, %r3, 4, %d1;\n@%p2 ld.global.u32 %r8, [%d4];\n"
                    "add.u32 %r7, %r7, %r8;\nmad.wide.u32 %d5, %r4, 4, %d2;\n"
                    "st.global.u32 [%d5], %r7;\nret;\n}\n");
    return true;
}
