/* SPDX-License-Identifier: MIT
 * Strides of a move's destination, and what laps add to its numbers: both are there only where they
 * are not the usual ones. */
#include "object/object.h"

#include <inttypes.h>
#include <string.h>

uint32_t object_move_repeats(const struct move *m) {
    uint32_t most = 0;
    for (unsigned f = 0; m->laps && f < MOVE_FORMS; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
            for (uint32_t n = 0; n < MOVE_MAX_LAPS; n++)
                if (m->laps->coeff[f][d][n] && most <= n)
                    most = n + 1;
    return most;
}

void object_move_laps_text(uint32_t repeats, const uint64_t *laps, struct str *out) {
    for (uint32_t n = 0; n < repeats; n++)
        str_printf(out, n ? " of lap %" PRIu64 : "lap %" PRIu64, laps[n]);
}

static struct move_strides *copy_strides(const struct move_strides *old, struct arena *arena) {
    struct move_strides *s = ARENA_NEW(arena, struct move_strides);
    if (old)
        *s = *old;
    for (unsigned d = 0; d < MOVE_MAX_DIMS && !old; d++) {
        s->coeff[d] = 1;
        s->offset[d].size = NO_INDEX;
    }
    return s;
}

void object_move_set_stride(struct move *m, uint32_t d, int64_t coeff,
                            const struct move_bound *offset, struct arena *arena) {
    if (coeff == 1 && offset->offset == 0 && offset->size_coeff == 0)
        return;
    struct move_strides *s = copy_strides(m->strides, arena);
    s->coeff[d] = coeff;
    s->offset[d] = *offset;
    if (offset->size_coeff == 0)
        s->offset[d].size = NO_INDEX;
    m->strides = s;
}

void object_move_set_laps(struct move *m, enum move_form form, uint32_t d,
                          const int64_t coeff[MOVE_MAX_LAPS], struct arena *arena) {
    static const int64_t none[MOVE_MAX_LAPS];
    if (memcmp(coeff, none, sizeof none) == 0)
        return;
    struct move_laps *l = ARENA_NEW(arena, struct move_laps);
    if (m->laps)
        *l = *m->laps;
    memcpy(l->coeff[form][d], coeff, sizeof none);
    m->laps = l;
}

static bool same_bound(const struct move_bound *a, const struct move_bound *b) {
    return a->offset == b->offset && a->size == b->size && a->size_coeff == b->size_coeff;
}

bool object_move_same_strides(const struct move *a, const struct move *b) {
    const struct move_strides *x = a->strides, *y = b->strides;
    if (!x || !y)
        return x == y;
    bool same = memcmp(x->coeff, y->coeff, sizeof x->coeff) == 0;
    for (unsigned d = 0; d < MOVE_MAX_DIMS && same; d++)
        same = same_bound(&x->offset[d], &y->offset[d]);
    return same;
}

bool object_move_same_laps(const struct move *a, const struct move *b) {
    if (!a->laps || !b->laps)
        return a->laps == b->laps;
    return memcmp(a->laps->coeff, b->laps->coeff, sizeof a->laps->coeff) == 0;
}
