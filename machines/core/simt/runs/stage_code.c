/* SPDX-License-Identifier: MIT
 * Code of a stage kernel: its PTX, compiled. */
#include "machines/core/simt/runs/stage_text.h"
#include "machines/core/simt/runs/stage_words.h"
#include "object/bytes.h"

#include <stdlib.h>

void simt_stage_free(struct simt_stage_code *c) {
    simt_kernel_free(c->begin);
    simt_kernel_free(c->rows);
    *c = (struct simt_stage_code){NULL, NULL};
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

/* Written out, and where that has too much code with all loops as loops. */
static struct simt_kernel *rows_of(const struct stage_kernel *kernel,
                                   const struct simt_options *options, uint64_t code_bytes,
                                   struct str *what, uint32_t *line) {
    for (unsigned loops = 0; loops < 2; loops++) {
        struct str text = {0};
        str_clear(what);
        bool large = false;
        const bool fine = simt_stage_text(kernel, loops, &text, &large, what, line);
        struct simt_kernel *k = fine ? kernel_of(&text, options, what) : NULL;
        str_free(&text);
        if (k && UINT64_C(4) * k->word_count <= code_bytes)
            return k;
        if (k)
            str_printf(what, "it has %u bytes of code, and a core room for %llu",
                       (unsigned)(4 * k->word_count), (unsigned long long)code_bytes);
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
    struct str text = {0};
    *out = (struct simt_stage_code){NULL, NULL};
    out->rows = rows_of(kernel, options, code_bytes, what, line);
    bool fine = out->rows != NULL;
    if (fine && simt_stage_begin_text(kernel, &text)) {
        out->begin = kernel_of(&text, options, what);
        fine = out->begin != NULL;
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
    write_one(c->begin, out);
    write_one(c->rows, out);
}

bool simt_stage_part(const void *bytes, size_t size, bool begin, const void **part,
                     size_t *part_size) {
    const unsigned char *at = bytes;
    for (unsigned i = 0; i < 2; i++) {
        if (size < 4 || get_u32(at) > size - 4)
            return false;
        *part_size = get_u32(at);
        *part = at + 4;
        if (begin)
            return true;
        at += 4 + *part_size;
        size -= 4 + *part_size;
    }
    return size == 0 && *part_size;
}
