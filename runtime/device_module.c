/* SPDX-License-Identifier: MIT
 * Texts of kernels on a device: each kernel is linked as a program that launches it once. */
#include "runtime/device_kernels.h"

#include "asm/builder.h"
#include "ezpim/cuda_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a text declares ---- */

static void report(const mpu_module *module, const char *text, size_t size,
                   const struct machine_kernel_fault *fault, struct diag *diag) {
    diag_error(diag, diag_text_line(diag, module->name, text, size, fault->line), "module '%s': %s",
               module->name, str_text(&fault->what));
}

static bool declare(mpu_module *module, const struct machine_form *form, const char *text,
                    size_t size, struct diag *diag) {
    struct machine_kernel_fault fault = {.line = 0};
    struct machine_entries *d = &module->declared;
    bool fine = true;
    if (form->declare)
        fine = form->declare(text, size, d, &fault);
    else
        vec_push(&d->entries,
                 ((struct machine_entry){.name = arena_strdup(&d->arena, module->name)}));
    if (!fine)
        report(module, text, size, &fault, diag);
    str_free(&fault.what);
    return fine;
}

/* ---- kernels ---- */

/* A buffer of a parameter, whose place and size each launch says. */
static uint32_t declare_buffer(struct builder *builder, const struct kernel_parameter *parameter) {
    const struct buffer_decl b = {.name = parameter->name,
                                  .direction = VAR_IN | (parameter->constant ? 0 : VAR_OUT),
                                  .type = parameter->type,
                                  .ndim = 1,
                                  .shape = {{NO_INDEX, 1}},
                                  .place = {NO_INDEX, 0, 0}};
    return builder_buffer(builder, &b);
}

static struct object *build(mpu_kernel *kernel, const struct machine_entry *entry,
                            const struct machine_form *form, const char *text, size_t size,
                            struct diag *diag) {
    struct builder *b = builder_new(diag);
    const bool words = form->is_words && form->is_words(text, size);
    const struct module_decl m = {.name = "module",
                                  .form = form->name,
                                  .words = words,
                                  .bytes = text,
                                  .size = size,
                                  .place = {NO_INDEX, 0, 0},
                                  .first_line = !words};
    const struct kernel_decl k = {.name = entry->name,
                                  .form = form->name,
                                  .words = words,
                                  .bytes = text,
                                  .size = size,
                                  .entry = form->declare ? entry->name : NULL,
                                  .parameters = entry->parameters,
                                  .parameter_count = entry->parameter_count,
                                  .otherwise = NO_INDEX,
                                  .place = {NO_INDEX, 0, 0},
                                  .first_line = !words};
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        bool buffer = entry->parameters[i].kind == PARAMETER_BUFFER;
        uint32_t bytes = entry->parameters[i].bytes;
        kernel->arguments[i] = (struct kernel_argument){
            buffer ? declare_buffer(b, &entry->parameters[i]) : NO_INDEX, NO_INDEX, 0,
            bytes ? kernel->structures + kernel->structure_at[i] : NULL};
        kernel->structure_at[i + 1] = kernel->structure_at[i] + bytes;
    }
    if (k.entry)
        builder_module(b, &m);
    builder_symbol(b, "main", SYMBOL_LABEL, false);
    builder_kernel_call(b, builder_kernel(b, &k), kernel->arguments, NULL, NO_INDEX);
    builder_plain(b, OP_HALT);
    struct object *o = builder_finish(b);
    if (!o)
        return NULL;
    o->kernels.data[0].place = (struct place){object_file(o, kernel->module->name), entry->line, 1};
    if (k.entry)
        o->modules.data[0].place = (struct place){o->kernels.data[0].place.file, 1, 1};
    o->calls.data[0].arguments = kernel->arguments;
    return o;
}

/* Registers of VRFs are vectors' on a device, where there are any. */
static bool works_on_memory(const mpu_kernel *kernel, struct diag *diag) {
    const struct package_kernel *k = &kernel->package->kernels[0];
    bool registers = k->mpus != 0;
    for (unsigned r = 0; r < 64; r++)
        registers |= k->reg_bits[r] != 0;
    if (registers)
        diag_error(diag, NO_SPAN,
                   "kernel '%s' works on registers of VRFs; on a device kernels have buffers only",
                   device_kernel_decl(kernel)->name);
    return !registers;
}

static bool make_kernel(mpu_module *module, size_t i, const struct machine_form *form,
                        const char *text, size_t size, struct diag *diag) {
    const mpu_device *d = module->device;
    const struct package_place place = {.asked = PLACE_PACKED, .chosen = PLACE_PACKED};
    const struct machine_entry *entry = &module->declared.entries.data[i];
    mpu_kernel *k = &module->kernels[i];
    k->module = module;
    k->arguments = xcalloc(entry->parameter_count + 1u, sizeof *k->arguments);
    k->addresses = xcalloc(entry->parameter_count + 1u, sizeof *k->addresses);
    k->strides = xcalloc(entry->parameter_count + 1u, sizeof *k->strides);
    k->structure_at = xcalloc(entry->parameter_count + 1u, sizeof *k->structure_at);
    k->given = xcalloc(entry->parameter_count + 1u, sizeof(mpu_buffer *));
    k->object = build(k, entry, form, text, size, diag);
    if (!k->object || !object_check(k->object, diag, NO_SPAN))
        return false;
    k->package = package_build_at(k->object, d->target, d->library, NULL, 0, &place, NULL, diag);
    return k->package && works_on_memory(k, diag);
}

/* ---- buffers that the text adds ---- */

/* The buffer that the text adds under that name; NULL. */
static mpu_buffer *added(const mpu_module *module, const char *name) {
    for (size_t i = 0; i < module->declared.buffers.len; i++)
        if (strcmp(module->declared.buffers.data[i].name, name) == 0)
            return module->buffers[i];
    return NULL;
}

/* The parameter of a kernel that is the buffer of that name; NO_INDEX. */
static uint32_t parameter_of(const mpu_kernel *kernel, const char *name) {
    const struct kernel_decl *k = device_kernel_decl(kernel);
    for (uint32_t p = 0; p < k->parameter_count; p++)
        if (k->parameters[p].kind == PARAMETER_BUFFER && strcmp(k->parameters[p].name, name) == 0)
            return p;
    return NO_INDEX;
}

/* It lies as all kernels want it that get it; false after reporting two that do not agree. */
static bool find_how(const mpu_module *module, const struct buffer_decl *buffer,
                     struct device_buffer_form *form, struct diag *diag) {
    const mpu_kernel *first = NULL;
    struct machine_buffer *lies = &form->lies;
    *lies = (struct machine_buffer){LAYOUT_FLAT, 0, 0};
    for (size_t i = 0; i < module->declared.entries.len; i++) {
        const mpu_kernel *k = &module->kernels[i];
        uint32_t p = parameter_of(k, buffer->name);
        if (p == NO_INDEX)
            continue;
        const struct machine_buffer *wants = device_kernel_wants(k, p);
        if (first && !machine_buffer_same(wants, lies)) {
            struct str how = {0};
            str_printf(&how, "kernel '%s' wants it ", device_kernel_decl(k)->name);
            machine_buffer_text(wants, &how);
            str_printf(&how, ", and kernel '%s' ", device_kernel_decl(first)->name);
            machine_buffer_text(lies, &how);
            diag_error(diag, NO_SPAN, "module '%s': buffer '%s' cannot lie in two ways: %s",
                       module->name, buffer->name, str_text(&how));
            str_free(&how);
            return false;
        }
        first = k;
        *lies = *wants;
        form->program = device_kernel_program(k);
    }
    return true;
}

static bool add_buffers(mpu_module *module, struct diag *diag) {
    const struct machine_entries *d = &module->declared;
    module->buffers = xcalloc(d->buffers.len + 1, sizeof(mpu_buffer *));
    for (size_t i = 0; i < d->buffers.len; i++) {
        const struct buffer_decl *b = &d->buffers.data[i];
        const struct target *t = module->device->target;
        struct buffer_decl all = *b;
        if (b->ndim && !b->shape[0].value)
            all.shape[0].value = (uint64_t)t->mpus * target_vrfs_per_mpu(t);
        struct device_buffer_form form = {.type = b->type,
                                          .rows = b->ndim ? all.shape[0].value : 1,
                                          .elements = object_buffer_elements(&all, NULL),
                                          .lies = {LAYOUT_FLAT, 0, 0}};
        if (!find_how(module, b, &form, diag))
            return false;
        module->buffers[i] = device_buffer_new(module->device, &form, diag);
        if (!module->buffers[i]) {
            diag_note(diag, NO_SPAN, "for buffer '%s' of module '%s'", b->name, module->name);
            return false;
        }
        module->buffers[i]->of_module = true;
    }
    return true;
}

static void give_buffers(mpu_module *module) {
    for (size_t i = 0; i < module->declared.entries.len; i++) {
        const struct machine_entry *e = &module->declared.entries.data[i];
        for (uint32_t p = 0; p < e->parameter_count; p++)
            if (e->parameters[p].kind == PARAMETER_BUFFER)
                module->kernels[i].given[p] = added(module, e->parameters[p].name);
    }
}

/* ---- modules ---- */

static void free_module(mpu_module *module) {
    mpu_device *d = module->device;
    if (d) {
        struct diag *quiet = module->shared && !d->broken ? diag_new(NULL, NULL) : NULL;
        if (quiet)
            d->ops->mem_free(d->dp, module->shared, quiet);
        diag_free(quiet);
        *(module->before ? &module->before->next : &d->modules) = module->next;
        if (module->next)
            module->next->before = module->before;
    }
    for (size_t i = 0; module->kernels && i < module->declared.entries.len; i++) {
        if (d && !d->broken && d->ops->forget_kernel && module->kernels[i].object)
            d->ops->forget_kernel(d->dp, device_kernel_decl(&module->kernels[i]));
        package_free(module->kernels[i].package);
        object_free(module->kernels[i].object);
        free(module->kernels[i].arguments);
        free(module->kernels[i].addresses);
        free(module->kernels[i].strides);
        free(module->kernels[i].given);
        free(module->kernels[i].structure_at);
    }
    for (size_t i = 0; module->buffers && i < module->declared.buffers.len; i++)
        if (module->buffers[i])
            device_buffer_drop(module->buffers[i]);
    machine_entries_free(&module->declared);
    free(module->kernels);
    free(module->buffers);
    free(module->name);
    free(module);
}

void mpu_module_free(mpu_module *module) {
    if (module)
        free_module(module);
}

static mpu_module *new_module(mpu_device *device, const char *name) {
    mpu_module *m = xcalloc(1, sizeof *m);
    *m = (mpu_module){.device = device, .name = xstrdup(name), .next = device->modules};
    if (m->next)
        m->next->before = m;
    device->modules = m;
    return m;
}

static const struct machine_form *form_of(const mpu_device *device, const char *name,
                                          struct diag *diag) {
    struct str why = {0};
    const struct machine_form *form = machine_form(device->target, name, &why);
    if (form && (device->golden || device->config.check) && !golden_launches(name)) {
        str_printf(&why, "golden does not interpret kernels of form '%s', so %s", name,
                   device->config.check ? "there is nothing to check them with"
                                        : "engine golden cannot carry them out");
        form = NULL;
    }
    if (!form)
        diag_error(diag, NO_SPAN, "%s", str_text(&why));
    str_free(&why);
    return form;
}

/* What the kernels of a text share goes to the machine's memory once. */
static bool share(mpu_module *module, struct diag *diag) {
    const struct package *p = module->declared.entries.len ? module->kernels[0].package : NULL;
    const struct package_module *shared = p && p->module_count ? &p->modules[0] : NULL;
    mpu_device *d = module->device;
    if (!shared || !shared->size)
        return true;
    if (!d->ops->mem_alloc(d->dp, shared->size, &module->shared, diag))
        return false;
    struct str bytes = {0};
    package_module_bytes(shared, module->shared, &bytes);
    bool fine = d->ops->mem_put(d->dp, module->shared, bytes.text, bytes.len, diag);
    str_free(&bytes);
    if (fine)
        device_charge_memory(d, HOST_IN, shared->size);
    return fine;
}

static mpu_result load_text(mpu_module *module, const struct machine_form *form, const char *text,
                            size_t size, struct diag *diag) {
    if (!declare(module, form, text, size, diag))
        return MPU_REJECTED;
    module->kernels = xcalloc(module->declared.entries.len + 1, sizeof *module->kernels);
    bool fine = true;
    for (size_t i = 0; i < module->declared.entries.len && !diag_full(diag); i++)
        fine &= make_kernel(module, i, form, text, size, diag);
    if (!fine || !add_buffers(module, diag) || !share(module, diag))
        return MPU_REJECTED;
    give_buffers(module);
    return MPU_OK;
}

/* A file of words is a whole number of them. */
static mpu_result load(mpu_module *module, const char *form_name, const char *text, size_t size,
                       struct diag *diag) {
    if (strcmp(form_name, DRIVER_CUDA + 1) == 0) {
        struct str ptx = {0};
        char *name = module->name;
        bool made = driver_cuda_compile(name, text, size, &ptx, diag);
        module->name = driver_cuda_name(name);
        mpu_result r =
            made ? load(module, DRIVER_PTX + 1, str_text(&ptx), ptx.len, diag) : MPU_REJECTED;
        str_free(&ptx);
        free(name);
        return r;
    }
    const struct machine_form *form = form_of(module->device, form_name, diag);
    struct str padded = {0};
    if (!form)
        return MPU_REJECTED;
    module->pointers = form->pointers;
    if (form->is_words && form->is_words(text, size) && size % 8) {
        str_append_n(&padded, text, size);
        while (padded.len % 8)
            str_char(&padded, '\0');
    }
    mpu_result r = load_text(module, form, padded.len ? padded.text : text,
                             padded.len ? padded.len : size, diag);
    str_free(&padded);
    return r;
}

mpu_module *mpu_module_load(mpu_device *device, const char *form, const char *name,
                            const char *text, size_t size, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    struct public_call c;
    mpu_module *m = new_module(device, name);
    public_call_begin(&c, device->messages, error);
    if (public_call_end(&c, load(m, form, text, size, c.d)) == MPU_OK)
        return m;
    free_module(m);
    return NULL;
}

/* ---- what is in them ---- */

const char *mpu_module_kernel_name(const mpu_module *module, size_t i) {
    return i < module->declared.entries.len ? module->declared.entries.data[i].name : NULL;
}

static mpu_result unknown(const mpu_module *module, const char *what, const char *name,
                          const char *const *names, size_t count, struct diag *diag) {
    struct str list = {0};
    diag_error(diag, NO_SPAN, "module '%s' has no %s '%s'", module->name, what, name);
    diag_suggest(diag, NO_SPAN, name, names, count);
    for (size_t i = 0; i < count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (count)
        diag_note(diag, NO_SPAN, "its %ss are: %s", what, str_text(&list));
    str_free(&list);
    return MPU_USAGE;
}

static void refuse_name(const mpu_module *module, const char *what, const char *name,
                        const char *const *names, size_t count, mpu_error **error) {
    struct public_call c;
    public_call_begin(&c, module->device ? module->device->messages : NULL, error);
    public_call_end(&c, unknown(module, what, name, names, count, c.d));
}

mpu_kernel *mpu_module_kernel(mpu_module *module, const char *name, mpu_error **error) {
    DEVICE_ENTRY(module->device, error, NULL);
    size_t count = module->declared.entries.len;
    struct str several = {0}; /* who is meant is said with all names, below */
    const struct machine_entry *e =
        machine_entry_named(&module->declared, name, strlen(name), &several);
    str_free(&several);
    if (e)
        return &module->kernels[e - module->declared.entries.data];
    const char **names = xcalloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = module->declared.entries.data[i].name;
    refuse_name(module, "kernel", name, names, count, error);
    free(names);
    return NULL;
}

mpu_buffer *mpu_module_buffer(mpu_module *module, const char *name, mpu_error **error) {
    DEVICE_ENTRY(module->device, error, NULL);
    size_t count = module->declared.buffers.len;
    mpu_buffer *b = added(module, name);
    if (b)
        return b;
    const char **names = xcalloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = module->declared.buffers.data[i].name;
    refuse_name(module, "buffer", name, names, count, error);
    free(names);
    return NULL;
}

uint32_t device_kernel_parameter(const mpu_kernel *kernel, uint32_t i) {
    const struct kernel_decl *k = device_kernel_decl(kernel);
    for (uint32_t p = 0; p < k->parameter_count; p++)
        if (!kernel->given[p] && i-- == 0)
            return p;
    return NO_INDEX;
}

/* Parameter number i of those that get arguments. */
static const struct kernel_parameter *parameter(const mpu_kernel *kernel, uint32_t i) {
    uint32_t p = device_kernel_parameter(kernel, i);
    return p == NO_INDEX ? NULL : &device_kernel_decl(kernel)->parameters[p];
}

uint32_t mpu_kernel_parameter_count(const mpu_kernel *kernel) {
    uint32_t n = 0;
    while (parameter(kernel, n))
        n++;
    return n;
}

const char *mpu_kernel_parameter_name(const mpu_kernel *kernel, uint32_t i) {
    return parameter(kernel, i)->name;
}

mpu_vtype mpu_kernel_parameter_type(const mpu_kernel *kernel, uint32_t i) {
    const struct lane_type type = parameter(kernel, i)->type;
    return (mpu_vtype){(uint8_t)type.kind, type.bits};
}

uint32_t mpu_kernel_parameter_bytes(const mpu_kernel *kernel, uint32_t i) {
    return parameter(kernel, i)->bytes;
}

int mpu_kernel_parameter_is_buffer(const mpu_kernel *kernel, uint32_t i) {
    return parameter(kernel, i)->kind == PARAMETER_BUFFER;
}
