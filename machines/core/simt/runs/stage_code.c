/* SPDX-License-Identifier: MIT
 * Code of a stage kernel: its PTX, compiled; and what its launches need to know of it. */
#include "machines/core/simt/runs/stage_text.h"
#include "object/bytes.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>

uint32_t simt_stage_scratches(const struct stage_kernel *kernel,
                              struct simt_stage_scratch out[SIMT_STAGE_SCRATCHES]) {
    uint32_t count = 0;
    for (const struct stage_stage *s = kernel->stages; s; s = s->next) {
        if (s->pattern == STAGE_FILTER && count++ < SIMT_STAGE_SCRATCHES)
            out[count - 1] = (struct simt_stage_scratch){SIMT_STAGE_KEPT, s, NULL, 4};
        for (const struct stage_param *q = s->params; q; q = q->next) {
            const uint32_t bytes = q->count * (uint32_t)object_element_bytes(q->type);
            if (q->role != STAGE_ACC || (!s->combine && object_element_bytes(q->type) >= 4) ||
                count++ >= SIMT_STAGE_SCRATCHES)
                continue;
            out[count - 1] =
                s->combine ? (struct simt_stage_scratch){SIMT_STAGE_OWN, s, q, bytes}
                           : (struct simt_stage_scratch){SIMT_STAGE_WHOLE, s, q, 4 * q->count};
        }
    }
    return count;
}

void simt_stage_free(struct simt_stage_code *c) {
    for (unsigned i = 0; i < SIMT_STAGE_PARTS; i++)
        simt_kernel_free(c->parts[i]);
    *c = (struct simt_stage_code){.all_loops = false};
}

static struct simt_kernel *kernel_of(const struct str *text, const struct simt_options *options,
                                     struct str *what) {
    struct portable_fault fault = {.line = 0};
    struct ptx_module *m = ptx_read(str_text(text), text->len, &fault);
    struct simt_kernel *k = m ? simt_compile(m, 0, options, &fault) : NULL;
    if (!k)
        str_printf(what, "its code does not compile: %s", str_text(&fault.what));
    ptx_free(m);
    str_free(&fault.what);
    return k;
}

/* What there is to compile one with. */
struct stage_compiling {
    const struct stage_kernel *kernel;
    const struct simt_options *options;
    uint64_t code_bytes;
    struct str *what;
    uint32_t *line;
};

/* Written out, and where that has too much code with all loops as loops. */
static struct simt_kernel *rows_of(const struct stage_compiling *c, enum simt_stage_part part,
                                   bool *all_loops) {
    for (unsigned loops = 0; loops < 2; loops++) {
        struct str text = {0};
        str_clear(c->what);
        bool large = false;
        const bool fine = simt_stage_text(c->kernel, part, loops, &text, &large, c->what, c->line);
        struct simt_kernel *k = fine ? kernel_of(&text, c->options, c->what) : NULL;
        str_free(&text);
        *all_loops = loops;
        if (k && UINT64_C(4) * k->word_count <= c->code_bytes)
            return k;
        if (k)
            str_printf(c->what, "it has %u bytes of code, and a core room for %llu",
                       (unsigned)(4 * k->word_count), (unsigned long long)c->code_bytes);
        large |= k != NULL;
        simt_kernel_free(k);
        if (!large)
            return NULL;
    }
    return NULL;
}

bool simt_stage_compile(const struct stage_kernel *kernel, const struct simt_options *options,
                        uint64_t code_bytes, struct simt_stage_code *out, struct str *what,
                        uint32_t *line) {
    const struct stage_compiling c = {kernel, options, code_bytes, what, line};
    struct str text = {0};
    bool loops;
    *out = (struct simt_stage_code){.all_loops = false};
    out->parts[SIMT_STAGE_ROWS] = rows_of(&c, SIMT_STAGE_ROWS, &out->all_loops);
    bool fine = out->parts[SIMT_STAGE_ROWS] != NULL;
    if (fine && simt_stage_scan_text(kernel, &text)) {
        out->parts[SIMT_STAGE_SCAN] = kernel_of(&text, options, what);
        fine = out->parts[SIMT_STAGE_SCAN] != NULL;
        if (fine)
            out->parts[SIMT_STAGE_COUNT] = rows_of(&c, SIMT_STAGE_COUNT, &loops);
        fine = fine && out->parts[SIMT_STAGE_COUNT];
    }
    for (unsigned end = 0; end < 2; end++) {
        const enum simt_stage_part part = end ? SIMT_STAGE_END : SIMT_STAGE_BEGIN;
        str_clear(&text);
        if (!fine || !simt_stage_single_text(kernel, part, &text))
            continue;
        out->parts[part] = kernel_of(&text, options, what);
        fine = out->parts[part] != NULL;
    }
    str_free(&text);
    if (!fine)
        simt_stage_free(out);
    return fine;
}

/* ---- bytes ---- */

static void write_one(const struct simt_kernel *k, struct str *out) {
    struct str bytes = {0};
    if (k)
        simt_kernel_write(k, &bytes);
    put_u32(out, (uint32_t)bytes.len);
    str_append_n(out, str_text(&bytes), bytes.len);
    str_free(&bytes);
}
void simt_stage_write(const struct simt_stage_code *c, struct str *out) {
    put_u32(out, c->all_loops);
    for (unsigned i = 0; i < SIMT_STAGE_PARTS; i++)
        write_one(c->parts[i], out);
}

bool simt_stage_find(const void *bytes, size_t size, enum simt_stage_part part,
                     struct simt_stage_bytes *out) {
    const unsigned char *at = bytes;
    if (size < 4 || get_u32(at) > 1)
        return false;
    *out = (struct simt_stage_bytes){.all_loops = get_u32(at)};
    at += 4;
    size -= 4;
    for (unsigned i = 0; i < SIMT_STAGE_PARTS; i++) {
        if (size < 4 || get_u32(at) > size - 4)
            return false;
        const uint32_t own = get_u32(at);
        if (i == part)
            *out = (struct simt_stage_bytes){at + 4, own, out->all_loops};
        at += 4 + own;
        size -= 4 + own;
    }
    return size == 0;
}

/* ---- what stops a thread ---- */

static void explain(const struct scalar_stage *s, const uint64_t *scalars, const uint64_t wrong[2],
                    struct str *out) {
    const struct scalar_stage_site *site = &s->sites.data[(wrong[1] & UINT32_MAX) - 1];
    const unsigned bits = site->type.bits > 32 ? 64 : 32;
    const bool is_signed = site->type.kind == TYPE_INT;
    const uint64_t index = wrong[0] & low_bits(bits), row = wrong[1] >> 32,
                   wide = is_signed ? (uint64_t)sign_extend(index, bits) : index;
    const bool negative = is_signed && (int64_t)wide < 0;
    const uint64_t count = stage_seen(s->kernel, scalars, site->count, site->bound);
    str_printf(out, "%s %" PRIu64 ": ", site->stage->unit > 1 ? "group" : "element",
               row * s->per[site->stage->units] + site->unit);
    if (site->name)
        str_printf(out,
                   "index %s%" PRIu64 " is outside of '%s', of which %" PRIu64
                   " element%s can be seen",
                   negative ? "-" : "", negative ? 0 - wide : wide, site->name->text, count,
                   count == 1 ? "" : "s");
    else
        str_printf(out, "it does not end within %" PRIu64 " steps", STAGE_ELEMENT_STEPS);
}

bool simt_stage_explain(const struct stage_kernel *kernel, const uint64_t *scalars, bool all_loops,
                        const uint64_t wrong[2], struct str *out) {
    struct scalar_stage s;
    struct scalar_body b = {.from = 0};
    const uint64_t site = wrong[1] & UINT32_MAX;
    bool fine = site && scalar_stage_open(&s, kernel);
    if (!fine)
        return false;
    simt_stage_rows_open(&s, all_loops);
    fine = scalar_from_stage(&b, &s, 1, true) && site <= s.sites.len;
    if (fine)
        explain(&s, scalars, wrong, out);
    scalar_free(&b);
    scalar_stage_close(&s);
    return fine;
}
