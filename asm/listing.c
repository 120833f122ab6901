/* SPDX-License-Identifier: MIT
 * The listing: index, word and source line, after everything is resolved. */
#include "asm/assembler.h"

#include <inttypes.h>
#include <string.h>

void asm_listing_note(struct assembler *a, const struct asm_input *in, size_t begin,
                      uint32_t first) {
    const char *text = in->text + begin;
    const char *end = memchr(text, '\n', in->size - begin);
    struct listed_line l = {.text = text,
                            .length = end ? (size_t)(end - text) : in->size - begin,
                            .first = first,
                            .count = (uint32_t)a->o->text.len - first,
                            .line = a->statement_line,
                            .depth = (uint32_t)(in - a->inputs)};
    vec_push(&a->listed, l);
}

static void write_line(const struct listed_line *l, const struct object *o, struct str *out) {
    if (l->count)
        str_printf(out, "%8" PRIu32 "  %08" PRIx32, l->first, o->text.data[l->first]);
    else
        str_printf(out, "%18s", "");
    str_printf(out, "  %5" PRIu32 "%.*s  ", l->line, (int)(l->depth < 8 ? l->depth : 8),
               "++++++++");
    str_append_n(out, l->text, l->length);
    while (out->len && (out->text[out->len - 1] == ' ' || out->text[out->len - 1] == '\r'))
        out->text[--out->len] = '\0';
    str_char(out, '\n');
}

void asm_listing_write(struct assembler *a, const struct object *o, struct str *out) {
    str_append(out, "   index      word   line\n");
    for (size_t i = 0; i < a->listed.len; i++)
        write_line(&a->listed.data[i], o, out);
}
