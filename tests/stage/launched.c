/* SPDX-License-Identifier: MIT
 * Memory is the buffers, at addresses with gaps between them: what reaches beyond one finds
 * nothing. */
#include "tests/stage/launched.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add(struct launched *x, const char *name, enum parameter_kind kind,
                struct lane_type type, uint64_t value) {
    uint32_t end = 0;
    x->parameters[x->count] = (struct kernel_parameter){.name = name, .kind = kind, .type = type};
    for (uint32_t i = 0; i <= x->count; i++) {
        uint32_t at = object_parameter_offset(&x->parameters[i], end);
        end = at + object_parameter_bytes(&x->parameters[i]);
        if (i == x->count)
            memcpy(x->arguments + at, &value, end - at);
    }
    x->count++;
}

void launched_buffer(struct launched *x, const char *name, struct lane_type type,
                     uint64_t elements) {
    struct launched_buffer *b = &x->buffers[x->count];
    b->address = (uint64_t)(x->count + 1) << 32;
    b->size = elements * object_element_bytes(type);
    b->bytes = xcalloc((size_t)b->size + 1, 1);
    add(x, name, PARAMETER_BUFFER, type, b->address);
}

void launched_number(struct launched *x, const char *name, struct lane_type type, uint64_t value) {
    add(x, name, PARAMETER_NUMBER, type, value);
}

void launched_put(struct launched *x, uint32_t parameter, uint64_t index, uint64_t value) {
    unsigned size = object_element_bytes(x->parameters[parameter].type);
    memcpy(x->buffers[parameter].bytes + index * size, &value, size);
}

uint64_t launched_get(const struct launched *x, uint32_t parameter, uint64_t index) {
    unsigned size = object_element_bytes(x->parameters[parameter].type);
    uint64_t value = 0;
    memcpy(&value, x->buffers[parameter].bytes + index * size, size);
    return value;
}

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line) {
    struct launched *x = context;
    (void)line;
    if (x->in_pieces && size > 8)
        return NULL;
    for (uint32_t i = 0; i < x->count; i++) {
        const struct launched_buffer *b = &x->buffers[i];
        if (b->bytes && address >= b->address && address - b->address <= b->size &&
            size <= b->size - (address - b->address)) {
            if (thread < 3)
                x->threads[thread] += access != PORTABLE_READS;
            return b->bytes + (address - b->address);
        }
    }
    return NULL;
}

static bool go_on(void *context, uint64_t steps) {
    const struct launched *x = context;
    return !x->most_steps || steps < x->most_steps;
}

void launched_run(struct launched *x, struct str *wrong) {
    const struct kernel_decl decl = {.name = "f",
                                     .form = "stage",
                                     .bytes = str_text(&x->text),
                                     .size = x->text.len,
                                     .parameters = x->parameters,
                                     .parameter_count = x->count};
    const struct portable_launch launch = {.parameters = x->arguments,
                                           .parameter_bytes = sizeof x->arguments,
                                           .descending = x->descending,
                                           .at = at,
                                           .go_on = go_on,
                                           .context = x};
    struct portable_fault fault = {.line = 0};
    struct portable_kernel *k = stage_form.read(&decl, &fault);
    if (!k) {
        str_printf(wrong, "%" PRIu32 ":%" PRIu32 ": %s", fault.line, fault.column,
                   str_text(&fault.what));
    } else {
        if (!stage_form.run(k, &launch, &fault))
            str_printf(wrong, "stops at %" PRIu32 ": %s", fault.line, str_text(&fault.what));
        stage_form.free(k);
    }
    str_free(&fault.what);
}

void launched_free(struct launched *x) {
    for (uint32_t i = 0; i < x->count; i++)
        free(x->buffers[i].bytes);
    str_free(&x->text);
}
