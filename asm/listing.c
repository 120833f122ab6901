/* SPDX-License-Identifier: MIT
 * The listing: index, word and source line, after everything is resolved. */
#include "asm/assembler.h"

#include <inttypes.h>
#include <string.h>

void asm_listing_note(struct assembler *assembler, const struct asm_input *in, size_t begin,
                      uint32_t first) {
    const char *text = in->text + begin;
    const char *end = memchr(text, '\n', in->size - begin);
    struct listed_line l = {.text = text,
                            .length = end ? (size_t)(end - text) : in->size - begin,
                            .first = first,
                            .count = (uint32_t)assembler->o->text.len - first,
                            .line = assembler->statement_line,
                            .depth = (uint32_t)(in - assembler->inputs)};
    vec_push(&assembler->listed, l);
}

static void write_line(const struct listed_line *line, const struct object *object,
                       struct str *out) {
    if (line->count)
        str_printf(out, "%8" PRIu32 "  %08" PRIx32, line->first, object->text.data[line->first]);
    else
        str_printf(out, "%18s", "");
    str_printf(out, "  %5" PRIu32 "%.*s  ", line->line, (int)(line->depth < 8 ? line->depth : 8),
               "++++++++");
    str_append_n(out, line->text, line->length);
    while (out->len && (out->text[out->len - 1] == ' ' || out->text[out->len - 1] == '\r'))
        out->text[--out->len] = '\0';
    str_char(out, '\n');
}

void asm_listing_write(struct assembler *assembler, const struct object *object, struct str *out) {
    str_append(out, "   index      word   line\n");
    for (size_t i = 0; i < assembler->listed.len; i++)
        write_line(&assembler->listed.data[i], object, out);
}
