/* SPDX-License-Identifier: MIT
 * Where the elements of an array are, by its map and the lay of its storage. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- lanes and registers ---- */

static bool is_constant(const struct array_affine *f, uint32_t ndim, const uint64_t *shape) {
    for (uint32_t v = 0; v < ndim; v++)
        if (f->coeff[v] && shape[v] > 1)
            return false;
    return !array_laps_any(&f->laps);
}

/* Of an axis in registers: its coordinate comes last. */
static void spot_of_axis(const struct array_storage *s, struct array_spot *p) {
    const struct array_affine f = p->map[s->lay.axis];
    for (uint32_t r = s->lay.axis; r + 1 < p->n; r++) {
        p->map[r] = p->map[r + 1];
        p->shape[r] = p->shape[r + 1];
    }
    p->map[--p->n] = f;
}

/* Of a split axis: c = count * lane + register. */
static bool spot_of_split(const struct array_ref *a, struct array_spot *p) {
    struct array_affine *f = &p->map[p->n - 1];
    int64_t count = a->root->lay.count;
    for (uint32_t v = 0; v < a->ndim; v++) {
        if (a->shape[v] > 1 && f->coeff[v] % count != 0)
            return false;
        f->coeff[v] = a->shape[v] > 1 ? f->coeff[v] / count : 0;
    }
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++) {
        if (f->laps.coeff[d] % count != 0)
            return false;
        f->laps.coeff[d] /= count;
    }
    p->map[p->n] = (struct array_affine){.offset = f->offset % count};
    f->offset /= count;
    p->shape[p->n - 1] /= (uint64_t)count;
    return true;
}

bool array_find_spot(const struct array_ref *a, struct array_spot *p) {
    const struct array_storage *s = a->root;
    *p = (struct array_spot){.n = a->rdim, .fixed = true};
    memcpy(p->map, a->map, sizeof a->map);
    memcpy(p->shape, a->rshape, sizeof a->rshape);
    if (s->lay.count == 1)
        return true;
    if (!array_same_shape(a->rdim, a->rshape, s->ndim, s->shape) ||
        (s->lay.split && !spot_of_split(a, p)))
        return false;
    if (!s->lay.split)
        spot_of_axis(s, p);
    p->shape[p->n] = s->lay.count;
    p->fixed = is_constant(&p->map[p->n], a->ndim, a->shape);
    p->element = p->fixed ? (uint32_t)p->map[p->n].offset : 0;
    return true;
}

uint32_t array_register_axis(const struct array_ref *a) {
    const struct array_storage *s = a->root;
    if (s->lay.count == 1 || !array_same_shape(a->rdim, a->rshape, s->ndim, s->shape))
        return ARRAY_DIMS;
    uint32_t v = 0;
    while (v < a->ndim && (a->shape[v] == 1 || !a->map[s->lay.axis].coeff[v]))
        v++;
    return v < a->ndim ? v : ARRAY_DIMS;
}

/* ---- order ---- */

/* Elements along the axes behind. */
static void strides_of(uint32_t ndim, const uint64_t *shape, int64_t *strides) {
    int64_t n = 1;
    for (uint32_t d = ndim; d-- > 0; n *= (int64_t)shape[d])
        strides[d] = n;
}

bool array_lies_in_order(const struct array_ref *a, const struct array_spot *p) {
    int64_t own[ARRAY_DIMS], of_root[ARRAY_DIMS + 1], first = 0;
    strides_of(a->ndim, a->shape, own);
    strides_of(p->n, p->shape, of_root);
    for (uint32_t r = 0; r < p->n; r++) {
        first += of_root[r] * p->map[r].offset;
        if (array_laps_any(&p->map[r].laps))
            return false;
    }
    for (uint32_t v = 0; v < a->ndim; v++) {
        int64_t step = 0;
        for (uint32_t r = 0; r < p->n; r++)
            step += of_root[r] * p->map[r].coeff[v];
        if (a->shape[v] > 1 && step != own[v])
            return false;
    }
    return first == 0;
}

bool array_is_direct(const struct array_ref *a) {
    struct array_spot p;
    return array_find_spot(a, &p) && p.fixed && array_lies_in_order(a, &p);
}

bool array_is_storage(const struct array_ref *a) {
    const struct array_storage *s = a->root;
    bool same = array_same_shape(a->rdim, a->rshape, s->ndim, s->shape) &&
                array_same_shape(a->ndim, a->shape, s->ndim, s->shape);
    for (uint32_t r = 0; same && r < s->ndim; r++)
        for (uint32_t v = 0; v < s->ndim; v++)
            same &= s->shape[v] == 1 || a->map[r].coeff[v] == (r == v);
    for (uint32_t r = 0; same && r < s->ndim; r++)
        same = a->map[r].offset == 0 && !array_laps_any(&a->map[r].laps);
    return same;
}

struct array_ref array_broadcast(const struct array_ref *a, uint32_t ndim, const uint64_t *shape) {
    struct array_ref b = *a;
    uint32_t more = ndim - a->ndim;
    b.ndim = ndim;
    memcpy(b.shape, shape, ndim * sizeof *shape);
    for (uint32_t r = 0; r < a->rdim; r++) {
        memset(b.map[r].coeff, 0, sizeof b.map[r].coeff);
        for (uint32_t v = 0; v < a->ndim; v++)
            if (a->shape[v] > 1)
                b.map[r].coeff[v + more] = a->map[r].coeff[v];
    }
    return b;
}

bool array_same_maps(const struct array_ref *a, const struct array_ref *b) {
    if (!array_same_shape(a->rdim, a->rshape, b->rdim, b->rshape) ||
        !array_same_shape(a->ndim, a->shape, b->ndim, b->shape))
        return false;
    for (uint32_t r = 0; r < a->rdim; r++) {
        if (a->map[r].offset != b->map[r].offset ||
            memcmp(&a->map[r].laps, &b->map[r].laps, sizeof a->map[r].laps) != 0)
            return false;
        for (uint32_t v = 0; v < a->ndim; v++)
            if (a->map[r].coeff[v] != b->map[r].coeff[v])
                return false;
    }
    return true;
}
