/* SPDX-License-Identifier: MIT
 * Bytes of an array in slices. */
#include "runtime/buffer_slices.h"

#include "support/alloc.h"
#include "support/pool.h"

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

/* ---- unit by unit ---- */

struct copying;
/* What of the piece goes to a unit, or comes from it. */
typedef bool copy_unit(const struct copying *copying, uint32_t unit, struct diag *diag);
struct copying {
    const struct buffer_slices *slices;
    const struct buffer_piece *piece;
    const unsigned char *in;
    unsigned char *out;
    copy_unit *copy;
    bool *failed; /* [units] */
};

/* Bytes from which on threads are worth their start. */
#define MANY_BYTES (UINT64_C(1) << 23)

static void copy_quietly(void *context, size_t unit) {
    const struct copying *c = context;
    struct diag *quiet = diag_new(NULL, NULL);
    c->failed[unit] = !c->copy(c, (uint32_t)unit, quiet);
    diag_free(quiet);
}

/* Units are copied in their order, or at once where the machine has them apart; then the first one
 * that fails reports. */
static bool copy_all(struct copying *c, struct diag *diag) {
    const struct buffer_slices *s = c->slices;
    bool fine = true;
    c->failed = xcalloc((size_t)s->part.count + 1, sizeof *c->failed);
    bool at_once = s->threads > 1 && s->dp->ops->units_apart && s->part.count > 1 &&
                   s->layout->layout != LAYOUT_FLAT && s->layout->layout != LAYOUT_OWN &&
                   c->piece->bytes >= MANY_BYTES;
    if (at_once) {
        struct pool *pool = pool_new(s->threads);
        pool_run(pool, s->part.count, copy_quietly, c);
        pool_free(pool);
    }
    for (uint32_t u = 0; fine && u < s->part.count; u++)
        fine = (at_once && !c->failed[u]) || c->copy(c, u, diag);
    free(c->failed);
    return fine;
}

static bool put_unit(const struct copying *c, uint32_t unit, struct diag *diag) {
    const struct buffer_slices *s = c->slices;
    struct range r = put_range(s->layout, s->part, c->piece, unit, true);
    uint64_t address = s->address + unit * s->stride;
    return r.from >= r.to || put_one(s, r, begin_of(s, c->piece),
                                     address + (uint64_t)(r.from - first_of(s, unit)), c->in, diag);
}

bool session_slices_put(const struct buffer_slices *slices, const struct buffer_piece *piece,
                        const unsigned char *data, struct diag *diag) {
    struct copying c = {.slices = slices, .piece = piece, .in = data, .copy = put_unit};
    return copy_all(&c, diag);
}

/* Of copies the first one answers for all. */
static bool is_read(const struct package_layout *layout, const struct buffer_piece *piece,
                    uint32_t unit) {
    return layout->layout != LAYOUT_SAME || piece->unit != BUFFER_ALL_UNITS || unit == 0;
}

static bool get_unit(const struct copying *c, uint32_t unit, struct diag *diag) {
    const struct buffer_slices *s = c->slices;
    struct range r = own_range(s->layout, s->part, c->piece, unit);
    uint64_t address = s->address + unit * s->stride;
    return r.from >= r.to || !is_read(s->layout, c->piece, unit) ||
           s->dp->ops->mem_get(s->dp, address + (uint64_t)(r.from - first_of(s, unit)),
                               c->out + (r.from - begin_of(s, c->piece)), (uint64_t)(r.to - r.from),
                               diag);
}

bool session_slices_get(const struct buffer_slices *slices, const struct buffer_piece *piece,
                        unsigned char *data, struct diag *diag) {
    struct copying c = {.slices = slices, .piece = piece, .out = data, .copy = get_unit};
    return copy_all(&c, diag);
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
