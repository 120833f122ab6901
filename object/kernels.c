/* SPDX-License-Identifier: MIT
 * Buffers in a machine's memory, and kernels that work on them. */
#include "object/bytes.h"
#include "object/object.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

const struct kernel_decl *object_call_kernel(const struct object *object,
                                             const struct recipe_call *call) {
    struct insn insn;
    if (!isa_may_be(call->word, OP_RECIPE) || isa_decode(call->word, &insn) != ISA_OK ||
        (uint32_t)insn.imm >= object->kernels.len)
        return NULL;
    return &object->kernels.data[insn.imm];
}

/* ---- as text ---- */

static void type_text(struct lane_type type, struct str *out) {
    char text[8];
    object_type_text(type, text);
    str_append(out, text);
}

static void size_text(const struct object *object, uint32_t size, struct str *out) {
    if (object_size_is_unnamed(&object->sizes.data[size]))
        object_size_formula(object, size, out);
    else
        str_append(out, object->sizes.data[size].name);
}

void object_buffer_text(const struct object *object, const struct buffer_decl *buffer,
                        struct str *out) {
    if (buffer->direction)
        str_printf(out, "%s ", object_direction_text(buffer->direction));
    str_printf(out, "%s: ", buffer->name);
    type_text(buffer->type, out);
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        const struct extent *e = &buffer->shape[i];
        str_append(out, i ? ", " : "[");
        if (e->size == NO_INDEX)
            str_u64(out, e->value);
        else
            size_text(object, e->size, out);
    }
    str_append(out, buffer->ndim ? "]" : "");
}

static void parameter_text(const struct kernel_parameter *parameter, struct str *out) {
    str_printf(out, "%s: ", parameter->name);
    if (parameter->kind == PARAMETER_BYTES) {
        str_printf(out, "bytes[%u, %u]", parameter->bytes, parameter->align);
        return;
    }
    type_text(parameter->type, out);
    str_append(out, parameter->kind == PARAMETER_BUFFER ? "[]" : "");
}

void object_kernel_text(const struct object *object, const struct kernel_decl *kernel,
                        struct str *out) {
    str_printf(out, "%s %s(", kernel->name, kernel->form);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        str_append(out, i ? ", " : "");
        parameter_text(&kernel->parameters[i], out);
    }
    str_char(out, ')');
    if (kernel->otherwise != NO_INDEX)
        str_printf(out, " else %s", object->symbols.data[kernel->otherwise].name);
    if (!kernel->entry)
        return;
    str_printf(out, " in %s", object->modules.data[kernel->module].name);
    if (strcmp(kernel->entry, kernel->name) != 0)
        str_printf(out, " entry %s", kernel->entry);
}

void object_module_text(const struct module_decl *module, struct str *out) {
    str_printf(out, "%s %s", module->name, module->form);
}

/* As numbers of 8 bytes, and the rest byte by byte: each lies where its own size lets it. */
static void bytes_text(const unsigned char *bytes, size_t count, struct str *out) {
    size_t i = 0;
    str_append(out, "bytes(");
    for (; i + 8 <= count; i += 8)
        str_printf(out, "%su64 0x%" PRIx64, i ? ", " : "", get_u64(bytes + i));
    for (; i < count; i++)
        str_printf(out, "%su8 0x%x", i ? ", " : "", bytes[i]);
    str_char(out, ')');
}

static void argument_text(const struct object *object, const struct kernel_parameter *parameter,
                          const struct kernel_argument *argument, struct str *out) {
    bool at = argument->buffer != NO_INDEX;
    if (at)
        str_append(out, object->buffers.data[argument->buffer].name);
    if (at && (argument->size != NO_INDEX || argument->number))
        str_append(out, " + ");
    if (argument->bytes)
        bytes_text(argument->bytes, parameter->bytes, out);
    else if (argument->size != NO_INDEX)
        size_text(object, argument->size, out);
    else if (at && !argument->number)
        return;
    else if (parameter->type.kind == TYPE_INT)
        str_printf(out, "%" PRId64, sign_extend(argument->number, parameter->type.bits));
    else if (object_type_is_float(parameter->type))
        str_printf(out, "bits(0x%" PRIx64 ")", argument->number);
    else
        str_u64(out, argument->number);
}

static void extent_text(const struct object *object, const struct extent *extent, struct str *out) {
    if (extent->size == NO_INDEX)
        str_u64(out, extent->value);
    else
        size_text(object, extent->size, out);
}

/* A dimension, or [x, y] where there are more; 0 where nothing is said. */
static void dims_text(const struct object *object, const struct extent *dims, struct str *out) {
    if (!launch_said(&dims[1])) {
        extent_text(object, dims, out);
        return;
    }
    for (unsigned i = 0; i < LAUNCH_DIMS && launch_said(&dims[i]); i++) {
        str_append(out, i ? ", " : "[");
        extent_text(object, &dims[i], out);
    }
    str_char(out, ']');
}

static void geometry_text(const struct object *object, const struct launch_geometry *geometry,
                          struct str *out) {
    const struct extent *e = geometry->extent;
    bool bytes = launch_said(&e[LAUNCH_BYTES]), block = bytes || launch_said(&e[LAUNCH_BLOCK]);
    if (!block && !launch_said(&e[LAUNCH_GRID]))
        return;
    str_append(out, "<<<");
    dims_text(object, &e[LAUNCH_GRID], out);
    if (block) {
        str_append(out, ", ");
        dims_text(object, &e[LAUNCH_BLOCK], out);
    }
    if (bytes) {
        str_append(out, ", ");
        extent_text(object, &e[LAUNCH_BYTES], out);
    }
    str_append(out, ">>>");
}

static void units_text(const struct object *object, const struct launch_geometry *geometry,
                       struct str *out) {
    const struct extent *e = geometry->extent;
    if (!launch_said(&e[LAUNCH_UNITS]))
        return;
    str_append(out, " units ");
    extent_text(object, &e[LAUNCH_UNITS], out);
    if (!launch_said(&e[LAUNCH_FIRST]))
        return;
    str_append(out, " from ");
    extent_text(object, &e[LAUNCH_FIRST], out);
}

void object_kernel_call_text(const struct object *object, const struct recipe_call *call,
                             struct str *out) {
    const struct kernel_decl *k = object_call_kernel(object, call);
    str_append(out, k->name);
    if (call->geometry)
        geometry_text(object, call->geometry, out);
    str_char(out, '(');
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        str_append(out, i ? ", " : "");
        argument_text(object, &k->parameters[i], &call->arguments[i], out);
    }
    str_char(out, ')');
    if (call->geometry)
        units_text(object, call->geometry, out);
}

/* ---- what can be ---- */

/* The shape of a variable's array; false of one that depends on more than extents. */
static bool variable_shape(const struct object *object, const struct variable *variable,
                           struct extent *shape, uint32_t *ndim) {
    const struct group *g =
        variable->group == NO_INDEX ? NULL : &object->groups.data[variable->group];
    const struct extent k = {NO_INDEX, variable->count};
    *ndim = 0;
    if (variable->form.shaped) {
        *ndim = variable->form.ndim;
        memcpy(shape, variable->form.shape, *ndim * sizeof *shape);
        return true;
    }
    if (variable->form.order == FORM_SPLIT || (g && g->per_mpu))
        return false;
    if (variable->has_k && variable->form.order == FORM_FIRST)
        shape[(*ndim)++] = k;
    for (uint32_t i = 0; g && i < g->ndim; i++)
        shape[(*ndim)++] = g->extent[i];
    if (variable->has_k && variable->form.order == FORM_LAST)
        shape[(*ndim)++] = k;
    return true;
}

static bool same_shape(const struct extent *left, const struct extent *right, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (left[i].size != right[i].size || left[i].value != right[i].value)
            return false;
    return true;
}

static bool same_type(struct lane_type left, struct lane_type right) {
    return left.kind == right.kind && left.bits == right.bits;
}

/* A variable stands for a buffer of its name. */
static bool variable_stands_for(const struct object *object, const struct variable *variable,
                                const struct buffer_decl *buffer) {
    struct extent shape[FORM_MAX_DIMS];
    uint32_t ndim;
    return (variable->direction & ~VAR_CONSUMED) == buffer->direction &&
           same_type(object_variable_array_type(variable), buffer->type) &&
           variable_shape(object, variable, shape, &ndim) && ndim == buffer->ndim &&
           same_shape(shape, buffer->shape, ndim);
}

const char *object_buffer_problem(const struct object *object, const struct buffer_decl *buffer) {
    uint32_t v;
    if (buffer->direction & ~(unsigned)(VAR_IN | VAR_OUT))
        return "has no known direction";
    if (!object_type_ok(buffer->type))
        return "has no known type";
    if (buffer->ndim > FORM_MAX_DIMS)
        return "has more than 8 dimensions";
    for (uint32_t i = 0; i < buffer->ndim; i++)
        if (!object_extent_ok(object, &buffer->shape[i]))
            return "has an extent that is not in 1..2^40";
    if (object_find_value(object, buffer->name) != NO_INDEX)
        return "has the name of a link-time value";
    v = object_find_variable(object, buffer->name);
    if (v != NO_INDEX && !variable_stands_for(object, &object->vars.data[v], buffer))
        return "has another type, shape or direction than the variable of its name, which stands "
               "for it where a target carries out no kernels";
    return NULL;
}

static bool parameters_differ(const struct kernel_decl *kernel) {
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(kernel->parameters[i].name, kernel->parameters[k].name) == 0)
                return false;
    return true;
}

static bool parameter_ok(const struct kernel_parameter *parameter) {
    bool bytes = parameter->kind == PARAMETER_BYTES;
    return object_name_ok(parameter->name) && parameter->kind < PARAMETER_KINDS &&
           (bytes ? parameter->bytes && parameter->bytes <= KERNEL_MAX_PARAMETER_BYTES &&
                        parameter->align && parameter->align <= 16 &&
                        !(parameter->align & (parameter->align - 1)) && !parameter->type.bits
                  : object_type_ok(parameter->type) && !parameter->bytes && !parameter->align);
}

const char *object_module_problem(const struct module_decl *module) {
    if (!object_name_ok(module->form))
        return "has a form of an impossible name";
    if (module->size == 0)
        return "is empty";
    if (module->size > OBJECT_MAX_KERNEL)
        return "is longer than 1 GiB";
    if (module->words && module->size % 8)
        return "has no whole number of words";
    if (!module->words && memchr(module->bytes, '\0', module->size))
        return "has a byte 0 in its text";
    return NULL;
}

uint32_t object_parameter_bytes(const struct kernel_parameter *parameter) {
    return parameter->kind == PARAMETER_BYTES    ? parameter->bytes
           : parameter->kind == PARAMETER_BUFFER ? 8
                                                 : object_element_bytes(parameter->type);
}

uint8_t object_bytes_align(uint32_t bytes) {
    uint8_t align = 8;
    while (bytes % align)
        align /= 2;
    return align;
}

uint32_t object_parameter_offset(const struct kernel_parameter *parameter, uint32_t end) {
    uint32_t align =
        parameter->kind == PARAMETER_BYTES ? parameter->align : object_parameter_bytes(parameter);
    return (end + align - 1) / align * align;
}

/* Of all of them. */
static uint32_t parameters_bytes(const struct kernel_parameter *list, uint32_t count) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; i++)
        end = object_parameter_offset(&list[i], end) + object_parameter_bytes(&list[i]);
    return end;
}

const char *object_kernel_problem(const struct kernel_decl *kernel) {
    const struct module_decl own = {
        .form = kernel->form, .words = kernel->words, .bytes = kernel->bytes, .size = kernel->size};
    const char *problem = object_module_problem(&own);
    if (problem)
        return problem;
    if (kernel->entry && !object_name_ok(kernel->entry))
        return "is an entry of an impossible name";
    if (kernel->parameter_count > KERNEL_MAX_PARAMETERS)
        return "has more than 512 parameters";
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (!parameter_ok(&kernel->parameters[i]))
            return "has a parameter of no known name, kind or type";
    if (parameters_bytes(kernel->parameters, kernel->parameter_count) > KERNEL_MAX_PARAMETER_BYTES)
        return "has more than 4096 bytes of parameters";
    return parameters_differ(kernel) ? NULL : "has two parameters of one name";
}

void object_kernel_join(const struct object *object, struct kernel_decl *kernel) {
    const struct module_decl *m = &object->modules.data[kernel->module];
    kernel->form = m->form;
    kernel->words = m->words;
    kernel->bytes = m->bytes;
    kernel->size = m->size;
    kernel->first_line = m->first_line;
}

struct place object_kernel_place(const struct object *object, const struct kernel_decl *kernel) {
    return kernel->entry ? object->modules.data[kernel->module].place : kernel->place;
}

struct place object_kernel_line(const struct object *object, const struct kernel_decl *kernel,
                                uint32_t line) {
    struct place at = object_kernel_place(object, kernel);
    if (!kernel->first_line || !line || at.file >= object->files.len)
        return (struct place){.file = NO_INDEX};
    at.line = kernel->first_line + line - 1;
    at.column = 0;
    return at;
}

const char *object_argument_problem(const struct object *object,
                                    const struct kernel_parameter *parameter,
                                    const struct kernel_argument *argument) {
    bool buffer = argument->buffer != NO_INDEX, size = argument->size != NO_INDEX;
    if ((argument->bytes != NULL) != (parameter->kind == PARAMETER_BYTES))
        return argument->bytes ? "takes no bytes" : "takes bytes";
    if (argument->bytes)
        return buffer || size || argument->number ? "takes bytes, and gets more than these" : NULL;
    if (buffer != (parameter->kind == PARAMETER_BUFFER))
        return buffer ? "takes a number, not a buffer" : "takes the name of a buffer";
    if (buffer && argument->buffer >= object->buffers.len)
        return "gets a buffer that is not there";
    if (buffer && !same_type(object->buffers.data[argument->buffer].type, parameter->type))
        return "gets a buffer of another type";
    if (size && !buffer && object_type_is_float(parameter->type))
        return "is no integer, and gets a size";
    if (size)
        return argument->size < object->sizes.len && !argument->number ? NULL
                                                                       : "gets a size that is not "
                                                                         "there";
    if (buffer)
        return NULL;
    return object_value_holds(parameter->type, argument->number)
               ? NULL
               : "gets a number that is none of its type";
}

/* Dimensions that are said come before those that are not. */
static bool dims_fine(const struct extent dims[LAUNCH_DIMS]) {
    for (unsigned i = 1; i < LAUNCH_DIMS; i++)
        if (launch_said(&dims[i]) && !launch_said(&dims[i - 1]))
            return false;
    return true;
}

const char *object_launch_problem(const struct object *object,
                                  const struct launch_geometry *geometry) {
    const struct extent *e = geometry->extent;
    bool some = false;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++) {
        if (launch_said(&e[i]) && !object_extent_ok(object, &e[i]))
            return "has a geometry that is not in 1..2^40 or names no size";
        some |= launch_said(&e[i]);
    }
    if (!some)
        return "has a geometry that says nothing";
    if (!dims_fine(&e[LAUNCH_GRID]) || !dims_fine(&e[LAUNCH_BLOCK]))
        return "has a geometry whose first dimension is missing";
    if (launch_said(&e[LAUNCH_FIRST]) && !launch_said(&e[LAUNCH_UNITS]))
        return "names its first unit, and not how many";
    return NULL;
}

uint32_t object_buffer_of_length(const struct object *object, uint32_t size) {
    const struct size_decl *s = &object->sizes.data[size];
    if (s->place.file >= object->files.len ||
        strcmp(object->files.data[s->place.file], OBJECT_LAUNCHES_FILE) != 0)
        return NO_INDEX;
    for (uint32_t i = 0; i < object->buffers.len; i++) {
        const struct buffer_decl *b = &object->buffers.data[i];
        size_t n = strlen(b->name);
        if (b->ndim == 1 && b->shape[0].size == size && strncmp(s->name, b->name, n) == 0 &&
            strcmp(s->name + n, ".length") == 0)
            return i;
    }
    return NO_INDEX;
}

void object_report_length(const struct object *object, uint32_t buffer, struct diag *diag) {
    const struct buffer_decl *b = &object->buffers.data[buffer];
    char type[8];
    object_type_text(b->type, type);
    diag_error(diag, NO_SPAN, "nothing says how long buffer '%s' is; --buffer '%s: %s[N]' does",
               b->name, b->name, type);
}

uint64_t object_buffer_elements(const struct buffer_decl *buffer, const int64_t *sizes) {
    struct array_form f = {.ndim = buffer->ndim};
    memcpy(f.shape, buffer->shape, sizeof f.shape);
    return object_form_elements(&f, sizes);
}

unsigned object_element_bytes(struct lane_type type) {
    return type.bits <= 8 ? 1 : type.bits <= 16 ? 2 : type.bits <= 32 ? 4 : 8;
}

bool object_buffer_same(const struct buffer_decl *left, const struct buffer_decl *right) {
    return left->direction == right->direction && same_type(left->type, right->type) &&
           left->ndim == right->ndim && same_shape(left->shape, right->shape, left->ndim);
}

bool object_module_same(const struct module_decl *left, const struct module_decl *right) {
    return strcmp(left->form, right->form) == 0 && left->words == right->words &&
           left->size == right->size && memcmp(left->bytes, right->bytes, left->size) == 0;
}

bool object_kernel_same(const struct kernel_decl *left, const struct kernel_decl *right) {
    bool same = strcmp(left->form, right->form) == 0 && left->words == right->words &&
                left->size == right->size && memcmp(left->bytes, right->bytes, left->size) == 0 &&
                left->parameter_count == right->parameter_count && !left->entry == !right->entry &&
                (!left->entry || strcmp(left->entry, right->entry) == 0);
    for (uint32_t i = 0; same && i < left->parameter_count; i++)
        same = strcmp(left->parameters[i].name, right->parameters[i].name) == 0 &&
               left->parameters[i].kind == right->parameters[i].kind &&
               left->parameters[i].bytes == right->parameters[i].bytes &&
               left->parameters[i].align == right->parameters[i].align &&
               same_type(left->parameters[i].type, right->parameters[i].type);
    return same;
}
