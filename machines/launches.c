/* SPDX-License-Identifier: MIT
 * How kernels want the buffers that they are called with, and where their places come from. */
#include "machines/machine.h"

#include <inttypes.h>

void machine_line_text(const struct machine_lines *lines, uint32_t place, struct str *out) {
    if (place >= lines->count)
        return;
    if (lines->file)
        str_printf(out, "%s:%" PRIu32, lines->file, lines->first_line + lines->lines[place] - 1);
    else
        str_printf(out, "line %" PRIu32, lines->lines[place]);
}

bool machine_buffer_same(const struct machine_buffer *left, const struct machine_buffer *right) {
    return left->layout == right->layout && left->unit == right->unit && left->halo == right->halo;
}

void machine_buffer_text(const struct machine_buffer *buffer, struct str *out) {
    static const char *const names[LAYOUTS] = {
        [LAYOUT_FLAT] = "flat, in one place",    [LAYOUT_SPLIT] = "split",
        [LAYOUT_SAME] = "the same in each unit", [LAYOUT_EACH] = "a row in each unit",
        [LAYOUT_OWN] = "a row in each unit",
    };
    str_append(out, names[buffer->layout]);
    if (buffer->layout == LAYOUT_OWN)
        str_printf(out, ", at 0x%" PRIx64 " of the program of kernel %" PRIu64, buffer->unit,
                   buffer->halo);
    if (buffer->layout == LAYOUT_SPLIT)
        str_printf(out, " by %" PRIu64 " bytes with a halo of %" PRIu64, buffer->unit,
                   buffer->halo);
}

static void want_buffer(struct machine_launches *launches, uint32_t buffer,
                        const struct machine_want *want) {
    struct machine_want *first = &launches->wants[buffer], *other = &launches->others[buffer];
    if (first->kernel == NO_INDEX)
        *first = *want;
    else if (other->kernel == NO_INDEX && !machine_buffer_same(&first->lies, &want->lies))
        *other = *want;
}

void machine_want_buffer(struct machine_launches *launches, uint32_t kernel, uint32_t buffer,
                         struct machine_buffer lies) {
    want_buffer(launches, buffer, &(struct machine_want){kernel, 0, lies});
}

void machine_want(struct machine_launches *launches, uint32_t kernel, uint32_t parameter,
                  struct machine_buffer lies, uint32_t line) {
    const struct object *o = launches->object;
    const struct machine_want want = {kernel, line, lies};
    for (size_t i = 0; i < o->calls.len; i++) {
        const struct recipe_call *c = &o->calls.data[i];
        if (object_call_kernel(o, c) == &o->kernels.data[kernel] &&
            c->arguments[parameter].buffer != NO_INDEX)
            want_buffer(launches, c->arguments[parameter].buffer, &want);
    }
}
