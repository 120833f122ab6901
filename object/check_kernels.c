/* SPDX-License-Identifier: MIT
 * Buffers and kernels of an object, and what calls give to kernels. */
#include "object/check_object.h"

static void check_buffers(struct check *check) {
    struct map seen = {0};
    const struct object *o = check->o;
    if (o->buffers.len > OBJECT_MAX_BUFFERS)
        object_check_fail(check, "there are %zu buffers; the most is %d", o->buffers.len,
                          OBJECT_MAX_BUFFERS);
    for (size_t i = 0; i < o->buffers.len && check->ok; i++) {
        const struct buffer_decl *b = &o->buffers.data[i];
        object_check_unique(check, &seen, "buffer", b->name);
        object_check_place(check, "buffer", b->name, &b->place);
        const char *problem = object_buffer_problem(o, b);
        if (problem)
            object_check_fail(check, "buffer '%s' %s", b->name, problem);
    }
    map_free(&seen);
}

static void check_modules(struct check *check) {
    struct map seen = {0};
    const struct object *o = check->o;
    if (o->modules.len > OBJECT_MAX_MODULES)
        object_check_fail(check, "there are %zu modules; the most is %d", o->modules.len,
                          OBJECT_MAX_MODULES);
    for (size_t i = 0; i < o->modules.len && check->ok; i++) {
        const struct module_decl *m = &o->modules.data[i];
        object_check_unique(check, &seen, "module", m->name);
        object_check_place(check, "module", m->name, &m->place);
        const char *problem = object_module_problem(m);
        if (problem)
            object_check_fail(check, "module '%s' %s", m->name, problem);
    }
    map_free(&seen);
}

void object_check_kernels(struct check *check) {
    struct map seen = {0};
    const struct object *o = check->o;
    check_buffers(check);
    check_modules(check);
    if (o->kernels.len > OBJECT_MAX_KERNELS)
        object_check_fail(check, "there are %zu kernels; the most is %d", o->kernels.len,
                          OBJECT_MAX_KERNELS);
    for (size_t i = 0; i < o->kernels.len && check->ok; i++) {
        const struct kernel_decl *k = &o->kernels.data[i];
        object_check_unique(check, &seen, "kernel", k->name);
        object_check_place(check, "kernel", k->name, &k->place);
        const char *problem = object_kernel_problem(k);
        if (problem)
            object_check_fail(check, "kernel '%s' %s", k->name, problem);
        else if (k->otherwise != NO_INDEX && (k->otherwise >= o->symbols.len ||
                                              o->symbols.data[k->otherwise].kind == SYMBOL_ABS))
            object_check_fail(check, "the 'else' of kernel '%s' is no place in the text", k->name);
    }
    map_free(&seen);
}

void object_check_arguments(struct check *check, size_t call) {
    const struct recipe_call *x = &check->o->calls.data[call];
    const struct kernel_decl *k = object_call_kernel(check->o, x);
    for (uint32_t i = 0; i < k->parameter_count && check->ok; i++) {
        const char *problem =
            object_argument_problem(check->o, &k->parameters[i], &x->arguments[i]);
        if (problem)
            object_check_fail(check, "parameter '%s' of call %zu %s", k->parameters[i].name, call,
                              problem);
    }
    const char *problem = x->geometry ? object_launch_problem(check->o, x->geometry) : NULL;
    if (problem)
        object_check_fail(check, "call %zu of kernel '%s' %s", call, k->name, problem);
    if (x->otherwise == NO_INDEX && k->otherwise != NO_INDEX)
        object_check_fail(check, "call %zu of kernel '%s' lacks the kernel's 'else'", call,
                          k->name);
}
