/* SPDX-License-Identifier: MIT
 * A kernel in Python for the shapes of its inputs: constants that are whole extents of parameters
 * become what the arrays tool_say, unless they are defined. */
#include "runtime/internal.h"
#include "support/json_read.h"

#include <string.h>

static bool is_kernel(const mpu_source *s) {
    const char *path = s->files.len == 1 ? s->files.data[0].path : "";
    size_t n = strlen(path);
    if (s->language)
        return s->files.len == 1 && strcmp(s->language, "py") == 0;
    return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

/* What calls the kernel has to know, as JSON; NULL where it is not compiled, which whoever compiles
 * it for good reports. */
static const struct json_value *signature_of(const mpu_source *s,
                                             const struct driver_options *compiled,
                                             struct arena *arena, struct str *text) {
    struct driver_options options = *compiled;
    struct diag *quiet = diag_new(NULL, NULL);
    bool io_error = false;
    options.ez.emit = EZ_EMIT_SIGNATURE;
    options.ez.emit_text = text;
    options.ez.defines = s->defines.data;
    options.ez.define_count = s->defines.len;
    object_free(driver_load(s->files.data[0].path, &options, quiet, &io_error));
    const struct json_value *v =
        text->len ? json_read(text->text, text->len, diag_source(quiet, "", NULL, 0), arena, quiet)
                  : NULL;
    diag_free(quiet);
    return v;
}

static bool is_defined(const struct source_defines *list, const char *name) {
    for (size_t i = 0; i < list->items.len; i++)
        if (strcmp(list->items.data[i].name, name) == 0)
            return true;
    return false;
}

static void follow_shape(struct source_defines *list, const struct json_value *parameter,
                         const struct array *a) {
    const struct json_value *extents = json_member(parameter, "extents");
    const struct json_value *e = extents ? extents->first : NULL;
    for (uint32_t d = 0; e && d < a->ndim; d++, e = e->next) {
        struct asm_define x = {e->kind == JSON_STRING ? e->text : NULL, (int64_t)a->shape[d]};
        if (x.name && !is_defined(list, x.name))
            vec_push(&list->items, x);
    }
}

static const struct json_value *find_parameter(const struct json_value *signature,
                                               const char *name) {
    const struct json_value *all = json_member(signature, "parameters");
    for (const struct json_value *p = all ? all->first : NULL; p; p = p->next) {
        const char *is = json_member_text(p, "name");
        if (is && strcmp(is, name) == 0)
            return p;
    }
    return NULL;
}

/* Data are read for their shape, where a parameter takes them. */
static mpu_result follow(struct source_defines *list, const struct json_value *signature,
                         const struct source_shape *x, struct diag *d) {
    const struct json_value *p = find_parameter(signature, x->parameter);
    struct data_source from;
    struct array a = {0};
    mpu_result r = MPU_OK;
    if (!p || (x->data && !data_has_shape(x->data)))
        return MPU_OK;
    if (x->data)
        r = data_read(x->parameter, x->data, NULL, false, &from, &a, d);
    if (r == MPU_OK)
        follow_shape(list, p, x->data ? &a : &x->like);
    array_free(&a);
    return r;
}

mpu_result source_defines_find(const mpu_source *s, const struct driver_options *options,
                               struct source_defines *list, struct diag *d) {
    struct str text = {0};
    mpu_result r = MPU_OK;
    for (size_t i = 0; i < s->defines.len; i++)
        vec_push(&list->items, s->defines.data[i]);
    const struct json_value *signature =
        is_kernel(s) ? signature_of(s, options, &list->arena, &text) : NULL;
    for (size_t i = 0; signature && r == MPU_OK && i < s->shapes.len; i++)
        r = follow(list, signature, &s->shapes.data[i], d);
    str_free(&text);
    return r;
}

void source_defines_free(struct source_defines *list) {
    vec_free(&list->items);
    arena_free(&list->arena);
}
