/* SPDX-License-Identifier: MIT
 * The public functions of a session, which wrap the internal ones. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/public.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/options.h"
#include "support/pool.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(MPU_MAX_THREADS == POOL_MAX_THREADS, "the API says how many threads there may be");

uint32_t mpu_api_version(void) {
    return (uint32_t)MPU_API_MAJOR << 16 | MPU_API_MINOR;
}

const char *mpu_version(void) {
    return tool_version_text();
}

void mpu_string_free(char *text) {
    free(text);
}

const char *mpu_config_word(const char *member, size_t index) {
    static const struct {
        const char *member, *words[4];
    } all[] = {{"engine", {"fused", "strict", "golden"}},
               {"batch", {"target", "one", "all"}},
               {"place", {"auto", "packed", "spread"}},
               {"finish", {"auto", "device", "host"}},
               {"spill", {"auto", "never"}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].member, member) == 0)
            return index < 4 ? all[k].words[index] : NULL;
    return NULL;
}

mpu_session *mpu_session_new(const mpu_program *program, const mpu_target *target,
                             const mpu_config *config, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    mpu_session *s = NULL;
    public_call_begin(&c, session_config_messages(config), error);
    public_call_end(&c, session_new_diag(program, target, config, c.d, &s));
    return s;
}

void mpu_session_set_command(mpu_session *session, const char *const *words, size_t count) {
    session->command = words;
    session->command_count = count;
}

mpu_result mpu_session_bind_size(mpu_session *session, const char *name, uint64_t value,
                                 mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, session_bind_diag(session, name, value, c.d));
}

mpu_result mpu_session_shape(mpu_session *session, const char *name, mpu_array *array,
                             mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    struct ndarray like;
    struct element_type held;
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_shape_diag(session, name, &like, &held, c.d);
    if (r == MPU_OK)
        *array = public_array(&like);
    return public_call_end(&c, r);
}

mpu_result mpu_session_put(mpu_session *session, const char *name, const mpu_array *array,
                           mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    struct ndarray values;
    const struct data_source from = {
        .form = FORM_TYPED, .name = "call", .hash = !session->config.unhashed};
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, session->messages, error);
    if (public_array_borrow(array, false, &values))
        r = session_put_diag(session, name, &values, &from, c.d);
    else
        diag_error(c.d, NO_SPAN, "the array for '%s' has no valid type, shape or data", name);
    return public_call_end(&c, r);
}

mpu_result mpu_session_want(mpu_session *session, const char *name, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, session_want_diag(session, name, c.d));
}

mpu_result mpu_session_prepare(mpu_session *session, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, session_prepare(session, c.d));
}

mpu_result mpu_session_placed(const mpu_session *session, const char *name, uint64_t *value) {
    const struct package *p = session->package;
    if (!p || session->pipeline) /* which is placed anew in each round */
        return MPU_USAGE;
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {{"mpus", p->mpus},
               {"lanes", p->lanes},
               {"vrfs", p->placement_count},
               {"fixed_vrfs", p->fixed_count},
               {"rounds", p->rounds},
               {"timed", !session->golden},
               {"wears", session->dp && session->dp->has_cells}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) {
            *value = all[i].value;
            return MPU_OK;
        }
    if (strcmp(name, "code_bits") != 0 || !session->dp || !session->dp->makes_code)
        return MPU_USAGE;
    *value = session->dp->code_bits;
    return MPU_OK;
}

mpu_result mpu_session_run(mpu_session *session, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, session_run_diag(session, c.d));
}

mpu_result mpu_session_checked(const mpu_session *session, uint64_t *ensembles,
                               uint64_t *elements) {
    if (!session->control || !session->config.check)
        return MPU_USAGE;
    *ensembles = session->checked.ensembles;
    *elements = session->checked.elements;
    return MPU_OK;
}

mpu_result mpu_session_checked_kernels(const mpu_session *session, uint64_t *launches,
                                       uint64_t *bytes, uint64_t *unsettled) {
    if (!session->control || !session->config.check)
        return MPU_USAGE;
    *launches = session->checked.launches;
    *bytes = session->checked.bytes;
    *unsettled = session->checked.unsettled;
    return MPU_OK;
}

const char *mpu_session_end(const mpu_session *session) {
    return session->control ? session_end_name(session->end) : NULL;
}

mpu_result mpu_session_get(mpu_session *session, const char *name, mpu_array *array,
                           mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    struct ndarray values;
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_get_diag(session, name, &values, c.d);
    if (r == MPU_OK)
        *array = public_array(&values);
    return public_call_end(&c, r);
}
