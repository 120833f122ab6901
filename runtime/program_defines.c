/* SPDX-License-Identifier: MIT
 * Adapts a kernel in Python to the shapes of its inputs: a constant that is an extent of a
 * parameter by itself gets the array's extent there, unless it is defined. */
#include "runtime/data.h"
#include "runtime/program.h"

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

static const struct asm_define *find_defined(const struct program_defines *list, const char *name) {
    for (size_t i = 0; i < list->items.len; i++)
        if (strcmp(list->items.data[i].name, name) == 0)
            return &list->items.data[i];
    return NULL;
}

/* What is known of extent `index`: its number, or that of a constant that is defined; 0: nothing.
 */
static uint64_t known_extent(const struct program_defines *list, const struct json_value *parameter,
                             const struct json_value *extent, uint32_t index) {
    if (extent->kind == JSON_STRING) {
        const struct asm_define *x = find_defined(list, extent->text);
        return x && !x->real && x->value > 0 ? (uint64_t)x->value : 0;
    }
    const struct json_value *n = json_member(parameter, "shape")->first;
    for (; n && index; index--)
        n = n->next;
    return n && n->whole ? n->number : 0;
}

/* The extents of a parameter that as many numbers have, where all are known but one; false where
 * more are open, or the number is not right. */
static bool shape_of_count(const struct program_defines *list, const struct json_value *parameter,
                           uint64_t count, struct ndarray *shape) {
    uint32_t open = NO_INDEX;
    uint64_t n = 1;
    shape->ndim = 0;
    for (const struct json_value *e = json_member(parameter, "extents")->first; e; e = e->next) {
        uint64_t known = known_extent(list, parameter, e, shape->ndim);
        if (shape->ndim == NDARRAY_MAX_DIMS || (!known && open != NO_INDEX) ||
            __builtin_mul_overflow(n, known ? known : 1, &n))
            return false;
        open = known ? open : shape->ndim;
        shape->shape[shape->ndim++] = known;
    }
    if (open == NO_INDEX || !count || count % n)
        return false;
    shape->shape[open] = count / n;
    return true;
}

static bool extents_fit(const struct program_defines *list, const struct json_value *parameter,
                        const struct ndarray *array) {
    uint32_t d = 0;
    for (const struct json_value *e = json_member(parameter, "extents")->first; e; e = e->next) {
        uint64_t known = known_extent(list, parameter, e, d);
        if (d == array->ndim || (known && known != array->shape[d]))
            return false;
        d++;
    }
    return d == array->ndim;
}

/* Numbers without a shape of their own have the parameter's, as far as that is known. */
static void follow_shape(struct program_defines *list, const struct json_value *parameter,
                         const struct ndarray *array, enum source_form form) {
    const struct json_value *extents = json_member(parameter, "extents");
    const struct json_value *e = extents ? extents->first : NULL;
    struct ndarray shape = *array;
    bool flat = e && form == FORM_TEXT && (data_is_flat(array) || !e->next);
    if (flat && !extents_fit(list, parameter, array) &&
        !shape_of_count(list, parameter, array->count, &shape))
        return;
    for (uint32_t d = 0; e && d < shape.ndim; d++, e = e->next) {
        struct asm_define x = {e->kind == JSON_STRING ? e->text : NULL, (int64_t)shape.shape[d],
                               NULL};
        if (x.name && !find_defined(list, x.name))
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
    struct data_source from = {.form = FORM_TYPED};
    struct ndarray a = {0};
    mpu_result r = MPU_OK;
    if (!p || (shape->data && !data_has_own_shape(shape->data)))
        return MPU_OK;
    if (shape->data)
        r = data_read(&wish, &from, &a, diag);
    if (r == MPU_OK)
        follow_shape(list, p, shape->data ? &a : &shape->like, from.form);
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
