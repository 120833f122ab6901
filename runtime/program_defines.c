/* SPDX-License-Identifier: MIT
 * Adapts a kernel in Python to the shapes of its inputs: a constant that is an extent of a
 * parameter by itself gets the array's extent there, unless it is defined. */
#include "runtime/internal.h"
#include "support/json_read.h"

#include <string.h>

static bool is_kernel(const mpu_source *source) {
    const char *path = source->files.len == 1 ? source->files.data[0].path : "";
    size_t n = strlen(path);
    if (source->language)
        return source->files.len == 1 && strcmp(source->language, "py") == 0;
    return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

/* What calls the kernel has to know, as JSON; NULL where it is not compiled, which whoever compiles
 * it for good reports. */
static const struct json_value *signature_of(const mpu_source *source,
                                             const struct driver_options *compiled,
                                             struct arena *arena, struct str *text) {
    struct driver_options options = *compiled;
    struct diag *quiet = diag_new(NULL, NULL);
    bool io_error = false;
    options.ez.emit = EZ_EMIT_SIGNATURE;
    options.ez.emit_text = text;
    options.ez.defines = source->defines.data;
    options.ez.define_count = source->defines.len;
    object_free(driver_load(source->files.data[0].path, &options, quiet, &io_error));
    const struct json_value *v =
        text->len ? json_read(text->text, text->len, diag_source(quiet, "", NULL, 0), arena, quiet)
                  : NULL;
    diag_free(quiet);
    return v;
}

static bool is_defined(const struct program_defines *list, const char *name) {
    for (size_t i = 0; i < list->items.len; i++)
        if (strcmp(list->items.data[i].name, name) == 0)
            return true;
    return false;
}

/* One number is an array of one element where the parameter has one dimension. */
static void follow_shape(struct program_defines *list, const struct json_value *parameter,
                         const struct ndarray *array) {
    const struct json_value *extents = json_member(parameter, "extents");
    const struct json_value *e = extents ? extents->first : NULL;
    bool single = e && !e->next && array->ndim == 0;
    for (uint32_t d = 0; e && d < array->ndim + single; d++, e = e->next) {
        int64_t extent = single ? 1 : (int64_t)array->shape[d];
        struct asm_define x = {e->kind == JSON_STRING ? e->text : NULL, extent, NULL};
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

/* Standard input is read once, for the run. */
static bool data_has_own_shape(const char *data) {
    return data_has_shape(data) && strcmp(data, "-") != 0;
}

/* Data are read for their shape, where a parameter takes them. */
static mpu_result follow(struct program_defines *list, const struct json_value *signature,
                         const struct source_shape *shape, struct diag *diag) {
    const struct json_value *p = find_parameter(signature, shape->parameter);
    struct data_wish wish = {.name = shape->parameter, .data = shape->data};
    struct data_source from;
    struct ndarray a = {0};
    mpu_result r = MPU_OK;
    if (!p || (shape->data && !data_has_own_shape(shape->data)))
        return MPU_OK;
    if (shape->data)
        r = data_read(&wish, &from, &a, diag);
    if (r == MPU_OK)
        follow_shape(list, p, shape->data ? &a : &shape->like);
    ndarray_free(&a);
    return r;
}

mpu_result program_defines_find(const mpu_source *source, const struct driver_options *options,
                                struct program_defines *list, struct diag *diag) {
    struct str text = {0};
    mpu_result r = MPU_OK;
    for (size_t i = 0; i < source->defines.len; i++)
        vec_push(&list->items, source->defines.data[i]);
    const struct json_value *signature =
        is_kernel(source) ? signature_of(source, options, &list->arena, &text) : NULL;
    for (size_t i = 0; signature && r == MPU_OK && i < source->shapes.len; i++)
        r = follow(list, signature, &source->shapes.data[i], diag);
    str_free(&text);
    return r;
}

void program_defines_free(struct program_defines *list) {
    vec_free(&list->items);
    arena_free(&list->arena);
}
