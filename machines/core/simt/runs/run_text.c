/* SPDX-License-Identifier: MIT
 * Scalar IR as PTX.  Values come in their order, each in a register of its own; a mask is a
 * predicate, and a word of 0 or 1 where one is asked for. */
#include "machines/core/simt/runs/run_values.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- tables ---- */

bool simt_run_find_tables(const struct insn *insns, size_t count, simt_run_tables *out) {
    for (size_t i = 0; i < count; i++) {
        const struct insn *x = &insns[i];
        bool known = !isa_has_table(x->op) || !x->table;
        const uint8_t bytes = (uint8_t)scalar_bytes(x->width ? x->width : 64);
        for (size_t k = 0; !known && k < out->len; k++)
            known = out->data[k].lut == x->lut && out->data[k].bytes == bytes;
        if (known)
            continue;
        if (out->len == SIMT_RUN_TABLES)
            return false;
        vec_push(out,
                 ((struct simt_run_table){x->lut, bytes, UINT32_C(1) << x->table->index_bits}));
    }
    return true;
}

uint64_t simt_run_table_place(const struct simt_layout *l, uint64_t at) {
    return at / l->chunk * l->chunk * l->cores + at % l->chunk;
}
uint64_t simt_run_table_bytes(const struct simt_layout *l, const struct simt_run_table *t) {
    const uint64_t bytes = (uint64_t)t->entries * t->bytes;
    return (bytes + l->chunk - 1) / l->chunk * l->chunk * l->cores;
}

/* ---- the frame ---- */

/* Which lane it is, and where its record begins; threads of records that have no lanes end. */
static void begin(struct simt_values *x) {
    const struct simt_layout *l = x->layout;
    const uint64_t step =
        simt_layout_to_record(l, l->record < l->in_chunk ? l->in_chunk / l->record : 1);
    x->words = 6;
    x->pairs = 5;
    x->masks = 1;
    simt_line_put(x, "mov.u32 %%r1, %%ctaid.y;");
    simt_line_put(x, "mov.u32 %%r2, %%ctaid.x;");
    simt_line_put(x, "mov.u32 %%r3, %%tid.x;");
    simt_line_put(x, "mov.b64 %%d1, vrfs;");
    simt_line_put(x, "mad.wide.u32 %%d2, %%r2, %u, %%d1;", SIMT_RUN_VRF_BYTES);
    simt_line_put(x, "ld.param.u32 %%r4, [%%d2+8];");
    simt_line_put(x, "shl.b32 %%r5, %%r1, 5;");
    simt_line_put(x, "setp.ge.u32 %%p1, %%r5, %%r4;");
    simt_line_put(x, "@%%p1 ret;");
    simt_line_put(x, "ld.param.u64 %%d3, [%%d2];");
    if (l->record < l->in_chunk) {
        const uint32_t some = l->in_chunk / l->record;
        simt_line_put(x, "and.b32 %%r5, %%r1, %" PRIu32 ";", some - 1);
        simt_line_put(x, "mad.wide.u32 %%d3, %%r5, %" PRIu64 ", %%d3;",
                      simt_layout_to_record(l, 1));
        simt_line_put(x, "shr.u32 %%r1, %%r1, %u;", (unsigned)__builtin_ctz(some));
    }
    if (step > UINT32_MAX) {
        simt_line_put(x, "cvt.u64.u32 %%d5, %%r1;");
        simt_line_put(x, "mad.lo.u64 %%d4, %%d5, %" PRIu64 ", %%d3;", step);
    } else {
        simt_line_put(x, "mad.wide.u32 %%d4, %%r1, %" PRIu64 ", %%d3;", step);
    }
    if (x->tables.len)
        simt_line_put(x, "ld.param.u32 %%r6, [%%d2+12];");
}

/* Around the body: what there is of parameters and registers. */
static void finish(const struct simt_values *x, struct str *out) {
    str_append(out, ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"run\"\n");
    str_printf(
        out,
        ".visible .entry run(.param .align 8 .b8 vrfs[%u], .param .align 8 .b8 tables[%u])\n{\n",
        SIMT_RUN_TABLES_AT, 8 * SIMT_RUN_TABLES);
    str_printf(out, ".reg .b32 %%r<%" PRIu32 ">;\n", x->words + 1);
    str_printf(out, ".reg .b64 %%d<%" PRIu32 ">;\n", x->pairs + 1);
    str_printf(out, ".reg .b16 %%h<%" PRIu32 ">;\n", x->halves + 1);
    str_printf(out, ".reg .pred %%p<%" PRIu32 ">;\n", x->masks + 1);
    str_append_n(out, str_text(&x->out), x->out.len);
    str_append(out, "ret;\n}\n");
}

bool simt_run_text(const struct scalar_run *run, const struct simt_layout *layout, struct str *out,
                   size_t *wrong) {
    struct scalar_body b = {.from = 0};
    struct simt_values x = {.body = &b, .layout = layout};
    struct scalar_run own = *run;
    own.calls = simt_run_has_float;
    bool fine = simt_run_find_tables(run->insns, run->count, &x.tables);
    *wrong = 0;
    fine = fine && scalar_from_run(&b, &own, 0, wrong);
    if (fine) {
        scalar_finish(&b);
        x.made = xcalloc(b.values.len + 1, sizeof *x.made);
        begin(&x);
        for (scalar_id id = 1; id <= b.values.len && fine; id++)
            if (scalar_is_live(scalar_at(&b, id)) && scalar_at(&b, id)->op != SCALAR_CONST)
                fine = simt_emit(&x, id);
        if (fine)
            finish(&x, out);
        free(x.made);
    }
    str_free(&x.out);
    vec_free(&x.tables);
    scalar_free(&b);
    return fine;
}
