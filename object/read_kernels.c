/* SPDX-License-Identifier: MIT
 * Buffers, kernels with their parameters and texts, and what calls of kernels give to them. */
#include "object/bytes.h"
#include "object/read.h"

#include <string.h>

static void read_buffer(struct object_reader *reader, size_t index) {
    const unsigned char *b = object_read_record(reader, OBJECT_BUFFERS, index);
    size_t offset = offset_of(reader, OBJECT_BUFFERS, index);
    struct array_form shape = {.ndim = get_u32(b + 8)};
    struct buffer_decl x = {.name = object_read_name(reader, get_u32(b), offset),
                            .direction = b[4],
                            .type = {(enum type_kind)b[5], b[6]},
                            .ndim = shape.ndim,
                            .place = get_place(b + 12)};
    if (b[7] || get_u64(b + 24) || !object_read_shape(b + 32, &shape))
        object_read_fail(reader, offset, "a buffer has a shape that is none");
    memcpy(x.shape, shape.shape, sizeof x.shape);
    vec_push(&reader->o->buffers, x);
}

/* Bytes *next and on of .mpu.kerneltext, and the padding behind them; a NUL follows. */
static const void *read_bytes(struct object_reader *reader, uint64_t size, size_t *next,
                              size_t offset) {
    const struct section_view *s = &reader->section[OBJECT_KERNEL_TEXT];
    uint64_t left = s->size - *next;
    if (size > left || (size + 7) / 8 * 8 > left) {
        object_read_fail(reader, offset, "a kernel has more text than there is");
        return "";
    }
    const void *text =
        arena_copy(&reader->o->arena, size ? (const char *)s->bytes + *next : "", (size_t)size);
    for (uint64_t i = size; i % 8; i++)
        if (s->bytes[*next + i])
            object_read_fail(reader, s->offset + *next + (size_t)i,
                             "there are bytes between the texts of two kernels");
    *next += (size_t)((size + 7) / 8 * 8);
    return text;
}

static void read_parameter(struct object_reader *reader, size_t index, size_t kernel,
                           struct kernel_parameter *out) {
    const unsigned char *b = object_read_record(reader, OBJECT_PARAMETERS, index);
    size_t offset = offset_of(reader, OBJECT_PARAMETERS, index);
    *out = (struct kernel_parameter){.name = object_read_name(reader, get_u32(b + 4), offset),
                                     .kind = (enum parameter_kind)b[8]};
    bool bytes = out->kind == PARAMETER_BYTES;
    if (bytes) {
        out->align = (uint8_t)(b[9] < 8 ? 1u << b[9] : 0);
        out->bytes = (uint16_t)(b[10] | b[11] << 8);
    } else {
        out->type = (struct lane_type){(enum type_kind)b[9], b[10]};
    }
    if (get_u32(b) != kernel || (!bytes && b[11]))
        object_read_fail(reader, offset, "a parameter is of a kernel that is not the next");
}

static const struct kernel_parameter *read_parameters(struct object_reader *reader, size_t kernel,
                                                      uint32_t count, size_t *next) {
    struct kernel_parameter *list =
        ARENA_ARRAY(&reader->o->arena, count + 1, struct kernel_parameter);
    for (uint32_t i = 0; i < count && reader->ok; i++, ++*next)
        read_parameter(reader, *next, kernel, &list[i]);
    return list;
}

/* Where the next kernel's parameters and text are. */
struct kernel_cursor {
    size_t parameter, text;
};

static void read_module(struct object_reader *reader, size_t index, struct kernel_cursor *next) {
    const unsigned char *b = object_read_record(reader, OBJECT_MODULES, index);
    size_t offset = offset_of(reader, OBJECT_MODULES, index);
    struct module_decl m = {.name = object_read_name(reader, get_u32(b), offset),
                            .form = object_read_name(reader, get_u32(b + 4), offset),
                            .words = get_u32(b + 8) & KERNEL_HAS_WORDS,
                            .first_line = get_u32(b + 12),
                            .size = (size_t)get_u64(b + 16),
                            .place = get_place(b + 24)};
    if (get_u32(b + 8) > KERNEL_HAS_WORDS || get_u32(b + 36))
        object_read_fail(reader, offset, "a module has flags that nobody knows");
    m.bytes = read_bytes(reader, get_u64(b + 16), &next->text, offset);
    vec_push(&reader->o->modules, m);
}

/* Its text is its own, or that of its module. */
static bool read_source(struct object_reader *reader, const unsigned char *b, size_t offset,
                        struct kernel_cursor *next, struct kernel_decl *kernel) {
    uint64_t size = get_u64(b + 16);
    const char *form = kernel->form;
    bool words = kernel->words;
    uint32_t line = kernel->first_line;
    if (!(get_u32(b + 8) & KERNEL_IN_MODULE)) {
        kernel->bytes = read_bytes(reader, size, &next->text, offset);
        return !get_u32(b + 44);
    }
    if (size >= reader->o->modules.len)
        return false;
    kernel->module = (uint32_t)size;
    kernel->entry = object_read_name(reader, get_u32(b + 44), offset);
    object_kernel_join(reader->o, kernel);
    return strcmp(form, kernel->form) == 0 && words == kernel->words && line == kernel->first_line;
}

static void read_kernel(struct object_reader *reader, size_t index, struct kernel_cursor *next) {
    const unsigned char *b = object_read_record(reader, OBJECT_KERNELS, index);
    size_t offset = offset_of(reader, OBJECT_KERNELS, index);
    uint32_t count = get_u32(b + 12);
    struct kernel_decl k = {.name = object_read_name(reader, get_u32(b), offset),
                            .form = object_read_name(reader, get_u32(b + 4), offset),
                            .words = get_u32(b + 8) & KERNEL_HAS_WORDS,
                            .parameter_count = count,
                            .size = (size_t)get_u64(b + 16),
                            .otherwise = get_u32(b + 24),
                            .place = get_place(b + 28),
                            .first_line = get_u32(b + 40)};
    if (get_u32(b + 8) > (KERNEL_HAS_WORDS | KERNEL_IN_MODULE) || count > KERNEL_MAX_PARAMETERS ||
        count > object_read_count(reader, OBJECT_PARAMETERS) - next->parameter) {
        object_read_fail(reader, offset,
                         "a kernel has more parameters than there are, or than 512");
        return;
    }
    if (!read_source(reader, b, offset, next, &k))
        object_read_fail(reader, offset, "a kernel is an entry of a module that it does not fit");
    k.parameters = read_parameters(reader, index, count, &next->parameter);
    vec_push(&reader->o->kernels, k);
}

void object_read_kernels(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_BUFFERS);
    struct kernel_cursor next = {0, 0};
    for (size_t i = 0; i < count && reader->ok; i++)
        read_buffer(reader, i);
    count = object_read_count(reader, OBJECT_MODULES);
    for (size_t i = 0; i < count && reader->ok; i++)
        read_module(reader, i, &next);
    count = object_read_count(reader, OBJECT_KERNELS);
    for (size_t i = 0; i < count && reader->ok; i++)
        read_kernel(reader, i, &next);
    if (reader->ok && (next.parameter != object_read_count(reader, OBJECT_PARAMETERS) ||
                       next.text != reader->section[OBJECT_KERNEL_TEXT].size))
        object_read_fail(reader, reader->section[OBJECT_KERNELS].offset,
                         "there are parameters or texts of no kernel");
}

/* Where the next argument is, and the next bytes of one. */
struct argument_cursor {
    size_t record, bytes;
};

static const unsigned char *read_argument_bytes(struct object_reader *reader, size_t call,
                                                uint32_t size, struct argument_cursor *next) {
    const struct section_view *s = &reader->section[OBJECT_ARGUMENT_BYTES];
    if (size > s->size - next->bytes) {
        object_read_fail(reader, offset_of(reader, OBJECT_CALLS, call),
                         "a call has more bytes for parameters than there are");
        return NULL;
    }
    next->bytes += size;
    return (const unsigned char *)arena_copy(&reader->o->arena,
                                             (const char *)s->bytes + next->bytes - size, size);
}

/* Arguments *next and on, those of the call. */
static const struct kernel_argument *read_arguments(struct object_reader *reader, size_t call,
                                                    const struct kernel_decl *kernel,
                                                    struct argument_cursor *next) {
    uint32_t count = kernel->parameter_count;
    struct kernel_argument *list =
        ARENA_ARRAY(&reader->o->arena, count + 1, struct kernel_argument);
    if (count > object_read_count(reader, OBJECT_ARGUMENTS) - next->record) {
        object_read_fail(reader, offset_of(reader, OBJECT_CALLS, call),
                         "a call has more arguments than there are");
        return list;
    }
    for (uint32_t i = 0; i < count && reader->ok; i++, ++next->record) {
        const unsigned char *b = object_read_record(reader, OBJECT_ARGUMENTS, next->record);
        list[i] = (struct kernel_argument){get_u32(b + 4), get_u32(b + 8), get_u64(b + 16), NULL};
        if (kernel->parameters[i].kind == PARAMETER_BYTES)
            list[i].bytes = read_argument_bytes(reader, call, kernel->parameters[i].bytes, next);
        if (get_u32(b) != call || get_u32(b + 12))
            object_read_fail(reader, offset_of(reader, OBJECT_ARGUMENTS, next->record),
                             "an argument is of a call that is not the next");
    }
    return list;
}

/* In the order of their calls, each of a kernel and at most once. */
static void read_geometries(struct object_reader *reader) {
    struct object *o = reader->o;
    size_t count = object_read_count(reader, OBJECT_LAUNCHES), next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_LAUNCHES, i);
        struct launch_geometry *g = ARENA_ARRAY(&o->arena, 1, struct launch_geometry);
        uint32_t call = get_u32(b);
        bool fine = call >= next && call < o->calls.len && !get_u32(b + 4) &&
                    object_call_kernel(o, &o->calls.data[call]);
        for (unsigned k = 0; k < LAUNCH_EXTENTS && fine; k++)
            fine = object_read_extent(b + 8 + 16 * k, &g->extent[k]);
        if (fine)
            o->calls.data[call].geometry = g;
        else
            object_read_fail(reader, offset_of(reader, OBJECT_LAUNCHES, i),
                             "a geometry is of no launch, of an earlier one, or none");
        next = (size_t)call + 1;
    }
}

void object_read_arguments(struct object_reader *reader) {
    struct object *o = reader->o;
    struct argument_cursor next = {0, 0};
    for (size_t i = 0; i < o->kernels.len && reader->ok; i++)
        if (o->kernels.data[i].otherwise != NO_INDEX)
            o->kernels.data[i].otherwise = object_read_program_symbol(
                reader, o->kernels.data[i].otherwise, offset_of(reader, OBJECT_KERNELS, i));
    for (size_t i = 0; i < o->calls.len && reader->ok; i++) {
        const struct kernel_decl *k = object_call_kernel(o, &o->calls.data[i]);
        if (k)
            o->calls.data[i].arguments = read_arguments(reader, i, k, &next);
    }
    if (reader->ok && (next.record != object_read_count(reader, OBJECT_ARGUMENTS) ||
                       next.bytes != reader->section[OBJECT_ARGUMENT_BYTES].size))
        object_read_fail(reader, reader->section[OBJECT_ARGUMENTS].offset,
                         "there are arguments of no call");
    if (reader->ok)
        read_geometries(reader);
}
