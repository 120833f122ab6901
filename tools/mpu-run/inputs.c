/* SPDX-License-Identifier: MIT
 * What --in gives. */
#include "tools/mpu-run/run.h"

static mpu_result put(const struct run_options *options, mpu_session *session,
                      const struct run_item *item) {
    uint64_t count;
    mpu_result r = mpu_session_put_data(session, item->name, item->value, &count, NULL);
    if (r == MPU_OK)
        tool_say(options->cl, "read '%s' for '%s': %llu element%s", item->value, item->name,
                 (unsigned long long)count, count == 1 ? "" : "s");
    return r;
}

/* The place of an item in the order of declaration; what has no registers of its own comes last. */
static size_t rank(const mpu_program *program, const struct run_item *item) {
    size_t i = mpu_program_find_variable(program, item->name),
           last = mpu_program_variable_count(program);
    return i == SIZE_MAX || mpu_program_variable_use(program, i) & MPU_LINK_VALUE ? last : i;
}

mpu_result run_inputs(const struct run_options *options, const mpu_program *program,
                      mpu_session *session) {
    mpu_result r = MPU_OK;
    for (size_t k = 0; k <= mpu_program_variable_count(program); k++)
        for (size_t i = 0; r == MPU_OK && i < options->in.len; i++)
            if (mpu_data_has_shape(options->in.data[i].value) &&
                rank(program, &options->in.data[i]) == k)
                r = put(options, session, &options->in.data[i]);
    for (size_t i = 0; r == MPU_OK && i < options->in.len; i++)
        if (!mpu_data_has_shape(options->in.data[i].value))
            r = put(options, session, &options->in.data[i]);
    return r;
}
