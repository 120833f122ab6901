/* SPDX-License-Identifier: MIT
 * Copies of ranges between vectors: a move that brings the range to its place, and a choice between
 * it and what was there by a mask that a move makes as well. */
#include "runtime/device.h"

#include <inttypes.h>
#include <stddef.h>

/* n elements, of which to .. to + count - 1 are the source's from `from` on; others are of no
 * concern. */
static mpu_vector *brought(const mpu_vector *source, uint64_t n, uint64_t to, uint64_t from,
                           mpu_error **error) {
    return mpu_move(source, &(mpu_dim){n, 1}, 1, (int64_t)from - (int64_t)to, 0, 0, error);
}

/* n truths, of which to .. to + count - 1 are true. */
static mpu_vector *range_mask(mpu_device *device, uint64_t n, uint64_t to, uint64_t count,
                              mpu_error **error) {
    const mpu_vtype truth = {MPU_KIND_BOOL, 1};
    mpu_vector *ones =
        mpu_apply(device, MPU_OP_COPY, truth, count, &(mpu_operand){NULL, 1}, 1, error);
    mpu_vector *mask = ones ? brought(ones, n, to, 0, error) : NULL;
    mpu_vector_release(ones);
    return mask;
}

/* The elements of dst with those of the range in their places. */
static mpu_vector *mixed(const mpu_vector *dst, uint64_t to, const mpu_vector *src, uint64_t from,
                         uint64_t count, mpu_error **error) {
    mpu_vector *there = brought(src, dst->n, to, from, error), *mask, *result;
    if (!there || count == dst->n)
        return there;
    mask = range_mask(dst->device, dst->n, to, count, error);
    result = mask ? mpu_apply(dst->device, MPU_OP_SELECT, mpu_vector_type(dst), dst->n,
                              (mpu_operand[]){{mask, 0}, {there, 0}, {dst, 0}}, 3, error)
                  : NULL;
    mpu_vector_release(there);
    mpu_vector_release(mask);
    return result;
}

static mpu_result check_range(const mpu_vector *v, const char *which, uint64_t first,
                              uint64_t count, mpu_error **error) {
    if (first <= v->n && count <= v->n - first)
        return MPU_OK;
    return device_refuse(v->device, error, MPU_USAGE,
                         "a copy of %" PRIu64 " elements %s %" PRIu64
                         " on leaves a vector of %" PRIu64,
                         count, which, first, v->n);
}

static mpu_result check(const mpu_vector *dst, uint64_t to, const mpu_vector *src, uint64_t from,
                        uint64_t count, mpu_error **error) {
    if (!dst->device || dst->device != src->device)
        return device_refuse(dst->device, error, MPU_USAGE,
                             "a copy is between vectors of one device that is open");
    if (!ir_same_type(dst->type, src->type))
        return device_refuse(dst->device, error, MPU_USAGE,
                             "a copy is between vectors of one type: a cast is MPU_OP_CAST");
    const mpu_result r = check_range(src, "from", from, count, error);
    return r == MPU_OK ? check_range(dst, "to", to, count, error) : r;
}

mpu_result mpu_vector_copy(mpu_vector *dst, uint64_t to, const mpu_vector *src, uint64_t from,
                           uint64_t count, mpu_error **error) {
    DEVICE_ENTRY(dst->device, error, MPU_CAPACITY);
    const mpu_result r = check(dst, to, src, from, count, error);
    if (r != MPU_OK || !count)
        return r;
    if (count == dst->n && src->n == dst->n)
        return mpu_vector_set(dst, src, error);
    if (src->value->state == VALUE_FAILED)
        return device_refuse_failed(dst->device, error, src->value);
    mpu_vector *result = mixed(dst, to, src, from, count, error);
    const mpu_result set = result ? mpu_vector_set(dst, result, error)
                                  : (error && *error ? mpu_error_code(*error) : MPU_CAPACITY);
    mpu_vector_release(result);
    return set;
}
