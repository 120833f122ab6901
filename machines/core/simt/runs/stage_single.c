/* SPDX-License-Identifier: MIT
 * Kernels of one thread around a stage kernel's grids: what results begin with is stored in front
 * of them, and words that stand for elements of 8 and 16 bits become those behind them. */
#include "machines/core/simt/runs/stage_text.h"

#include "machines/core/simt/runs/stage_writer.h"
#include "support/bits.h"

#include <inttypes.h>

#define LINE(...) str_printf(out, __VA_ARGS__)

struct single_kernel {
    const struct stage_kernel *kernel;
    struct simt_stage_scratch scratches[SIMT_STAGE_SCRATCHES];
    uint32_t scratch_count, loops;
    struct str body;
};

static void address(const struct single_kernel *k, const struct stage_param *q, struct str *out) {
    LINE("ld.param.u64 %%d1, [p+%" PRIu32 "];\n", 8 * k->kernel->arrays[q->array]->parameter);
}

/* A loop over the elements, %d1, and where there are words for them, %d3. */
static void begin_loop(struct single_kernel *k, const struct stage_param *q) {
    struct str *out = &k->body;
    LINE(".loc 1 %" PRIu32 " 0\n", q->line);
    address(k, q, out);
    for (uint32_t i = 0; i < k->scratch_count; i++)
        if (k->scratches[i].acc == q && k->scratches[i].kind == SIMT_STAGE_WHOLE)
            LINE("ld.param.u64 %%d3, [p+%" PRIu32 "];\n", 8 * simt_stage_scratch_at(k->kernel, i));
    LINE("mov.u32 %%r3, %" PRIu32 ";\nall%" PRIu32 ":\n", q->count, ++k->loops);
}
static void end_loop(struct single_kernel *k, unsigned bytes) {
    struct str *out = &k->body;
    LINE("add.u64 %%d1, %%d1, %u;\n", bytes);
    if (bytes < 4)
        LINE("add.u64 %%d3, %%d3, 4;\n");
    LINE("sub.u32 %%r3, %%r3, 1;\nsetp.ne.u32 %%p1, %%r3, 0;\n@%%p1 bra all%" PRIu32 ";\n",
         k->loops);
}
/* A word with the type's number: zeros, or its sign, above it. */
static void clean(struct str *out, struct lane_type t) {
    LINE("shl.b32 %%r2, %%r2, %u;\nshr.%c32 %%r2, %%r2, %u;\n", 32u - t.bits,
         t.kind == TYPE_INT ? 's' : 'u', 32u - t.bits);
}

/* Elements that lie in words meanwhile are brought there, if the result does not begin anew. */
static void begin_result(struct single_kernel *k, const struct stage_param *q) {
    struct str *out = &k->body;
    const unsigned bytes = object_element_bytes(q->type);
    const char kind = bytes > 4 ? 'd' : 'r';
    if (!q->has && bytes >= 4)
        return;
    begin_loop(k, q);
    if (q->has)
        LINE("mov.b%u %%%c2, 0x%" PRIx64 ";\n", bytes > 4 ? 64u : 32u, kind,
             q->value & low_bits(8 * (bytes < 4 ? 4 : bytes)));
    else
        LINE("ld.global.%s %%r2, [%%d1];\n", simt_stage_type(bytes, false));
    if (bytes < 4) {
        clean(out, q->type);
        LINE("st.global.u32 [%%d3], %%r2;\n");
    } else {
        LINE("st.global.%s [%%d1], %%%c2;\n", simt_stage_type(bytes, false), kind);
    }
    end_loop(k, bytes);
}
static void end_result(struct single_kernel *k, const struct stage_param *q) {
    struct str *out = &k->body;
    const unsigned bytes = object_element_bytes(q->type);
    if (bytes >= 4)
        return;
    begin_loop(k, q);
    LINE("ld.global.u32 %%r2, [%%d3];\n");
    clean(out, q->type);
    LINE("st.global.%s [%%d1], %%r2;\n", simt_stage_type(bytes, false));
    end_loop(k, bytes);
}
/* Of no rows at all nothing is kept. */
static void begin_count(struct single_kernel *k, const struct stage_param *q) {
    struct str *out = &k->body;
    const unsigned bytes = object_element_bytes(q->type);
    const char kind = bytes > 4 ? 'd' : 'r';
    LINE(".loc 1 %" PRIu32 " 0\n", q->line);
    address(k, q, out);
    LINE("mov.b%u %%%c2, 0;\nst.global.%s [%%d1], %%%c2;\n", bytes > 4 ? 64u : 32u, kind,
         simt_stage_type(bytes, false), kind);
}

bool simt_stage_single_text(const struct stage_kernel *kernel, enum simt_stage_part part,
                            struct str *out) {
    struct single_kernel k = {.kernel = kernel};
    const bool begins = part == SIMT_STAGE_BEGIN;
    k.scratch_count = simt_stage_scratches(kernel, k.scratches);
    for (const struct stage_stage *s = kernel->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next) {
            if (q->role == STAGE_ACC && !s->combine)
                (begins ? begin_result : end_result)(&k, q);
            if (q->role == STAGE_COUNT && begins)
                begin_count(&k, q);
        }
    const bool some = k.body.len != 0;
    if (some) {
        simt_stage_head(begins ? "begin" : "end", simt_stage_scratch_at(kernel, k.scratch_count),
                        out);
        str_append(out, ".reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .pred %p<2>;\n");
        str_append_n(out, str_text(&k.body), k.body.len);
        str_append(out, "ret;\n}\n");
    }
    str_free(&k.body);
    return some;
}
