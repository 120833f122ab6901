/* SPDX-License-Identifier: MIT
 * A text of all that the search for sequences looks at, and its hash. */
#include "recipe/map/derive.h"

#include "support/file.h"
#include "support/str.h"

static void add_places(const struct op_frame *frame, struct str *out) {
    str_printf(out, "%u %u:", frame->count, frame->first_written);
    for (unsigned i = 0; i < frame->count; i++)
        str_printf(out, " %u %d %u", (unsigned)frame->places[i].kind, frame->places[i].class,
                   frame->places[i].number);
}

/* What an op does, as mapping_use_apply sees it. */
static void add_op(const struct target *target, uint16_t index, struct str *out) {
    const struct target_op *op = &plane_target(target)->ops[index];
    int preset = op->preset ? (int)(plane_target(target)->ops[op->preset - 1].truth[0] & 1) : -1;
    str_printf(out, "\n%u %u %u %d %d:", index, op->nsrc, op->ndst, op->reads_old, preset);
    for (unsigned d = 0; d < op->ndst; d++)
        str_printf(out, " %x", op->truth[d]);
    if (op->presets > 1)
        str_printf(out, " %u", op->presets);
}

static void add_use(const struct op_use *use, struct str *out) {
    str_printf(out, "\n %u:", use->cost);
    for (unsigned i = 0; i < use->nsrc; i++)
        str_printf(out, " %u", use->src[i]);
    for (unsigned d = 0; d < use->ndst; d++)
        str_printf(out, " %u", use->dst[d]);
}

void mapping_sequence_key(const struct target *target, const struct derived *derived,
                          char key[SEQUENCE_KEY]) {
    struct str text = {0};
    add_places(&derived->frame, &text);
    for (unsigned i = 0; i < derived->use_count; i++) {
        if (i == 0 || derived->uses[i].op != derived->uses[i - 1].op)
            add_op(target, derived->uses[i].op, &text);
        add_use(&derived->uses[i], &text);
    }
    sha256_hex(str_text(&text), text.len, key);
    str_free(&text);
}
