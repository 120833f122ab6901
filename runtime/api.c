/* SPDX-License-Identifier: MIT
 * The public functions around the internal ones of a session. */
#include "runtime/internal.h"

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

void mpu_string_free(char *s) {
    free(s);
}

const char *mpu_config_word(const char *member, size_t i) {
    static const struct {
        const char *member, *words[4];
    } all[] = {{"engine", {"strict", "golden"}},
               {"batch", {"target", "one", "all"}},
               {"place", {"auto", "packed", "spread"}},
               {"finish", {"auto", "device", "host"}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].member, member) == 0)
            return i < 4 ? all[k].words[i] : NULL;
    return NULL;
}

mpu_session *mpu_session_new(const mpu_program *p, const mpu_target *t, const mpu_config *config,
                             mpu_error **error) {
    struct call c;
    mpu_session *s = NULL;
    call_begin(&c, config_messages(config), error);
    call_end(&c, session_new_diag(p, t, config, c.d, &s));
    return s;
}

void mpu_session_set_command(mpu_session *s, const char *const *words, size_t count) {
    s->command = words;
    s->command_count = count;
}

mpu_result mpu_session_bind_size(mpu_session *s, const char *name, uint64_t value,
                                 mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, session_bind_diag(s, name, value, c.d));
}

mpu_result mpu_session_shape(mpu_session *s, const char *name, mpu_array *a, mpu_error **error) {
    struct call c;
    struct array like;
    struct element_type held;
    call_begin(&c, s->messages, error);
    mpu_result r = session_shape_diag(s, name, &like, &held, c.d);
    if (r == MPU_OK)
        *a = public_array(&like);
    return call_end(&c, r);
}

mpu_result mpu_session_put(mpu_session *s, const char *name, const mpu_array *a,
                           mpu_error **error) {
    struct call c;
    struct array values;
    const struct data_source from = {
        .form = FORM_TYPED, .name = "call", .hash = !s->config.unhashed};
    mpu_result r = MPU_USAGE;
    call_begin(&c, s->messages, error);
    if (array_of_public(a, false, &values))
        r = session_put_diag(s, name, &values, &from, c.d);
    else
        diag_error(c.d, NO_SPAN, "the array for '%s' has no valid type, shape or data", name);
    return call_end(&c, r);
}

mpu_result mpu_session_want(mpu_session *s, const char *name, mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, session_want_diag(s, name, c.d));
}

mpu_result mpu_session_prepare(mpu_session *s, mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, session_prepare(s, c.d));
}

mpu_result mpu_session_placed(const mpu_session *s, const char *name, uint64_t *value) {
    const struct package *p = s->package;
    if (!p)
        return MPU_USAGE;
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {{"mpus", p->mpus},
               {"lanes", p->lanes},
               {"vrfs", p->placement_count},
               {"fixed_vrfs", p->fixed_count},
               {"rounds", p->rounds}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) {
            *value = all[i].value;
            return MPU_OK;
        }
    return MPU_USAGE;
}

mpu_result mpu_session_run(mpu_session *s, mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, session_run_diag(s, c.d));
}

const char *mpu_session_end(const mpu_session *s) {
    return s->control ? session_end_name(s->end) : NULL;
}

mpu_result mpu_session_get(mpu_session *s, const char *name, mpu_array *a, mpu_error **error) {
    struct call c;
    struct array values;
    call_begin(&c, s->messages, error);
    mpu_result r = session_get_diag(s, name, &values, c.d);
    if (r == MPU_OK)
        *a = public_array(&values);
    return call_end(&c, r);
}
