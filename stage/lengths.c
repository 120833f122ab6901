/* SPDX-License-Identifier: MIT
 * How many elements there are behind each stage. */
#include "stage/stage.h"

uint64_t stage_units(uint64_t n, uint32_t unit, uint32_t overlap) {
    return n < (uint64_t)unit + overlap ? 0 : (n - unit - overlap) / unit + 1;
}

void stage_lengths_most(const struct stage_kernel *kernel, uint64_t n, uint64_t *out) {
    for (uint32_t i = 0; i < kernel->length_count; i++) {
        const struct stage_length *l = &kernel->lengths[i];
        out[i] = l->kind == STAGE_ALL     ? n
                 : l->kind == STAGE_UNITS ? stage_units(out[l->of], l->unit, l->overlap)
                                          : out[l->of] * l->unit;
    }
}

bool stage_length(const struct stage_kernel *k, const uint64_t *scalars, uint64_t *n) {
    *n = k->length_value;
    if (k->length_parameter == NO_INDEX)
        return true;
    *n = scalars[k->length_parameter];
    return k->decl->parameters[k->length_parameter].type.kind != TYPE_INT || (int64_t)*n >= 0;
}

uint64_t stage_seen(const struct stage_kernel *k, const uint64_t *scalars, uint32_t count,
                    uint32_t bound) {
    if (bound == NO_INDEX)
        return count;
    const bool minus =
        k->decl->parameters[bound].type.kind == TYPE_INT && (int64_t)scalars[bound] < 0;
    return minus ? 0 : scalars[bound];
}

uint64_t stage_extent(const struct stage_kernel *k, const uint64_t *scalars,
                      const uint64_t *lengths, uint32_t array, bool *written) {
    uint64_t most = 0;
    *written = false;
    for (const struct stage_stage *x = k->stages; x; x = x->next)
        for (const struct stage_param *q = x->params; q; q = q->next) {
            const bool single = q->role == STAGE_ACC || q->role == STAGE_WHOLE;
            uint64_t n = q->role == STAGE_COUNT      ? 1
                         : single                    ? stage_seen(k, scalars, q->count, q->bound)
                         : k->arrays[q->array]->kept ? 0
                                                     : lengths[k->arrays[q->array]->length];
            if (q->tail == array && x->overlap > most)
                most = x->overlap;
            if (q->array != array)
                continue;
            most = n > most ? n : most;
            *written |= q->role != STAGE_IN && q->role != STAGE_WHOLE;
        }
    return most;
}
