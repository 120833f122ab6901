/* SPDX-License-Identifier: MIT
 * Where the elements of an array lie: this follows from its map and from the place of its storage.
 */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- lanes and registers ---- */

static bool is_constant(const struct array_affine *affine, uint32_t ndim, const uint64_t *shape) {
    for (uint32_t v = 0; v < ndim; v++)
        if (affine->coeff[v] && shape[v] > 1)
            return false;
    return !array_laps_any(&affine->laps);
}

/* Of an axis in registers: its coordinate comes last. */
static void spot_of_axis(const struct array_storage *storage, struct array_spot *spot) {
    const struct array_affine f = spot->map[storage->lay.axis];
    for (uint32_t r = storage->lay.axis; r + 1 < spot->n; r++) {
        spot->map[r] = spot->map[r + 1];
        spot->shape[r] = spot->shape[r + 1];
    }
    spot->map[--spot->n] = f;
}

/* Of a split axis: c = count * lane + register. */
static bool spot_of_split(const struct array_ref *ref, struct array_spot *spot) {
    struct array_affine *f = &spot->map[spot->n - 1];
    int64_t count = ref->root->lay.count;
    for (uint32_t v = 0; v < ref->ndim; v++) {
        if (ref->shape[v] > 1 && f->coeff[v] % count != 0)
            return false;
        f->coeff[v] = ref->shape[v] > 1 ? f->coeff[v] / count : 0;
    }
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++) {
        if (f->laps.coeff[d] % count != 0)
            return false;
        f->laps.coeff[d] /= count;
    }
    spot->map[spot->n] = (struct array_affine){.offset = f->offset % count};
    f->offset /= count;
    spot->shape[spot->n - 1] /= (uint64_t)count;
    return true;
}

bool array_find_spot(const struct array_ref *ref, struct array_spot *spot) {
    const struct array_storage *s = ref->root;
    *spot = (struct array_spot){.n = ref->rdim, .fixed = true};
    memcpy(spot->map, ref->map, sizeof ref->map);
    memcpy(spot->shape, ref->rshape, sizeof ref->rshape);
    if (s->lay.count == 1)
        return true;
    if (!array_same_shape(ref->rdim, ref->rshape, s->ndim, s->shape) ||
        (s->lay.split && !spot_of_split(ref, spot)))
        return false;
    if (!s->lay.split)
        spot_of_axis(s, spot);
    spot->shape[spot->n] = s->lay.count;
    spot->fixed = is_constant(&spot->map[spot->n], ref->ndim, ref->shape);
    spot->element = spot->fixed ? (uint32_t)spot->map[spot->n].offset : 0;
    return true;
}

uint32_t array_register_axis(const struct array_ref *ref) {
    const struct array_storage *s = ref->root;
    if (s->lay.count == 1 || !array_same_shape(ref->rdim, ref->rshape, s->ndim, s->shape))
        return ARRAY_DIMS;
    uint32_t v = 0;
    while (v < ref->ndim && (ref->shape[v] == 1 || !ref->map[s->lay.axis].coeff[v]))
        v++;
    return v < ref->ndim ? v : ARRAY_DIMS;
}

/* ---- order ---- */

/* Elements along the axes behind. */
static void strides_of(uint32_t ndim, const uint64_t *shape, int64_t *strides) {
    int64_t n = 1;
    for (uint32_t d = ndim; d-- > 0; n *= (int64_t)shape[d])
        strides[d] = n;
}

bool array_lies_in_order(const struct array_ref *ref, const struct array_spot *spot) {
    int64_t own[ARRAY_DIMS], of_root[ARRAY_DIMS + 1], first = 0;
    strides_of(ref->ndim, ref->shape, own);
    strides_of(spot->n, spot->shape, of_root);
    for (uint32_t r = 0; r < spot->n; r++) {
        first += of_root[r] * spot->map[r].offset;
        if (array_laps_any(&spot->map[r].laps))
            return false;
    }
    for (uint32_t v = 0; v < ref->ndim; v++) {
        int64_t step = 0;
        for (uint32_t r = 0; r < spot->n; r++)
            step += of_root[r] * spot->map[r].coeff[v];
        if (ref->shape[v] > 1 && step != own[v])
            return false;
    }
    return first == 0;
}

bool array_is_direct(const struct array_ref *ref) {
    struct array_spot p;
    return array_find_spot(ref, &p) && p.fixed && array_lies_in_order(ref, &p);
}

bool array_is_storage(const struct array_ref *ref) {
    const struct array_storage *s = ref->root;
    bool same = array_same_shape(ref->rdim, ref->rshape, s->ndim, s->shape) &&
                array_same_shape(ref->ndim, ref->shape, s->ndim, s->shape);
    for (uint32_t r = 0; same && r < s->ndim; r++)
        for (uint32_t v = 0; v < s->ndim; v++)
            same &= s->shape[v] == 1 || ref->map[r].coeff[v] == (r == v);
    for (uint32_t r = 0; same && r < s->ndim; r++)
        same = ref->map[r].offset == 0 && !array_laps_any(&ref->map[r].laps);
    return same;
}

struct array_ref array_broadcast(const struct array_ref *ref, uint32_t ndim,
                                 const uint64_t *shape) {
    struct array_ref b = *ref;
    uint32_t more = ndim - ref->ndim;
    b.ndim = ndim;
    memcpy(b.shape, shape, ndim * sizeof *shape);
    for (uint32_t r = 0; r < ref->rdim; r++) {
        memset(b.map[r].coeff, 0, sizeof b.map[r].coeff);
        for (uint32_t v = 0; v < ref->ndim; v++)
            if (ref->shape[v] > 1)
                b.map[r].coeff[v + more] = ref->map[r].coeff[v];
    }
    return b;
}

bool array_same_maps(const struct array_ref *left, const struct array_ref *right) {
    if (!array_same_shape(left->rdim, left->rshape, right->rdim, right->rshape) ||
        !array_same_shape(left->ndim, left->shape, right->ndim, right->shape))
        return false;
    for (uint32_t r = 0; r < left->rdim; r++) {
        if (left->map[r].offset != right->map[r].offset ||
            memcmp(&left->map[r].laps, &right->map[r].laps, sizeof left->map[r].laps) != 0)
            return false;
        for (uint32_t v = 0; v < left->ndim; v++)
            if (left->map[r].coeff[v] != right->map[r].coeff[v])
                return false;
    }
    return true;
}
