/* SPDX-License-Identifier: MIT
 * Buffers, kernels and calls of kernels of the inputs. */
#include "linker/join/link.h"

#include <string.h>

static struct buffer_decl buffer_out(struct link *link, const struct link_input *in,
                                     const struct buffer_decl *buffer) {
    struct buffer_decl b = *buffer;
    for (uint32_t i = 0; i < b.ndim; i++)
        b.shape[i].size = link_size_out(in, b.shape[i].size);
    b.name = arena_strdup(&link->out->arena, b.name);
    b.place = link_place_out(in, b.place);
    return b;
}

static void merge_buffer(struct link *link, struct link_input *in, uint32_t index) {
    const struct buffer_decl b = buffer_out(link, in, &in->o->buffers.data[index]);
    uint32_t known = object_find_buffer(link->out, b.name);
    in->buffers[index] = known;
    if (known == NO_INDEX) {
        in->buffers[index] = (uint32_t)link->out->buffers.len;
        vec_push(&link->out->buffers, b);
    } else if (!object_buffer_same(&b, &link->out->buffers.data[known])) {
        link_report_differs(link, in, "buffer", b.name, in->o->buffers.data[index].place,
                            link->out->buffers.data[known].place);
    }
}

static void merge_module(struct link *link, struct link_input *in, uint32_t index) {
    struct module_decl m = in->o->modules.data[index];
    struct arena *arena = &link->out->arena;
    uint32_t known = object_find_module(link->out, m.name);
    in->modules[index] = known;
    if (known != NO_INDEX) {
        if (!object_module_same(&m, &link->out->modules.data[known]))
            link_report_differs(link, in, "module", m.name, m.place,
                                link->out->modules.data[known].place);
        return;
    }
    in->modules[index] = (uint32_t)link->out->modules.len;
    m.name = arena_strdup(arena, m.name);
    m.form = arena_strdup(arena, m.form);
    m.bytes = arena_copy(arena, m.bytes, m.size);
    m.place = link_place_out(in, m.place);
    vec_push(&link->out->modules, m);
}

/* The symbol behind `else`, which is that of the input until the symbols are joined. */
static struct kernel_decl kernel_out(struct link *link, const struct link_input *in,
                                     const struct kernel_decl *kernel) {
    struct arena *arena = &link->out->arena;
    struct kernel_decl k = *kernel;
    struct kernel_parameter *list =
        ARENA_ARRAY(arena, k.parameter_count + 1, struct kernel_parameter);
    for (uint32_t i = 0; i < k.parameter_count; i++) {
        list[i] = k.parameters[i];
        list[i].name = arena_strdup(arena, list[i].name);
    }
    k.parameters = list;
    k.name = arena_strdup(arena, k.name);
    if (k.entry) {
        k.entry = arena_strdup(arena, k.entry);
        k.module = in->modules[k.module];
        object_kernel_join(link->out, &k);
    } else {
        k.form = arena_strdup(arena, k.form);
        k.bytes = arena_copy(arena, k.bytes, k.size);
    }
    k.place = link_place_out(in, k.place);
    return k;
}

static const char *otherwise_name(const struct object *object, const struct kernel_decl *kernel) {
    return kernel->otherwise == NO_INDEX ? "" : object->symbols.data[kernel->otherwise].name;
}

/* Which kernel of which input one of the output is. */
static const struct kernel_decl *origin(const struct link *link, uint32_t index,
                                        const struct object **object) {
    for (size_t i = 0; i < link->count; i++)
        for (uint32_t k = 0; k < link->inputs[i].o->kernels.len; k++)
            if (link->inputs[i].kernels && link->inputs[i].kernels[k] == index) {
                *object = link->inputs[i].o;
                return &link->inputs[i].o->kernels.data[k];
            }
    return NULL;
}

static bool same_kernel(const struct link *link, const struct link_input *in,
                        const struct kernel_decl *kernel, uint32_t known) {
    const struct object *o = NULL;
    const struct kernel_decl *first = origin(link, known, &o);
    bool module = first && first->entry && kernel->entry;
    return first && object_kernel_same(kernel, first) &&
           (!module || strcmp(in->o->modules.data[kernel->module].name,
                              o->modules.data[first->module].name) == 0) &&
           strcmp(otherwise_name(in->o, kernel), otherwise_name(o, first)) == 0;
}

static void merge_kernel(struct link *link, struct link_input *in, uint32_t index) {
    const struct kernel_decl *k = &in->o->kernels.data[index];
    uint32_t known = object_find_kernel(link->out, k->name);
    if (known == NO_INDEX) {
        in->kernels[index] = (uint32_t)link->out->kernels.len;
        vec_push(&link->out->kernels, kernel_out(link, in, k));
        return;
    }
    bool same = same_kernel(link, in, k, known);
    in->kernels[index] = known;
    if (!same)
        link_report_differs(link, in, "kernel", k->name, k->place,
                            link->out->kernels.data[known].place);
}

static uint32_t *no_indices(struct link *link, size_t count) {
    uint32_t *map = ARENA_ARRAY(&link->arena, count + 1, uint32_t);
    for (size_t i = 0; i < count; i++)
        map[i] = NO_INDEX;
    return map;
}

void link_merge_kernels(struct link *link, struct link_input *in) {
    in->buffers = no_indices(link, in->o->buffers.len);
    for (uint32_t i = 0; i < in->o->buffers.len; i++)
        merge_buffer(link, in, i);
    in->modules = no_indices(link, in->o->modules.len);
    for (uint32_t i = 0; i < in->o->modules.len; i++)
        merge_module(link, in, i);
    in->kernels = no_indices(link, in->o->kernels.len);
    for (uint32_t i = 0; i < in->o->kernels.len; i++)
        merge_kernel(link, in, i);
}

/* The word of a kernel's call and its arguments name what is in the output. */
struct recipe_call link_call_out(struct link *link, const struct link_input *in,
                                 const struct recipe_call *call) {
    const struct kernel_decl *k = object_call_kernel(in->o, call);
    struct recipe_call c = *call;
    if (!k)
        return c;
    const struct insn named = {.op = OP_RECIPE,
                               .imm = (int32_t)in->kernels[k - in->o->kernels.data]};
    struct kernel_argument *list =
        ARENA_ARRAY(&link->out->arena, k->parameter_count + 1, struct kernel_argument);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        list[i] = call->arguments[i];
        list[i].size = link_size_out(in, list[i].size);
        if (list[i].buffer != NO_INDEX)
            list[i].buffer = in->buffers[list[i].buffer];
        if (list[i].bytes)
            list[i].bytes = (const unsigned char *)arena_copy(
                &link->out->arena, (const char *)list[i].bytes, k->parameters[i].bytes);
    }
    if (call->geometry) {
        struct launch_geometry *own = ARENA_ARRAY(&link->out->arena, 1, struct launch_geometry);
        *own = *call->geometry;
        for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
            own->extent[i].size = link_size_out(in, own->extent[i].size);
        c.geometry = own;
    }
    isa_encode(&named, &c.word);
    c.arguments = list;
    return c;
}

void link_append_kernels(struct link *link, const struct link_input *in) {
    for (uint32_t i = 0; i < in->o->kernels.len; i++) {
        uint32_t otherwise = in->o->kernels.data[i].otherwise;
        if (otherwise != NO_INDEX)
            link->out->kernels.data[in->kernels[i]].otherwise = in->symbols[otherwise];
    }
}

/* One object has no buffer that another declaration stands against, but two may. */
void link_check_buffers(struct link *link) {
    for (size_t i = 0; i < link->out->buffers.len; i++) {
        const struct buffer_decl *b = &link->out->buffers.data[i];
        const char *problem = object_buffer_problem(link->out, b);
        if (problem)
            diag_error(link->d, object_span(link->out, b->place, link->d), "buffer '%s' %s",
                       b->name, problem);
    }
}
