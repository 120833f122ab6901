/* SPDX-License-Identifier: MIT
 * What --in gives. */
#include "tools/mpu-run/run.h"

static mpu_result put(const struct run_options *o, mpu_session *s, const struct run_item *x) {
    uint64_t count;
    mpu_result r = mpu_session_put_data(s, x->name, x->value, &count, NULL);
    if (r == MPU_OK)
        tool_say(o->cl, "read '%s' for '%s': %llu element%s", x->value, x->name,
                 (unsigned long long)count, count == 1 ? "" : "s");
    return r;
}

/* The place of an item in the order of declaration; what has no registers of its own comes last. */
static size_t rank(const mpu_program *p, const struct run_item *x) {
    size_t i = mpu_program_find_variable(p, x->name), last = mpu_program_variable_count(p);
    return i == SIZE_MAX || mpu_program_variable_use(p, i) & MPU_LINK_VALUE ? last : i;
}

mpu_result run_inputs(const struct run_options *o, const mpu_program *p, mpu_session *s) {
    mpu_result r = MPU_OK;
    for (size_t k = 0; k <= mpu_program_variable_count(p); k++)
        for (size_t i = 0; r == MPU_OK && i < o->in.len; i++)
            if (mpu_data_has_shape(o->in.data[i].value) && rank(p, &o->in.data[i]) == k)
                r = put(o, s, &o->in.data[i]);
    for (size_t i = 0; r == MPU_OK && i < o->in.len; i++)
        if (!mpu_data_has_shape(o->in.data[i].value))
            r = put(o, s, &o->in.data[i]);
    return r;
}
