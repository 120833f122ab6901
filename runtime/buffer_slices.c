/* SPDX-License-Identifier: MIT
 * Bytes of an array in slices. */
#include "runtime/buffer_slices.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

bool session_slices_alloc(struct buffer_slices *slices, struct diag *diag) {
    const struct package_layout *l = slices->layout;
    const struct datapath_ops *ops = slices->dp->ops;
    slices->stride = 0;
    if (l->layout == LAYOUT_FLAT)
        return ops->mem_alloc(slices->dp, l->room, &slices->address, diag);
    if (l->layout == LAYOUT_OWN)
        return ops->mem_own(slices->dp, &slices->program, slices->at, l->own, slices->part.count,
                            &slices->address, &slices->stride, diag);
    if (!ops->mem_alloc_slices(slices->dp, l->room, slices->part.count, &slices->address,
                               &slices->stride, diag))
        return false;
    slices->address += l->lead;
    return true;
}

void session_slices_free(const struct buffer_slices *slices, struct diag *diag) {
    slices->dp->ops->mem_free(slices->dp, slices->address - slices->layout->lead, diag);
}

/* Bytes from .. to - 1 of the array; those before its first and behind its last are zeros. */
struct range {
    int64_t from, to;
};

static int64_t least(int64_t left, int64_t right) {
    return left < right ? left : right;
}
static int64_t most(int64_t left, int64_t right) {
    return left > right ? left : right;
}

/* What of the piece a unit has of its own; empty where to <= from. */
static struct range own_range(const struct package_layout *layout, struct package_part part,
                              const struct buffer_piece *piece, uint32_t unit) {
    struct package_slice s = package_layout_slice(layout, part.first + unit);
    bool all = piece->unit == BUFFER_ALL_UNITS;
    int64_t first = (int64_t)s.first, from = (int64_t)piece->offset + (all ? 0 : first),
            to = from + (int64_t)piece->bytes;
    if (!all && piece->unit != unit)
        return (struct range){0, 0};
    return (struct range){most(first, from), least(first + (int64_t)s.own, to)};
}

/* The same with halos, and with what lies beyond the ends of the array.  `room`: to the end of the
 * slice, where the last one has less of its own than others. */
static struct range put_range(const struct package_layout *layout, struct package_part part,
                              const struct buffer_piece *piece, uint32_t unit, bool room) {
    struct package_slice s = package_layout_slice(layout, part.first + unit);
    int64_t halo = (int64_t)layout->halo, first = (int64_t)s.first - halo,
            end = (int64_t)(s.first + (room ? layout->own : s.own)) + halo,
            from = (int64_t)piece->offset, to = from + (int64_t)piece->bytes;
    if (piece->unit != BUFFER_ALL_UNITS)
        return own_range(layout, part, piece, unit);
    return (struct range){piece->offset ? most(first, from) : first,
                          (uint64_t)to == layout->total ? end : least(end, to)};
}

/* Data is the piece's, which begins at `begin` in the array. */
static bool put_one(const struct buffer_slices *slices, struct range range, int64_t begin,
                    uint64_t address, const unsigned char *data, struct diag *diag) {
    int64_t total = (int64_t)slices->layout->total, from = most(range.from, 0),
            to = least(range.to, total);
    size_t size = (size_t)(range.to - range.from);
    if (from == range.from && to == range.to)
        return slices->dp->ops->mem_put(slices->dp, address, data + (from - begin), size, diag);
    unsigned char *image = xcalloc(size, 1);
    if (from < to)
        memcpy(image + (from - range.from), data + (from - begin), (size_t)(to - from));
    bool fine = slices->dp->ops->mem_put(slices->dp, address, image, size, diag);
    free(image);
    return fine;
}

static int64_t first_of(const struct buffer_slices *slices, uint32_t unit) {
    return (int64_t)package_layout_slice(slices->layout, slices->part.first + unit).first;
}

/* Where the piece begins in the array. */
static int64_t begin_of(const struct buffer_slices *slices, const struct buffer_piece *piece) {
    return (int64_t)piece->offset +
           (piece->unit == BUFFER_ALL_UNITS ? 0 : first_of(slices, piece->unit));
}

bool session_slices_put(const struct buffer_slices *slices, const struct buffer_piece *piece,
                        const unsigned char *data, struct diag *diag) {
    bool fine = true;
    for (uint32_t u = 0; fine && u < slices->part.count; u++) {
        struct range r = put_range(slices->layout, slices->part, piece, u, true);
        uint64_t address = slices->address + u * slices->stride;
        if (r.from < r.to)
            fine = put_one(slices, r, begin_of(slices, piece),
                           address + (uint64_t)(r.from - first_of(slices, u)), data, diag);
    }
    return fine;
}

/* Of copies the first one answers for all. */
static bool is_read(const struct package_layout *layout, const struct buffer_piece *piece,
                    uint32_t unit) {
    return layout->layout != LAYOUT_SAME || piece->unit != BUFFER_ALL_UNITS || unit == 0;
}

bool session_slices_get(const struct buffer_slices *slices, const struct buffer_piece *piece,
                        unsigned char *data, struct diag *diag) {
    bool fine = true;
    for (uint32_t u = 0; fine && u < slices->part.count; u++) {
        struct range r = own_range(slices->layout, slices->part, piece, u);
        uint64_t address = slices->address + u * slices->stride;
        if (r.from < r.to && is_read(slices->layout, piece, u))
            fine = slices->dp->ops->mem_get(
                slices->dp, address + (uint64_t)(r.from - first_of(slices, u)),
                data + (r.from - begin_of(slices, piece)), (uint64_t)(r.to - r.from), diag);
    }
    return fine;
}

void session_slices_charged(const struct package_layout *layout, struct package_part part,
                            const struct buffer_piece *piece, enum host_way *way,
                            struct session_slices *out) {
    bool in = *way != HOST_OUT;
    if (in && layout->layout == LAYOUT_SAME && piece->unit == BUFFER_ALL_UNITS)
        *way = HOST_SAME;
    for (uint32_t u = 0; u < part.count; u++) {
        struct range r =
            in ? put_range(layout, part, piece, u, false) : own_range(layout, part, piece, u);
        if (r.from < r.to && (in || is_read(layout, piece, u)))
            vec_push(out, ((struct host_slice){u, (uint64_t)(r.to - r.from)}));
    }
}
