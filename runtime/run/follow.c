/* SPDX-License-Identifier: MIT
 * A kernel in Python for the shapes of its inputs: constants that are whole extents of parameters
 * become what the arrays of --in say, unless -D does. */
#include "runtime/run/run.h"
#include "support/json_read.h"

#include <string.h>

static bool is_kernel(const struct run_options *o) {
    const char *path = o->programs.len == 1 ? o->programs.data[0] : "";
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

/* What calls the kernel has to know, as JSON; NULL where it is not compiled, which whoever compiles
 * it for good reports. */
static const struct json_value *signature_of(const struct run_options *o, struct arena *arena,
                                             struct str *text) {
    struct driver_options options = {.ez = {.optimize = 1,
                                            .emit = EZ_EMIT_SIGNATURE,
                                            .emit_text = text,
                                            .defines = o->defines.data,
                                            .define_count = o->defines.len},
                                     .entry = o->entry};
    struct diag *quiet = diag_new(NULL, NULL);
    bool io_error = false;
    object_free(driver_load(o->programs.data[0], &options, quiet, &io_error));
    const struct json_value *v =
        text->len ? json_read(text->text, text->len, diag_source(quiet, "", NULL, 0), arena, quiet)
                  : NULL;
    diag_free(quiet);
    return v;
}

static bool is_defined(const struct run_defines *list, const char *name) {
    for (size_t i = 0; i < list->items.len; i++)
        if (strcmp(list->items.data[i].name, name) == 0)
            return true;
    return false;
}

static void follow_shape(struct run_defines *list, const struct json_value *parameter,
                         const struct array *a) {
    const struct json_value *extents = json_member(parameter, "extents");
    const struct json_value *e = extents ? extents->first : NULL;
    for (uint32_t d = 0; e && d < a->ndim; d++, e = e->next) {
        struct asm_define x = {e->kind == JSON_STRING ? e->text : NULL, (int64_t)a->shape[d]};
        if (x.name && !is_defined(list, x.name))
            vec_push(&list->items, x);
    }
}

static mpu_result follow_input(struct run_defines *list, const struct json_value *signature,
                               const struct run_item *in, struct diag *d) {
    const struct json_value *all = json_member(signature, "parameters");
    struct data_source from;
    struct array a;
    mpu_result r = MPU_OK;
    for (const struct json_value *p = all ? all->first : NULL; p; p = p->next) {
        const char *name = json_member_text(p, "name");
        if (!name || strcmp(name, in->name) != 0)
            continue;
        r = run_read_array(in->name, in->value, NULL, false, &from, &a, d);
        if (r == MPU_OK)
            follow_shape(list, p, &a);
        array_free(&a);
        break;
    }
    return r;
}

mpu_result run_defines_find(const struct run_options *o, struct run_defines *list, struct diag *d) {
    struct str text = {0};
    mpu_result r = MPU_OK;
    for (size_t i = 0; i < o->defines.len; i++)
        vec_push(&list->items, o->defines.data[i]);
    const struct json_value *signature = is_kernel(o) ? signature_of(o, &list->arena, &text) : NULL;
    for (size_t i = 0; signature && r == MPU_OK && i < o->in.len; i++)
        if (run_value_has_shape(o->in.data[i].value))
            r = follow_input(list, signature, &o->in.data[i], d);
    str_free(&text);
    return r;
}

void run_defines_free(struct run_defines *list) {
    vec_free(&list->items);
    arena_free(&list->arena);
}
