/* SPDX-License-Identifier: MIT
 * Kernels of runs, each compiled by itself. */
#include "machines/core/simt/runs/runs.h"
#include "object/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

void simt_runs_free(struct simt_runs *r) {
    vec_free(&r->runs);
    vec_free(&r->pieces);
    vec_free(&r->text);
    str_free(&r->code);
}

/* ---- one kernel ---- */

enum run_trouble { RUN_FINE, RUN_INSTRUCTION, RUN_LARGE };

static struct simt_kernel *kernel_of(const struct str *text, const struct simt_options *options) {
    struct portable_fault fault = {.line = 0};
    struct ptx_module *m = ptx_read(str_text(text), text->len, &fault);
    struct simt_kernel *k = m ? simt_compile(m, 0, options, &fault) : NULL;
    ptx_free(m);
    str_free(&fault.what);
    return k;
}

static enum run_trouble add_piece(struct simt_runs *r, const struct simt_run_limits *limits,
                                  const struct simt_layout *layout, const struct scalar_run *run,
                                  size_t *wrong) {
    struct str text = {0};
    struct simt_run_piece p = {.count = (uint32_t)run->count, .first = (uint32_t)r->code.len};
    simt_run_tables tables = {0};
    const bool few = simt_run_find_tables(run->insns, run->count, &tables);
    vec_free(&tables);
    if (!few)
        return RUN_LARGE;
    const bool fine = simt_run_text(run, layout, &text, wrong);
    struct simt_kernel *k = fine ? kernel_of(&text, &limits->options) : NULL;
    str_free(&text);
    if (!fine)
        return RUN_INSTRUCTION;
    const bool fits = k && UINT64_C(4) * k->word_count <= limits->code_bytes;
    if (fits) {
        simt_kernel_write(k, &r->code);
        p.size = (uint32_t)r->code.len - p.first;
        vec_push(&r->pieces, p);
    }
    simt_kernel_free(k);
    return fits ? RUN_FINE : RUN_LARGE;
}

/* ---- runs ---- */

static bool masked_after(const struct insn *insns, size_t count, bool masked) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t flags = isa_info(insns[i].op)->flags;
        masked = (masked || flags & ISA_PREDICATE_ON) && !(flags & ISA_PREDICATE_OFF);
    }
    return masked;
}

/* In one piece, or in halves of which each is. */
static bool compile(struct simt_runs *r, const struct simt_run_limits *limits,
                    const struct simt_layout *layout, const struct scalar_run *run, size_t *wrong,
                    struct str *problem) {
    const enum run_trouble trouble = add_piece(r, limits, layout, run, wrong);
    if (trouble == RUN_LARGE && run->count > 1) {
        struct scalar_run first = *run, second = *run;
        first.count = run->count / 2;
        second.insns += first.count;
        second.count -= first.count;
        second.masked = masked_after(first.insns, first.count, run->masked);
        if (!compile(r, limits, layout, &first, wrong, problem))
            return false;
        const bool fine = compile(r, limits, layout, &second, wrong, problem);
        *wrong += first.count;
        return fine;
    }
    if (trouble)
        str_append(problem, trouble == RUN_INSTRUCTION ? "they have no code for it"
                                                       : "its code does not fit into a core");
    if (trouble == RUN_LARGE)
        *wrong = 0;
    return !trouble;
}

bool simt_runs_add(struct simt_runs *r, const struct simt_run_limits *limits,
                   const struct scalar_run *run, size_t *wrong, struct str *problem) {
    struct simt_run_code out = {.masked = run->masked,
                                .count = (uint32_t)run->count,
                                .first_text = (uint32_t)r->text.len,
                                .first_piece = (uint32_t)r->pieces.len};
    struct simt_layout layout;
    simt_layout_make(&limits->banks, run->reg_bits, &layout);
    if (!compile(r, limits, &layout, run, wrong, problem))
        return false;
    for (size_t i = 0; i < run->count; i++) {
        uint32_t word = 0;
        isa_encode(&run->insns[i], &word);
        vec_push(&r->text, word);
    }
    out.piece_count = (uint32_t)r->pieces.len - out.first_piece;
    vec_push(&r->runs, out);
    return true;
}

const struct simt_run_code *simt_runs_find(const struct simt_runs *r, const struct insn *insns,
                                           size_t count, bool masked) {
    for (size_t k = 0; k < r->runs.len; k++) {
        const struct simt_run_code *x = &r->runs.data[k];
        if (x->count == count && x->masked == masked &&
            scalar_run_has_words(r->text.data + x->first_text, insns, count))
            return x;
    }
    return NULL;
}

/* ---- bytes: how many runs, pieces, words of text, bytes of code and of tables; then these ---- */

void simt_runs_write(const struct simt_runs *r, struct str *out) {
    put_u32(out, (uint32_t)r->runs.len);
    put_u32(out, (uint32_t)r->pieces.len);
    put_u32(out, (uint32_t)r->text.len);
    put_u32(out, (uint32_t)r->code.len);
    put_u32(out, r->table_bytes);
    for (size_t i = 0; i < r->runs.len; i++) {
        const struct simt_run_code *x = &r->runs.data[i];
        put_u32(out, x->masked);
        put_u32(out, x->count);
        put_u32(out, x->piece_count);
    }
    for (size_t i = 0; i < r->pieces.len; i++) {
        put_u32(out, r->pieces.data[i].count);
        put_u32(out, r->pieces.data[i].size);
    }
    for (size_t i = 0; i < r->text.len; i++)
        put_u32(out, r->text.data[i]);
    str_append_n(out, str_text(&r->code), r->code.len);
}

struct run_reader {
    const unsigned char *at, *end;
    bool fine;
};
static uint32_t take(struct run_reader *r) {
    r->fine = r->fine && r->end - r->at >= 4;
    if (!r->fine)
        return 0;
    r->at += 4;
    return get_u32(r->at - 4);
}

/* Instructions of a run are those of its pieces. */
static bool adds_up(const struct simt_runs *r, const struct simt_run_code *x) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < x->piece_count; i++)
        sum += r->pieces.data[x->first_piece + i].count;
    return x->piece_count && sum == x->count;
}
static bool is_whole(const struct simt_runs *r) {
    for (size_t i = 0; i < r->runs.len; i++)
        if (!adds_up(r, &r->runs.data[i]))
            return false;
    for (size_t i = 0; i < r->pieces.len; i++) {
        const struct simt_run_piece *p = &r->pieces.data[i];
        const char *problem = NULL;
        struct simt_kernel *k = simt_kernel_read(str_text(&r->code) + p->first, p->size, &problem);
        const bool fine = k && p->count;
        simt_kernel_free(k);
        if (!fine)
            return false;
    }
    return true;
}

bool simt_runs_read(const void *bytes, size_t size, struct simt_runs *out) {
    struct run_reader r = {bytes, (const unsigned char *)bytes + size, true};
    const uint64_t runs = take(&r), pieces = take(&r), words = take(&r), code = take(&r);
    uint64_t piece = 0, word = 0, at = 0;
    out->table_bytes = take(&r);
    r.fine = r.fine && (uint64_t)(r.end - r.at) == 12 * runs + 8 * pieces + 4 * words + code;
    for (uint64_t i = 0; r.fine && i < runs; i++) {
        struct simt_run_code x = {.first_text = (uint32_t)word, .first_piece = (uint32_t)piece};
        x.masked = take(&r) != 0;
        x.count = take(&r);
        x.piece_count = take(&r);
        word += x.count;
        piece += x.piece_count;
        r.fine = r.fine && word <= words && piece <= pieces;
        vec_push(&out->runs, x);
    }
    for (uint64_t i = 0; r.fine && i < pieces; i++) {
        struct simt_run_piece x = {.first = (uint32_t)at};
        x.count = take(&r);
        x.size = take(&r);
        at += x.size;
        r.fine = r.fine && at <= code;
        vec_push(&out->pieces, x);
    }
    for (uint64_t i = 0; r.fine && i < words; i++)
        vec_push(&out->text, take(&r));
    r.fine = r.fine && word == words && piece == pieces && at == code;
    if (r.fine)
        str_append_n(&out->code, (const char *)r.at, (size_t)code);
    return r.fine && is_whole(out);
}
