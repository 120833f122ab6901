/* SPDX-License-Identifier: MIT
 * Records of kernels: the buffers that they get, their texts, and calls with their arguments. */
#include "object/write.h"

static void put_buffer(struct object_writer *writer, const struct buffer_decl *buffer) {
    static const struct extent none = {NO_INDEX, 0};
    uint32_t name = object_write_name(writer, buffer->name);
    struct str *s = bytes_of(writer, OBJECT_BUFFERS);
    put_u32(s, name);
    put_u8(s, buffer->direction);
    put_u8(s, (unsigned)buffer->type.kind);
    put_u8(s, buffer->type.bits);
    put_u8(s, 0);
    put_u32(s, buffer->ndim);
    put_place(s, &buffer->place);
    put_u64(s, 0);
    for (uint32_t i = 0; i < FORM_MAX_DIMS; i++)
        put_extent(s, i < buffer->ndim ? &buffer->shape[i] : &none);
}

/* Texts are padded to eight bytes, where words may begin. */
static void put_kernel_text(struct object_writer *writer, const void *bytes, size_t size) {
    struct str *text = bytes_of(writer, OBJECT_KERNEL_TEXT);
    str_append_n(text, bytes, size);
    while (text->len % 8)
        put_u8(text, 0);
}

static void put_module(struct object_writer *writer, const struct module_decl *module) {
    uint32_t name = object_write_name(writer, module->name),
             form = object_write_name(writer, module->form);
    struct str *s = bytes_of(writer, OBJECT_MODULES);
    put_u32(s, name);
    put_u32(s, form);
    put_u32(s, module->words ? KERNEL_HAS_WORDS : 0);
    put_u32(s, module->first_line);
    put_u64(s, module->size);
    put_place(s, &module->place);
    put_u32(s, 0);
    put_kernel_text(writer, module->bytes, module->size);
}

static void put_kernel(struct object_writer *writer, const struct kernel_decl *kernel) {
    uint32_t name = object_write_name(writer, kernel->name),
             form = object_write_name(writer, kernel->form);
    uint32_t entry = kernel->entry ? object_write_name(writer, kernel->entry) : 0;
    struct str *s = bytes_of(writer, OBJECT_KERNELS);
    put_u32(s, name);
    put_u32(s, form);
    put_u32(s, (kernel->words ? KERNEL_HAS_WORDS : 0) | (kernel->entry ? KERNEL_IN_MODULE : 0));
    put_u32(s, kernel->parameter_count);
    put_u64(s, kernel->entry ? kernel->module : kernel->size);
    put_u32(s, kernel->otherwise == NO_INDEX ? NO_INDEX : writer->symbol[kernel->otherwise]);
    put_place(s, &kernel->place);
    put_u32(s, kernel->first_line);
    put_u32(s, entry);
    if (!kernel->entry)
        put_kernel_text(writer, kernel->bytes, kernel->size);
}

static unsigned log2_of(unsigned power) {
    unsigned log = 0;
    while (power >> (log + 1))
        log++;
    return log;
}

static void put_parameters(struct object_writer *writer, uint32_t kernel) {
    const struct kernel_decl *k = &writer->o->kernels.data[kernel];
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct kernel_parameter *p = &k->parameters[i];
        uint32_t name = object_write_name(writer, p->name);
        struct str *s = bytes_of(writer, OBJECT_PARAMETERS);
        put_u32(s, kernel);
        put_u32(s, name);
        put_u8(s, (unsigned)p->kind);
        put_u8(s, p->kind == PARAMETER_BYTES ? log2_of(p->align) : (unsigned)p->type.kind);
        put_u8(s, p->kind == PARAMETER_BYTES ? p->bytes & 0xffu : p->type.bits);
        put_u8(s, p->kind == PARAMETER_BYTES ? p->bytes >> 8 : 0);
    }
}

static void put_call(struct object_writer *writer, uint32_t call) {
    const struct recipe_call *c = &writer->o->calls.data[call];
    const struct kernel_decl *k = object_call_kernel(writer->o, c);
    struct str *s = bytes_of(writer, OBJECT_CALLS);
    put_u32(s, c->word);
    put_u32(s, c->otherwise == NO_INDEX ? NO_INDEX : writer->symbol[c->otherwise]);
    for (uint32_t i = 0; k && i < k->parameter_count; i++) {
        s = bytes_of(writer, OBJECT_ARGUMENTS);
        put_u32(s, call);
        put_u32(s, c->arguments[i].buffer);
        put_u32(s, c->arguments[i].size);
        put_u32(s, 0);
        put_u64(s, c->arguments[i].number);
        if (c->arguments[i].bytes)
            str_append_n(bytes_of(writer, OBJECT_ARGUMENT_BYTES),
                         (const char *)c->arguments[i].bytes, k->parameters[i].bytes);
    }
    if (!c->geometry)
        return;
    s = bytes_of(writer, OBJECT_LAUNCHES);
    put_u32(s, call);
    put_u32(s, 0);
    for (uint32_t i = 0; i < LAUNCH_EXTENTS; i++)
        put_extent(s, &c->geometry->extent[i]);
}

void object_write_kernels(struct object_writer *writer) {
    const struct object *o = writer->o;
    for (size_t i = 0; i < o->buffers.len; i++)
        put_buffer(writer, &o->buffers.data[i]);
    for (size_t i = 0; i < o->modules.len; i++)
        put_module(writer, &o->modules.data[i]);
    for (uint32_t i = 0; i < o->kernels.len; i++) {
        put_kernel(writer, &o->kernels.data[i]);
        put_parameters(writer, i);
    }
    for (uint32_t i = 0; i < o->calls.len; i++)
        put_call(writer, i);
}
